import type { Document } from 'bson';
import { expect, test } from 'vitest';
import { world } from '../client.js';

/** Returns the ids that a filter finds after an index with this key is created. */
const found = async (key: Document, documents: readonly Document[], filter: Document): Promise<readonly unknown[]> => {
  const { client } = world();
  await client.plain({ insert: 'c', documents });
  await client.plain({ createIndexes: 'c', indexes: [{ key, name: 'k' }] });
  return (await client.plain({ find: 'c', filter, sort: { _id: 1 } })).cursor.firstBatch.map(({ _id }) => _id);
};

const items = [
  { b: 1, c: 'x' },
  { b: 2, c: 1 },
];

test.each([
  [
    { 'a.b': 1, 'a.c': 1 },
    { 'a.b': 1, 'a.c': 1 },
  ],
  [
    { 'a.b': 1, 'a.c': 1 },
    { 'a.b': 1, 'a.c': { $in: [1, 7] } },
  ],
  [
    { 'a.b': 1, 'a.c': -1 },
    { 'a.b': 1, 'a.c': { $lt: 4 } },
  ],
  [
    { 'a.b': 1, d: 1, 'a.c': 1 },
    { 'a.b': 1, d: 5, 'a.c': 1 },
  ],
])('the index %j serves %j if two elements of an array match the filter together', async (key, filter) => {
  expect(await found(key, [{ _id: 1, a: items, d: 5 }], filter)).toEqual([1]);
});

test('an index also finds two fields that match in one element', async () => {
  const documents = [
    { _id: 1, a: items },
    { _id: 2, a: [{ b: 1, c: 1 }] },
  ];
  expect(await found({ 'a.b': 1, 'a.c': 1 }, documents, { a: { $elemMatch: { b: 1, c: 1 } } })).toEqual([2]);
});

test('{ \'a.0\': null } matches documents in the array that lack the field "0", with and without an index', async () => {
  expect(
    await found(
      { 'a.0': 1 },
      [
        { _id: 1, a: [{ b: 1 }] },
        { _id: 2, a: [5] },
      ],
      { 'a.0': null },
    ),
  ).toEqual([1]);
});
