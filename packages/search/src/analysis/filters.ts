import type { Fields } from '../fields.js';
import { gramsOf } from './grams.js';
import { stemmers } from './languages.js';
import type { Token, TokenFilter } from './token.js';

/** Creates a filter that replaces each term. A term that becomes empty is removed. */
export const replacing =
  (change: (term: string) => string): TokenFilter =>
  tokens =>
    tokens.flatMap(token => {
      const term = change(token.term);
      return term === '' ? [] : term === token.term ? [token] : [{ ...token, term }];
    });

export const lowercase: TokenFilter = replacing(term => term.toLowerCase());

export const removing = (words: Iterable<string>): TokenFilter => {
  const removed = new Set(words);
  return tokens => tokens.filter(({ term }) => !removed.has(term));
};

/** Removes a final `'s`. */
export const possessive: TokenFilter = replacing(term => term.replace(/['’＇]s$/i, ''));

/** Removes accents and other marks. */
export const foldDiacritics = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').normalize('NFC');

const expanding =
  (expand: (term: string) => readonly string[]): TokenFilter =>
  tokens =>
    tokens.flatMap(token => expand(token.term).map(term => ({ ...token, term })));

const gramFilter = (fields: Fields, side: 'left' | 'any'): TokenFilter => {
  const min = fields.integer('minGram', { from: 1, to: 1000 });
  const max = fields.integer('maxGram', { from: min, to: 1000 });
  const keepsOthers = fields.oneOf('termNotInBounds', ['include', 'omit'], 'omit') === 'include';
  return expanding(term => {
    const grams = gramsOf(term, { min, max, side }).map(gram => gram.term);
    const { length } = [...term];
    return keepsOthers && (length < min || length > max) ? [term, ...grams] : grams;
  });
};

const lengths = (fields: Fields): TokenFilter => {
  const min = fields.optionalInteger('min', { from: 0, to: 255 }, 0);
  const max = fields.optionalInteger('max', { from: min, to: 255 }, 255);
  return tokens => tokens.filter(({ term }) => term.length >= min && term.length <= max);
};

const replaced = (fields: Fields): TokenFilter => {
  const replacement = fields.get('replacement');
  if (typeof replacement !== 'string') throw fields.problem('replacement', 'must be a string');
  const all = fields.oneOf('matches', ['all', 'first']) === 'all';
  try {
    const pattern = new RegExp(fields.string('pattern'), all ? 'gu' : 'u');
    return replacing(term => term.replace(pattern, replacement));
  } catch {
    throw fields.problem('pattern', 'is not a valid regular expression');
  }
};

const shingles = (fields: Fields): TokenFilter => {
  const min = fields.integer('minShingleSize', { from: 2, to: 100 });
  const max = fields.integer('maxShingleSize', { from: min, to: 100 });
  return tokens =>
    tokens.flatMap((token, i) => {
      const found: Token[] = [token];
      for (let size = min; size <= max && i + size <= tokens.length; size++) {
        const words = tokens.slice(i, i + size);
        found.push({ ...token, term: words.map(({ term }) => term).join(' '), end: words.at(-1)!.end });
      }
      return found;
    });
};

const withoutDuplicates: TokenFilter = tokens => {
  const seen = new Set<string>();
  return tokens.filter(({ term, position }) => {
    const key = `${position} ${term}`;
    return seen.size < seen.add(key).size;
  });
};

const stopwords = (fields: Fields): TokenFilter => {
  const words = fields.strings('tokens');
  const ignoresCase = fields.boolean('ignoreCase', true);
  const removed = new Set(ignoresCase ? words.map(word => word.toLowerCase()) : words);
  return tokens => tokens.filter(({ term }) => !removed.has(ignoresCase ? term.toLowerCase() : term));
};

const snowballStemming = (fields: Fields): TokenFilter =>
  replacing(stemmers.get(fields.oneOf('stemmerName', [...stemmers.keys()]))!);

/** The token filters of custom analyzers, by the name of their type. */
const makers: ReadonlyMap<string, (fields: Fields) => TokenFilter> = new Map<string, (fields: Fields) => TokenFilter>([
  ['asciiFolding', () => replacing(foldDiacritics)],
  ['edgeGram', fields => gramFilter(fields, 'left')],
  ['englishPossessive', () => possessive],
  ['icuFolding', () => replacing(term => foldDiacritics(term.normalize('NFKC').toLowerCase()))],
  ['icuNormalizer', () => replacing(term => term.normalize('NFKC').toLowerCase())],
  ['keywordRepeat', () => expanding(term => [term, term])],
  ['length', lengths],
  ['lowercase', () => lowercase],
  ['nGram', fields => gramFilter(fields, 'any')],
  ['porterStemming', () => replacing(stemmers.get('porter')!)],
  ['regex', replaced],
  ['removeDuplicates', () => withoutDuplicates],
  ['reverse', () => replacing(term => [...term].toReversed().join(''))],
  ['shingle', shingles],
  ['snowballStemming', snowballStemming],
  ['stopword', stopwords],
  ['trim', () => replacing(term => term.trim())],
]);

/** @throws SearchError */
export const createTokenFilter = (fields: Fields): TokenFilter =>
  makers.get(fields.oneOf('type', [...makers.keys()]))!(fields);
