import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../client.js';
import { world } from '../client.js';

/** Two collections with indexes of their own. The second has them only if requested. */
const filled = async (indexed = true): Promise<Client> => {
  const { client } = world();
  const index = async (collection: string, ...keys: readonly Document[]): Promise<void> => {
    const indexes = keys.map(key => ({ key, name: Object.keys(key).join() }));
    expect(await client.plain({ createIndexes: collection, indexes })).toMatchObject({ ok: 1 });
  };
  await client.plain({ insert: 'outer', documents: [{ _id: 1, text: 'coffee', at: [1, 1] }] });
  await index('outer', { text: 'text' }, { at: '2dsphere' });
  const documents = [
    { _id: 1, words: 'tea', place: [2, 2] },
    { _id: 2, words: 'milk', place: [0, 1] },
  ];
  await client.plain({ insert: 'inner', documents });
  if (indexed) await index('inner', { words: 'text' }, { place: '2d' });
  return client;
};

const joins: readonly (readonly [string, (stages: readonly Document[]) => readonly Document[]])[] = [
  ['$lookup', pipeline => [{ $lookup: { from: 'inner', pipeline, as: 'all' } }, { $unwind: '$all' }, { $replaceWith: '$all' }]],
  ['$unionWith', pipeline => [{ $limit: 1 }, { $match: { _id: 0 } }, { $unionWith: { coll: 'inner', pipeline } }]],
]; // prettier-ignore

describe.each(joins)('a pipeline within %s', (_name, within) => {
  const geoNear = { $geoNear: { near: [0, 0], distanceField: 'd' } };
  const search = { $match: { $text: { $search: 'tea' } } };
  const run = async (client: Client, ...stages: readonly Document[]): Promise<readonly Document[]> =>
    (await client.plain({ aggregate: 'outer', pipeline: within(stages), cursor: {} })).cursor.firstBatch;
  const refusal = (client: Client, ...stages: readonly Document[]): Promise<string> =>
    client.refusal({ aggregate: 'outer', pipeline: within(stages), cursor: {} });

  test('uses the indexes of its own collection', async () => {
    const client = await filled();
    expect(await run(client, search, { $project: { score: { $meta: 'textScore' } } })).toEqual([
      { _id: 1, score: 1.1 },
    ]);
    expect(await run(client, geoNear, { $project: { d: { $round: ['$d', 2] } } })).toEqual([
      { _id: 2, d: 1 },
      { _id: 1, d: 2.83 },
    ]);
  });

  test('does not use the indexes of the outer collection', async () => {
    const client = await filled(false);
    expect(await refusal(client, search)).toMatch(/^27 text index required/);
    expect(await refusal(client, geoNear)).toMatch(/^27 \$geoNear requires a 2d or 2dsphere index/);
  });

  test('reports on its own collection', async () => {
    const client = await filled();
    expect(await run(client, { $indexStats: {} }, { $project: { name: 1 } })).toEqual([
      { name: '_id_' },
      { name: 'words' },
      { name: 'place' },
    ]);
    expect(await run(client, { $collStats: { count: {} } }, { $project: { ns: 1, count: 1 } })).toEqual([
      { ns: 'db.inner', count: 2 },
    ]);
  });
});

describe.each(joins)('a pipeline within %s that reads 2,000 documents', (_name, within) => {
  const documents = Array.from({ length: 2000 }, (_, i) => ({ _id: i, n: i % 100, at: [i % 50, Math.floor(i / 50)] }));
  const open = async (...keys: readonly Document[]): Promise<Client> => {
    const { client } = world();
    await client.plain({ insert: 'outer', documents: [{ _id: 1, x: 3 }] });
    await client.plain({ insert: 'inner', documents });
    const indexes = keys.map(key => ({ key, name: Object.keys(key).join() }));
    if (keys.length > 0) await client.plain({ createIndexes: 'inner', indexes });
    return client;
  };
  const idsOf = async (client: Client, ...stages: readonly Document[]): Promise<readonly unknown[]> => {
    const pipeline = [...within(stages), { $sort: { _id: 1 } }];
    const { cursor } = await client.plain({ aggregate: 'outer', pipeline, cursor: { batchSize: 5000 } });
    return cursor.firstBatch.map(({ _id }) => _id);
  };
  const usesOf = async (client: Client): Promise<Document> => {
    const { cursor } = await client.plain({ aggregate: 'inner', pipeline: [{ $indexStats: {} }], cursor: {} });
    const stats = cursor.firstBatch as unknown as readonly { name: string; accesses: { ops: unknown } }[];
    return Object.fromEntries(stats.map(({ name, accesses }) => [name, Number(accesses.ops)]));
  };

  const box = { $geoWithin: { $box: [[3, 3], [5, 4]] } }; // prettier-ignore
  const filters: readonly (readonly [title: string, filter: Document, index: Document])[] = [
    ['$geoWithin', { at: box }, { at: '2d' }],
    [
      '$geoIntersects',
      { at: { $geoIntersects: { $geometry: { type: 'Point', coordinates: [3, 4] } } } },
      { at: '2dsphere' },
    ],
    ['an equality', { n: 7 }, { n: 1 }],
    ['a range beside $expr', { n: { $lt: 3 }, $expr: { $gt: ['$_id', 5] } }, { n: 1 }],
    ['an equality within $and', { $and: [{ n: 7 }, { _id: { $gt: 9 } }] }, { n: 1 }],
  ];

  test.each(filters)('finds the documents of a leading $match with %s by an index', async (_title, filter, index) => {
    const plain = await idsOf(await open(), { $match: filter });
    const client = await open(index);
    expect(plain.length).toBeGreaterThan(0);
    expect(await idsOf(client, { $match: filter })).toEqual(plain);
    expect(await idsOf(client, { $match: {} }, { $match: filter })).toEqual(plain);
    expect(await usesOf(client)).toMatchObject({ [Object.keys(index)[0]!]: 2 });
  });

  test('finds the nearest documents of $geoNear by an index, nearest first', async () => {
    const client = await open({ at: '2d' });
    const near = { $geoNear: { near: [10.1, 10.2], distanceField: 'd', query: { n: { $lt: 50 } } } };
    const { cursor } = await client.plain({
      aggregate: 'outer',
      pipeline: within([near, { $limit: 3 }, { $project: { d: { $round: ['$d', 2] } } }]),
      cursor: {},
    });
    const top = (await client.plain({ aggregate: 'inner', pipeline: [near, { $limit: 3 }, { $project: { d: { $round: ['$d', 2] } } }], cursor: {} })).cursor; // prettier-ignore
    expect(cursor.firstBatch).toEqual(top.firstBatch);
    expect(cursor.firstBatch).toHaveLength(3);
    expect(await usesOf(client)).toMatchObject({ at: 2 });
  });

  test('compares strings with the collation of the command', async () => {
    const client = await open({ s: 1 });
    await client.plain({ insert: 'inner', documents: [{ _id: 'a', s: 'x' }, { _id: 'b', s: 'X' }] }); // prettier-ignore
    const pipeline = [...within([{ $match: { s: 'x' } }]), { $sort: { _id: 1 } }, { $project: { _id: 1 } }];
    const collation = { locale: 'en', strength: 2 };
    const { cursor } = await client.plain({ aggregate: 'outer', pipeline, cursor: {}, collation });
    expect(cursor.firstBatch).toEqual([{ _id: 'a' }, { _id: 'b' }]);
  });
});

test('a correlated pipeline within $lookup uses an index for each document', async () => {
  const { client } = world();
  await client.plain({ insert: 'outer', documents: [{ _id: 1, x: 3 }, { _id: 2, x: 4 }] }); // prettier-ignore
  const documents = Array.from({ length: 100 }, (_, i) => ({ _id: i, n: i % 10, x: i % 7 }));
  await client.plain({ insert: 'inner', documents });
  await client.plain({ createIndexes: 'inner', indexes: [{ key: { n: 1 }, name: 'n' }] });
  const inner = [{ $match: { n: 1, $expr: { $eq: ['$x', '$$x'] } } }, { $project: { _id: 1 } }];
  const pipeline = [
    { $lookup: { from: 'inner', let: { x: '$x' }, pipeline: inner, as: 'all' } },
    { $project: { all: 1 } },
  ];
  const { cursor } = await client.plain({ aggregate: 'outer', pipeline, cursor: {} });
  expect(cursor.firstBatch).toEqual([
    { _id: 1, all: [{ _id: 31 }] },
    { _id: 2, all: [{ _id: 11 }, { _id: 81 }] },
  ]);
});

test.each([[{ word: 1 }], [{ other: 1 }]])(
  'a lookup compares regular expressions of a local array for equality, with the index %o',
  async key => {
    const { client } = world();
    await client.plain({ createIndexes: 'inner', indexes: [{ key, name: 'i' }] });
    await client.plain({
      insert: 'inner',
      documents: [
        { _id: 1, word: 'tea' },
        { _id: 2, word: /^t/ },
        { _id: 3, word: 'milk' },
      ],
    });
    await client.plain({ insert: 'outer', documents: [{ _id: 1, words: [/^t/, 'milk'] }] });
    const $lookup = { from: 'inner', localField: 'words', foreignField: 'word', as: 'all' };
    const { cursor } = await client.plain({ aggregate: 'outer', pipeline: [{ $lookup }], cursor: {} });
    expect(cursor.firstBatch).toMatchObject([{ all: [{ _id: 2 }, { _id: 3 }] }]);
  },
);
