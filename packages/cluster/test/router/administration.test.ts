import { describe, expect, test } from 'vitest';
import { Client, settled } from '../../../server/test/client.js';
import type { House, HouseOptions } from './house.js';
import { house } from './house.js';

/** Creates `c` on both shards, with ten documents on each and an index, and `o` on the first. */
const spread = async (options: HouseOptions = {}): Promise<House> => {
  const here = house({ shards: 2, ...options });
  const { client } = here;
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id, a: 1 }));
  for (const name of ['c', 'o']) await client.run({ insert: name, documents });
  await client.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] });
  const sharded = await client.plain({ shardCollection: 'db.c', key: { _id: 1 } }, 'admin');
  if (sharded.ok !== 1) throw new Error(sharded.errmsg);
  return here;
};

describe('statistics combine all shards', () => {
  test('collStats', async () => {
    const { client } = await spread();
    const stats = await client.plain({ collStats: 'c' });
    expect(stats).toMatchObject({ sharded: true, count: 20, nindexes: 2, nchunks: 2 });
    expect(stats).toMatchObject({ shards: { shard0: { count: 10 }, shard1: { count: 10 } } });
    expect(stats['avgObjSize']).toBe((stats['size'] as number) / 20);
    expect(await client.plain({ collStats: 'o' })).toMatchObject({ sharded: false, count: 20, nchunks: 1 });
  });

  test('the average size is returned even if the first shard is empty', async () => {
    const { client } = await spread();
    const { avgObjSize } = await client.plain({ collStats: 'c' });
    await client.plain({ delete: 'c', deletes: [{ q: { _id: { $lt: 10 } }, limit: 0 }] });
    expect(await client.plain({ collStats: 'c' })).toMatchObject({ count: 10, avgObjSize });
  });

  test('scale does not apply to average sizes', async () => {
    const { client } = await spread();
    for (const command of [{ collStats: 'c' }, { dbStats: 1 }]) {
      const { avgObjSize } = await client.plain(command);
      expect(avgObjSize).toBeGreaterThan(0);
      expect((await client.plain({ ...command, scale: 1024 }))['avgObjSize']).toBe(avgObjSize);
    }
  });

  test('dbStats', async () => {
    const { client } = await spread();
    const stats = await client.plain({ dbStats: 1 });
    expect(stats).toMatchObject({ db: 'db', collections: 3, objects: 40, indexes: 5 });
    expect(Object.keys(stats['raw'] as object)).toEqual(['shard0/127.0.0.1:27017', 'shard1/127.0.0.1:27017']);
  });

  test('dataSize and validate', async () => {
    const { client } = await spread();
    expect(await client.plain({ dataSize: 'db.c' })).toMatchObject({ numObjects: 20 });
    expect(await client.plain({ validate: 'c' })).toMatchObject({
      raw: { shard0: { nrecords: 10, valid: true }, shard1: { nrecords: 10, valid: true } },
      valid: true,
    });
    expect(await client.refusal({ validate: 'none' })).toMatch(/^26 /);
  });
});

test('$collStats and $indexStats name the shard of each result', async () => {
  const { client } = await spread();
  const run = async (...pipeline: object[]) =>
    (await client.plain({ aggregate: 'c', pipeline, cursor: {} })).cursor.firstBatch;
  expect(await run({ $collStats: { count: {} } }, { $project: { shard: 1, count: 1 } })).toEqual([
    { shard: 'shard0', count: 10 },
    { shard: 'shard1', count: 10 },
  ]);
  const sort = { $sort: { name: 1, shard: 1 } };
  expect(await run({ $indexStats: {} }, sort, { $project: { name: 1, shard: 1 } })).toEqual([
    { name: '_id_', shard: 'shard0' },
    { name: '_id_', shard: 'shard1' },
    { name: 'a', shard: 'shard0' },
    { name: 'a', shard: 'shard1' },
  ]);
});

test('shutdown stops the mongos but not the shards', async () => {
  const { client, mongos, shards, other } = house({ shards: 2 });
  expect((await client.plain({ shutdown: 1 }, 'admin')).ok).toBe(1);
  await settled();
  const clock = shards[0]![0]!.state.engine.clock as unknown as { advance(by: number): Promise<void> };
  await clock.advance(1);
  expect(mongos.map(({ isRunning }) => isRunning)).toEqual([false, true]);
  expect(shards.flat().map(({ front }) => front.isRunning)).toEqual([true, true]);
  expect((await other.plain({ find: 'c' })).ok).toBe(1);
  await mongos[0].restart();
  expect((await new Client(mongos[0]).plain({ ping: 1 })).ok).toBe(1);
});

test('a mongos rejects profile levels above 0', async () => {
  const { client } = house();
  expect(await client.refusal({ profile: 2 })).toMatch(/^2 Profiling is not permitted on mongoS: /);
  expect(await client.plain({ profile: 0, slowms: 5 })).toMatchObject({ was: 0, ok: 1 });
  expect(await client.plain({ profile: -1 })).toMatchObject({ was: 0, slowms: 5 });
});

test('setDefaultRWConcern applies to every shard', async () => {
  const { client, sets } = await spread();
  await client.plain({ setDefaultRWConcern: 1, defaultWriteConcern: { w: 1 } }, 'admin');
  expect(sets.map(({ defaults }) => defaults.writeConcern?.get('w'))).toEqual([1, 1]);
});

test.each([true, 1])('an index of a sharded collection with unique: %s must begin with the shard key', async unique => {
  const { client } = await spread();
  const create = (key: object) => ({ createIndexes: 'c', indexes: [{ key, name: 'u', unique }] });
  expect(await client.refusal(create({ a: 1 }))).toBe(
    '67 cannot create unique index over { a: 1 } with shard key pattern { _id: 1 }',
  );
  expect((await client.plain(create({ _id: 1, a: 1 }))).ok).toBe(1);
});

test('renameCollection renames a sharded collection on all its shards', async () => {
  const { client, other } = await spread();
  expect(await client.refusal({ renameCollection: 'db.c', to: 'two.c' }, 'admin')).toMatch(/^20 /);
  expect((await client.plain({ renameCollection: 'db.c', to: 'db.d' }, 'admin')).ok).toBe(1);
  expect((await other.plain({ count: 'c' })).n).toBe(0);
  expect((await other.plain({ count: 'd' })).n).toBe(20);
  await other.run({ insert: 'd', documents: [{ _id: -1 }, { _id: 99 }] });
  expect(await client.plain({ collStats: 'd' })).toMatchObject({
    sharded: true,
    shards: { shard0: { count: 11 }, shard1: { count: 11 } },
  });
  expect(await client.refusal({ renameCollection: 'db.o', to: 'db.d' }, 'admin')).toMatch(/^20 /);
  expect(await client.refusal({ convertToCapped: 'd', size: 1000 })).toMatch(/^20 can't do command: convertToCapped/);
});

test.each([
  ['moveCollection', '8.2.1', 115],
  ['moveCollection', '7.0.0', 59],
  ['addShardToZone', '4.4.0', 115],
  ['compact', '8.2.1', 59],
  ['dbHash', '8.2.1', 59],
])('%s on a mongos %s fails with %i', async (name, version, code) => {
  const { client } = house({ version });
  expect(await client.plain({ [name]: 'db.c' }, 'admin')).toMatchObject({ ok: 0, code });
});

test('isdbgrid, flushRouterConfig and balancerCollectionStatus succeed on a mongos', async () => {
  const { client } = await spread();
  expect(await client.plain({ isdbgrid: 1 })).toMatchObject({ isdbgrid: 1, hostname: '127.0.0.1:27017' });
  expect(await client.plain({ flushRouterConfig: 1 }, 'admin')).toMatchObject({ flushed: true });
  expect(await client.plain({ balancerCollectionStatus: 'db.c' }, 'admin')).toMatchObject({ balancerCompliant: true });
  expect(await client.refusal({ balancerCollectionStatus: 'db.o' }, 'admin')).toMatch(/^118 /);
});
