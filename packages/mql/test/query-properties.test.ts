import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import { compare } from '../src/value/compare.js';
import { Doc } from '../src/value/doc.js';
import type { Value } from '../src/value/value.js';
import { isArray } from '../src/value/value.js';
import { anyFilter, anyOperators, anyPath, anySmallDoc, anySmallValue } from './query-arbitrary.js';
import { anyDoc, anyValue } from './value/arbitrary.js';

const runs = { numRuns: 200 };
const matches = (filter: Doc, doc: Doc): boolean => parseQuery(filter).matches(doc);
const one = (key: string, value: Value): Doc => Doc.of([[key, value]]);

test('$not, and $nor with one filter, match the complement', () => {
  fc.assert(
    fc.property(anyPath, anyOperators, anySmallDoc, (path, operators, doc) => {
      const plain = matches(one(path, operators), doc);
      expect(matches(one(path, one('$not', operators)), doc)).toBe(!plain);
      expect(matches(one('$nor', [one(path, operators)]), doc)).toBe(!plain);
    }),
    runs,
  );
});

test('$and matches if all filters do, $or if some do, $nor if none does', () => {
  fc.assert(
    fc.property(anyFilter, anyFilter, anySmallDoc, (left, right, doc) => {
      const [a, b] = [matches(left, doc), matches(right, doc)];
      expect(matches(one('$and', [left, right]), doc)).toBe(a && b);
      expect(matches(one('$or', [left, right]), doc)).toBe(a || b);
      expect(matches(one('$nor', [left, right]), doc)).toBe(!a && !b);
    }),
    runs,
  );
});

test('$ne is not $eq, $nin is not $in, $in is $eq with some value, $all is $eq with every value', () => {
  fc.assert(
    fc.property(anyPath, fc.array(anySmallValue, { minLength: 1, maxLength: 12 }), anySmallDoc, (path, values, doc) => {
      const equals = values.map(value => matches(one(path, one('$eq', value)), doc));
      expect(matches(one(path, one('$ne', values[0]!)), doc)).toBe(!equals[0]);
      expect(matches(one(path, one('$in', values)), doc)).toBe(equals.includes(true));
      expect(matches(one(path, one('$nin', values)), doc)).toBe(!equals.includes(true));
      const literal = values.every(value => !(value instanceof Doc) || !value.keys()[0]?.startsWith('$'));
      if (literal) expect(matches(one(path, one('$all', values)), doc)).toBe(!equals.includes(false));
    }),
    runs,
  );
});

test('equality with a value of any type finds the value at the end of any path', () => {
  fc.assert(
    fc.property(anyValue, value => {
      // Equality with the deprecated undefined is not supported.
      fc.pre(compare(value, undefined) !== 0);
      const doc = one('a', one('b', value));
      expect(matches(one('a.b', one('$eq', value)), doc)).toBe(true);
      expect(matches(one('a', one('$eq', one('b', value))), Doc.fromBytes(doc.bytes))).toBe(true);
    }),
    runs,
  );
});

test('for two values of one type rank at most one of <, =, > holds, and $lte is $lt or $eq', () => {
  fc.assert(
    fc.property(anySmallValue, anySmallValue, (bound, value) => {
      fc.pre(!isArray(value) && value !== null && bound !== null);
      const doc = one('a', value);
      const [lt, lte, eq, gte, gt] = ['$lt', '$lte', '$eq', '$gte', '$gt'].map(op =>
        matches(one('a', one(op, bound)), doc),
      );
      expect([lt, eq, gt].filter(Boolean).length).toBeLessThanOrEqual(1);
      expect([lte, gte]).toEqual([lt! || eq!, gt! || eq!]);
    }),
    runs,
  );
});

test('a document backed by bytes matches like others, and matching does not change it', () => {
  fc.assert(
    fc.property(anyFilter, anyDoc, (filter, doc) => {
      const matcher = parseQuery(filter);
      const bytes = doc.bytes.slice();
      expect(matcher.matches(Doc.fromBytes(bytes))).toBe(matcher.matches(doc));
      expect(bytes).toEqual(doc.bytes);
    }),
    { numRuns: 200 },
  );
});

test('a position is never negative', () => {
  fc.assert(
    fc.property(anyFilter, anySmallDoc, (filter, doc) => {
      const matcher = parseQuery(filter);
      if (!matcher.matches(doc)) return;
      const position = matcher.position(doc);
      if (position !== undefined) expect(position).toBeGreaterThanOrEqual(0);
    }),
    runs,
  );
});
