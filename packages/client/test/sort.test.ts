import { Int32, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { sortDocument } from '../src/sort.js';
import type { Sort } from '../src/sort.js';
import { rejection } from './rejection.js';

const sorted = (sort: unknown): readonly unknown[] | undefined => {
  const document = sortDocument(sort as Sort);
  return document === undefined ? undefined : [...document];
};

describe('a sort with unusual names or directions', () => {
  test('a field may have the name of a member of Object.prototype', () => {
    expect(sorted(['year', 'constructor'])).toEqual([
      ['year', 1],
      ['constructor', 1],
    ]);
  });

  test('directions may be BSON numbers', () => {
    expect(sorted({ c: new Int32(-1), d: Long.ONE, e: -1n })).toEqual([
      ['c', -1],
      ['d', 1],
      ['e', -1],
    ]);
  });

  const circle: Record<string, unknown> = {};
  circle['self'] = circle;
  const silent = {
    toString: (): string => {
      throw new Error('no text');
    },
  };

  test.each<readonly [direction: unknown, shown: string]>([
    [2, '2'],
    [5n, '5n'],
    ['up', '"up"'],
    ['constructor', '"constructor"'],
    [null, 'null'],
    [true, 'true'],
    [Symbol('x'), 'a symbol'],
    [() => 1, 'a function'],
    [circle, 'an object'],
    [silent, 'an object'],
    [Object.create(null), 'an object'],
    [[], 'an array'],
  ])('rejects the direction %o', (direction, shown) => {
    expect(rejection(() => sorted({ year: direction }))).toBe(
      `Unknown sort direction ${shown}. Use 1, -1, 'asc', 'desc' or { $meta }.`,
    );
  });

  test('rejects a value that is neither a name nor an object', () => {
    expect([5, true].map(sort => rejection(() => sorted(sort)))).toEqual([
      'A sort cannot be a number. Give the fields and their directions.',
      'A sort cannot be a boolean. Give the fields and their directions.',
    ]);
  });
});
