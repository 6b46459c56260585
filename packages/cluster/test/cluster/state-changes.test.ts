import type { Document, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, Received } from '../../../server/test/client.js';
import { msgOf, settled, typed } from '../../../server/test/client.js';
import { hello, hostOf, idsAt, insert, lsid, members, nearest, stepDown } from './members.js';

const counterOf = (reply: Document): number => Number((reply['topologyVersion'] as { counter: number | Long }).counter);

const plain = ({ doc }: Received): Document => JSON.parse(typed(doc)) as Document;

/** Starts a stream of hello replies, each sent on a change. */
const stream = async (client: Client): Promise<void> => {
  const { topologyVersion } = await client.run({ hello: 1 }, 'admin');
  client.send(msgOf(77, { hello: 1, topologyVersion, maxAwaitTimeMS: 10_000, $db: 'admin' }, 0x10000));
};

describe('replSetStepDown', () => {
  test('hands over to a secondary that has caught up, and keeps connections open', async () => {
    const set = members(3);
    const old = set.clients[0]!;
    expect(await old.plain({ replSetStepDown: 20 }, 'admin')).toMatchObject({ ok: 1 });
    await set.clock.advance(0);
    expect(set.members.map(({ state }) => state)).toEqual(['secondary', 'primary', 'secondary']);
    expect(await hello(old)).toMatchObject({ isWritablePrimary: false, secondary: true, primary: hostOf(1) });
    await set.close();
  });

  test('rejects writes with 10107 and reads from a primary with 13435 afterwards, each with the new topologyVersion', async () => {
    const set = members(3);
    const old = set.clients[0]!;
    const before = counterOf(await hello(old));
    await stepDown(set);
    const now = counterOf(await hello(old));
    expect(now).toBeGreaterThan(before);
    for (const [command, code] of [
      [{ insert: 'c', documents: [{}] }, 10107],
      [{ find: 'c' }, 13435],
    ] as const) {
      const refusal = await old.plain(command);
      expect(refusal).toMatchObject({ ok: 0, code });
      expect(counterOf(refusal)).toBe(now);
    }
    expect(await idsAt(old)).toEqual([]);
    expect(old.closed).toBe(false);
    await set.close();
  });

  test('fails with 262 after secondaryCatchUpPeriodSecs if no secondary has caught up, or steps down then if forced', async () => {
    const set = members(3);
    for (const member of [1, 2]) set.lag(member, Number.POSITIVE_INFINITY);
    await insert(set.clients[0]!, 1, { writeConcern: { w: 1 } });
    const refused = set.clients[0]!.refusal({ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 5 }, 'admin');
    await set.clock.advance(4_999);
    expect(set.clients[0]!.received).toEqual([]);
    await set.clock.advance(1);
    expect(await refused).toMatch(/^262 No electable secondaries caught up as of /);
    expect(set.members[0]!.isPrimary).toBe(true);
    const forced = set.clients[0]!.plain({ replSetStepDown: 60, secondaryCatchUpPeriodSecs: 5, force: true }, 'admin');
    await set.clock.advance(5_000);
    expect(await forced).toMatchObject({ ok: 1 });
    expect(set.members.map(({ state }) => state)).toEqual(['secondary', 'secondary', 'secondary']);
    await set.close();
  });

  test('waits for a secondary to catch up', async () => {
    const set = members(3);
    for (const member of [1, 2]) set.lag(member, 3_000);
    await insert(set.clients[0]!, 1, { writeConcern: { w: 1 } });
    const asked = set.clients[0]!.plain({ replSetStepDown: 60 }, 'admin');
    await set.clock.advance(3_000);
    expect(await asked).toMatchObject({ ok: 1 });
    await set.close();
  });

  test('the former primary is not elected again before the given time is over', async () => {
    const set = members([{ priority: 2 }, {}, {}]);
    await set.clients[0]!.plain({ replSetStepDown: 30 }, 'admin');
    await set.clock.advance(29_000);
    expect(set.members[0]!.state).toBe('secondary');
    await set.clock.advance(25_000);
    expect(set.members[0]!.state).toBe('primary');
    await set.close();
  });

  test('keeps open cursors and aborts transactions', async () => {
    const set = members(3);
    const client = set.clients[0]!;
    for (const _id of [1, 2]) await insert(client, _id);
    const { cursor } = await client.run({ find: 'c', batchSize: 1 });
    const { Long: Int64 } = await import('bson');
    const transaction = { lsid, txnNumber: Int64.fromInt(1), autocommit: false };
    await client.plain({ insert: 'c', documents: [{ _id: 3 }], ...transaction, startTransaction: true });
    await stepDown(set);
    const more = await client.plain({ getMore: cursor.id, collection: 'c' });
    expect(more.cursor.nextBatch).toEqual([{ _id: 2 }]);
    const next = set.clients[set.members.indexOf(set.primary!)]!;
    expect(await next.plain({ commitTransaction: 1, ...transaction }, 'admin')).toMatchObject({
      ok: 0,
      code: 251,
      errorLabels: ['TransientTransactionError'],
    });
    expect(await idsAt(next)).toEqual([1, 2]);
    await set.close();
  });
});

describe('awaitable hello', () => {
  test('every member replies at once when the primary steps down and when a new primary is elected', async () => {
    const set = members(3);
    for (const client of set.clients) await stream(client);
    await settled();
    expect(set.clients.map(({ received }) => received)).toEqual([[], [], []]);
    await stepDown(set);
    const told = await Promise.all(set.clients.map(client => client.next()));
    for (const { flags } of told) expect(flags & 2).toBe(2);
    expect(told.map(one => plain(one)['isWritablePrimary'])).toEqual([false, false, false]);
    expect(told.map(one => plain(one)['primary'])).toEqual([undefined, undefined, undefined]);
    const then = await Promise.all(set.clients.map(client => client.next()));
    expect(then.map(one => plain(one)['isWritablePrimary'])).toEqual([false, true, false]);
    expect(then.map(one => plain(one)['primary'])).toEqual([hostOf(1), hostOf(1), hostOf(1)]);
    await set.close();
  });

  test('streams replies: the first refers to the request, each later one to the previous reply', async () => {
    const set = members(3);
    const client = set.clients[1]!;
    await stream(client);
    await set.elect(1);
    const replies = [await client.next()];
    for (let i = 0; i < 2; i++) {
      await set.clock.advance(10_000);
      replies.push(await client.next());
    }
    expect(replies.map(({ responseTo }) => responseTo)).toEqual([77, replies[0]!.requestId, replies[1]!.requestId]);
    await set.close();
  });

  test('streams a change since the last reply at once, even if that reply was sent late', async () => {
    const set = members(3);
    const client = set.clients[1]!;
    await stream(client);
    client.reads = false;
    await set.elect(1);
    await settled();
    await set.elect(2);
    client.drain();
    const told = [await client.next(), await client.next()];
    expect(told.map(one => plain(one)['isWritablePrimary'])).toEqual([true, false]);
    await set.close();
  });

  test('replies at once to a topologyVersion of another process, as after a restart', async () => {
    const set = members(3);
    const { topologyVersion } = await set.clients[0]!.run({ hello: 1 }, 'admin');
    set.crash(0);
    await set.restart(0);
    const client = set.connect(0);
    client.send(msgOf(1, { hello: 1, topologyVersion, maxAwaitTimeMS: 10_000, $db: 'admin' }));
    await settled();
    expect(client.received).toHaveLength(1);
    await set.close();
  });
});

describe('shutdown', () => {
  test('since 5.0 rejects hello with 91 and a later topologyVersion for the given time, still serves reads, then ends', async () => {
    const set = members(3);
    const client = set.connect(1);
    const watching = set.clients[1]!;
    const before = counterOf(await hello(client));
    await stream(watching);
    const done = set.shutDown(1, 15_000);
    const told = plain(await watching.next());
    expect(told).toMatchObject({ ok: { $numberDouble: '0.0' }, code: { $numberInt: '91' } });
    const refusal = await hello(client);
    expect(refusal).toMatchObject({ ok: 0, code: 91, codeName: 'ShutdownInProgress' });
    expect(counterOf(refusal)).toBeGreaterThan(before);
    expect(await idsAt(client)).toEqual([]);
    await set.clock.advance(15_000);
    await set.clock.advance(0);
    await done;
    expect(client.closed).toBe(true);
    expect(set.members[1]!.state).toBe('down');
    await set.close();
  });

  test('replies with 11600 to operations in progress', async () => {
    const set = members(3);
    set.lag(2, Number.POSITIVE_INFINITY);
    const asked = insert(set.clients[0]!, 1, { writeConcern: { w: 3 } });
    await settled();
    const done = set.shutDown(0);
    expect(await asked).toMatchObject({ ok: 0, code: 11600 });
    await set.clock.advance(0);
    await done;
    await set.close();
  });

  test('does not end a process that has crashed and restarted meanwhile', async () => {
    const set = members(3);
    const done = set.shutDown(0, 15_000);
    set.crash(0);
    await set.restart(0);
    await set.elect(0);
    for (const member of [1, 2]) set.lag(member, Number.POSITIVE_INFINITY);
    const asked = insert(set.connect(0), 1, { writeConcern: { w: 3 } });
    await set.clock.advance(15_000);
    await set.clock.advance(0);
    await done;
    for (const member of [1, 2]) set.lag(member, 0);
    expect(await asked).toMatchObject({ ok: 1, n: 1 });
    await set.close();
  });

  test('a primary hands over first and keeps its data', async () => {
    const set = members(3, { version: '4.4.0' });
    await insert(set.clients[0]!, 1);
    expect(await set.clients[0]!.plain({ shutdown: 1 }, 'admin')).toMatchObject({ ok: 1 });
    await set.clock.advance(0);
    await set.clock.advance(0);
    expect(set.members.map(({ state }) => state)).toEqual(['down', 'primary', 'secondary']);
    await set.restart(0);
    expect(await idsAt(set.connect(0))).toEqual([1]);
    await set.close();
  });
});

describe('commands for a single member', () => {
  test("replSetFreeze prevents the member's election for the given time", async () => {
    const set = members([{}, {}]);
    await set.clients[1]!.plain({ replSetFreeze: 60 }, 'admin');
    const { set: inner } = set;
    expect(inner.successors(inner.primary!)).toEqual([]);
    expect(await set.clients[1]!.plain({ replSetFreeze: 0 }, 'admin')).toMatchObject({ info: 'unfreezing' });
    expect(inner.successors(inner.primary!)).toEqual([inner.members[1]]);
    expect(await set.clients[0]!.refusal({ replSetFreeze: 1 }, 'admin')).toMatch(/^95 cannot freeze node when primary/);
    await set.close();
  });

  test('replSetStepUp elects the member at once, or fails with 125', async () => {
    const set = members(3);
    expect(await set.clients[2]!.plain({ replSetStepUp: 1 }, 'admin')).toMatchObject({ ok: 1 });
    expect(set.primary).toBe(set.members[2]);
    set.lag(1, Number.POSITIVE_INFINITY);
    await insert(set.clients[2]!, 1);
    expect(await set.clients[1]!.refusal({ replSetStepUp: 1 }, 'admin')).toMatch(/^125 Election failed/);
    await set.close();
  });

  test('replSetMaintenance rejects reads from the member with 13436', async () => {
    const set = members(3);
    const client = set.clients[2]!;
    const counter = counterOf(await hello(client));
    expect(await client.plain({ replSetMaintenance: true }, 'admin')).toMatchObject({ ok: 1 });
    expect(await client.plain({ find: 'c', ...nearest })).toMatchObject({ ok: 0, code: 13436 });
    const state = await hello(client);
    expect(state).toMatchObject({ isWritablePrimary: false, secondary: false });
    expect(counterOf(state)).toBe(counter + 1);
    await client.plain({ replSetMaintenance: false }, 'admin');
    expect(await idsAt(client)).toEqual([]);
    expect(await client.refusal({ replSetMaintenance: false }, 'admin')).toBe('96 already out of maintenance mode');
    await set.close();
  });
});
