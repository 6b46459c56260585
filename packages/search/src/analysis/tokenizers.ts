import type { Fields } from '../fields.js';
import { gramsOf } from './grams.js';
import type { Token, Tokenizer } from './token.js';

const longest = 255;

/** Scripts without spaces between words, whose characters become tokens of their own. */
const ideographs = /[\p{Script=Han}\p{Script=Hiragana}]/u;

const tokensOf = (matches: Iterable<{ readonly 0: string; readonly index: number }>): readonly Token[] => {
  const tokens: Token[] = [];
  for (const { 0: term, index } of matches)
    tokens.push({ term, position: tokens.length, start: index, end: index + term.length });
  return tokens;
};

const matching =
  (pattern: RegExp): Tokenizer =>
  text =>
    tokensOf(text.matchAll(pattern));

const segments = function* (segmenter: Intl.Segmenter, text: string): Generator<{ 0: string; index: number }> {
  for (const { segment, index, isWordLike } of segmenter.segment(text)) {
    if (isWordLike !== true) continue;
    if (!ideographs.test(segment)) {
      for (let at = 0; at < segment.length; at += longest)
        yield { 0: segment.slice(at, at + longest), index: index + at };
      continue;
    }
    let at = index;
    for (const char of segment) {
      yield { 0: char, index: at };
      at += char.length;
    }
  }
};

/** Splits a text into words by the rules of Unicode. */
export const standardTokenizer = (): Tokenizer => {
  const segmenter = new Intl.Segmenter('en', { granularity: 'word' });
  return text => tokensOf(segments(segmenter, text));
};

export const whitespaceTokenizer: Tokenizer = matching(/\S+/g);

export const letterTokenizer: Tokenizer = matching(/\p{L}+/gu);

export const keywordTokenizer: Tokenizer = text =>
  text === '' ? [] : [{ term: text, position: 0, start: 0, end: text.length }];

const splitting =
  (pattern: RegExp): Tokenizer =>
  text => {
    const found: { 0: string; index: number }[] = [];
    let from = 0;
    for (const { 0: separator, index } of [...text.matchAll(pattern), { 0: '', index: text.length }]) {
      if (index > from) found.push({ 0: text.slice(from, index), index: from });
      from = index + separator.length;
    }
    return tokensOf(found);
  };

/** Matches URLs and e-mail addresses, or else words. */
const addresses =
  /(?:https?|ftp|file):\/\/[^\s<>"']+|[\p{L}\p{N}._%+-]+@[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+|[\p{L}\p{N}_]+(?:['.][\p{L}\p{N}_]+)*/gu;

const grams = (fields: Fields, isEdge: boolean): Tokenizer => {
  const min = fields.integer('minGram', { from: 1, to: 1000 });
  const max = fields.integer('maxGram', { from: min, to: 1000 });
  return text =>
    gramsOf(text, { min, max, side: isEdge ? 'left' : 'any' }).map((gram, position) => ({ ...gram, position }));
};

const pattern = (fields: Fields): RegExp => {
  try {
    return new RegExp(fields.string('pattern'), 'gu');
  } catch {
    throw fields.problem('pattern', 'is not a valid regular expression');
  }
};

const captured = (fields: Fields): Tokenizer => {
  const regexp = pattern(fields);
  const group = fields.integer('group', { from: 0, to: 100 });
  return text => {
    const found: { 0: string; index: number }[] = [];
    for (const match of text.matchAll(regexp)) {
      const captured = match[group];
      if (captured !== undefined && captured !== '')
        found.push({ 0: captured, index: match.index + match[0].indexOf(captured) });
    }
    return tokensOf(found);
  };
};

/** The tokenizers of custom analyzers, by the name of their type. */
const makers: ReadonlyMap<string, (fields: Fields) => Tokenizer> = new Map<string, (fields: Fields) => Tokenizer>([
  ['edgeGram', fields => grams(fields, true)],
  ['keyword', () => keywordTokenizer],
  ['nGram', fields => grams(fields, false)],
  ['regexCaptureGroup', captured],
  ['regexSplit', fields => splitting(pattern(fields))],
  ['standard', standardTokenizer],
  ['uaxUrlEmail', () => matching(addresses)],
  ['whitespace', () => whitespaceTokenizer],
]);

/** @throws SearchError */
export const createTokenizer = (fields: Fields): Tokenizer =>
  makers.get(fields.oneOf('type', [...makers.keys()]))!(fields);
