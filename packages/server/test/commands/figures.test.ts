import type { Document } from 'bson';
import { expect, test } from 'vitest';
import { settled, world } from '../client.js';

const zero = { time: 0, count: 0 };

test('$indexStats counts the queries that used each index since it was created', async () => {
  const { client } = world();
  await client.plain({
    insert: 'c',
    documents: [
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ],
  });
  await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
  await client.plain({ find: 'c', filter: { a: 1 } });
  await client.plain({ update: 'c', updates: [{ q: { a: 2 }, u: { $set: { b: 1 } } }] });
  await client.plain({ aggregate: 'c', pipeline: [{ $match: { _id: 1 } }], cursor: {} });
  await client.plain({ explain: { find: 'c', filter: { a: 1 } } });
  await client.plain({ find: 'other', filter: { _id: 1 } });
  const { cursor } = await client.plain({ aggregate: 'c', pipeline: [{ $indexStats: {} }], cursor: {} });
  expect(cursor.firstBatch.map(({ name, accesses }) => [name, (accesses as Document)['ops']])).toEqual([
    ['_id_', 1],
    ['a_1', 2],
  ]);
});

test('top and $collStats report the numbers and times of the commands on a collection', async () => {
  const { client, clock } = world();
  await client.plain({ create: 'c', capped: true, size: 5000 });
  await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
  const { cursor } = await client.plain({ find: 'c', batchSize: 2, tailable: true, awaitData: true });
  const more = client.plain({ getMore: cursor.id, collection: 'c', maxTimeMS: 250 });
  await settled();
  await clock.advance(250);
  await more;
  await client.plain({ aggregate: 'c', pipeline: [], cursor: {} });
  const time = 250_000;
  const { totals } = await client.plain({ top: 1 }, 'admin');
  expect((totals as Document)['db.c']).toEqual({
    total: { time, count: 4 },
    readLock: { time, count: 3 },
    writeLock: { time: 0, count: 1 },
    queries: { time: 0, count: 1 },
    getmore: { time, count: 1 },
    insert: { time: 0, count: 1 },
    update: zero,
    remove: zero,
    commands: { time: 0, count: 1 },
  });
  const stage = { $collStats: { latencyStats: {}, queryExecStats: {}, count: {} } };
  const stats = await client.plain({ aggregate: 'c', pipeline: [stage], cursor: {} });
  expect(stats.cursor.firstBatch[0]).toMatchObject({
    latencyStats: {
      reads: { latency: time, ops: 3 },
      writes: { latency: 0, ops: 1 },
      commands: { latency: 0, ops: 0 },
      transactions: { latency: 0, ops: 0 },
    },
    queryExecStats: { collectionScans: { total: 1, nonTailable: 1 } },
    count: 2,
  });
});

test('serverStatus reports operations, documents, failures and traffic', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] });
  await client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] });
  await client.plain({ delete: 'c', deletes: [{ q: { _id: 3 }, limit: 1 }] });
  await client.plain({ find: 'c' });
  await client.refusal({ find: 'c', filter: { $nope: 1 } });
  const status: Document = await client.plain({ serverStatus: 1 });
  expect(status).toMatchObject({
    opcounters: { insert: 3, query: 2, update: 1, delete: 1, getmore: 0 },
    asserts: { user: 1 },
    connections: { current: 1 },
    mem: { bits: 64, supported: true },
    metrics: {
      document: { inserted: 3, updated: 3, deleted: 1, returned: 2 },
      commands: { find: { total: 2, failed: 1 }, insert: { total: 1, failed: 0 } },
      cursor: { timedOut: 0, open: { total: 0, noTimeout: 0 } },
    },
    opLatencies: { reads: { ops: 1 }, writes: { ops: 3 } },
  });
  expect(status['network'].numRequests).toBeGreaterThanOrEqual(6);
  expect(status['network'].bytesOut).toBeGreaterThan(300);
  const some = await client.plain({ serverStatus: 1, metrics: 0, network: false });
  expect([some['metrics'], some['network'], 'opcounters' in some]).toEqual([undefined, undefined, true]);
});

test('dbStats and collStats report the size of indexes', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: Array.from({ length: 200 }, (_, _id) => ({ _id, a: `value ${_id}` })) });
  await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
  const { indexSize, totalSize, dataSize }: Document = await client.plain({ dbStats: 1 });
  expect(indexSize).toBeGreaterThan(3000);
  expect(totalSize).toBe(dataSize + indexSize);
  const { indexSizes, totalIndexSize }: Document = await client.plain({ collStats: 'c' });
  expect(totalIndexSize).toBe(indexSize);
  expect(indexSizes.a_1).toBeGreaterThan(indexSizes._id_);
});
