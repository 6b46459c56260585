import { Long } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Row } from '../../../server/test/client.js';
import { Client, settled } from '../../../server/test/client.js';
import type { House } from '../router/house.js';
import { house } from '../router/house.js';
import type { Where } from '../../../server/test/streams/stream.js';
import { kinds, refusal, watch } from '../../../server/test/streams/stream.js';

/** Creates a sharded collection on two shards. */
const sharded = async (options: { members?: number } = {}): Promise<House> => {
  const one = house({ shards: 2, ...options });
  await one.client.plain({ shardCollection: 'db.c', key: { a: 'hashed' } }, 'admin');
  return one;
};

const insert = async ({ client }: House, ...numbers: readonly number[]): Promise<void> => {
  for (const a of numbers) {
    expect(await client.plain({ insert: 'c', documents: [{ _id: a, a }] })).toMatchObject({ n: 1, ok: 1 });
  }
};

const open = (one: House, options: Document = {}, where: Where = {}): ReturnType<typeof watch> =>
  watch({ client: one.client, clock: one.clock } as never, options, where);

const keys = (events: readonly Row[]): readonly unknown[] =>
  events.map(event => (event['documentKey'] as Document)['a']);

const numbers = Array.from({ length: 20 }, (_, i) => i);

/** Returns the number of the collection's documents on each shard. */
const spread = async ({ shards }: House): Promise<readonly number[]> =>
  Promise.all(shards.map(async ([process]) => (await new Client(process!).plain({ count: 'c' })).n));

describe('a change stream of a mongos over two shards', () => {
  test('returns events of both shards in the order of the writes', async () => {
    const one = await sharded();
    const stream = await open(one);
    await insert(one, ...numbers);
    expect((await spread(one)).every(n => n > 0)).toBe(true);
    const events = await stream.more();
    expect(keys(events)).toEqual(numbers);
    const tokens = events.map(({ _id }) => (_id as { _data: string })._data);
    expect(tokens).toEqual([...tokens].sort());
    expect(events[0]!['documentKey']).toEqual({ a: 0, _id: 0 });
  });

  test('resumes after an event of either shard', async () => {
    const one = await sharded();
    const stream = await open(one);
    await insert(one, ...numbers);
    const events = await stream.more();
    for (const at of [0, 7, 18]) {
      const again = await open(one, { resumeAfter: events[at]!._id });
      expect(again.first).toEqual(events.slice(at + 1));
    }
  });

  test('resumes after an empty batch, and misses no event between batches', async () => {
    const one = await sharded();
    const stream = await open(one);
    await one.client.plain({ insert: 'other', documents: [{}] });
    expect(await stream.more()).toEqual([]);
    const again = await open(one, { resumeAfter: stream.token });
    await insert(one, ...numbers);
    const seen: unknown[] = [];
    for (let count = 1; count > 0;) {
      const events = await again.more({ batchSize: 3 });
      seen.push(...keys(events));
      count = events.length;
    }
    expect(seen).toEqual(numbers);
  });

  test('a waiting getMore returns on an event of either shard', async () => {
    const one = await sharded();
    const stream = await open(one);
    for (const a of numbers.slice(0, 6)) {
      const waiting = one.client.plain({ getMore: stream.id, collection: 'c' });
      await settled();
      await one.other.plain({ insert: 'c', documents: [{ _id: a, a }] });
      const reply = await waiting;
      expect(keys(reply.cursor.nextBatch)).toEqual([a]);
    }
  });

  test('returns one drop event for a collection on both shards, and ends', async () => {
    const one = await sharded();
    await insert(one, ...numbers);
    const [stream, whole] = [await open(one), await open(one, { allChangesForCluster: true }, { db: 'admin', of: 1 })];
    await one.client.plain({ drop: 'c' });
    expect(kinds(await stream.more())).toEqual(['drop', 'invalidate']);
    expect(stream.open).toBe(false);
    expect(kinds(await whole.more())).toEqual(['drop']);
  });

  test('returns update events with the current document', async () => {
    const one = await sharded();
    await insert(one, ...numbers);
    const stream = await open(one, { fullDocument: 'updateLookup' });
    await one.client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { b: 1 } }, multi: true }] });
    const events = await stream.more();
    expect(events).toHaveLength(numbers.length);
    for (const { fullDocument } of events) expect(fullDocument).toMatchObject({ b: 1 });
  });

  test('continues after a failover of a shard', async () => {
    const one = await sharded({ members: 3 });
    const stream = await open(one);
    await insert(one, ...numbers.slice(0, 10));
    for (const [i, processes] of one.shards.entries()) {
      const set = one.sets[i]!;
      const primary = set.members.findIndex(({ isPrimary }) => isPrimary);
      processes[primary]!.crash();
    }
    await one.clock.advance(30_000);
    await insert(one, ...numbers.slice(10));
    expect(keys(await stream.more())).toEqual(numbers);
  });

  test('with showExpandedEvents returns one shardCollection event and index events', async () => {
    const one = house({ shards: 2 });
    const stream = await open(one, { showExpandedEvents: true });
    await one.client.plain({ shardCollection: 'db.c', key: { a: 'hashed' } }, 'admin');
    await one.client.plain({ createIndexes: 'c', indexes: [{ key: { b: 1 }, name: 'b_1' }] });
    const events = await stream.more();
    expect(kinds(events)).toEqual(['create', 'createIndexes', 'shardCollection', 'createIndexes']);
    expect(events[2]).toMatchObject({
      ns: { db: 'db', coll: 'c' },
      operationDescription: { shardKey: { a: 'hashed' }, unique: false },
    });
  });

  test('rejects the same pipelines as a shard', async () => {
    const one = await sharded();
    const world = { client: one.client, clock: one.clock } as never;
    expect(await refusal(world, {}, { pipeline: [{ $sort: { a: 1 } }] })).toMatch(/^20 /);
    expect(await refusal(world, {}, { db: 'admin', of: 1 })).toMatch(/^73 /);
  });

  test('ends with killCursors', async () => {
    const one = await sharded();
    const stream = await open(one);
    const killed = await one.client.plain({ killCursors: 'c', cursors: [stream.id] });
    expect(killed['cursorsKilled']).toEqual([stream.id]);
    expect(await one.client.refusal({ getMore: Long.fromValue(stream.id), collection: 'c' })).toMatch(/^43 /);
  });
});

test("with one shard a mongos passes the shard's stream on, and labels its own errors", async () => {
  const one = house({ shards: 1 });
  const stream = await open(one);
  await insert(one, 1);
  expect(kinds(await stream.more())).toEqual(['insert']);
  await one.client.plain(
    { configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: { times: 1 }, data: { errorCode: 91 } },
    'admin',
  );
  expect(await stream.failure()).toMatchObject({ code: 91, errorLabels: ['ResumableChangeStreamError'] });
});
