import { MongoInvalidArgumentError } from '@tessera/client';
import { Int32, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { sortDocument } from '../src/sort.js';
import type { Sort } from '../src/sort.js';

const sorted = (sort: unknown, direction?: unknown): readonly unknown[] | undefined => {
  const document = sortDocument(sort as Sort, direction as 1);
  return document === undefined ? undefined : [...document];
};

const refusal = (sort: unknown): string => {
  try {
    return `accepted: ${String(sorted(sort))}`;
  } catch (error) {
    if (!(error instanceof MongoInvalidArgumentError)) throw error;
    return error.message;
  }
};

describe('a sort', () => {
  test.each<readonly [form: string, sort: unknown, pairs: readonly unknown[] | undefined]>([
    ['nothing', undefined, undefined],
    ['an empty document', {}, undefined],
    ['a field name', 'year', [['year', 1]]],
    [
      'a document',
      { year: -1, title: 1 },
      [
        ['year', -1],
        ['title', 1],
      ],
    ],
    [
      'a Map',
      new Map([
        ['2', 'desc'],
        ['1', 'asc'],
      ]),
      [
        ['2', -1],
        ['1', 1],
      ],
    ],
    [
      'pairs',
      [
        ['year', 'descending'],
        ['title', 'Ascending'],
      ],
      [
        ['year', -1],
        ['title', 1],
      ],
    ],
    ['one pair', ['year', -1], [['year', -1]]],
    ['one pair in words', ['year', 'DESC'], [['year', -1]]],
    [
      'field names',
      ['year', 'title'],
      [
        ['year', 1],
        ['title', 1],
      ],
    ],
    [
      'two field names, of which one is a member of every object',
      ['year', 'constructor'],
      [
        ['year', 1],
        ['constructor', 1],
      ],
    ],
    [
      'directions as texts and as numbers of BSON',
      { a: '1', b: '-1', c: new Int32(-1), d: Long.ONE, e: -1n },
      [
        ['a', 1],
        ['b', -1],
        ['c', -1],
        ['d', 1],
        ['e', -1],
      ],
    ],
    ['$meta', { score: { $meta: 'textScore' } }, [['score', { $meta: 'textScore' }]]],
  ])('may be %s', (_, sort, pairs) => {
    expect(sorted(sort)).toEqual(pairs);
  });

  test('a field name has the direction of its own argument', () => {
    expect(sorted('year', 'desc')).toEqual([['year', -1]]);
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
    expect(refusal({ year: direction })).toBe(
      `There is no sort direction ${shown}; use 1, -1, 'asc', 'desc' or { $meta }.`,
    );
  });

  test('rejects what is neither a name nor an object', () => {
    expect([5, true].map(refusal)).toEqual([
      'A sort cannot be a number; name the fields and their directions.',
      'A sort cannot be a boolean; name the fields and their directions.',
    ]);
  });
});
