import type { Document } from '@tessera/contracts';
import type { Fields } from '../fields.js';
import type { Level } from '../index/level.js';
import type { TextField } from '../index/text-field.js';
import { isDocument } from '../values.js';
import { idfOf } from './bm25.js';
import type { Hits, Mark, Query } from './query.js';
import { addScores } from './query.js';
import { termScores } from './text.js';

/** The largest number of terms that a query takes from the documents. */
const mostTerms = 25;

const textsOf = function* (value: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string') yield [path, value];
  else if (Array.isArray(value)) for (const item of value) yield* textsOf(item, path);
  else if (isDocument(value))
    for (const [name, field] of Object.entries(value)) yield* textsOf(field, path === '' ? name : `${path}.${name}`);
};

interface Term {
  readonly field: TextField;
  readonly term: string;
  readonly weight: number;
}

/** Returns the terms of documents that are the most distinctive ones in the index. */
const interestingTerms = (level: Level, documents: readonly Document[]): readonly Term[] => {
  const found = new Map<TextField, Map<string, number>>();
  for (const document of documents) {
    for (const [path, text] of textsOf(document, '')) {
      const field = level.texts.get(path);
      if (field === undefined) continue;
      const counts = found.get(field) ?? new Map<string, number>();
      for (const { term } of field.searchAnalyzer.analyze(text)) counts.set(term, (counts.get(term) ?? 0) + 1);
      found.set(field, counts);
    }
  }
  const terms = [...found].flatMap(([field, counts]) =>
    [...counts].map(([term, count]) => ({
      field,
      term,
      weight: count * idfOf(field, field.postings(term)?.size ?? 0),
    })),
  );
  return terms.toSorted((a, b) => b.weight - a.weight).slice(0, mostTerms);
};

/** Parses `moreLikeThis`. @throws SearchError */
export const parseMoreLikeThis = (fields: Fields): Query => {
  fields.allow('like', 'score');
  const documents = fields.children('like').map(({ document }) => document);
  if (documents.length === 0) throw fields.problem('like', 'must be a document or an array of documents');
  return {
    run: level => {
      const hits: Hits = new Map();
      for (const { field, term } of interestingTerms(level, documents)) addScores(hits, termScores(field, term));
      return hits;
    },
    marks: (field): readonly Mark[] => {
      const terms = new Set(
        documents.flatMap(document =>
          [...textsOf(document, '')].flatMap(([, text]) => field.searchAnalyzer.analyze(text)),
        ),
      );
      const words = new Set([...terms].map(({ term }) => term));
      return [term => words.has(term)];
    },
  };
};
