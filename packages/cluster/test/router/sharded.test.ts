import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { HouseOptions } from './house.js';
import { house } from './house.js';

const ids = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => ({ _id: from + i }));

const docs = ids(0, 20).map(({ _id }) => ({ _id, tag: _id % 3, list: [_id, -_id] }));

/** Creates a collection of twenty documents on two shards, with a hashed `_id` or another shard key. */
const spread = async (key: object = { _id: 'hashed' }, options: HouseOptions = {}) => {
  const here = house({ shards: 2, ...options });
  const { client, shards } = here;
  await client.run({ insert: 'c', documents: docs });
  await client.run({ createIndexes: 'c', indexes: [{ key, name: 'by' }] });
  const sharded = await client.plain({ shardCollection: 'db.c', key }, 'admin');
  if (sharded.ok !== 1) throw new Error(sharded.errmsg);
  /** Returns the number of documents on each shard. */
  const counts = () =>
    shards.map(([process]) => {
      const namespace = process!.state.engine.value.namespaces.get('db.c');
      return namespace !== undefined && 'records' in namespace ? namespace.records.size : 0;
    });
  return { ...here, counts };
};

test('a hashed shard key distributes documents over all shards', async () => {
  const { counts, client } = await spread();
  expect(counts().every(count => count > 3)).toBe(true);
  expect((await client.plain({ count: 'c' })).n).toBe(20);
});

test('a range shard key splits the collection in half', async () => {
  const { counts } = await spread({ _id: 1 });
  expect(counts()).toEqual([10, 10]);
});

test('databases are assigned to the shards in turn', async () => {
  const { client } = house({ shards: 2 });
  await client.run({ insert: 'c', documents: [{ _id: 1 }] }, 'one');
  await client.run({ insert: 'c', documents: [{ _id: 1 }] }, 'two');
  const { cursor } = await client.plain({ find: 'databases', sort: { _id: 1 } }, 'config');
  expect(cursor.firstBatch).toMatchObject([
    { _id: 'one', primary: 'shard0' },
    { _id: 'two', primary: 'shard1' },
  ]);
  const { databases } = await client.plain({ listDatabases: 1, filter: { name: /one|two/ } }, 'admin');
  expect(databases).toMatchObject([{ name: 'one', shards: { shard0: expect.any(Number) } }, { name: 'two' }]);
});

test('a database is assigned to a shard by its first write and until it is dropped', async () => {
  const { client } = house({ shards: 2 });
  const known = async () =>
    (await client.plain({ find: 'databases', sort: { _id: 1 } }, 'config')).cursor.firstBatch.map(({ _id }) => _id);
  for (let i = 0; i < 20; i++) {
    await client.plain({ find: 'c' }, `db${i}`);
    await client.plain({ aggregate: 'c', pipeline: [], cursor: {} }, `db${i}`);
    await client.plain({ listCollections: 1 }, `db${i}`);
    await client.plain({ drop: 'c' }, `db${i}`);
  }
  expect(await known()).toEqual([]);
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] }, 'one');
  await client.plain({ create: 'c' }, 'two');
  await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] }, 'three');
  const bulk = { bulkWrite: 1, ops: [{ insert: 0, document: { _id: 1 } }], nsInfo: [{ ns: 'four.c' }] };
  expect(await client.plain(bulk, 'admin')).toMatchObject({ nInserted: 1 });
  expect(await known()).toEqual(['four', 'one', 'three', 'two']);
  expect(await client.refusal({ renameCollection: 'one.c', to: 'two.d' }, 'admin')).toBe(
    '13137 Source and destination collections must be on same shard',
  );
  expect((await client.plain({ renameCollection: 'one.c', to: 'five.d' }, 'admin')).ok).toBe(1);
  expect((await client.plain({ count: 'd' }, 'five')).n).toBe(1);
  for (const db of ['one', 'two', 'three', 'four', 'five']) await client.plain({ dropDatabase: 1 }, db);
  expect(await known()).toEqual([]);
});

test('the config database contains shards, collections and chunks', async () => {
  const { client } = await spread({ _id: 1 });
  const all = async (find: string) => (await client.plain({ find, sort: { _id: 1 } }, 'config')).cursor.firstBatch;
  expect(await all('shards')).toMatchObject([
    { _id: 'shard0', state: 1 },
    { _id: 'shard1', state: 1 },
  ]);
  expect(await all('collections')).toMatchObject([{ _id: 'db.c', key: { _id: 1 }, unique: false }]);
  expect((await all('chunks')).map(({ shard, max }) => [shard, max])).toMatchObject([
    ['shard0', { _id: 10 }],
    ['shard1', { _id: expect.anything() }],
  ]);
  expect((await client.plain({ count: 'chunks', query: { shard: 'shard0' } }, 'config')).n).toBe(1);
});

describe.each([[{ _id: 'hashed' }], [{ _id: 1 }], [{ tag: 1 }]])('with the shard key %o', key => {
  test('find merges the results of the shards: sort, skip, limit, projection, batches', async () => {
    const { client } = await spread(key);
    const find = { find: 'c', filter: { _id: { $gte: 2 } }, sort: { tag: -1, _id: 1 }, skip: 1, limit: 9 };
    const { cursor } = await client.run({ ...find, projection: { tag: 1 }, batchSize: 4 });
    const next = await client.plain({ getMore: cursor.id, collection: 'c' });
    const expected = docs
      .filter(({ _id }) => _id >= 2)
      .sort((a, b) => b.tag - a.tag || a._id - b._id)
      .slice(1, 10)
      .map(({ _id, tag }) => ({ _id, tag }));
    const seen = [
      ...cursor.firstBatch.map(({ _id, tag }) => ({ _id: Number(_id), tag: Number(tag) })),
      ...next.cursor.nextBatch,
    ];
    expect(seen).toEqual(expected);
    expect(cursor.firstBatch).toHaveLength(4);
  });

  test('aggregate, count and distinct read all shards', async () => {
    const { client } = await spread(key);
    const pipeline = [
      { $match: { _id: { $lt: 9 } } },
      { $group: { _id: '$tag', n: { $sum: 1 } } },
      { $sort: { _id: 1 } },
    ];
    expect((await client.plain({ aggregate: 'c', pipeline, cursor: {} })).cursor.firstBatch).toEqual([
      { _id: 0, n: 3 },
      { _id: 1, n: 3 },
      { _id: 2, n: 3 },
    ]);
    expect((await client.plain({ count: 'c', query: { tag: 1 } })).n).toBe(7);
    expect((await client.plain({ count: 'c', skip: 15, limit: 10 })).n).toBe(5);
    const { values } = await client.plain({ distinct: 'c', key: 'tag', query: { _id: { $gt: 3 } } });
    expect([...values].sort()).toEqual([0, 1, 2]);
  });

  test('multi-document writes run on all shards, and single-document writes change one document', async () => {
    const { client } = await spread(key);
    const all = { update: 'c', updates: [{ q: {}, u: { $inc: { n: 1 } }, multi: true }] };
    expect(await client.plain(all)).toMatchObject({ n: 20, nModified: 20 });
    const one = { update: 'c', updates: [{ q: { n: 1 }, u: { $inc: { n: 1 } } }] };
    expect(await client.plain(one)).toMatchObject({ n: 1, nModified: 1 });
    expect((await client.plain({ count: 'c', query: { n: 2 } })).n).toBe(1);
    expect(await client.plain({ delete: 'c', deletes: [{ q: { n: 1 }, limit: 1 }] })).toMatchObject({ n: 1 });
    expect(await client.plain({ delete: 'c', deletes: [{ q: {}, limit: 0 }] })).toMatchObject({ n: 19 });
  });

  test('findAndModify sorts by its collation across shards', async () => {
    const { client } = await spread(key);
    const updates = [
      { q: { _id: 3 }, u: { $set: { name: 'b' } } },
      { q: { _id: 14 }, u: { $set: { name: 'C' } } },
    ];
    await client.plain({ update: 'c', updates });
    const take = { findAndModify: 'c', query: { name: { $exists: true } }, sort: { name: 1 }, remove: true };
    expect(await client.plain({ ...take, collation: { locale: 'en' } })).toMatchObject({ value: { _id: 3 } });
  });

  test('findAndModify sorts across shards', async () => {
    const { client } = await spread(key);
    const take = { findAndModify: 'c', query: { _id: { $gt: 4 } }, sort: { _id: -1 }, remove: true };
    expect((await client.plain(take)).value).toMatchObject({ _id: 19 });
    expect((await client.plain(take)).value).toMatchObject({ _id: 18 });
  });

  test('inserts are sent to their shards, and an ordered batch stops at the first error', async () => {
    const { client } = await spread(key);
    const more = [...ids(20, 25), { _id: 3, tag: 0 }, ...ids(25, 30)];
    expect(await client.plain({ insert: 'c', documents: more })).toMatchObject({
      n: 5,
      writeErrors: [{ index: 5, code: 11000 }],
    });
    const rest = [{ _id: 4, tag: 1 }, ...ids(25, 30)];
    expect(await client.plain({ insert: 'c', documents: rest, ordered: false })).toMatchObject({
      n: 5,
      writeErrors: [{ index: 0, code: 11000 }],
    });
    expect((await client.plain({ count: 'c' })).n).toBe(30);
  });
});

test('queries with text and geospatial indexes run on every shard', async () => {
  const { client } = await spread();
  const loc = (_id: number) => ({ type: 'Point', coordinates: [_id, 0] });
  for (const { _id } of docs)
    await client.run({
      update: 'c',
      updates: [{ q: { _id }, u: { $set: { loc: loc(_id), text: 'hello '.repeat(_id) } } }],
    });
  const indexes = [
    { key: { text: 'text' }, name: 't' },
    { key: { loc: '2dsphere' }, name: 'l' },
  ];
  await client.run({ createIndexes: 'c', indexes });
  const seen = async (command: object) => (await client.plain(command)).cursor.firstBatch.map(({ _id, n }) => _id ?? n);
  const $text = { $search: 'hello' };
  const near = { type: 'Point', coordinates: [7.1, 0] };
  expect(await seen({ find: 'c', filter: { $text }, sort: { _id: 1 }, limit: 2 })).toEqual([1, 2]);
  expect(await seen({ find: 'c', filter: { loc: { $near: { $geometry: near } } }, limit: 3 })).toEqual([7, 8, 6]);
  const all = async (...pipeline: object[]) =>
    (await client.plain({ aggregate: 'c', pipeline, cursor: {} })).cursor.firstBatch;
  expect(await all({ $match: { $text } }, { $count: 'n' })).toEqual([{ n: 19 }]);
  const nearest = await all({ $geoNear: { near, distanceField: 'd' } }, { $limit: 1 }, { $project: { _id: 1 } });
  expect(nearest).toEqual([{ _id: 7 }]);
  expect((await client.plain({ distinct: 'c', key: 'tag', query: { $text } })).values).toHaveLength(3);
});

test('an update of one document with a sort changes the first document of all shards', async () => {
  const { client } = await spread({ _id: 1 });
  const update = (sort: object) => ({ update: 'c', updates: [{ q: { tag: 1 }, u: { $set: { x: 1 } }, sort }] });
  expect(await client.plain(update({ _id: -1 }))).toMatchObject({ n: 1, nModified: 1 });
  expect((await client.plain({ find: 'c', filter: { x: 1 } })).cursor.firstBatch.map(({ _id }) => _id)).toEqual([19]);
  expect(
    await client.plain({ update: 'c', updates: [{ q: { tag: 9 }, u: { $set: { x: 1 } }, sort: { _id: 1 } }] }),
  ).toMatchObject({ n: 0, nModified: 0 });
});

test.each([
  ['update', { update: 'c', updates: [{ q: { tag: 1, x: null }, u: { $set: { x: 1 } }, sort: { _id: -1 } }] }],
  ['findAndModify', { findAndModify: 'c', query: { tag: 1, x: null }, update: { $set: { x: 1 } }, sort: { _id: -1 } }],
])('a retried %s goes to the shard that executed it, even if another document comes first now', async (_, command) => {
  const { client } = await spread({ _id: 1 });
  await client.run({ delete: 'c', deletes: [{ q: { _id: { $in: [13, 16] } }, limit: 0 }] });
  const lsid = { id: (await client.run({ startSession: 1 })).id.id };
  for (let i = 0; i < 2; i++) expect((await client.plain({ ...command, lsid, txnNumber: Long.fromInt(1) })).ok).toBe(1);
  expect((await client.plain({ find: 'c', filter: { x: 1 } })).cursor.firstBatch.map(({ _id }) => _id)).toEqual([19]);
});

test.each([
  ['insert', { insert: 'c', documents: [] }],
  ['update', { update: 'c', updates: [] }],
  ['delete', { delete: 'c', deletes: [] }],
])('rejects an empty %s', async (_, command) => {
  const { client } = await spread();
  expect(await client.refusal(command)).toMatch(/^16 Write batch sizes must be between 1 and 100000/);
});

test('$lookup, views and $out read all shards', async () => {
  const { client } = await spread();
  await client.run({ create: 'odd', viewOn: 'c', pipeline: [{ $match: { $expr: { $mod: ['$_id', 2] } } }] });
  expect((await client.plain({ count: 'odd' })).n).toBe(10);
  expect((await client.plain({ find: 'odd', sort: { _id: -1 }, limit: 1 })).cursor.firstBatch).toMatchObject([
    { _id: 19 },
  ]);
  await client.run({ insert: 'tags', documents: [{ _id: 0, name: 'zero' }] });
  const pipeline = [
    { $lookup: { from: 'c', localField: '_id', foreignField: 'tag', as: 'all' } },
    { $project: { n: { $size: '$all' } } },
  ];
  expect((await client.plain({ aggregate: 'tags', pipeline, cursor: {} })).cursor.firstBatch).toEqual([
    { _id: 0, n: 7 },
  ]);
  const out = [{ $match: { tag: 1 } }, { $out: 'copy' }];
  expect(await client.plain({ aggregate: 'c', pipeline: out, cursor: {} })).toMatchObject({
    cursor: { firstBatch: [], ns: 'db.c' },
  });
  expect((await client.plain({ count: 'copy' })).n).toBe(7);
});

test('a retryable batch over two shards executes each statement once', async () => {
  const { client } = await spread();
  const lsid = { id: (await client.run({ startSession: 1 })).id.id };
  const insert = { insert: 'c', documents: ids(100, 120), lsid, txnNumber: Long.fromInt(1) };
  expect((await client.plain(insert)).n).toBe(20);
  const again = await client.plain(insert);
  expect([again.n, [...(again['retriedStmtIds'] as number[])].sort((a, b) => a - b)]).toEqual([
    20,
    ids(0, 20).map(({ _id }) => _id),
  ]);
});

test('bulkWrite runs its operations on their shards', async () => {
  const { client } = await spread();
  await client.run({ insert: 'other', documents: [{ _id: 1 }] }, 'elsewhere');
  const bulk = {
    ...{ bulkWrite: 1, nsInfo: [{ ns: 'db.c' }, { ns: 'elsewhere.other' }] },
    ops: [
      { insert: 0, document: { _id: 50 } },
      { update: 0, filter: { tag: 0 }, updateMods: { $set: { a: 1 } }, multi: true },
      { update: 1, filter: { _id: 7 }, updateMods: { $set: { a: 1 } }, upsert: true },
      { delete: 0, filter: { _id: 3 } },
      { insert: 0, document: { _id: 50 } },
      { delete: 1, filter: { _id: 1 } },
    ],
  };
  const reply = await client.plain(bulk, 'admin');
  expect(reply).toMatchObject({ nErrors: 1, nInserted: 1, nMatched: 7, nModified: 7, nUpserted: 1, nDeleted: 1 });
  expect(reply.cursor.firstBatch).toMatchObject([
    { ok: 1, idx: 0, n: 1 },
    { ok: 1, idx: 1, n: 7, nModified: 7 },
    { ok: 1, idx: 2, n: 1, nModified: 0, upserted: { _id: 7 } },
    { ok: 1, idx: 3, n: 1 },
    { ok: 0, idx: 4, code: 11000, n: 0 },
  ]);
});

test.each([
  [{}],
  [{ constructor: 0 }],
  [{ replace: 0 }],
  [{ insert: 0 }],
  [{ insert: 0, document: 1 }],
  [{ insert: 5, document: {} }],
  [{ insert: 'x', document: {} }],
  [{ update: 0, filter: {}, updateMods: {}, constructor: 1 }],
  [{ update: 0, filter: {}, updateMods: {}, multi: 1 }],
  [{ delete: 0, filter: 3 }],
])('bulkWrite rejects %j with the error of a shard', async op => {
  const { client } = await spread();
  const alone = house();
  const bulk = { bulkWrite: 1, ops: [op], nsInfo: [{ ns: 'db.c' }] };
  expect(await client.refusal(bulk, 'admin')).toBe(await alone.client.refusal(bulk, 'admin'));
  expect(await client.refusal({ ...bulk, ops: [] }, 'admin')).toMatch(/^16 /);
});

test('createIndexes, dropIndexes, collStats and drop apply to all shards', async () => {
  const { client, counts } = await spread();
  const index = { createIndexes: 'c', indexes: [{ key: { tag: 1 }, name: 'tags' }] };
  expect(await client.plain(index)).toMatchObject({ ok: 1, numIndexesAfter: 3 });
  expect((await client.plain({ dropIndexes: 'c', index: 'tags' })).ok).toBe(1);
  expect(await client.plain({ collStats: 'c' })).toMatchObject({ sharded: true, count: 20 });
  expect((await client.plain({ drop: 'c' })).ok).toBe(1);
  expect(counts()).toEqual([0, 0]);
  await client.run({ insert: 'c', documents: [{ _id: 1 }] });
  expect(counts()).toEqual([1, 0]);
});

test('before 7.0 a write of one document must contain its _id or shard key', async () => {
  const { client } = await spread({ tag: 1 }, { version: '6.0.0' });
  const { writeErrors } = await client.plain({ update: 'c', updates: [{ q: { list: 5 }, u: { $set: { a: 1 } } }] });
  expect(writeErrors).toMatchObject([{ index: 0, code: 72 }]);
  expect(await client.plain({ update: 'c', updates: [{ q: { _id: 5 }, u: { $set: { a: 1 } } }] })).toMatchObject({
    n: 1,
  });
  expect(await client.refusal({ findAndModify: 'c', query: { list: 5 }, remove: true })).toMatch(/^61 /);
});

test('a transaction reads and writes on both shards', async () => {
  const { client } = await spread();
  const lsid = { id: (await client.run({ startSession: 1 })).id.id };
  const part = { lsid, txnNumber: Long.fromInt(1), autocommit: false };
  const read = await client.plain({ find: 'c', sort: { _id: 1 }, ...part, startTransaction: true });
  expect(read.cursor.firstBatch).toHaveLength(20);
  expect((await client.plain({ update: 'c', updates: [{ q: { _id: 3 }, u: { $set: { a: 1 } } }], ...part })).n).toBe(1);
  const all = { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }], ...part };
  expect(await client.plain(all)).toMatchObject({ n: 20, nModified: 19 });
  expect((await client.plain({ count: 'c', query: { a: 1 } })).n).toBe(0);
  expect((await client.plain({ commitTransaction: 1, ...part }, 'admin')).ok).toBe(1);
  expect((await client.plain({ count: 'c', query: { a: 1 } })).n).toBe(20);
});

test('rejects commands that change chunks or shards', async () => {
  const { client } = await spread();
  for (const command of [{ moveChunk: 'db.c' }, { split: 'db.c' }, { addShard: 'h' }])
    expect(await client.refusal(command, 'admin')).toMatch(/^115 \w+ is not supported by this server: /);
  expect((await client.plain({ listShards: 1 }, 'admin'))['shards']).toMatchObject([
    { _id: 'shard0' },
    { _id: 'shard1' },
  ]);
  await client.run({ balancerStop: 1 }, 'admin');
  expect((await client.plain({ balancerStatus: 1 }, 'admin'))['mode']).toBe('off');
});

test('getShardMap returns the hosts of the shards and the config shard', async () => {
  const { client, shards } = house({ shards: 2, members: 2 });
  for (const [i, members] of shards.entries())
    for (const [j, { state }] of members.entries()) state.address = `h${i}:${j}`;
  expect(await client.plain({ getShardMap: 1 }, 'admin')).toMatchObject({
    map: { shard0: 'shard0/h0:0,h0:1', shard1: 'shard1/h1:0,h1:1', config: 'shard0/h0:0,h0:1' },
    hosts: { 'h0:0': 'shard0', 'h0:1': 'shard0', 'h1:0': 'shard1', 'h1:1': 'shard1' },
    connStrings: { 'shard0/h0:0,h0:1': 'shard0', 'shard1/h1:0,h1:1': 'shard1' },
  });
});
