import { describe, expect, test } from 'vitest';
import type { QueryContext } from '../src/query/parse.js';
import { parseQuery } from '../src/query/parse.js';
import { Doc } from '../src/value/doc.js';
import type { Shorthand } from './shorthand.js';
import { d, text } from './shorthand.js';

export type Fields = { readonly [key: string]: Shorthand } | Doc;
/** A filter, documents that it matches, and documents that it does not match. */
export type QueryCase = readonly [filter: Fields, matches: readonly Fields[], rejects: readonly Fields[]];

export const asDoc = (fields: Fields): Doc => (fields instanceof Doc ? fields : d(fields));

/** Runs a test per filter, with documents made from entries and lazy documents over bytes. */
export const checkQueries = (title: string, cases: readonly QueryCase[], context: QueryContext = {}): void => {
  describe(title, () => {
    test.each(cases.map(([filter, matches, rejects]) => [text(asDoc(filter)), filter, matches, rejects] as const))(
      '%s',
      (_title, filter, matches, rejects) => {
        const matcher = parseQuery(asDoc(filter), context);
        const passes = (fields: Fields): boolean => {
          const doc = asDoc(fields);
          const passed = matcher.matches(doc);
          expect(matcher.matches(Doc.fromBytes(doc.bytes)), text(doc)).toBe(passed);
          return passed;
        };
        expect(matches.filter(fields => !passes(fields)).map(fields => text(asDoc(fields)))).toEqual([]);
        expect(rejects.filter(passes).map(fields => text(asDoc(fields)))).toEqual([]);
      },
    );
  });
};
