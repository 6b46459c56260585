import type { Document } from '@tessera/contracts';
import type { Token } from '../analysis/token.js';
import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { Found, Selector } from '../query/paths.js';
import { readPaths } from '../query/paths.js';
import { idfOf } from '../query/bm25.js';
import type { Mark, Query } from '../query/query.js';
import { isDocument } from '../values.js';

/** A part of a text: a match of the query, or the text around it. */
export interface HighlightText {
  readonly value: string;
  readonly type: 'hit' | 'text';
}

/** A sentence with matches of the query. */
export interface Highlight {
  /** The path of the field, or a document with the path and its alternate analyzer. */
  readonly path: string | { readonly value: string; readonly multi: string };
  readonly texts: readonly HighlightText[];
  readonly score: number;
}

/** Returns the highlights of a document. */
export type Highlighter = (document: Document, level: Level, query: Query) => readonly Highlight[];

interface Options {
  readonly select: Selector;
  readonly maxCharsToExamine: number;
  readonly maxNumPassages: number;
}

/** Returns the strings at a path. */
export const textsAt = (value: unknown, parts: readonly string[]): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap(item => textsAt(item, parts));
  const [first, ...rest] = parts;
  if (first === undefined) return typeof value === 'string' ? [value] : [];
  return isDocument(value) ? textsAt(value[first], rest) : [];
};

interface Range {
  readonly start: number;
  readonly end: number;
  readonly weight: number;
}

/** Returns the ranges of the matching tokens. Ranges do not overlap. */
const hitsIn = (
  tokens: readonly Token[],
  marks: readonly Mark[],
  weightOf: (term: string) => number,
): readonly Range[] => {
  const hits: Range[] = [];
  for (const { term, start, end } of tokens) {
    if (!marks.some(mark => mark(term)) || start < (hits.at(-1)?.end ?? 0)) continue;
    hits.push({ start, end, weight: weightOf(term) });
  }
  return hits;
};

const partsOf = (text: string, from: number, to: number, hits: readonly Range[]): readonly HighlightText[] => {
  const parts: HighlightText[] = [];
  let at = from;
  const add = (end: number, type: HighlightText['type']): void => {
    if (end > at) parts.push({ value: text.slice(at, end), type });
    at = end;
  };
  for (const { start, end } of hits) {
    add(start, 'text');
    add(end, 'hit');
  }
  add(to, 'text');
  return parts;
};

const passagesOf = ({ path, multi, field }: Found, text: string, marks: readonly Mark[]): readonly Highlight[] => {
  const weightOf = (term: string): number => idfOf(field, field.postings(term)?.size ?? 0);
  const hits = hitsIn(field.analyzer.analyze(text), marks, weightOf);
  if (hits.length === 0) return [];
  const passages: Highlight[] = [];
  const sentences = new Intl.Segmenter('en', { granularity: 'sentence' });
  for (const { segment, index } of sentences.segment(text)) {
    const end = index + segment.length;
    const within = hits.filter(hit => hit.start >= index && hit.start < end);
    if (within.length === 0) continue;
    const weight = within.reduce((sum, hit) => sum + hit.weight, 0);
    passages.push({
      path: multi === undefined ? path : { value: path, multi },
      texts: partsOf(text, index, end, within),
      // Short passages, and those at the start of a text, score higher.
      score: Math.fround(weight * (1 + 1 / Math.log(87 + index)) * (2.2 / (1.2 + segment.length / 87))),
    });
  }
  return passages;
};

const best = (passages: readonly Highlight[], most: number): readonly Highlight[] => {
  if (passages.length <= most) return passages;
  const kept = new Set(passages.toSorted((a, b) => b.score - a.score).slice(0, most));
  return passages.filter(passage => kept.has(passage));
};

const highlight = (document: Document, level: Level, query: Query, options: Options): readonly Highlight[] =>
  [...options.select(level)].flatMap(found => {
    const marks = query.marks(found.field);
    if (marks.length === 0) return [];
    const passages: Highlight[] = [];
    let left = options.maxCharsToExamine;
    for (const text of textsAt(document, found.path.split('.'))) {
      if (left <= 0) break;
      passages.push(...passagesOf(found, text.slice(0, left), marks));
      left -= text.length;
    }
    return best(passages, options.maxNumPassages);
  });

/** Adds the fields of type `autocomplete` to the paths that a highlight selects. */
const withAutocompletes =
  (select: Selector, fields: Fields): Selector =>
  level => {
    const found = select(level);
    const path = fields.get('path');
    const names: readonly unknown[] = Array.isArray(path) ? path : [path];
    const others = names.flatMap((name): readonly Found[] => {
      if (typeof name !== 'string' || level.texts.has(name)) return [];
      const field = level.autocompletes.get(name);
      return field === undefined ? [] : [{ path: name, multi: undefined, field }];
    });
    return [...found, ...others];
  };

/** Parses `highlight`. @throws SearchError */
export const readHighlighter = (fields: Fields): Highlighter => {
  fields.allow('path', 'maxCharsToExamine', 'maxNumPassages');
  const bounds = { from: 1, to: 2 ** 31 - 1 };
  const options: Options = {
    select: withAutocompletes(readPaths(fields), fields),
    maxCharsToExamine: fields.optionalInteger('maxCharsToExamine', bounds, 500_000),
    maxNumPassages: fields.optionalInteger('maxNumPassages', bounds, 5),
  };
  return (document, level, query) => highlight(document, level, query, options);
};
