import { Double, Long } from 'bson';
import type { Document } from 'bson';
import { expect, test } from 'vitest';
import { Client, world } from '../client.js';
import { logIn } from './scram-client.js';

const root = { user: 'root', pwd: 'root' };

/** A client with these actions on the collection `shop.c`, and a client that may do everything. */
const people = async (...actions: readonly string[]): Promise<{ ada: Client; boss: Client }> => {
  const { server, client: boss } = world({ users: [root] });
  await logIn(boss, 'root', 'root');
  await boss.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }, { _id: 3 }] }, 'shop');
  await boss.plain({ insert: 'secret', documents: [{ _id: 1 }] }, 'shop');
  const privileges = [{ resource: { db: 'shop', collection: 'c' }, actions }];
  await boss.plain({ createRole: 'clerk', privileges, roles: [] }, 'shop');
  await boss.plain({ createUser: 'ada', pwd: 'pencil', roles: ['clerk'] }, 'shop');
  const ada = new Client(server);
  await logIn(ada, 'ada', 'pencil', { db: 'shop' });
  return { ada, boss };
};

const code = async (client: Client, command: Document, db = 'shop'): Promise<number> => {
  const { ok, code: number } = await client.plain(command, db);
  return ok === 1 ? 0 : number;
};

const truths: readonly unknown[] = [true, 1, new Double(1), 2, Long.fromNumber(1)];

test.each(truths)(
  'the value %o enables remove, upsert and bypassDocumentValidation, so that their privileges are required',
  async yes => {
    const { ada } = await people('find', 'update', 'insert');
    const { ada: eve } = await people('find', 'update', 'renameCollectionSameDB');
    expect(await code(ada, { findAndModify: 'c', query: {}, remove: yes })).toBe(13);
    expect(await code(eve, { findAndModify: 'c', query: { a: 1 }, update: { $set: { b: 1 } }, upsert: yes })).toBe(13);
    expect(await code(ada, { insert: 'c', documents: [{}], bypassDocumentValidation: yes })).toBe(13);
  },
);

test.each([0, new Double(0), Long.fromNumber(0)])(
  'a bulkWrite requires its privileges if the index of its namespace is %o',
  async at => {
    const { ada } = await people('find');
    const nsInfo = [{ ns: 'shop.c' }];
    const ops = [{ insert: at, document: { _id: 9 } }];
    expect(await code(ada, { bulkWrite: 1, ops, nsInfo }, 'admin')).toBe(13);
    const bypassing = await people('find', 'insert');
    expect(await code(bypassing.ada, { bulkWrite: 1, ops, nsInfo, bypassDocumentValidation: 1 }, 'admin')).toBe(13);
    expect(await code(bypassing.ada, { bulkWrite: 1, ops, nsInfo }, 'admin')).toBe(0);
  },
);

test('a view cannot be changed to read collections that its user may not read', async () => {
  const { ada, boss } = await people('find', 'collMod');
  await boss.plain({ drop: 'c' }, 'shop');
  await boss.plain({ create: 'c', viewOn: 'plain', pipeline: [] }, 'shop');
  expect(await code(ada, { collMod: 'c', viewOn: 'secret', pipeline: [] })).toBe(13);
  const pipeline = [{ $unionWith: 'secret' }];
  expect(await code(ada, { collMod: 'c', viewOn: 'c', pipeline })).toBe(13);
});

test('a cursor can be killed by the user who opened it, and by users who may kill any cursor', async () => {
  const { ada, boss } = await people('find');
  const open = async (client: Client): Promise<unknown> => {
    const { cursor } = await client.run({ find: 'c', batchSize: 1 }, 'shop');
    return cursor.id;
  };
  const [ofBoss, ofAda] = [await open(boss), await open(ada)];
  expect(await code(ada, { killCursors: 'c', cursors: [ofBoss] })).toBe(13);
  expect(await code(ada, { killCursors: 'c', cursors: [Long.fromNumber(5)] })).toBe(0);
  expect(await code(boss, { getMore: ofBoss, collection: 'c', batchSize: 1 })).toBe(0);
  expect(await code(boss, { killCursors: 'c', cursors: [ofAda, ofBoss] })).toBe(0);
});
