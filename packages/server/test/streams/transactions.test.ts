import { Long, UUID } from 'bson';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { kinds, set, watch } from './stream.js';

const lsid = { id: new UUID('00112233-4455-6677-8899-aabbccddeeff') };

const statement = (txnNumber: number, isFirst: boolean): Document => ({
  lsid,
  txnNumber: Long.fromInt(txnNumber),
  autocommit: false,
  ...(isFirst ? { startTransaction: true } : {}),
});

describe('changes in a transaction', () => {
  test('are reported at the commit, in order, with one clusterTime and the session', async () => {
    const world = set();
    const { client } = world;
    await client.plain({ create: 'c' });
    const stream = await watch(world);
    await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }], ...statement(1, true) });
    await client.plain({ insert: 'c', documents: [{ _id: 9 }] });
    await client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u: { $set: { a: 1 } } }], ...statement(1, false) });
    expect(kinds(await stream.more())).toEqual(['insert']);
    await client.plain({ commitTransaction: 1, ...statement(1, false) }, 'admin');
    const events = await stream.more();
    const author = { txnNumber: 1, lsid: { id: lsid.id } };
    expect(events).toMatchObject([
      { ...author, operationType: 'insert', documentKey: { _id: 1 } },
      { ...author, operationType: 'insert', documentKey: { _id: 2 } },
      { ...author, operationType: 'update', updateDescription: { updatedFields: { a: 1 } } },
    ]);
    expect(new Set(events.map(({ clusterTime }) => String(clusterTime))).size).toBe(1);
    expect(Object.keys(events[0]!).slice(0, 4)).toEqual(['txnNumber', 'lsid', '_id', 'operationType']);
    const again = await watch(world, { resumeAfter: events[0]!._id });
    expect(again.first).toEqual(events.slice(1));
  });

  test('are not reported if the transaction is aborted', async () => {
    const world = set();
    await world.client.plain({ create: 'c' });
    const stream = await watch(world);
    await world.client.plain({ insert: 'c', documents: [{ _id: 1 }], ...statement(1, true) });
    await world.client.plain({ abortTransaction: 1, ...statement(1, false) }, 'admin');
    expect(await stream.more()).toEqual([]);
  });

  test('events of retryable writes have no session fields', async () => {
    const world = set();
    const stream = await watch(world);
    await world.client.plain({ insert: 'c', documents: [{ _id: 1 }], lsid, txnNumber: Long.fromInt(1) });
    const [event] = await stream.more();
    expect(Object.keys(event!)[0]).toBe('_id');
  });

  test('a stream cannot be opened in a transaction: code 263', async () => {
    const { client } = set();
    const command = { aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {}, ...statement(1, true) };
    expect(await client.refusal(command)).toMatch(/^263 /);
  });
});
