import type { Fields } from '../fields.js';
import type { TextField } from '../index/text-field.js';
import { readFuzzy } from './fuzzy.js';
import { phraseOf, phraseScores } from './phrase-scores.js';
import type { Hits, Query } from './query.js';
import { addScores } from './query.js';
import { combined, marksOfTerms, termScores, termsOf } from './text.js';

/** Parses `autocomplete`. @throws SearchError */
export const parseAutocomplete = (fields: Fields): Query => {
  fields.allow('query', 'path', 'tokenOrder', 'fuzzy', 'score');
  const queries = fields.strings('query');
  const path = fields.string('path');
  const fuzzy = readFuzzy(fields);
  const isSequential = fields.oneOf('tokenOrder', ['any', 'sequential'], 'any') === 'sequential';

  const scoresOfQuery = (field: TextField, query: string): Hits => {
    const terms = termsOf(field, query);
    const hits = combined(
      terms.map(term => termScores(field, term, fuzzy)),
      isSequential,
    );
    if (terms.length < 2 || fuzzy !== undefined) return hits;
    const inOrder = phraseScores(field, phraseOf(field, query), 0);
    // Texts with the words in their order rank first.
    addScores(hits, inOrder);
    if (isSequential) for (const unit of hits.keys()) if (!inOrder.has(unit)) hits.delete(unit);
    return hits;
  };
  return {
    run: ({ autocompletes }) => {
      const hits: Hits = new Map();
      const field = autocompletes.get(path);
      if (field !== undefined) for (const query of queries) addScores(hits, scoresOfQuery(field, query));
      return hits;
    },
    marks: field => queries.flatMap(query => marksOfTerms(termsOf(field, query), fuzzy)),
  };
};
