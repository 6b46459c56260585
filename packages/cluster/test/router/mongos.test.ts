import { Long, ObjectId, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Received } from '../../../server/test/client.js';
import { Client, msgOf, typed } from '../../../server/test/client.js';
import { balanced, house } from './house.js';

describe('hello', () => {
  test('a mongos returns isdbgrid and no fields of a replica set', async () => {
    const { client } = house();
    const hello = await client.plain({ hello: 1 }, 'admin');
    expect([hello['msg'], hello['isWritablePrimary'], hello['setName'], hello['hosts']]).toEqual([
      'isdbgrid',
      true,
      undefined,
      undefined,
    ]);
    expect(Object.keys(hello).slice(0, 3)).toEqual(['isWritablePrimary', 'msg', 'topologyVersion']);
  });

  test('two mongoses of a cluster have different process ids', async () => {
    const { client, other } = house();
    const [a, b] = [await client.run({ hello: 1 }), await other.run({ hello: 1 })];
    expect(typed(a['topologyVersion'])).not.toBe(typed(b['topologyVersion']));
  });

  test('behind a load balancer each mongos returns its serviceId, and rejects hello without loadBalanced with 354', async () => {
    const here = house();
    const lb = balanced(here);
    const clients = [new Client(lb), new Client(lb), new Client(lb)];
    const ids = [];
    for (const client of clients) ids.push((await client.plain({ hello: 1, loadBalanced: true }))['serviceId']);
    expect(ids[0]).toEqual(expect.any(ObjectId));
    expect(ids[2]).toEqual(ids[0]);
    expect(ids[1]).not.toEqual(ids[0]);
    expect(await new Client(lb).refusal({ hello: 1 })).toMatch(
      /^354 The server is being accessed through a load balancer/,
    );
    expect((await here.client.plain({ hello: 1, loadBalanced: true }))['serviceId']).toBe(undefined);
  });
});

describe('reads and writes', () => {
  test('are passed to the shard, and replies contain no fields of the shard', async () => {
    const { client, other } = house();
    const inserted = await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    expect(Object.keys(inserted)).toEqual(['n', 'ok', '$clusterTime', 'operationTime']);
    const found = await other.plain({ find: 'c', filter: {}, sort: { _id: -1 } });
    expect(found.cursor).toEqual({ firstBatch: [{ _id: 2 }, { _id: 1 }], id: expect.anything(), ns: 'db.c' });
  });

  test('errors of the shard keep their code, name and fields', async () => {
    const { client } = house();
    const twice = { insert: 'c', documents: [{ _id: 1 }, { _id: 1 }] };
    expect((await client.plain(twice)).writeErrors).toMatchObject([{ index: 1, code: 11000, keyPattern: { _id: 1 } }]);
    const failed = await client.plain({ find: 'c', filter: { $nonsense: 1 } });
    expect([failed.code, failed.codeName, failed.errmsg]).toEqual([
      2,
      'BadValue',
      "unknown top level operator: $nonsense. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.",
    ]);
    expect(failed['$clusterTime']).toMatchObject({ clusterTime: expect.any(Timestamp) });
  });

  test('a retried write through another mongos is executed once', async () => {
    const { client, other } = house();
    const lsid = { id: (await client.run({ startSession: 1 })).id.id };
    const update = {
      ...{ update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }] },
      ...{ lsid, txnNumber: Long.fromInt(1) },
    };
    await client.run(update);
    expect(await other.plain(update)).toMatchObject({ n: 1, retriedStmtIds: [0] });
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 1, n: 1 }]);
  });
});

describe('read preference', () => {
  const find = (preference: object) => ({ find: 'c', $readPreference: preference });

  test.each([
    [{ mode: 'secondaryPreferred', maxStalenessSeconds: 10 }, '160 maxStalenessSeconds value can not be less than 90'],
    [{ mode: 'primary', maxStalenessSeconds: 120 }, '2 maxStalenessSeconds can not be set for the primary mode'],
    [{ mode: 'nearest', maxStalenessSeconds: -1 }, '2 maxStalenessSeconds must be a non-negative integer'],
  ])('rejects %j', async (preference, why) => {
    expect(await house().client.refusal(find(preference))).toBe(why);
  });

  test('Max Staleness: a stale secondary is not selected', async () => {
    const { client, sets, clock } = house({ members: 2 });
    await client.run({ insert: 'c', documents: [{ _id: 1 }] });
    sets[0]!.network.setLag(1, Number.POSITIVE_INFINITY);
    await clock.advance(100_000);
    await client.run({ insert: 'c', documents: [{ _id: 2 }], writeConcern: { w: 1 } });
    const ids = async (preference: object) => (await client.plain(find(preference))).cursor.firstBatch;
    expect(await ids({ mode: 'secondaryPreferred' })).toEqual([{ _id: 1 }]);
    expect(await ids({ mode: 'secondaryPreferred', maxStalenessSeconds: 120 })).toEqual([{ _id: 1 }]);
    expect(await ids({ mode: 'secondaryPreferred', maxStalenessSeconds: 90 })).toEqual([{ _id: 1 }, { _id: 2 }]);
  });
});

describe('cursors', () => {
  const many = { insert: 'c', documents: Array.from({ length: 10 }, (_, _id) => ({ _id })) };

  test('are unknown to other mongoses', async () => {
    const { client, other } = house();
    await client.run(many);
    const { cursor } = await client.run({ find: 'c', batchSize: 4 });
    const more = { getMore: cursor.id, collection: 'c', batchSize: 4 };
    expect(await other.refusal(more)).toMatch(/^43 cursor id -?\d+ not found$/);
    expect((await client.plain(more)).cursor.nextBatch).toEqual([{ _id: 4 }, { _id: 5 }, { _id: 6 }, { _id: 7 }]);
    const last = await client.run(more);
    expect([last.cursor.nextBatch.length, String(last.cursor.id)]).toEqual([2, '0']);
    expect(await client.refusal(more)).toMatch(/^43 /);
  });

  test.each([
    ['7.1.0', [2, 2, 0], 'return all batches of an exhaust request'],
    ['7.0.0', [0], 'return one batch, even for an exhaust request'],
  ])('at %s %s: %s', async (version, flags) => {
    const { client } = house({ version });
    await client.run(many);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    client.send(msgOf(50, { getMore: cursor.id, collection: 'c', batchSize: 3, $db: 'db' }, 0x10000));
    const replies: Received[] = [];
    while (replies.length < flags.length) replies.push(await client.next());
    expect(replies.map(reply => [reply.flags, reply.doc.cursor.nextBatch.length])).toEqual(
      flags.map((flag, i) => [flag, i < 2 ? 3 : 2]),
    );
    const next = await client.plain({ ping: 1 });
    expect(next.ok).toBe(1);
  });

  test('belong to their namespace and session, and end with the session', async () => {
    const { client, shards } = house();
    await client.run(many);
    const [one, another] = [await client.run({ startSession: 1 }), await client.run({ startSession: 1 })];
    const lsid = { id: one.id.id };
    const { cursor } = await client.run({ find: 'c', batchSize: 4, lsid });
    const more = { getMore: cursor.id, collection: 'c' };
    expect(await client.refusal({ ...more, collection: 'd', lsid })).toMatch(
      /^13 Requested getMore on namespace 'db.d'/,
    );
    expect(await client.refusal({ ...more, lsid: { id: another.id.id } })).toMatch(/^50738 /);
    expect(await client.refusal(more)).toMatch(/^50737 /);
    await client.run({ endSessions: [lsid] });
    expect(await client.refusal({ ...more, lsid })).toMatch(/^43 /);
    expect(shards[0]![0]!.state.engine.cursors.size).toBe(0);
  });

  test('end with their transaction', async () => {
    const { client, shards } = house();
    await client.run(many);
    const lsid = { id: (await client.run({ startSession: 1 })).id.id };
    const part = { lsid, txnNumber: Long.fromInt(1), autocommit: false };
    const { cursor } = await client.run({ find: 'c', batchSize: 4, ...part, startTransaction: true });
    const more = { getMore: cursor.id, collection: 'c', batchSize: 2 };
    expect(await client.refusal({ ...more, lsid })).toMatch(/^50740 /);
    expect((await client.plain({ ...more, ...part })).cursor.nextBatch).toHaveLength(2);
    await client.run({ commitTransaction: 1, ...part }, 'admin');
    expect(shards[0]![0]!.state.engine.cursors.size).toBe(0);
    expect(await client.refusal({ ...more, ...part })).toMatch(/^256 /);
  });

  test("killCursors also kills the shard's cursor", async () => {
    const { client, shards } = house();
    await client.run(many);
    const { cursor } = await client.run({ find: 'c', batchSize: 4 });
    const { cursors } = shards[0]![0]!.state.engine;
    expect(cursors.size).toBe(1);
    const reply = await client.run({ killCursors: 'c', cursors: [cursor.id] });
    expect(typed(reply['cursorsKilled'])).toBe(typed([cursor.id]));
    expect(cursors.size).toBe(0);
  });

  test('survive a step-down of the shard', async () => {
    const { client, sets } = house({ members: 3 });
    await client.run(many);
    const { cursor } = await client.run({ find: 'c', batchSize: 4 });
    const before = sets[0]!.primary;
    sets[0]!.stepDown(before!, 60_000);
    const more = { getMore: cursor.id, collection: 'c' };
    expect((await client.plain(more)).cursor.nextBatch).toHaveLength(6);
  });
});

describe('fail points', () => {
  test('affect only the mongos on which they are set', async () => {
    const { client, other } = house();
    const failPoint = {
      configureFailPoint: 'failCommand',
      mode: 'alwaysOn',
      data: { failCommands: ['find'], errorCode: 8 },
    };
    await client.run(failPoint, 'admin');
    expect(await client.refusal({ find: 'c' })).toBe("8 Failing command via 'failCommand' failpoint");
    expect((await other.run({ find: 'c' })).ok).toBeTruthy();
  });

  test('on a shard affect commands of a mongos only with failInternalCommands', async () => {
    const { client, shards } = house();
    const shard = new Client(shards[0]![0]!);
    const data = { failCommands: ['find'], errorCode: 8 };
    await shard.run({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data }, 'admin');
    expect((await client.plain({ find: 'c' })).ok).toBe(1);
    const inside = { ...data, failInternalCommands: true };
    await shard.run({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data: inside }, 'admin');
    expect(await client.refusal({ find: 'c' })).toBe("8 Failing command via 'failCommand' failpoint");
  });
});

test('a mongos rejects replSetGetStatus as an unknown command', async () => {
  const { client } = house();
  expect(await client.refusal({ replSetGetStatus: 1 }, 'admin')).toBe("59 no such command: 'replSetGetStatus'");
});

test('a mongos rejects commands of users who are not authenticated', async () => {
  const { client, other } = house({ users: [{ user: 'root', pwd: 'secret' }] });
  for (const one of [client, other])
    expect(await one.refusal({ find: 'c' })).toBe('13 Command find requires authentication');
});
