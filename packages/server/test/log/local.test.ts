import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Reply } from '../client.js';
import { world } from '../client.js';

const set = () => world({ replicaSet: 'rs0' }).client;

const named = ({ cursor }: Reply): readonly unknown[] => cursor.firstBatch.map(({ ['name']: name }) => name);

describe('the live oplog', () => {
  const refusals: readonly (readonly [Document, string])[] = [
    [{ insert: 'oplog.rs', documents: [{}] }, '73 cannot write to local.oplog.rs'],
    [{ update: 'oplog.rs', updates: [{ q: {}, u: { $set: { a: 1 } } }] }, '73 cannot write to local.oplog.rs'],
    [{ delete: 'oplog.rs', deletes: [{ q: {}, limit: 0 }] }, '73 cannot write to local.oplog.rs'],
    [{ findAndModify: 'oplog.rs', remove: true }, '73 cannot write to local.oplog.rs'],
    [{ createIndexes: 'oplog.rs', indexes: [{ key: { a: 1 }, name: 'a_1' }] }, '73 cannot write to local.oplog.rs'],
    [{ drop: 'oplog.rs' }, "5255000 can't drop live oplog while replicating"],
    [{ convertToCapped: 'oplog.rs', size: 1 }, '73 cannot write to local.oplog.rs'],
    [
      { aggregate: 1, pipeline: [{ $documents: [{}] }, { $out: 'oplog.rs' }], cursor: {} },
      "31321 Can't $out to internal database: local",
    ],
    [
      { aggregate: 1, pipeline: [{ $documents: [{}] }, { $merge: 'oplog.rs' }], cursor: {} },
      '31320 Cannot $merge to internal database: local',
    ],
  ];

  test.each(refusals)('rejects %j', async (command, why) => {
    expect(await set().refusal(command, 'local')).toBe(why);
  });

  test.each([
    ['local.oplog.rs', 'local.mine', "20 can't rename live oplog while replicating"],
    ['local.mine', 'local.oplog.rs', "20 can't rename to live oplog while replicating"],
  ])('cannot be renamed: %s to %s', async (from, to, why) => {
    const client = set();
    await client.plain({ insert: 'mine', documents: [{}] }, 'local');
    expect(await client.refusal({ renameCollection: from, to }, 'admin')).toBe(why);
  });

  test('rejects a bulkWrite', async () => {
    const ops = [{ insert: 0, document: {} }];
    expect(await set().refusal({ bulkWrite: 1, ops, nsInfo: [{ ns: 'local.oplog.rs' }] }, 'admin')).toBe(
      '73 cannot write to local.oplog.rs',
    );
  });

  test('exists from the start', async () => {
    expect(await set().refusal({ create: 'oplog.rs' }, 'local')).toMatch(/^48 namespace local.oplog.rs already exists/);
  });

  test('is an ordinary collection on a standalone', async () => {
    const { client } = world();
    expect(await client.plain({ insert: 'oplog.rs', documents: [{}] }, 'local')).toEqual({ n: 1, ok: 1 });
  });
});

describe('the local database of a member', () => {
  test('lists the oplog and the replica set configuration', async () => {
    const client = set();
    const listed = await client.plain({ listCollections: 1 }, 'local');
    expect(named(listed)).toEqual(['oplog.rs', 'system.replset']);
    expect(listed.cursor.firstBatch[0]).toMatchObject({
      name: 'oplog.rs',
      type: 'collection',
      options: { capped: true, size: 25_165_824 },
    });
    expect(named(await client.plain({ listIndexes: 'oplog.rs' }, 'local'))).toEqual([]);
    expect(await client.plain({ collStats: 'oplog.rs' }, 'local')).toMatchObject({ capped: true, count: 1 });
  });

  test('has the same configuration as replSetGetConfig', async () => {
    const client = set();
    const { config } = await client.plain({ replSetGetConfig: 1 }, 'admin');
    const found = await client.plain({ find: 'system.replset' }, 'local');
    expect(found.cursor).toEqual({ firstBatch: [config], id: Long.ZERO.toNumber(), ns: 'local.system.replset' });
  });

  test('lists nothing on a standalone', async () => {
    expect(named(await world().client.plain({ listCollections: 1 }, 'local'))).toEqual([]);
  });
});
