import type { Document } from 'bson';
import { expect, test } from 'vitest';
import { world } from '../client.js';

/** The documents that a filter finds with an index of that key. */
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
])('the index %j serves %j where two elements of the array meet it together', async (key, filter) => {
  expect(await found(key, [{ _id: 1, a: items, d: 5 }], filter)).toEqual([1]);
});

test('an index finds two paths in one element, too', async () => {
  const documents = [
    { _id: 1, a: items },
    { _id: 2, a: [{ b: 1, c: 1 }] },
  ];
  expect(await found({ 'a.b': 1, 'a.c': 1 }, documents, { a: { $elemMatch: { b: 1, c: 1 } } })).toEqual([2]);
});

test('null at a position is also what the documents of the array lack under that name, with an index as without', async () => {
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
