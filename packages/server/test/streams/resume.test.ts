import { Timestamp } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Row, World } from '../client.js';
import { kinds, refusal, set, watch } from './stream.js';

const insert = async ({ client }: World, ...ids: readonly number[]): Promise<void> => {
  for (const _id of ids) await client.plain({ insert: 'c', documents: [{ _id }] });
};

const keys = (events: readonly Row[]): readonly unknown[] => events.map(event => (event['documentKey'] as Row)._id);

/** Returns the `_data` of a token. */
const text = (token: unknown): string => (token as { _data: string })._data;

const dropped = async (world: World): Promise<readonly Row[]> => {
  await insert(world, 1);
  const stream = await watch(world);
  await world.client.plain({ drop: 'c' });
  return stream.more();
};

describe('a resume token', () => {
  test('is an opaque string that sorts in the order of the stream', async () => {
    const world = set();
    const stream = await watch(world, {}, { of: 1 });
    const tokens = [text(stream.token)];
    await world.client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] });
    await world.client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] });
    await world.clock.advance(300_000);
    await world.client.plain({ insert: 'c', documents: Array.from({ length: 300 }, (_, i) => ({ _id: `a${i}` })) });
    await world.client.plain({ dropDatabase: 1 });
    const events = await stream.more();
    expect(events).toHaveLength(3 + 3 + 300 + 3);
    tokens.push(...events.map(({ _id }) => text(_id)));
    expect(tokens.every(token => /^82[0-9A-F]+04$/.test(token))).toBe(true);
    expect(tokens).toEqual([...tokens].sort());
    expect(new Set(tokens).size).toBe(tokens.length);
  });

  test('is the _id of each event', async () => {
    const world = set();
    const stream = await watch(world);
    await insert(world, 1, 2);
    expect(Object.keys((await stream.more())[0]!._id as Document)).toEqual(['_data']);
  });
});

describe('a change stream resumes', () => {
  test.each(['resumeAfter', 'startAfter'])('after an event, with %s', async option => {
    const world = set();
    const stream = await watch(world);
    await insert(world, 1, 2, 3);
    const events = await stream.more();
    const again = await watch(world, { [option]: events[0]!._id });
    expect(keys(again.first)).toEqual([2, 3]);
    expect(again.first).toEqual(events.slice(1));
    await insert(world, 4);
    expect(keys(await again.more())).toEqual([4]);
  });

  test('after one of several documents that one command wrote', async () => {
    const world = set();
    const stream = await watch(world);
    await world.client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] });
    const events = await stream.more();
    expect(keys((await watch(world, { resumeAfter: events[1]!._id })).first)).toEqual([3]);
  });

  test('at an operation time, including the writes at that time', async () => {
    const world = set();
    await insert(world, 1);
    const { operationTime } = await world.client.plain({ insert: 'c', documents: [{ _id: 2 }] });
    await insert(world, 3);
    const stream = await watch(world, { startAtOperationTime: operationTime });
    expect(keys(stream.first)).toEqual([2, 3]);
  });

  test('at a future time, once it is reached', async () => {
    const world = set();
    const { operationTime } = await world.client.plain({ ping: 1 });
    const { t, i } = operationTime as Timestamp;
    const stream = await watch(world, { startAtOperationTime: new Timestamp({ t, i: i + 3 }) });
    await insert(world, 1, 2, 3);
    expect(keys(await stream.more())).toEqual([2, 3]);
  });

  test('after the token of an empty batch', async () => {
    const world = set();
    const stream = await watch(world);
    await world.client.plain({ insert: 'other', documents: [{}] });
    expect(await stream.more()).toEqual([]);
    const { token } = stream;
    await insert(world, 1);
    const again = await watch(world, { resumeAfter: token });
    expect(keys(again.first)).toEqual([1]);
  });

  test('with the same token if nothing happened since', async () => {
    const world = set();
    const stream = await watch(world);
    await insert(world, 1);
    const [event] = await stream.more();
    const again = await watch(world, { resumeAfter: event!._id });
    expect([again.first, again.token]).toEqual([[], event!._id]);
  });

  test('after a drop, with the invalidation', async () => {
    const world = set();
    const [drop] = await dropped(world);
    const stream = await watch(world, { resumeAfter: drop!._id });
    expect([kinds(stream.first), stream.open]).toEqual([['invalidate'], false]);
  });

  test('after an invalidation with startAfter, and reports a new collection with the same name', async () => {
    const world = set();
    const [, invalidate] = await dropped(world);
    const stream = await watch(world, { startAfter: invalidate!._id });
    expect([stream.first, stream.open, stream.token]).toEqual([[], true, invalidate!._id]);
    await insert(world, 7);
    expect(keys(await stream.more())).toEqual([7]);
  });

  test('after an invalidation only with startAfter: resumeAfter fails with code 260', async () => {
    const world = set();
    const [, invalidate] = await dropped(world);
    expect(await refusal(world, { resumeAfter: invalidate!._id })).toMatch(
      /^260 Attempting to resume a change stream using 'resumeAfter' is not allowed from an invalidate notification/,
    );
  });

  test('after its own events only: an event of another stream fails with code 280', async () => {
    const world = set();
    const other = await watch(world, {}, { of: 'other' });
    await world.client.plain({ insert: 'other', documents: [{}] });
    const [event] = await other.more();
    await insert(world, 1);
    expect(await refusal(world, { resumeAfter: event!._id })).toMatch(
      /^280 .*cannot resume stream; the resume token was not found/,
    );
  });
});

describe('postBatchResumeToken', () => {
  test('follows the documents in the batch', async () => {
    const { client } = set();
    const reply = await client.plain({ aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} });
    expect(Object.keys(reply.cursor)).toEqual(['firstBatch', 'postBatchResumeToken', 'id', 'ns']);
  });

  test('is the token of the last event in a batch, even if more events exist', async () => {
    const world = set();
    const stream = await watch(world);
    await insert(world, 1, 2, 3);
    for (const expected of [[1, 2], [3]]) {
      const events = await stream.more({ batchSize: 2 });
      expect(keys(events)).toEqual(expected);
      expect(stream.token).toEqual(events.at(-1)!._id);
    }
  });

  test('is the token of the last event that fits into the batch', { timeout: 30_000 }, async () => {
    const world = set();
    const stream = await watch(world);
    const large = 'x'.repeat(7 * 1024 * 1024);
    for (const _id of [1, 2, 3]) await world.client.plain({ insert: 'c', documents: [{ _id, large }] });
    const events = await stream.more();
    expect([keys(events), stream.token]).toEqual([[1, 2], events[1]!._id]);
    expect(keys(await stream.more())).toEqual([3]);
  });

  test('advances without events for the stream', async () => {
    const world = set();
    const stream = await watch(world);
    const tokens = [text(stream.token)];
    for (let i = 0; i < 3; i++) {
      await world.client.plain({ insert: 'other', documents: [{}] });
      expect(await stream.more()).toEqual([]);
      tokens.push(text(stream.token));
    }
    expect(new Set(tokens).size).toBeGreaterThanOrEqual(3);
    expect(tokens).toEqual([...tokens].sort());
  });

  test('advances if the pipeline filters out all events', async () => {
    const world = set();
    const stream = await watch(world, {}, { pipeline: [{ $match: { operationType: 'delete' } }] });
    const tokens = [text(stream.token)];
    for (const _id of [1, 2, 3]) {
      await insert(world, _id);
      expect(await stream.more()).toEqual([]);
      tokens.push(text(stream.token));
    }
    expect(new Set(tokens).size).toBe(4);
    expect(tokens).toEqual([...tokens].sort());
    const again = await watch(world, { resumeAfter: stream.token });
    expect(keys(again.first)).toEqual([3]);
  });

  test('stays at the last returned event if the pipeline filters out later events of the same time', async () => {
    const world = set();
    const stream = await watch(world, {}, { pipeline: [{ $match: { 'documentKey._id': 1 } }] });
    await world.client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    const events = await stream.more();
    expect(keys(events)).toEqual([1]);
    expect(await stream.more()).toEqual([]);
    expect(stream.token).toEqual(events[0]!._id);
  });

  test('is the starting point if batchSize is 0', async () => {
    const world = set();
    const stream = await watch(world);
    await insert(world, 1);
    const again = await watch(world, { resumeAfter: stream.token }, { cursor: { batchSize: 0 } });
    expect([again.first, again.token]).toEqual([[], stream.token]);
    expect(keys(await again.more())).toEqual([1]);
  });
});
