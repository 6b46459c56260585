import type { Fields } from '../fields.js';
import { readPaths } from './paths.js';
import { phraseOf, phraseScores } from './phrase-scores.js';
import type { Hits, Query } from './query.js';
import { addScores } from './query.js';
import type { Synonyms } from './synonyms.js';
import { marksOfTerms, termsOf } from './text.js';

/** Parses `phrase`. @throws SearchError */
export const parsePhrase = (fields: Fields, synonyms: Synonyms): Query => {
  fields.allow('query', 'path', 'slop', 'score', 'synonyms');
  const queries = fields.strings('query');
  const select = readPaths(fields);
  const slop = fields.optionalInteger('slop', { from: 0, to: 1_000_000 }, 0);
  const mapping = fields.has('synonyms') ? synonyms.named(fields.string('synonyms')) : undefined;
  return {
    run: level => {
      const hits: Hits = new Map();
      for (const { field } of select(level)) {
        for (const query of queries) {
          const phrases = mapping === undefined ? [phraseOf(field, query)] : mapping.variants(query);
          for (const phrase of phrases) addScores(hits, phraseScores(field, phrase, slop));
        }
      }
      return hits;
    },
    marks: field => queries.flatMap(query => marksOfTerms(termsOf(field, query))),
  };
};
