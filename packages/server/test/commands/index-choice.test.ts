import type { Document } from 'bson';
import { MaxKey, MinKey } from 'bson';
import { expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const insensitive = { locale: 'en', strength: 2 };

const filled = async (documents: readonly Document[], index: Document, options: Document = {}): Promise<Client> => {
  const { client } = world();
  await client.plain({ create: 'c', ...options });
  await client.plain({ insert: 'c', documents });
  expect(await client.plain({ createIndexes: 'c', indexes: [{ name: 'k', ...index }] })).toMatchObject({ ok: 1 });
  return client;
};

const idsOf = async (client: Client, command: Document): Promise<readonly unknown[]> =>
  (await client.plain({ find: 'c', ...command })).cursor.firstBatch.map(({ _id }) => _id);

test.each([{ $lt: new MaxKey() }, { $gte: new MinKey() }])(
  'a sparse index does not sort the results of %j, which include documents without the field',
  async a => {
    const client = await filled([{ _id: 1 }, { _id: 2, a: 5 }], { key: { a: 1 }, sparse: true });
    expect(await idsOf(client, { filter: { a }, sort: { a: 1 } })).toEqual([1, 2]);
  },
);

test('a partial index applies its filter with the collation of the collection', async () => {
  const index = { key: { n: 1 }, partialFilterExpression: { s: 'x' } };
  const client = await filled([{ _id: 1, s: 'X', n: 1 }], index, { collation: insensitive });
  expect(await idsOf(client, { filter: { s: 'x', n: 1 } })).toEqual([1]);
  expect(await idsOf(client, { hint: 'k' })).toEqual([1]);
});

test('a partial index is not used if its filter excludes documents that match with the collation of the query', async () => {
  const index = { key: { n: 1 }, partialFilterExpression: { s: 'x' }, collation: insensitive };
  const client = await filled([{ _id: 1, s: 'X', n: 1 }], index);
  expect(await idsOf(client, { filter: { s: 'x', n: 1 }, collation: insensitive })).toEqual([1]);
});

test('a partial index applies its filter with its own collation', async () => {
  const index = { key: { s: 1 }, partialFilterExpression: { s: { $lte: 'FOO' } }, collation: insensitive };
  const client = await filled([{ _id: 1, s: 'foo' }], index);
  const filter = { s: { $lte: 'FOO' } };
  expect(await idsOf(client, { filter, collation: insensitive, hint: 'k' })).toEqual([1]);
});

test.each([
  [{ $lte: 'FOO' }, 1, ['a', 'foo', 'FOO']],
  [{ $lt: 'FOO' }, 1, ['a']],
  [{ $gte: 'FOO' }, -1, ['foo', 'FOO', 'z']],
  [{ $gt: 'FOO' }, -1, ['z']],
  [{ $gt: 'A', $lt: 'Z' }, 1, ['foo', 'FOO']],
])('a range %j of an index with a collation has the strings of its order', async (s, direction, strings) => {
  const documents = ['a', 'foo', 'FOO', 'z'].map(string => ({ _id: string, s: string }));
  const client = await filled(documents, { key: { s: direction }, collation: insensitive });
  const filter = { s };
  expect(await idsOf(client, { filter, collation: insensitive, hint: 'k', sort: { _id: 1 } })).toEqual(strings);
  const { executionStats } = (await client.plain({
    explain: { find: 'c', filter, collation: insensitive, hint: 'k' },
  })) as Document;
  expect(executionStats.totalKeysExamined).toBe(strings.length);
});

test('a partial index is not used for a range that is in its filter by bytes only', async () => {
  const index = { key: { s: 1 }, partialFilterExpression: { s: { $gt: 'B' } }, collation: insensitive };
  const client = await filled([{ _id: 1, s: 'ab' }], index);
  expect(await idsOf(client, { filter: { s: { $gt: 'a' } }, collation: insensitive })).toEqual([1]);
});

test.each([
  [[1, 5], 'FETCH'],
  [[1, null], 'COLLSCAN'],
])('with a sparse index, a query for one of %j is a %s', async ($in, stage) => {
  const client = await filled([{ _id: 1 }, { _id: 2, a: 5 }], { key: { a: 1 }, sparse: true });
  const { queryPlanner } = (await client.plain({ explain: { find: 'c', filter: { a: { $in } } } })) as Document;
  expect(queryPlanner.winningPlan.stage).toBe(stage);
});

test.each([
  [insensitive, insensitive, 'FETCH'],
  [insensitive, { ...insensitive, caseLevel: false, alternate: 'non-ignorable' }, 'FETCH'],
  [undefined, { locale: 'simple' }, 'FETCH'],
  [insensitive, { locale: 'en', strength: 1 }, 'COLLSCAN'],
  [insensitive, undefined, 'COLLSCAN'],
  [undefined, insensitive, 'COLLSCAN'],
])('with the collation %j of an index, a query with %j for a string is a %s', async (ofIndex, ofQuery, stage) => {
  const client = await filled([{ _id: 1, s: 'X' }], { key: { s: 1 }, ...(ofIndex && { collation: ofIndex }) });
  const find = { find: 'c', filter: { s: 'X' }, ...(ofQuery && { collation: ofQuery }) };
  const { queryPlanner } = (await client.plain({ explain: find })) as Document;
  expect(queryPlanner.winningPlan.stage).toBe(stage);
  expect(await idsOf(client, find)).toEqual([1]);
});

test.each([
  [[[5]], { $elemMatch: { $elemMatch: { $eq: 5 } } }],
  [[[5]], { $elemMatch: { $elemMatch: { $in: [5] } } }],
  [[[5]], { $elemMatch: { $elemMatch: { $gt: 4 } } }],
  [[[5]], { $elemMatch: { $elemMatch: { $eq: 5 }, $size: 1 } }],
  [[[5]], { $all: [{ $elemMatch: { $elemMatch: { $eq: 5 } } }] }],
  [[[{ b: 1 }]], { $elemMatch: { $elemMatch: { b: 1 } } }],
  [[{ b: [[1]] }], { $elemMatch: { b: { $elemMatch: { $elemMatch: { $eq: 1 } } } } }],
])('an index finds arrays within arrays: %j matches %j', async (a, condition) => {
  for (const key of [{ a: 1 }, { 'a.b': 1 }]) {
    const client = await filled([{ _id: 1, a }], { key });
    expect(await idsOf(client, { filter: { a: condition } })).toEqual([1]);
  }
});

test.each([
  [{ a: { $ne: 1 } }, '$not'],
  [{ a: { $exists: false } }, '$not'],
  [{ b: 1, a: { $gt: 1, $nin: [2] } }, '$not'],
  [{ a: { $not: { $gt: 1 } } }, '$not'],
  [{ $and: [{ a: { $size: 1 } }] }, '$size'],
  [{ a: /x/ }, '$regex'],
  [{ $nor: [{ a: 1 }] }, '$nor'],
])('createIndexes rejects the partialFilterExpression %j with code 67', async (partialFilterExpression, name) => {
  const { client } = world();
  const indexes = [{ key: { a: 1 }, name: 'k', partialFilterExpression }];
  const refusal = await client.refusal({ createIndexes: 'c', indexes });
  expect(refusal.startsWith('67 Error in specification { key: { a: 1 }, name: "k", partialFilterExpression: ')).toBe(
    true,
  );
  expect(refusal.endsWith(` :: caused by :: Expression not supported in partial index: ${name}`)).toBe(true);
});

test.each([
  { a: 1 },
  { a: null },
  { a: { $eq: 1, $type: 'int' } },
  { a: { $gt: 1, $lte: 5 }, b: { $exists: true } },
  { $or: [{ a: { $in: [1, 2] } }, { $and: [{ b: { $gte: 1 } }, { c: { $lt: 2 } }] }] },
])('createIndexes accepts the partialFilterExpression %j', async partialFilterExpression => {
  await filled([], { key: { a: 1 }, partialFilterExpression });
});

test.each([{ unique: true }, { sparse: true }, { expireAfterSeconds: 5 }, { partialFilterExpression: { a: 1 } }])(
  'the index on _id rejects the option %j with code 197',
  async options => {
    const { client } = world();
    const refusal = await client.refusal({
      createIndexes: 'c',
      indexes: [{ key: { _id: 1 }, name: '_id_1', ...options }],
    });
    const field = Object.keys(options)[0]!;
    expect(refusal).toMatch(`197 The field '${field}' is not valid for an _id index specification. Specification: `);
  },
);
