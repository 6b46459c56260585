import type { Fields } from '../fields.js';
import type { TextField } from '../index/text-field.js';
import { scoresOf } from './bm25.js';
import type { Fuzzy } from './fuzzy.js';
import { expansionsOf, readFuzzy, resemblance } from './fuzzy.js';
import { readPaths } from './paths.js';
import { phraseScores } from './phrase-scores.js';
import type { Hits, Mark, Query } from './query.js';
import { addScores } from './query.js';
import type { Synonyms } from './synonyms.js';

/** The distinct terms of a text, as the field's queries analyze it. */
export const termsOf = (field: TextField, text: string): readonly string[] => [
  ...new Set(field.searchAnalyzer.analyze(text).map(({ term }) => term)),
];

/** Returns the scores of the units that have a term or a similar term. */
export const termScores = (field: TextField, term: string, fuzzy?: Fuzzy): Hits => {
  const hits: Hits = new Map();
  for (const expansion of expansionsOf(field, term, fuzzy)) {
    const postings = field.postings(expansion.term);
    if (postings !== undefined) addScores(hits, scoresOf(field, postings, expansion.boost));
  }
  return hits;
};

/** Adds the scores of several terms. If `requiresAll` is set, a unit must match every term. */
export const combined = (all: readonly Hits[], requiresAll: boolean): Hits => {
  const hits: Hits = new Map();
  for (const each of all) addScores(hits, each);
  if (!requiresAll) return hits;
  for (const unit of hits.keys()) if (!all.every(each => each.has(unit))) hits.delete(unit);
  return hits;
};

export const marksOfTerms = (terms: readonly string[], fuzzy?: Fuzzy): readonly Mark[] =>
  terms.map(term => other => other === term || (fuzzy !== undefined && resemblance(term, other, fuzzy) !== undefined));

/** Parses `text`. @throws SearchError */
export const parseText = (fields: Fields, synonyms: Synonyms): Query => {
  fields.allow('query', 'path', 'fuzzy', 'matchCriteria', 'score', 'synonyms');
  const queries = fields.strings('query');
  const select = readPaths(fields);
  const fuzzy = readFuzzy(fields);
  const isGiven = fields.has('matchCriteria');
  const requiresAll = fields.oneOf('matchCriteria', ['any', 'all'], 'any') === 'all';
  const mapping = fields.has('synonyms') ? synonyms.named(fields.string('synonyms')) : undefined;
  if (mapping !== undefined && fuzzy !== undefined) throw fields.problem('fuzzy', 'cannot be used with "synonyms"');

  const scoresOfQuery = (field: TextField, query: string): Hits => {
    if (mapping === undefined)
      return combined(
        termsOf(field, query).map(term => termScores(field, term, fuzzy)),
        requiresAll,
      );
    if (!isGiven)
      return combined(
        mapping.variants(query).map(terms => phraseScores(field, terms, 0)),
        false,
      );
    return combined(
      mapping.alternatives(query).map(phrases =>
        combined(
          phrases.map(terms => phraseScores(field, terms, 0)),
          false,
        ),
      ),
      requiresAll,
    );
  };
  return {
    run: level => {
      const hits: Hits = new Map();
      for (const { field } of select(level)) for (const query of queries) addScores(hits, scoresOfQuery(field, query));
      return hits;
    },
    marks: field =>
      queries.flatMap(query =>
        mapping === undefined
          ? marksOfTerms(termsOf(field, query), fuzzy)
          : marksOfTerms(
              mapping
                .alternatives(query)
                .flat(2)
                .flatMap(({ terms }) => terms),
            ),
      ),
  };
};
