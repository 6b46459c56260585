import type { Timestamp } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, Reply } from '../../../server/test/client.js';
import { settled } from '../../../server/test/client.js';
import type { House, HouseOptions } from './house.js';
import { house } from './house.js';

const change = (_id: number) => ({ update: 'c', updates: [{ q: { _id }, u: { $set: { a: 1 } } }] });

/** Creates twenty documents: 0 to 9 on the first shard, 10 to 19 on the second. */
const spread = async (options: HouseOptions = {}): Promise<House> => {
  const here = house({ shards: 2, ...options });
  const documents = Array.from({ length: 20 }, (_, _id) => ({ _id }));
  await here.client.run({ insert: 'c', documents, writeConcern: { w: 'majority' } });
  const sharded = await here.client.plain({ shardCollection: 'db.c', key: { _id: 1 } }, 'admin');
  if (sharded.ok !== 1) throw new Error(sharded.errmsg);
  return here;
};

/** The commands of one transaction. */
const transactionOf = async (client: Client, readConcern?: object) => {
  const lsid = { id: (await client.run({ startSession: 1 })).id.id };
  const part = { lsid, txnNumber: Long.fromInt(1), autocommit: false };
  const concern = readConcern === undefined ? {} : { readConcern };
  return {
    part,
    start: (command: object): Promise<Reply> =>
      client.plain({ ...command, ...part, startTransaction: true, ...concern }),
    go: (command: object): Promise<Reply> => client.plain({ ...command, ...part }),
    commit: (more: object = {}, by = client): Promise<Reply> =>
      by.plain({ commitTransaction: 1, ...part, ...more }, 'admin'),
    abort: (): Promise<Reply> => client.plain({ abortTransaction: 1, ...part }, 'admin'),
  };
};

const changed = async (client: Client): Promise<readonly unknown[]> =>
  (await client.plain({ find: 'c', filter: { a: 1 }, sort: { _id: 1 } })).cursor.firstBatch.map(({ _id }) => _id);

const lastTimes = ({ sets }: House): readonly unknown[] =>
  sets.map(set => {
    const { t, i } = set.primary!.opTime.ts;
    return [t, i];
  });

const gone = { ok: 0, code: 251, codeName: 'NoSuchTransaction', errorLabels: ['TransientTransactionError'] };

describe('a transaction that writes to two shards', () => {
  test('becomes visible on both shards when it is committed', async () => {
    const here = await spread();
    const { client, other } = here;
    const { start, go, commit } = await transactionOf(client);
    expect(await start(change(3))).toMatchObject({ n: 1, recoveryToken: { recoveryShardId: 'shard0' } });
    expect(await go(change(13))).toMatchObject({ n: 1, recoveryToken: { recoveryShardId: 'shard0' } });
    expect(await changed(other)).toEqual([]);
    expect(await commit()).toMatchObject({ ok: 1, recoveryToken: { recoveryShardId: 'shard0' } });
    expect(await changed(other)).toEqual([3, 13]);
    expect(await commit()).toMatchObject({ ok: 1 });
    const [one, two] = lastTimes(here);
    expect(one).toEqual(two);
  });

  test('can consist of one command', async () => {
    const { client } = await spread();
    const { start, commit } = await transactionOf(client);
    const all = { update: 'c', updates: [{ q: { _id: { $in: [1, 11] } }, u: { $set: { a: 1 } }, multi: true }] };
    expect(await start(all)).toMatchObject({ n: 2 });
    expect((await commit()).ok).toBe(1);
    expect(await changed(client)).toEqual([1, 11]);
  });

  test('includes shards that were only read from, but not in the recovery token', async () => {
    const { client } = await spread();
    const { start, go, commit } = await transactionOf(client);
    expect(await start({ find: 'c', filter: { _id: 1 } })).toMatchObject({ recoveryToken: {} });
    expect(await go({ delete: 'c', deletes: [{ q: { _id: 99 }, limit: 1 }] })).toMatchObject({
      n: 0,
      recoveryToken: {},
    });
    expect(await go(change(13))).toMatchObject({ recoveryToken: { recoveryShardId: 'shard1' } });
    expect((await commit()).ok).toBe(1);
    expect(await changed(client)).toEqual([13]);
  });

  test('leaves no changes and no locks when it is aborted', async () => {
    const { client } = await spread();
    const { start, go, abort, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(13));
    expect((await abort()).ok).toBe(1);
    expect(await commit()).toMatchObject(gone);
    expect(await client.plain(change(13))).toMatchObject({ n: 1 });
    expect(await changed(client)).toEqual([13]);
  });

  test('is aborted on both shards when a statement fails on one', async () => {
    const { client, other } = await spread();
    const { start, go, commit } = await transactionOf(client);
    await start({ find: 'c', filter: { _id: 13 } });
    await go(change(3));
    const rival = await transactionOf(other);
    await rival.start(change(13));
    expect(await go(change(13))).toMatchObject({ code: 112, errorLabels: ['TransientTransactionError'] });
    expect(await commit()).toMatchObject(gone);
    expect(await client.plain(change(3))).toMatchObject({ n: 1 });
  });

  test('has the same outcome through another mongos with the recovery token', async () => {
    const { client, other } = await spread();
    const first = await transactionOf(client);
    await first.start(change(3));
    const { recoveryToken } = await first.go(change(13));
    await first.commit();
    expect(await first.commit({ recoveryToken }, other)).toMatchObject({ ok: 1, recoveryToken });
    const second = await transactionOf(client);
    await second.start(change(4));
    const token = (await second.go(change(14)))['recoveryToken'];
    expect(await second.commit({ recoveryToken: token }, other)).toMatchObject(gone);
    expect(await second.commit()).toMatchObject(gone);
    expect(await client.plain(change(14))).toMatchObject({ n: 1 });
    expect(await changed(client)).toEqual([3, 13, 14]);
  });

  test('is visible in a snapshot as a whole or not at all', async () => {
    const { client } = await spread();
    const before = (await client.plain({ ping: 1 }))['operationTime'] as Timestamp;
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(13));
    await client.plain({ insert: 'd', documents: [{ _id: 1 }] });
    await commit();
    const after = (await client.plain({ find: 'c' }))['operationTime'] as Timestamp;
    const counts: number[] = [];
    for (
      let at = Long.fromBits(before.low, before.high);
      at.lte(Long.fromBits(after.low, after.high));
      at = at.add(1)
    ) {
      const find = { find: 'c', filter: { a: 1 } };
      const atClusterTime = new (after.constructor as typeof Timestamp)({ t: at.high >>> 0, i: at.low >>> 0 });
      const read = await client.plain({ ...find, readConcern: { level: 'snapshot', atClusterTime } });
      counts.push(read.cursor.firstBatch.length);
      if (at.low - before.low > 50) throw new Error('The times are not near each other');
    }
    expect([...new Set(counts)]).toEqual([0, 2]);
  });

  test('waits for a majority of every shard, and aborts if that takes too long', async () => {
    const { client, sets, clock } = await spread({ members: 3 });
    const [, two] = sets;
    for (const member of two!.members) if (!member.isPrimary) two!.halt(member, true);
    await client.plain({ insert: 'c', documents: [{ _id: 20 }], writeConcern: { w: 1 } });
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(20));
    const first = commit();
    for (let i = 0; i < 5; i++) await settled();
    expect(sets.map(({ decided }) => decided.size)).toEqual([0, 0]);
    await clock.advance(61_000);
    expect(await first).toMatchObject(gone);
    expect(await changed(client)).toEqual([]);
  });

  test("is committed even if the client timed out, and the client's retry succeeds", async () => {
    const { client, sets, clock } = await spread({ members: 3 });
    const [, two] = sets;
    for (const member of two!.members) if (!member.isPrimary) two!.halt(member, true);
    await client.plain({ insert: 'c', documents: [{ _id: 20 }], writeConcern: { w: 1 } });
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(20));
    const first = commit({ maxTimeMS: 100 });
    for (let i = 0; i < 5; i++) await settled();
    await clock.advance(200);
    expect(await first).toMatchObject({ ok: 0, code: 50 });
    for (const member of two!.members) two!.halt(member, false);
    await clock.advance(5_000);
    expect(await changed(client)).toEqual([3, 20]);
    expect(await commit()).toMatchObject({ ok: 1, recoveryToken: { recoveryShardId: 'shard0' } });
  });

  test('continues when a commit through another mongos times out', async () => {
    const { client, other, sets, clock } = await spread({ members: 3 });
    const [, two] = sets;
    for (const member of two!.members) if (!member.isPrimary) two!.halt(member, true);
    await client.plain({ insert: 'c', documents: [{ _id: 20 }], writeConcern: { w: 1 } });
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    const { recoveryToken } = await go(change(20));
    const first = commit();
    for (let i = 0; i < 5; i++) await settled();
    const second = commit({ recoveryToken, maxTimeMS: 100 }, other);
    await clock.advance(200);
    expect(await second).toMatchObject({ ok: 0, code: 50 });
    for (const member of two!.members) two!.halt(member, false);
    await clock.advance(5_000);
    expect(await first).toMatchObject({ ok: 1 });
    expect(await changed(client)).toEqual([3, 20]);
  });

  test('is committed on both shards if the primary of one crashes before its secondaries have the commit', async () => {
    const { client, sets, shards, clock } = await spread({ members: 3 });
    const [, two] = sets;
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(13));
    const primary = two!.primary!;
    const others = two!.members.filter(member => member !== primary);
    for (const member of others) two!.halt(member, true);
    expect((await commit({ writeConcern: { w: 1 } })).ok).toBe(1);
    expect(two!.decided.size).toBe(1);
    const { ts } = primary.opTime;
    shards[1]![primary.place]!.crash();
    for (const member of others) two!.halt(member, false);
    await clock.advance(30_000);
    expect(two!.primary).not.toBe(primary);
    expect(await changed(client)).toEqual([3, 13]);
    expect((await commit({ writeConcern: { w: 'majority' } })).ok).toBe(1);
    expect(two!.primary!.log.at(ts)?.ops).toHaveLength(1);
    await shards[1]![primary.place]!.restart();
    await clock.advance(30_000);
    expect(two!.members.map(({ log }) => log.at(ts)?.at.term)).toEqual([
      two!.primary!.term,
      two!.primary!.term,
      two!.primary!.term,
    ]);
    expect(two!.decided.size).toBe(0);
  });

  test('is committed on both shards if the only member of one lost the commit from its journal', async () => {
    const { client, shards, clock } = await spread();
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(13));
    await commit({ writeConcern: { w: 1 } });
    shards[1]![0]!.crash();
    await shards[1]![0]!.restart();
    await clock.advance(1000);
    expect(await changed(client)).toEqual([3, 13]);
    expect((await commit()).ok).toBe(1);
  });

  test('is aborted on both shards if one has a new primary before the commit', async () => {
    const { client, sets, clock } = await spread({ members: 3 });
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(13));
    sets[1]!.stepDown(sets[1]!.primary!, 60_000);
    await clock.advance(1);
    expect(await commit()).toMatchObject(gone);
    expect(await changed(client)).toEqual([]);
    expect(await client.plain(change(3))).toMatchObject({ n: 1 });
  });

  test('reports the write concern error of one shard', async () => {
    const { client, sets, clock } = await spread({ members: 3 });
    const [, two] = sets;
    const { start, go, commit } = await transactionOf(client);
    await start(change(3));
    await go(change(13));
    for (const member of two!.members) if (!member.isPrimary) two!.halt(member, true);
    const late = commit({ writeConcern: { w: 'majority', wtimeout: 100 } });
    for (let i = 0; i < 5; i++) await settled();
    await clock.advance(200);
    expect(await late).toMatchObject({ ok: 1, writeConcernError: { code: 64 } });
  });
});

test('a read with level snapshot uses one cluster time on all shards, and returns it', async () => {
  const { client, other } = await spread();
  const snapshot = { readConcern: { level: 'snapshot' } };
  const first = await client.plain({ find: 'c', filter: { a: 1 }, ...snapshot });
  const { atClusterTime } = first.cursor as unknown as { readonly atClusterTime: Timestamp };
  expect(atClusterTime).toBeDefined();
  await other.plain({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] });
  const past = { readConcern: { level: 'snapshot', atClusterTime } };
  for (const command of [{ find: 'c' }, { aggregate: 'c', pipeline: [], cursor: {} }]) {
    const { cursor } = await client.plain({ ...command, ...past });
    expect(cursor.firstBatch.filter(doc => 'a' in doc)).toEqual([]);
    expect(cursor).toMatchObject({ atClusterTime });
  }
  expect(await client.plain({ distinct: 'c', key: 'a', ...past })).toMatchObject({ values: [], atClusterTime });
  const now = await client.plain({
    aggregate: 'c',
    pipeline: [{ $match: { a: 1 } }, { $count: 'n' }],
    cursor: {},
    ...snapshot,
  });
  expect(now.cursor).toMatchObject({ firstBatch: [{ n: 20 }], atClusterTime: expect.anything() });
});

test('a transaction with level snapshot uses one cluster time on all shards', async () => {
  const { client, other } = await spread();
  const reader = await transactionOf(other, { level: 'snapshot' });
  expect((await reader.start({ find: 'c', filter: { _id: 3 } })).cursor.firstBatch).toEqual([{ _id: 3 }]);
  const { start, go, commit } = await transactionOf(client);
  await start(change(3));
  await go(change(13));
  await commit();
  expect((await reader.go({ find: 'c', filter: { _id: 13 } })).cursor.firstBatch).toEqual([{ _id: 13 }]);
  expect((await reader.commit()).ok).toBe(1);
});
