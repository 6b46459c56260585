import type { Fields } from '../fields.js';
import { invalid } from '../error.js';
import type { TextField } from '../index/text-field.js';
import type { Pattern } from './automaton.js';
import { matcherOf } from './automaton.js';
import { parseRegex, parseWildcard } from './pattern-syntax.js';
import { readPaths } from './paths.js';
import type { Hits, Query } from './query.js';

/** Returns a test of terms. @throws SearchError for an invalid pattern */
export const termMatcher = (
  name: string,
  text: string,
  parse: (text: string) => Pattern,
): ((term: string) => boolean) => {
  try {
    return matcherOf(parse(text));
  } catch (error) {
    throw invalid(`"${name}" is invalid. ${(error as Error).message}`);
  }
};

/** Returns the units that have a term which passes the test. All score the same. */
export const unitsWithTerm = (field: TextField, test: (term: string) => boolean): Hits => {
  const hits: Hits = new Map();
  for (const term of field.terms) if (test(term)) for (const unit of field.postings(term)!.keys()) hits.set(unit, 1);
  return hits;
};

const parsePattern =
  (parse: (text: string) => Pattern) =>
  (fields: Fields): Query => {
    fields.allow('query', 'path', 'allowAnalyzedField', 'score');
    const queries = fields.strings('query');
    const select = readPaths(fields);
    const allowsAnalyzed = fields.boolean('allowAnalyzedField', false);
    const tests = queries.map(query => termMatcher(`${fields.path}.query`, query, parse));
    return {
      run: level => {
        const hits: Hits = new Map();
        for (const { path, field } of select(level)) {
          if (!field.analyzer.isKeyword && !allowsAnalyzed)
            throw invalid(
              `"${path}" is analyzed by "${field.analyzer.name}". Index it with "lucene.keyword", or set "${fields.path}.allowAnalyzedField" to true.`,
            );
          for (const test of tests) for (const unit of unitsWithTerm(field, test).keys()) hits.set(unit, 1);
        }
        return hits;
      },
      marks: () => tests,
    };
  };

/** Parses `wildcard`. @throws SearchError */
export const parseWildcardQuery: (fields: Fields) => Query = parsePattern(parseWildcard);

/** Parses `regex`. @throws SearchError */
export const parseRegexQuery: (fields: Fields) => Query = parsePattern(parseRegex);
