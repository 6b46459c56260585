import { Binary, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, settled } from '../client.js';
import { awaitMore, kinds, set, watch } from './stream.js';

describe('a getMore of a change stream', () => {
  test('waits for one second or for maxTimeMS, then returns an empty batch and keeps the cursor', async () => {
    const world = set();
    const stream = await watch(world);
    for (const [more, time] of [
      [{}, 1_000],
      [{ maxTimeMS: 300 }, 300],
    ] as const) {
      awaitMore(world, stream, more);
      await world.clock.advance(time - 1);
      expect(world.client.received).toEqual([]);
      await world.clock.advance(1);
      const { doc } = await world.client.next();
      expect([doc.cursor.nextBatch, doc.cursor.id]).toEqual([[], stream.id]);
    }
  });

  test('returns at once for an event of its stream, and ignores other writes', async () => {
    const world = set();
    const other = new Client(world.server);
    const stream = await watch(world);
    awaitMore(world, stream);
    await other.plain({ insert: 'other', documents: [{}] });
    await settled();
    expect(world.client.received).toEqual([]);
    await other.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    expect((await world.client.next()).doc.cursor.nextBatch).toHaveLength(2);
  });

  test('misses no event between two calls, with any other writes in between', async () => {
    const world = set();
    const stream = await watch(world);
    const seen: unknown[] = [];
    const written: number[] = [];
    for (let i = 0; i < 50; i++) {
      const isOurs = i % 3 !== 1;
      await world.client.plain({ insert: isOurs ? 'c' : 'other', documents: [{ _id: i }] });
      if (isOurs) written.push(i);
      if (i % 7 === 0) seen.push(...(await stream.more({ batchSize: 2 })));
    }
    for (let more = 1; more > 0;) {
      const events = await stream.more({ batchSize: 3 });
      seen.push(...events);
      more = events.length;
    }
    expect((seen as { documentKey: { _id: number } }[]).map(({ documentKey }) => documentKey._id)).toEqual(written);
  });

  test('fails with code 237 if the cursor is killed meanwhile, and with code 43 afterwards', async () => {
    const world = set();
    const stream = await watch(world);
    awaitMore(world, stream);
    await settled();
    const killed = await new Client(world.server).plain({ killCursors: 'c', cursors: [stream.id] });
    expect(killed).toMatchObject({ cursorsKilled: [stream.id], ok: 1 });
    expect((await world.client.next()).doc).toMatchObject({ code: { value: 237 }, codeName: 'CursorKilled' });
    expect(await stream.failure()).toMatchObject({ code: 43 });
  });

  test('requires the session of the stream, and fails once the session ends', async () => {
    const world = set();
    const lsid = { id: new Binary(new Uint8Array(16).fill(7), 4) };
    const stream = await watch(world, {}, { more: { lsid } });
    expect(await stream.failure()).toMatchObject({ code: 50737 });
    expect(await stream.more({ lsid })).toEqual([]);
    await world.client.plain({ endSessions: [lsid] }, 'admin');
    await expect(stream.more({ lsid })).rejects.toThrow(/^43 /);
  });

  test('continues after a step-down', async () => {
    const world = set();
    const stream = await watch(world);
    await world.client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    await world.client.plain({ replSetStepDown: 30, force: true }, 'admin');
    expect(kinds(await stream.more())).toEqual(['insert']);
    await world.clock.advance(60_000);
    await world.client.plain({ insert: 'c', documents: [{ _id: 2 }] });
    expect(kinds(await stream.more())).toEqual(['insert']);
  });
});

describe('the label ResumableChangeStreamError', () => {
  const fail = { configureFailPoint: 'failGetMoreAfterCursorCheckout', mode: { times: 1 } };

  test.each([
    ['8.2.1', 91, ['ResumableChangeStreamError']],
    ['8.2.1', 50, undefined],
    ['4.2.0', 91, undefined],
  ])('version %s, code %d: %j', async (version, errorCode, errorLabels) => {
    const world = set({ version });
    const stream = await watch(world);
    await world.client.plain({ ...fail, data: { errorCode } }, 'admin');
    const failure = await stream.failure();
    expect([failure['code'], failure['errorLabels']]).toEqual([errorCode, errorLabels]);
  });

  test('is not added to errors of other cursors', async () => {
    const { client } = set();
    await client.plain({ insert: 'c', documents: [{}, {}] });
    const { cursor } = await client.plain({ find: 'c', batchSize: 1 });
    await client.plain({ ...fail, data: { errorCode: 91 } }, 'admin');
    const failure = await client.plain({ getMore: Long.fromValue(cursor.id as number), collection: 'c' });
    expect([failure.code, failure['errorLabels']]).toEqual([91, undefined]);
  });
});
