import type { Document } from 'bson';
import { Decimal128, Double, Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import { logIn } from './auth/scram-client.js';
import type { Reply } from './client.js';
import { Client, typed, world } from './client.js';

const ones = [new Int32(1), Long.ONE, new Double(1), Decimal128.fromString('1.00')];

const ids = (reply: Reply): readonly unknown[] => reply.cursor.firstBatch.map(({ _id }) => _id);

test('treacherous point 1: every number of a reply has the BSON type of mongod', async () => {
  const { client } = world({ replicaSet: 'rs0' });
  await client.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
  const typeOf = (value: unknown): unknown => Object.keys(JSON.parse(typed({ value })).value as object)[0];
  const found = await client.run({ find: 'c', batchSize: 1 });
  expect([found.cursor.id, found.ok, found['operationTime']].map(typeOf)).toEqual([
    '$numberLong',
    '$numberDouble',
    '$timestamp',
  ]);
  expect(typeOf((found['$clusterTime'] as Document)['clusterTime'])).toBe('$timestamp');
  const updated = await client.run({ update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } }, multi: true }] });
  expect([updated.n, updated.nModified].map(typeOf)).toEqual(['$numberInt', '$numberInt']);
  expect(typeOf((await client.run({ count: 'c' })).n)).toBe('$numberInt');
});

test('treacherous point 3: 1, 1L, 1.0 and 1.00 are equal in unique keys, $in, $group and $addToSet', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: ones.map((x, _id) => ({ _id, x })) });
  for (const one of ones) {
    expect(ids(await client.plain({ find: 'c', filter: { x: { $in: [one] } } }))).toEqual([0, 1, 2, 3]);
  }
  const pipeline = [{ $group: { _id: '$x', n: { $sum: 1 }, set: { $addToSet: '$x' } } }];
  const grouped = await client.run({ aggregate: 'c', pipeline, cursor: {} });
  expect(typed(grouped.cursor.firstBatch)).toBe(
    '[{"_id":{"$numberInt":"1"},"n":{"$numberInt":"4"},"set":[{"$numberInt":"1"}]}]',
  );
  await client.plain({ insert: 'd', documents: [{ _id: 1, set: [ones[3]], key: 1 }] });
  for (const one of ones) {
    const updates = [{ q: {}, u: { $addToSet: { set: one } } }];
    expect((await client.plain({ update: 'd', updates })).nModified).toBe(0);
  }
  await client.plain({ createIndexes: 'd', indexes: [{ key: { key: 1 }, name: 'key', unique: true }] });
  for (const key of ones) {
    expect((await client.plain({ insert: 'd', documents: [{ key }] })).writeErrors[0]!.code).toBe(11000);
  }
});

test('treacherous point 4: null, missing and array elements differ in filters, $expr, sorts, unique keys and $lookup', async () => {
  const { client } = world();
  const documents = [
    { _id: 'null', a: null },
    { _id: 'missing' },
    { _id: 'empty', a: [] },
    { _id: 'null inside', a: [null] },
    { _id: 'one', a: 1 },
  ];
  await client.plain({ insert: 'c', documents });
  const find = async (filter: Document, more: Document = {}): Promise<readonly unknown[]> =>
    ids(await client.plain({ find: 'c', filter, ...more }));
  expect(await find({ a: null })).toEqual(['null', 'missing', 'null inside']);
  expect(await find({ $expr: { $eq: ['$a', null] } })).toEqual(['null']);
  expect(await find({ $expr: { $lt: ['$a', null] } })).toEqual(['missing']);
  expect(await find({ a: { $exists: false } })).toEqual(['missing']);
  expect(await find({}, { sort: { a: 1, _id: 1 } })).toEqual(['empty', 'missing', 'null', 'null inside', 'one']);
  const $lookup = { from: 'c', localField: 'a', foreignField: 'a', as: 'found' };
  const pipeline = [{ $lookup }, { $set: { found: '$found._id' } }, { $sort: { _id: 1 } }];
  const joined = await client.plain({ aggregate: 'c', pipeline, cursor: {} });
  expect(Object.fromEntries(joined.cursor.firstBatch.map(({ _id, ['found']: found }) => [_id, found]))).toEqual({
    empty: ['null', 'missing', 'null inside'],
    missing: ['null', 'missing', 'null inside'],
    null: ['null', 'missing', 'null inside'],
    'null inside': ['null', 'missing', 'null inside'],
    one: ['one'],
  });
  const indexes = [{ key: { a: 1 }, name: 'a', unique: true }];
  expect(await client.refusal({ createIndexes: 'c', indexes })).toContain('dup key: { a: null }');
});

test('treacherous point 8: one findAndModify combines sort, $elemMatch projection and array filters', async () => {
  const { client } = world();
  const documents = [1, 2, 3].map(_id => ({ _id, n: -_id, a: [{ k: 1 }, { k: 2 }, { k: 3 }] }));
  await client.plain({ insert: 'c', documents });
  const command = {
    ...{ findAndModify: 'c', query: { 'a.k': 2 }, sort: { n: 1 }, fields: { a: { $elemMatch: { k: 20 } } } },
    ...{ update: { $mul: { 'a.$[big].k': 10 } }, arrayFilters: [{ 'big.k': { $gte: 2 } }] },
  };
  expect(await client.plain({ ...command, new: true })).toEqual({
    lastErrorObject: { n: 1, updatedExisting: true },
    value: { _id: 3, a: [{ k: 20 }] },
    ok: 1,
  });
});

test('treacherous point 10: a cursor belongs to the user who opened it', async () => {
  const users = ['one', 'two'].map(user => ({ user, pwd: 'secret' }));
  const { server, client } = world({ users });
  const other = new Client(server);
  await logIn(client, 'one', 'secret');
  await logIn(other, 'two', 'secret');
  await client.plain({ insert: 'c', documents: [{}, {}] });
  const { cursor } = await client.run({ find: 'c', batchSize: 1 });
  expect(await other.plain({ getMore: cursor.id, collection: 'c' })).toMatchObject({ ok: 0, code: 13 });
  expect(await client.plain({ getMore: cursor.id, collection: 'c' })).toMatchObject({ ok: 1 });
});

test('treacherous point 14: failCommand does not affect the internal steps of a command', async () => {
  const { client } = world({ testCommands: true });
  const failCommands = ['find', 'insert', 'update', 'delete', 'getMore', 'create', 'listCollections'];
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
  const data = { failCommands, errorCode: 8 };
  await client.plain({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data }, 'admin');
  const $lookup = { from: 'c', localField: '_id', foreignField: '_id', as: 'found' };
  const merge = { aggregate: 'c', pipeline: [{ $lookup }, { $out: 'd' }], cursor: {} };
  expect(await client.plain(merge)).toMatchObject({ ok: 1 });
  const nsInfo = [{ ns: 'db.e' }];
  expect(
    await client.plain({ bulkWrite: 1, ops: [{ insert: 0, document: { _id: 1 } }], nsInfo }, 'admin'),
  ).toMatchObject({ ok: 1, nInserted: 1 });
  const modify = { findAndModify: 'c', query: { _id: 1 }, remove: true };
  expect(await client.plain(modify)).toMatchObject({ ok: 1, value: { _id: 1 } });
  expect(await client.refusal({ find: 'c' })).toContain('8 ');
});

test('treacherous point 15: hello on a connection with other commands is answered like on a new one', async () => {
  const { client } = world({ replicaSet: 'rs0' });
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
  const first = await client.run({ hello: 1 }, 'admin');
  await client.plain({ find: 'c' });
  const again = await client.run({ hello: 1 }, 'admin');
  expect([again['isWritablePrimary'], again['topologyVersion']]).toEqual([true, first['topologyVersion']]);
  const stale = {
    hello: 1,
    topologyVersion: { ...(first['topologyVersion'] as Document), processId: first['electionId'] },
  };
  expect((await client.run({ ...stale, maxAwaitTimeMS: 10_000 }, 'admin'))['topologyVersion']).toEqual(
    first['topologyVersion'],
  );
});
