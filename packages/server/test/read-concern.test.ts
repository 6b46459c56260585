import type { Document } from 'bson';
import { Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import type { World } from './client.js';
import { typed, world } from './client.js';

const set = (version = '8.2.1'): World => world({ replicaSet: 'rs0', version });

const timesOf = (reply: Document): { readonly clusterTime: Timestamp; readonly operationTime: Timestamp } => ({
  clusterTime: reply['$clusterTime'].clusterTime,
  operationTime: reply['operationTime'],
});

const plus = ({ t, i }: Timestamp, more: number): Timestamp => new Timestamp({ t, i: i + more });

describe('afterClusterTime', () => {
  test('with a time that the member has reached is satisfied', async () => {
    const { client } = set();
    const { operationTime } = timesOf(await client.plain({ insert: 'c', documents: [{ _id: 1 }] }));
    for (const level of [undefined, 'local', 'majority']) {
      const readConcern = { ...(level && { level }), afterClusterTime: operationTime };
      expect((await client.plain({ find: 'c', readConcern })).cursor.firstBatch).toEqual([{ _id: 1 }]);
      expect(
        await client.plain({ insert: 'd', documents: [{}], readConcern: { afterClusterTime: operationTime } }),
      ).toMatchObject({ n: 1 });
    }
  });

  test('with a later, known cluster time is satisfied by a no-op oplog entry', async () => {
    const { client } = set();
    const { clusterTime } = timesOf(await client.plain({ ping: 1 }));
    const later = plus(clusterTime, 5);
    const reply = await client.plain({
      find: 'c',
      readConcern: { afterClusterTime: later },
      $clusterTime: { clusterTime: later },
    });
    expect(timesOf(reply)).toEqual({ clusterTime: plus(later, 1), operationTime: plus(later, 1) });
  });

  test.each([
    [{ afterClusterTime: new Timestamp({ t: 1_900_000_000, i: 1 }) }, /^72 .* must not be greater than the current/],
    [{ afterClusterTime: new Timestamp({ t: 0, i: 0 }) }, /^72 afterClusterTime cannot be a null timestamp/],
    [{ afterClusterTime: 5 }, /^14 "afterClusterTime" had the wrong type. Expected timestamp, found int$/],
    [
      { level: 'available', afterClusterTime: new Timestamp({ t: 1, i: 1 }) },
      /^72 afterClusterTime field can be set only/,
    ],
    [{ level: 'linearizable', afterClusterTime: new Timestamp({ t: 1, i: 1 }) }, /^72 afterClusterTime field can be/],
    [
      { atClusterTime: new Timestamp({ t: 1, i: 1 }) },
      /^72 atClusterTime field can be set only if level is equal to snap/,
    ],
    [
      {
        level: 'snapshot',
        atClusterTime: new Timestamp({ t: 1, i: 1 }),
        afterClusterTime: new Timestamp({ t: 1, i: 1 }),
      },
      /^72 Specifying both afterClusterTime and atClusterTime is not supported$/,
    ],
    [{ level: 'unheard' }, /^2 Enumeration value 'unheard'/],
  ])('readConcern %j is rejected', async (readConcern, refusal) => {
    expect(await set().client.refusal({ find: 'c', readConcern })).toMatch(refusal);
  });

  test('is rejected by a standalone', async () => {
    const readConcern = { afterClusterTime: new Timestamp({ t: 1, i: 1 }) };
    expect(await world().client.refusal({ find: 'c', readConcern })).toMatch(/^20 /);
  });
});

describe('a read with level snapshot', () => {
  const snapshot = { readConcern: { level: 'snapshot' } };

  test('continues with a getMore, which may repeat the read concern', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    const { cursor } = await client.run({ find: 'c', batchSize: 1, ...snapshot });
    const more = { getMore: cursor.id, collection: 'c', ...snapshot };
    expect((await client.plain(more)).cursor.nextBatch).toEqual([{ _id: 2 }]);
  });

  test('returns its atClusterTime, at which another read returns the same data, despite later writes', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [{ _id: 1, x: 1 }] });
    const first = await client.plain({ find: 'c', ...snapshot });
    const { atClusterTime } = first.cursor as unknown as { readonly atClusterTime: Timestamp };
    expect(atClusterTime).toEqual(timesOf(first).operationTime);
    await client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { x: 2 } } }] });
    await client.plain({ insert: 'c', documents: [{ _id: 2, x: 3 }] });
    const at = { readConcern: { level: 'snapshot', atClusterTime } };
    const then = { firstBatch: [{ _id: 1, x: 1 }], ns: 'db.c', atClusterTime };
    expect((await client.plain({ find: 'c', ...at })).cursor).toMatchObject(then);
    expect((await client.plain({ aggregate: 'c', pipeline: [], cursor: {}, ...at })).cursor).toMatchObject(then);
    expect(await client.plain({ distinct: 'c', key: 'x', ...at })).toMatchObject({ values: [1], atClusterTime });
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toHaveLength(2);
  });

  test('returns atClusterTime as a Timestamp, last in the cursor', async () => {
    const { client } = set();
    expect(typed((await client.run({ find: 'c', ...snapshot })).cursor)).toBe(
      '{"firstBatch":[],"id":{"$numberLong":"0"},"ns":"db.c","atClusterTime":{"$timestamp":{"t":1700000001,"i":1}}}',
    );
  });

  test('reads the data at any time of the last 5 minutes, and fails with code 239 for earlier times', async () => {
    const { client, clock } = set();
    const written = async (x: number): Promise<Timestamp> =>
      timesOf(await client.plain({ insert: 'c', documents: [{ _id: x }] })).operationTime;
    const times = [await written(0), await written(1), await written(2)];
    const at = (atClusterTime: unknown): Document => ({
      aggregate: 'c',
      pipeline: [{ $count: 'n' }],
      cursor: {},
      readConcern: { level: 'snapshot', atClusterTime },
    });
    const counts = async (): Promise<readonly unknown[]> =>
      Promise.all(times.map(async time => (await client.plain(at(time))).cursor.firstBatch));
    expect(await counts()).toEqual([[{ n: 1 }], [{ n: 2 }], [{ n: 3 }]]);
    await clock.advance(300_000);
    expect(await client.refusal(at(times[0]))).toMatch(/^239 /);
    expect(await client.refusal(at(times[1]))).toMatch(/^239 /);
    expect(await client.plain(at(times[2]))).toMatchObject({ ok: 1 });
  });

  test.each([
    ['8.2.1', { count: 'c' }],
    ['8.2.1', { insert: 'c', documents: [{}] }],
    ['8.2.1', { listCollections: 1 }],
    ['4.4.0', { find: 'c' }],
  ])('is rejected with code 72 by version %s for %j', async (version, command) => {
    expect(await set(version).client.refusal({ ...command, ...snapshot })).toMatch(/^72 /);
  });

  test('is rejected with code 123 by a standalone', async () => {
    expect(await world().client.refusal({ find: 'c', ...snapshot })).toMatch(/^123 /);
  });
});
