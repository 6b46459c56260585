import type { Document } from 'bson';
import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { settled } from '../client.js';
import { idsAt, insert, members, nearest, stepDown } from '../../../cluster/test/cluster/members.js';
import { Session, transient } from './session.js';

const doc = (_id: unknown): Document => ({ insert: 'c', documents: [{ _id }] });

const timeOf = ({ operationTime }: Document): Timestamp => operationTime as Timestamp;

describe('a transaction in a replica set with three members', () => {
  test('is replicated as one oplog entry when it is committed', async () => {
    const set = members(3);
    const session = new Session(set.clients[0]!).start();
    await session.run(doc(1));
    await session.run(doc(2));
    expect(await Promise.all(set.clients.map(client => idsAt(client)))).toEqual([[], [], []]);
    await session.commit();
    expect(await Promise.all(set.clients.map(client => idsAt(client)))).toEqual([
      [1, 2],
      [1, 2],
      [1, 2],
    ]);
    const entries = set.set.members.map(({ log }) => log.last);
    expect(new Set(entries).size).toBe(1);
    expect(entries[0]).toMatchObject({ transaction: true, author: { txnNumber: 1n } });
    await set.close();
  });

  test('stays committed on the next primary, and is aborted if it was open', async () => {
    const set = members(3);
    const [committed, open] = [new Session(set.clients[0]!, 1).start(), new Session(set.clients[0]!, 2).start()];
    await committed.run(doc(1));
    await committed.commit();
    await open.run(doc(2));
    await stepDown(set);
    const next = set.connect(set.members.indexOf(set.primary!));
    const again = (session: Session): Promise<unknown> =>
      next.plain({ commitTransaction: 1, ...session.number, autocommit: false }, 'admin');
    expect(await again(committed)).toMatchObject({ ok: 1 });
    expect(await again(open)).toMatchObject({ code: 251, errorLabels: [transient] });
    expect(await idsAt(next)).toEqual([1]);
    expect(await insert(next, 2)).toMatchObject({ n: 1 });
    await set.close();
  });

  test('is rolled back together with its session record if no majority has the commit', async () => {
    const set = members(3);
    const session = new Session(set.clients[0]!).start();
    await session.run(doc(1));
    set.partition([0], [1, 2]);
    expect(await session.commit({ writeConcern: { w: 1 } })).toMatchObject({ ok: 1 });
    await set.clock.advance(30_000);
    set.heal();
    await set.clock.advance(30_000);
    const primary = set.members.indexOf(set.primary!);
    expect(primary).not.toBe(0);
    const client = set.connect(primary);
    expect(await client.plain({ commitTransaction: 1, ...session.number, autocommit: false }, 'admin')).toMatchObject({
      code: 251,
      errorLabels: [transient],
    });
    expect(await idsAt(set.connect(0))).toEqual([]);
    await set.close();
  });

  test('waits for the write concern of its commit, and stays committed if that fails', async () => {
    const set = members(3);
    set.lag(1, Number.POSITIVE_INFINITY);
    set.lag(2, Number.POSITIVE_INFINITY);
    const session = new Session(set.clients[0]!).start();
    await session.run(doc(1));
    const commit = session.commit({ writeConcern: { w: 'majority', wtimeout: 100 } });
    await set.clock.advance(100);
    expect(await commit).toMatchObject({ ok: 1, writeConcernError: { code: 64 } });
    expect(await idsAt(set.clients[0]!)).toEqual([1]);
    await set.close();
  });

  test('is rejected on a secondary', async () => {
    const set = members(3);
    expect(await new Session(set.clients[1]!).start().refusal({ find: 'c', ...nearest })).toBe(`10107 ${transient}`);
    await set.close();
  });
});

describe('a read in a replica set with three members', () => {
  const lagging = async (): Promise<{ set: ReturnType<typeof members>; times: readonly Timestamp[] }> => {
    const set = members(3);
    const times = [timeOf(await insert(set.clients[0]!, 1, { writeConcern: { w: 3 } }))];
    set.lag(1, Number.POSITIVE_INFINITY);
    times.push(timeOf(await insert(set.clients[0]!, 2, { writeConcern: { w: 'majority' } })));
    return { set, times };
  };

  test.each([
    ['local', 'afterClusterTime'],
    ['majority', 'afterClusterTime'],
    ['snapshot', 'afterClusterTime'],
    ['snapshot', 'atClusterTime'],
  ])('on a lagging secondary with level %s waits for its %s', async (level, name) => {
    const { set, times } = await lagging();
    const reads = set.clients[1]!;
    const $clusterTime = { clusterTime: times[1] };
    const waiting = idsAt(reads, { readConcern: { level, [name]: times[1] }, $clusterTime });
    await settled();
    expect(reads.received).toEqual([]);
    set.lag(1, 0);
    await set.clock.advance(1_000);
    expect(await waiting).toEqual([1, 2]);
    await set.close();
  });

  test('on a lagging secondary fails with code 50 if the time does not come within maxTimeMS', async () => {
    const { set, times } = await lagging();
    const readConcern = { afterClusterTime: times[1] };
    const $clusterTime = { clusterTime: times[1] };
    const waiting = set.clients[1]!.refusal({ find: 'c', ...nearest, readConcern, $clusterTime, maxTimeMS: 30 });
    await set.clock.advance(30);
    expect(await waiting).toBe('50 operation exceeded time limit');
    await set.close();
  });

  test('on a lagging secondary with level snapshot reads its latest majority snapshot, and returns the atClusterTime', async () => {
    const { set, times } = await lagging();
    const { cursor } = await set.clients[1]!.plain({ find: 'c', ...nearest, readConcern: { level: 'snapshot' } });
    expect(cursor).toMatchObject({ firstBatch: [{ _id: 1 }], atClusterTime: times[0] });
    const at = { level: 'snapshot', atClusterTime: times[0] };
    expect(await idsAt(set.clients[0]!, { readConcern: at })).toEqual([1]);
    await set.close();
  });

  test('uses the default read concern of setDefaultRWConcern', async () => {
    const set = members(3);
    const defaults = { setDefaultRWConcern: 1, defaultReadConcern: { level: 'majority' } };
    expect(await set.clients[0]!.plain(defaults, 'admin')).toMatchObject({ ok: 1 });
    for (const member of [1, 2]) set.lag(member, Number.POSITIVE_INFINITY);
    await insert(set.clients[0]!, 1, { writeConcern: { w: 1 } });
    expect(await idsAt(set.clients[0]!)).toEqual([]);
    expect(await idsAt(set.clients[0]!, { readConcern: { level: 'local' } })).toEqual([1]);
    expect(await set.clients[0]!.plain({ listCollections: 1 })).toMatchObject({ ok: 1 });
    await set.close();
  });

  test('does not use the defaults of a primary that no majority has', async () => {
    const set = members(3);
    set.partition([0], [1, 2]);
    const defaults = { setDefaultRWConcern: 1, defaultReadConcern: { level: 'majority' }, writeConcern: { w: 1 } };
    expect(await set.clients[0]!.plain(defaults, 'admin')).toMatchObject({ ok: 1 });
    await set.clock.advance(30_000);
    set.heal();
    await set.clock.advance(30_000);
    const client = set.connect(set.members.indexOf(set.primary!));
    expect(await client.plain({ getDefaultRWConcern: 1 }, 'admin')).toMatchObject({
      defaultReadConcern: { level: 'local' },
      defaultReadConcernSource: 'implicit',
    });
    await set.close();
  });

  test('on the primary with level majority waits until a majority has its afterClusterTime', async () => {
    const set = members(3);
    set.lag(1, Number.POSITIVE_INFINITY);
    set.lag(2, Number.POSITIVE_INFINITY);
    const time = timeOf(await insert(set.clients[0]!, 1, { writeConcern: { w: 1 } }));
    const level = { level: 'majority' };
    expect(await idsAt(set.clients[0]!, { readConcern: level })).toEqual([]);
    const waiting = idsAt(set.clients[0]!, { readConcern: { ...level, afterClusterTime: time } });
    await settled();
    set.lag(1, 0);
    await set.clock.advance(1_000);
    expect(await waiting).toEqual([1]);
    await set.close();
  });
});
