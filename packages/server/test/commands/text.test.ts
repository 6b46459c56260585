import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

const documents = [
  { _id: 1, subject: 'coffee', author: 'xyz' },
  { _id: 2, subject: 'Coffee Shopping', author: 'efg' },
  { _id: 3, subject: 'Baking a cake', author: 'abc' },
  { _id: 4, subject: 'baking', author: 'xyz' },
  { _id: 5, subject: 'Café Con Leche', author: 'abc' },
  { _id: 6, subject: 'coffee and cream', author: 'efg', tags: ['cake', { deep: 'leche' }] },
];

const articles = async (key: Document = { subject: 'text' }, more: Document = {}): Promise<Client> => {
  const { client } = world();
  await client.plain({ insert: 'c', documents });
  await client.plain({ createIndexes: 'c', indexes: [{ key, name: 'text', ...more }] });
  return client;
};

const found = async (client: Client, $text: Document): Promise<unknown> => {
  const { cursor } = await client.plain({ find: 'c', filter: { $text }, sort: { _id: 1 } });
  return cursor.firstBatch.map(({ _id }) => _id);
};

describe('$text', () => {
  test.each([
    ['coffee', [1, 2, 6]],
    ['bake coffee cake', [1, 2, 3, 6]],
    ['"coffee shop"', [2]],
    ['coffee -shopping', [1, 6]],
    ['coffee -"and cream"', [1, 2]],
    ['LECHE', [5]],
    ['cafe', [5]],
    ['and', []],
    ['', []],
  ])('finds any of the words, all phrases and no negated term: %s', async ($search, ids) => {
    expect(await found(await articles(), { $search })).toEqual(ids);
  });

  test('$caseSensitive, $diacriticSensitive and $language change how words match', async () => {
    const client = await articles();
    expect(await found(client, { $search: 'Coffee', $caseSensitive: true })).toEqual([2]);
    expect(await found(client, { $search: 'cafe', $diacriticSensitive: true })).toEqual([]);
    expect(await found(client, { $search: 'and', $language: 'none' })).toEqual([6]);
  });

  test('searches all string fields with $**, and array elements', async () => {
    expect(await found(await articles({ '$**': 'text' }), { $search: 'leche' })).toEqual([5, 6]);
    expect(await found(await articles({ tags: 'text' }), { $search: 'cake leche' })).toEqual([6]);
  });

  test('computes the score from how often a word occurs in a field, the length of the field and its weight', async () => {
    const client = await articles({ subject: 'text', author: 'text' }, { weights: { subject: 10 } });
    const score = { $meta: 'textScore' };
    const filter = { $text: { $search: 'coffee' } };
    const { cursor } = await client.plain({ find: 'c', filter, projection: { score }, sort: { score } });
    expect(cursor.firstBatch).toEqual([
      { ...documents[0], score: 11 },
      { ...documents[1], score: 7.5 },
      { ...documents[5], score: 7.5 },
    ]);
  });

  test('provides its score to the stages of a pipeline', async () => {
    const client = await articles();
    const score = { $meta: 'textScore' };
    const pipeline = [
      { $match: { $text: { $search: 'coffee' }, author: 'efg' } },
      { $addFields: { subject: '-' } },
      { $sort: { score: -1 } },
      { $project: { score } },
    ];
    const { cursor } = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
    expect(cursor.firstBatch).toEqual([
      { _id: 2, score: 0.75 },
      { _id: 6, score: 0.75 },
    ]);
  });

  test('works in count, update and delete', async () => {
    const client = await articles();
    const q = { $text: { $search: 'coffee' } };
    expect((await client.plain({ count: 'c', query: q })).n).toBe(3);
    expect(await client.plain({ update: 'c', updates: [{ q, u: { $set: { a: 1 } }, multi: true }] })).toMatchObject({
      nModified: 3,
    });
    expect((await client.plain({ delete: 'c', deletes: [{ q, limit: 0 }] })).n).toBe(3);
  });

  test.each([
    [{ $search: 1 }, '14 "$search" had the wrong type. Expected string, found int'],
    [{}, '2 Missing expected field "$search"'],
    [{ $search: 'a', more: 1 }, '2 extra fields in $text'],
    [{ $search: 'a', $language: 'klingon' }, '2 unsupported language: "klingon" for text index version 3'],
  ])('rejects %j', async ($text, refusal) => {
    const client = await articles();
    expect(await client.refusal({ find: 'c', filter: { $text } })).toBe(refusal);
  });

  test('requires a text index', async () => {
    const { client } = world();
    expect(await client.refusal({ find: 'c', filter: { $text: { $search: 'a' } } })).toBe(
      '27 text index required for $text query',
    );
  });
});
