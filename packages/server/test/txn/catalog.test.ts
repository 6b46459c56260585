import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, msgOf, settled } from '../client.js';
import { all, one, Session, set, transient } from './session.js';

/** A replica set with the collections `c` and `d`, and a transaction whose first command is `read`. */
const begun = async (read: Document = { find: 'c' }, version = '8.2.1') => {
  const { client, server, clock } = set({ version });
  for (const name of ['c', 'd']) await client.plain({ insert: name, documents: [one] });
  const session = new Session(client).start();
  await session.run(read);
  return { client, clock, session, other: new Client(server) };
};

describe('a collection that an open transaction has read', () => {
  test.each([
    [{ drop: 'c' }],
    [{ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a' }] }],
    [{ collMod: 'c', validator: { a: 1 } }],
    [{ convertToCapped: 'c', size: 1000 }],
  ])('is locked until the transaction ends: %j waits', async command => {
    const { session, other } = await begun();
    other.send(msgOf(other.nextId(), { ...command, $db: 'db' }));
    await settled();
    expect(other.received).toEqual([]);
    expect((await session.run({ find: 'c' })).cursor.firstBatch).toEqual([one]);
    await session.commit();
    expect((await other.next()).doc).toMatchObject({ ok: { value: 1 } });
  });

  test.each([
    [{ aggregate: 'd', pipeline: [{ $lookup: { from: 'c', as: 'x', pipeline: [] } }], cursor: {} }],
    [{ distinct: 'c', key: 'a' }],
    [{ delete: 'c', deletes: [{ q: { _id: 'nobody' }, limit: 1 }] }],
  ])('is locked by the read %j', async read => {
    const { clock, other } = await begun(read);
    other.send(msgOf(other.nextId(), { drop: 'c', maxTimeMS: 20, $db: 'db' }));
    await settled();
    await clock.advance(20);
    expect((await other.next()).doc).toMatchObject({ codeName: 'MaxTimeMSExpired' });
  });

  test('still accepts writes by others, and other collections can be dropped', async () => {
    const { client, session, other } = await begun();
    expect(await other.plain({ insert: 'c', documents: [{ _id: 'new' }] })).toMatchObject({ ok: 1, n: 1 });
    expect(await other.plain({ drop: 'd' })).toMatchObject({ ok: 1 });
    expect(await other.plain({ create: 'e' })).toMatchObject({ ok: 1 });
    await session.abort();
    expect(await all(client)).toEqual([one, { _id: 'new' }]);
  });
});

describe('a collection that changed after a transaction began', () => {
  const changes: readonly (readonly [change: string, command: Document, found: readonly Document[]])[] = [
    ['dropped', { drop: 'd' }, [one]],
    ['created', { create: 'e' }, []],
    ['indexed', { createIndexes: 'd', indexes: [{ key: { a: 1 }, name: 'a' }] }, [one]],
  ];

  test.each(changes)('%s: fails with code 246 before version 7.0', async (change, command) => {
    const { session, other } = await begun(undefined, '6.0.5');
    await other.plain(command);
    expect(await session.refusal({ find: change === 'created' ? 'e' : 'd' })).toBe(`246 ${transient}`);
  });

  test.each(changes)('%s: is read as it was, from version 7.0 on', async (change, command, found) => {
    const { session, other } = await begun();
    await other.plain(command);
    expect((await session.run({ find: change === 'created' ? 'e' : 'd' })).cursor.firstBatch).toEqual(found);
  });
});
