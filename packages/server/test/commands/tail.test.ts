import { Long } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, msgOf, settled, world } from '../client.js';
import { members, nearest } from '../../../cluster/test/cluster/members.js';

const capped = { create: 'c', capped: true, size: 1_000_000 };

const insert = (client: Client, ...documents: readonly Document[]): Promise<unknown> =>
  client.plain({ insert: 'c', documents });

/** Opens a tailable cursor and returns its getMore command. */
const tail = async (client: Client, find: Document = {}): Promise<Document> => {
  const { cursor } = await client.plain({ find: 'c', tailable: true, ...find });
  return { getMore: Long.fromValue(cursor.id as number), collection: 'c' };
};

const waiting = async (client: Client, more: Document): Promise<void> => {
  client.send(msgOf(client.nextId(), { ...more, $db: 'db' }));
  await settled();
};

describe('a tailable cursor', () => {
  test('skips no document for any sequence of filters, batches and writes', async () => {
    const { client } = world();
    await client.plain(capped);
    await insert(client, { _id: 0, even: true });
    const more = await tail(client, { filter: { even: true }, batchSize: 1 });
    const seen: unknown[] = [];
    for (let _id = 1; _id < 100; _id++) {
      await insert(client, { _id, even: _id % 2 === 0 });
      if (_id % 5 === 0) seen.push(...(await client.plain({ ...more, batchSize: 2 })).cursor.nextBatch);
    }
    seen.push(...(await client.plain(more)).cursor.nextBatch);
    expect((seen as Document[]).map(({ _id }) => _id as number)).toEqual(
      Array.from({ length: 49 }, (_, i) => 2 * (i + 1)),
    );
  });

  test('with awaitData and without maxTimeMS waits for one second, then returns an empty batch and stays open', async () => {
    const { client, clock } = world();
    await client.plain(capped);
    await insert(client, { _id: 0 });
    const more = await tail(client, { awaitData: true });
    await waiting(client, more);
    await clock.advance(999);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    const { doc } = await client.next();
    expect([doc.cursor.nextBatch, doc.cursor.id]).toEqual([[], more['getMore']]);
  });

  test('with awaitData is woken by a commit, and continues to wait if no new document matches', async () => {
    const { client, server } = world();
    const other = new Client(server);
    await client.plain(capped);
    await insert(client, { _id: 0 });
    const more = await tail(client, { awaitData: true, filter: { wanted: { $ne: false } } });
    await waiting(client, more);
    await insert(other, { _id: 1, wanted: false });
    await settled();
    expect(client.received).toEqual([]);
    await insert(other, { _id: 2 }, { _id: 3 });
    expect((await client.next()).doc.cursor.nextBatch).toHaveLength(2);
  });

  test('on a secondary is woken once the documents are replicated', async () => {
    const set = members(3);
    const [primary, secondary] = set.clients as [Client, Client];
    await primary.plain(capped);
    await insert(primary, { _id: 0 });
    const more = await tail(secondary, { awaitData: true, ...nearest });
    set.lag(1, 500);
    await waiting(secondary, { ...more, maxTimeMS: 10_000 });
    await insert(primary, { _id: 1 });
    await set.clock.advance(499);
    expect(secondary.received).toEqual([]);
    await set.clock.advance(1);
    expect((await secondary.next()).doc.cursor.nextBatch).toHaveLength(1);
    await set.close();
  });

  test('fails while waiting with code 237 when it is killed, and with code 175 when its collection is dropped', async () => {
    const { client, server } = world();
    const other = new Client(server);
    await client.plain(capped);
    await insert(client, { _id: 0 });
    const [killed, dropped] = [await tail(client, { awaitData: true }), await tail(client, { awaitData: true })];
    await waiting(client, killed);
    await other.plain({ killCursors: 'c', cursors: [killed['getMore']] });
    expect((await client.next()).doc).toMatchObject({ codeName: 'CursorKilled' });
    await waiting(client, dropped);
    await other.plain({ drop: 'c' });
    expect((await client.next()).doc).toMatchObject({ codeName: 'QueryPlanKilled' });
  });

  test('allows one getMore at a time: a second one fails with code 12051, and the first one succeeds', async () => {
    const { client, server } = world();
    const other = new Client(server);
    await client.plain(capped);
    await insert(client, { _id: 0 });
    const more = await tail(client, { awaitData: true });
    await waiting(client, more);
    expect(await other.refusal(more)).toBe(`12051 cursor id ${String(more['getMore'])} is already in use`);
    await insert(other, { _id: 1 });
    expect((await client.next()).doc.cursor.nextBatch).toHaveLength(1);
  });

  test('does not time out while a getMore waits', async () => {
    const { client, clock } = world({ parameters: { cursorTimeoutMillis: 1000, clientCursorMonitorFrequencySecs: 1 } });
    await client.plain(capped);
    await insert(client, { _id: 0 });
    const more = await tail(client, { awaitData: true });
    await waiting(client, { ...more, maxTimeMS: 5000 });
    await clock.advance(5000);
    const { doc } = await client.next();
    expect([doc.cursor.nextBatch, doc.cursor.id]).toEqual([[], more['getMore']]);
  });

  test('fails with code 136 once its position in the capped collection was overwritten', async () => {
    const { client } = world();
    await client.plain({ ...capped, max: 2 });
    await insert(client, { _id: 0 });
    const more = await tail(client);
    await insert(client, { _id: 1 }, { _id: 2 });
    expect(await client.refusal(more)).toMatch(/^136 CollectionScan died due to position in capped collection/);
    expect(await client.refusal(more)).toMatch(/^43 /);
  });
});
