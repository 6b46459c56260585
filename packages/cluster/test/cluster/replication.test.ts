import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client } from '../../../server/test/client.js';
import { settled } from '../../../server/test/client.js';
import { hello, idsAt, insert, members, nearest, plainly, retryable, stepDown } from './members.js';

describe('replication', () => {
  test('without latency all members have an entry when the primary replies', async () => {
    const set = members(3);
    expect(await insert(set.clients[0]!, 1)).toMatchObject({ ok: 1, n: 1 });
    for (const client of set.clients) expect(await idsAt(client)).toEqual([1]);
    const [a, b, c] = set.set.members.map(({ log }) => log.last);
    expect(a).toBe(b);
    expect(b).toBe(c);
    await set.close();
  });

  test.each(['$out', '$merge'])(
    '%s on a secondary reads there and writes on the primary if the read preference allows it',
    async stage => {
      const set = members(3);
      const [primary, secondary] = set.clients as [Client, Client];
      await insert(primary, 1);
      const aggregate = { aggregate: 'c', pipeline: [{ $set: { x: 2 } }, { [stage]: 'd' }], cursor: {} };
      expect(await secondary.refusal(aggregate)).toMatch(/^10107 /);
      expect(await secondary.plain({ ...aggregate, ...nearest })).toMatchObject({ ok: 1, cursor: { firstBatch: [] } });
      expect((await primary.plain({ find: 'd' })).cursor.firstBatch).toEqual([{ _id: 1, x: 2 }]);
      set.partition([1], [0, 2]);
      expect(await secondary.refusal({ ...aggregate, ...nearest })).toMatch(/^10107 /);
      await set.close();
    },
  );

  test('a secondary rejects $out before 5.0 and $merge before 4.4', async () => {
    const refusals: boolean[] = [];
    for (const [version, stage] of [
      ['4.4.0', '$out'],
      ['4.4.0', '$merge'],
      ['4.2.0', '$merge'],
    ] as const) {
      const set = members(2, { version });
      const aggregate = { aggregate: 'c', pipeline: [{ [stage]: 'd' }], cursor: {}, ...nearest };
      refusals.push((await set.clients[1]!.plain(aggregate)).ok === 0);
      await set.close();
    }
    expect(refusals).toEqual([true, false, true]);
  });

  test('with latency a secondary receives a write after the latency, and the primary learns of it after the way back', async () => {
    const set = members(3);
    set.latency(20);
    await set.clock.advance(100);
    expect(await insert(set.clients[0]!, 1, { writeConcern: { w: 1 } })).toMatchObject({ n: 1 });
    expect(await idsAt(set.clients[1]!)).toEqual([]);
    await set.clock.advance(20);
    expect(await idsAt(set.clients[1]!)).toEqual([1]);
    const [primary, secondary] = set.set.members;
    expect(primary!.committed.at).not.toEqual(primary!.opTime);
    await set.clock.advance(20);
    expect(primary!.committed.at).toEqual(primary!.opTime);
    expect(secondary!.committed.at).not.toEqual(primary!.opTime);
    await set.clock.advance(20);
    expect(secondary!.committed.at).toEqual(primary!.opTime);
    await set.close();
  });

  test('a member lags on demand and catches up afterwards', async () => {
    const set = members(3);
    set.lag(2, Number.POSITIVE_INFINITY);
    for (const _id of [1, 2, 3]) await insert(set.clients[0]!, _id);
    await set.clock.advance(5_000);
    expect(await idsAt(set.clients[2]!)).toEqual([]);
    set.lag(2, 1_000);
    await set.clock.advance(999);
    expect(await idsAt(set.clients[2]!)).toEqual([]);
    await set.clock.advance(1);
    expect(await idsAt(set.clients[2]!)).toEqual([1, 2, 3]);
    await set.close();
  });

  test('a lagging member keeps its newest data, regardless of later writes on the primary', async () => {
    const set = members(3);
    const text = 'x'.repeat(15_000_000);
    const writeMuch = async (): Promise<void> => {
      for (let round = 0; round < 3; round++) {
        const updates = [{ q: { _id: 2 }, u: { round, text }, upsert: true }];
        await set.clients[0]!.plain({ update: 'c', updates, writeConcern: { w: 1 } });
      }
    };
    await insert(set.clients[0]!, 1);
    for (const member of [1, 2]) set.lag(member, Number.POSITIVE_INFINITY);
    const { cursor } = await set.clients[1]!.plain({ find: 'c', readConcern: { level: 'snapshot' }, ...nearest });
    const { atClusterTime } = cursor as unknown as { readonly atClusterTime: Timestamp };
    await writeMuch();
    expect(await idsAt(set.clients[1]!, { readConcern: { level: 'snapshot', atClusterTime } })).toEqual([1]);
    set.lag(2, 0);
    set.partition([0], [1, 2]);
    await writeMuch();
    await set.elect(1);
    expect(await idsAt(set.clients[1]!)).toEqual([1, 2]);
    await set.close();
  }, 20_000);

  test('a delayed member applies writes after its delay', async () => {
    const set = members([{}, {}, { secondaryDelaySecs: 600 }]);
    await insert(set.clients[0]!, 1);
    await set.clock.advance(599_999);
    expect(await idsAt(set.clients[2]!)).toEqual([]);
    await set.clock.advance(1);
    expect(await idsAt(set.clients[2]!)).toEqual([1]);
    await set.close();
  });

  test('a secondary that was away for longer than the oplog window resyncs from the primary', async () => {
    const set = members(3);
    set.partition([2], [0, 1]);
    const text = 'x'.repeat(15_000_000);
    for (let round = 0; round < 6; round++) {
      const updates = [{ q: { _id: 1 }, u: { round, text }, upsert: true }];
      await set.clients[0]!.plain({ update: 'c', updates });
    }
    const [primary, , away] = set.set.members;
    expect(primary!.log.at(away!.opTime.ts)).toBeUndefined();
    set.heal();
    expect(away!.engine.value).toBe(primary!.engine.value);
    expect(set.clients[2]!.closed).toBe(false);
    await set.close();
  }, 20_000);

  test('a resynced member reports only entries with a majority as majority-committed', async () => {
    const set = members(5);
    const text = 'x'.repeat(15_000_000);
    set.partition([4], [0, 1, 2, 3]);
    for (let round = 0; round < 10; round++) {
      const updates = [{ q: { _id: 1 }, u: { round, text }, upsert: true }];
      await set.clients[0]!.plain({ update: 'c', updates });
    }
    for (const member of [1, 2, 3]) set.lag(member, Number.POSITIVE_INFINITY);
    await insert(set.clients[0]!, 2, { writeConcern: { w: 1 } });
    const [primary, , , , away] = set.set.members;
    expect(primary!.log.at(away!.opTime.ts)).toBeUndefined();
    set.heal();
    expect(await idsAt(set.clients[4]!)).toEqual([1, 2]);
    expect(await idsAt(set.clients[4]!, { readConcern: { level: 'majority' } })).toEqual([1]);
    await set.close();
  }, 20_000);

  test('only the current primary deletes expired documents', async () => {
    const set = members(3);
    const createIndexes = { createIndexes: 'c', indexes: [{ key: { at: 1 }, name: 'at_1', expireAfterSeconds: 0 }] };
    await set.clients[0]!.plain(createIndexes);
    const put = (client: Client, _id: number): Promise<unknown> =>
      client.plain({ insert: 'c', documents: [{ _id, at: new Date(0) }] });
    await put(set.clients[0]!, 1);
    await set.clock.advance(60_000);
    for (const client of set.clients) expect(await idsAt(client)).toEqual([]);
    await stepDown(set);
    await put(set.clients[1]!, 2);
    await set.clock.advance(60_000);
    for (const client of set.clients) expect(await idsAt(client)).toEqual([]);
    const places = set.set.members.map(({ log }) => log.last);
    expect(new Set(places).size).toBe(1);
    await set.close();
  });

  test('a restarted member has its data and catches up', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 1);
    set.crash(2);
    await insert(set.clients[0]!, 2);
    await set.restart(2);
    expect(await idsAt(set.connect(2))).toEqual([1, 2]);
    await set.close();
  });
});

describe('rollback', () => {
  test("rolls back entries without a majority to the common ancestor, and closes the member's connections", async () => {
    const set = members(3);
    await insert(set.clients[0]!, 'both');
    set.partition([0], [1, 2]);
    await insert(set.clients[0]!, 'lost', { writeConcern: { w: 1 } });
    await set.elect(1);
    await insert(set.clients[1]!, 'kept');
    const counter = set.set.members[0]!.counter;
    set.heal();
    expect(set.clients[0]!.closed).toBe(true);
    expect(set.clients[2]!.closed).toBe(false);
    expect(set.set.members[0]!.counter).toBeGreaterThan(counter);
    for (const member of [0, 1, 2]) expect(await idsAt(set.connect(member))).toEqual(['both', 'kept']);
    await set.close();
  });

  test('kills cursors that could return rolled back data', async () => {
    const set = members(3);
    set.partition([0], [1, 2]);
    for (const _id of [1, 2, 3]) await insert(set.clients[0]!, _id, { writeConcern: { w: 1 } });
    const { cursor } = await set.clients[0]!.run({ find: 'c', batchSize: 1 });
    await set.elect(1);
    set.heal();
    expect(await set.connect(0).plain({ getMore: cursor.id, collection: 'c' })).toMatchObject({
      ...{ ok: 0, code: 175, codeName: 'QueryPlanKilled' },
    });
    await set.close();
  });

  test('a member whose disk contains rolled back entries resyncs and never reports them as majority-committed', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 'both');
    set.partition([0], [1, 2]);
    await insert(set.clients[0]!, 'lost', { writeConcern: { w: 1 } });
    const [member] = set.set.members;
    const { value } = member!.engine;
    await set.elect(1);
    await insert(set.clients[1]!, 'kept');
    set.heal();
    set.crash(0);
    member!.engine.adopt(value);
    set.partition([0], [1, 2]);
    await set.restart(0);
    const majority = { readConcern: { level: 'majority' } };
    expect(await idsAt(set.connect(0), majority)).not.toContain('lost');
    await expect(set.elect(0)).rejects.toThrow(/not elected/);
    set.heal();
    expect(await idsAt(set.connect(0), majority)).toEqual(['both', 'kept']);
    expect(member!.log.last).toBe(set.set.primary!.log.last);
    await set.close();
  });

  test('a partitioned primary never acknowledges a majority write, and interrupts it when it steps down', async () => {
    const set = members(3);
    set.partition([0], [1, 2]);
    const asked = insert(set.clients[0]!, 1);
    await settled();
    expect(set.clients[0]!.received).toEqual([]);
    await set.clock.advance(10_000);
    expect(await asked).toMatchObject({
      ok: 1,
      n: 1,
      writeConcernError: { code: 11602, codeName: 'InterruptedDueToReplStateChange' },
    });
    await set.close();
  });

  test('a majority read never returns data that may be rolled back', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 1);
    set.partition([0], [1, 2]);
    await insert(set.clients[0]!, 2, { writeConcern: { w: 1 } });
    expect(await idsAt(set.clients[0]!)).toEqual([1, 2]);
    expect(await idsAt(set.clients[0]!, { readConcern: { level: 'majority' } })).toEqual([1]);
    await set.close();
  });

  test('executes a retried write again if its first execution was rolled back', async () => {
    const set = members(3);
    await insert(set.clients[0]!, 'x');
    set.partition([0], [1, 2]);
    const increment = {
      update: 'c',
      updates: [{ q: { _id: 'x' }, u: { $inc: { n: 1 } } }],
      writeConcern: { w: 1 },
      ...retryable(1),
    };
    expect(await set.clients[0]!.plain(increment)).toMatchObject({ n: 1 });
    await set.elect(1);
    set.heal();
    expect(await set.clients[1]!.plain(increment)).not.toHaveProperty('retriedStmtIds');
    expect((await set.clients[1]!.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 'x', n: 1 }]);
    await set.close();
  });
});

describe('new primary', () => {
  test('recognizes executed statements of a retried write, and returns the reply of the old primary', async () => {
    const set = members(3);
    const write = { update: 'c', updates: [{ q: { _id: 1 }, u: { $inc: { n: 1 } }, upsert: true }], ...retryable(1) };
    const first = plainly(await set.clients[0]!.plain(write));
    await stepDown(set);
    const next = set.connect(set.members.indexOf(set.primary!));
    expect(plainly(await next.plain(write))).toEqual({ ...first, retriedStmtIds: [0] });
    expect((await next.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 1, n: 1 }]);
    await set.close();
  });

  test('continues an ordered batch after the statements that the old primary executed', async () => {
    const set = members(3);
    const write = (count: number): object => ({
      insert: 'c',
      documents: Array.from({ length: count }, (_, _id) => ({ _id })),
      ...retryable(1),
    });
    await set.clients[0]!.plain(write(2));
    set.crash(0);
    await set.clock.advance(11_500);
    const next = set.clients[set.members.indexOf(set.primary!)]!;
    expect(await next.plain(write(4))).toMatchObject({ n: 4, retriedStmtIds: [0, 1] });
    expect(await idsAt(next)).toEqual([0, 1, 2, 3]);
    await set.close();
  });
});

describe('cluster time', () => {
  test('continues in the next second when the increment overflows', async () => {
    const set = members(3);
    const clusterTime = new Timestamp({ t: 1_710_000_000, i: 0xffff_fffe });
    const $clusterTime = { clusterTime };
    const documents = [{ _id: 1 }, { _id: 2 }];
    const updates = documents.map(q => ({ q, u: { $set: { a: 1 } } }));
    await set.clients[0]!.plain({ insert: 'c', documents, $clusterTime });
    const { operationTime } = await set.clients[0]!.plain({ update: 'c', updates });
    expect(operationTime).toEqual(new Timestamp({ t: 1_710_000_001, i: 4 }));
    await set.close();
  });

  test("all members return a client's cluster time after the next write, and each its own operationTime", async () => {
    const set = members(3);
    const clusterTime = new Timestamp({ t: 1_710_000_000, i: 5 });
    await set.clients[1]!.plain({ ping: 1, $clusterTime: { clusterTime } });
    expect((await set.clients[1]!.plain({ ping: 1 }))['$clusterTime']).toMatchObject({ clusterTime });
    set.lag(2, Number.POSITIVE_INFINITY);
    await set.clients[0]!.plain({ ping: 1, $clusterTime: { clusterTime } });
    // One timestamp for the collection, one for the document.
    const later = new Timestamp({ t: 1_710_000_000, i: 7 });
    expect(await insert(set.clients[0]!, 1)).toMatchObject({ operationTime: later });
    const told = await Promise.all(set.clients.map(client => client.plain({ ping: 1 })));
    expect(told.map(({ $clusterTime: time }) => (time as { clusterTime: unknown }).clusterTime)).toEqual([
      later,
      later,
      later,
    ]);
    expect(told.map(({ operationTime }) => operationTime).slice(0, 2)).toEqual([later, later]);
    expect(told[2]!['operationTime']).not.toEqual(later);
    await set.close();
  });

  test('a read with afterClusterTime on a lagging secondary waits for that time', async () => {
    const set = members(3);
    set.lag(1, 100);
    const { operationTime } = await insert(set.clients[0]!, 1);
    const asked = idsAt(set.clients[1]!, { readConcern: { afterClusterTime: operationTime } });
    await set.clock.advance(99);
    expect(set.clients[1]!.received).toEqual([]);
    await set.clock.advance(1);
    expect(await asked).toEqual([1]);
    await set.close();
  });

  test('a read with an afterClusterTime without writes returns on an idle secondary', async () => {
    const set = members(3);
    const clusterTime = new Timestamp({ t: 1_710_000_000, i: 5 });
    const readConcern = { afterClusterTime: clusterTime };
    const gossip = { $clusterTime: { clusterTime } };
    expect(await idsAt(set.clients[1]!, { readConcern, ...gossip })).toEqual([]);
    expect((await hello(set.clients[1]!))['operationTime']).toEqual(new Timestamp({ t: 1_710_000_000, i: 6 }));
    await set.close();
  });

  test('a linearizable read on a partitioned primary fails when it steps down', async () => {
    const set = members(3);
    set.partition([0], [1, 2]);
    const asked = set.clients[0]!.plain({ find: 'c', readConcern: { level: 'linearizable' }, ...nearest });
    await set.clock.advance(9_999);
    expect(set.clients[0]!.received).toEqual([]);
    await set.clock.advance(1);
    expect(await asked).toMatchObject({ ok: 0, code: 10107 });
    await set.close();
  });
});
