import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { typed, world } from '../client.js';

describe('bulkWrite', () => {
  const bulk = (ops: readonly Document[], more: Document = {}): Document => ({
    bulkWrite: 1,
    ops,
    nsInfo: [{ ns: 'db.c' }, { ns: 'db.d' }],
    ...more,
  });
  const ops = [
    { insert: 0, document: { _id: 1, a: 1 } },
    { insert: 1, document: { _id: 1 } },
    { update: 0, filter: { _id: 1 }, updateMods: { $inc: { a: 1 } } },
    { update: 0, filter: { _id: 7 }, updateMods: { $set: { a: 5 } }, upsert: true },
    { delete: 1, filter: {}, multi: true },
  ];

  test('writes to several collections and returns the result of each statement', async () => {
    const { client } = world();
    const reply = await client.run(bulk(ops), 'admin');
    expect(Object.keys(reply)).toEqual([
      'cursor',
      'nErrors',
      'nInserted',
      'nMatched',
      'nModified',
      'nUpserted',
      'nDeleted',
      'ok',
    ]);
    expect(typed(reply.cursor.firstBatch[3])).toBe(
      '{"ok":{"$numberDouble":"1.0"},"idx":{"$numberInt":"3"},"n":{"$numberInt":"1"},"nModified":{"$numberInt":"0"},"upserted":{"_id":{"$numberInt":"7"}}}',
    );
    expect(typed([reply.cursor.id, reply.cursor.ns])).toBe('[{"$numberLong":"0"},"admin.$cmd.bulkWrite"]');
    const again = await client.plain(
      bulk([{ update: 0, filter: {}, updateMods: { $set: { z: 1 } }, multi: true }]),
      'admin',
    );
    expect(again).toMatchObject({ nMatched: 2, nModified: 2, nInserted: 0, nUpserted: 0, nDeleted: 0, nErrors: 0 });
    expect((await client.plain({ find: 'd' })).cursor.firstBatch).toEqual([]);
  });

  test('stops at the first error, or continues when unordered; errorsOnly omits successes', async () => {
    const { client } = world();
    const failing = [
      { insert: 0, document: { _id: 1 } },
      { insert: 0, document: { _id: 1 } },
      { insert: 0, document: { _id: 2 } },
    ];
    const ordered = await client.plain(bulk(failing), 'admin');
    expect(ordered).toMatchObject({ nErrors: 1, nInserted: 1, ok: 1 });
    expect(ordered.cursor.firstBatch).toMatchObject([
      { ok: 1 },
      { ok: 0, idx: 1, code: 11000, keyValue: { _id: 1 }, n: 0 },
    ]);
    const rest = await client.plain(bulk(failing, { ordered: false, errorsOnly: true }), 'admin');
    expect(rest.cursor.firstBatch).toMatchObject([
      { ok: 0, idx: 0 },
      { ok: 0, idx: 1 },
    ]);
    expect(rest).toMatchObject({ nErrors: 2, nInserted: 1 });
  });

  test('returns its results in batches: an exactly filled batch leaves no cursor, batchSize 0 opens one', async () => {
    const { client } = world();
    const many = [0, 1, 2, 3].map(_id => ({ insert: 0, document: { _id } }));
    const exact = await client.run(bulk(many, { cursor: { batchSize: 4 } }), 'admin');
    expect([exact.cursor.firstBatch.length, String(exact.cursor.id)]).toEqual([4, '0']);
    const none = await client.run(bulk(many, { ordered: false, cursor: { batchSize: 0 } }), 'admin');
    expect(none.cursor.firstBatch).toEqual([]);
    const more = await client.plain({ getMore: none.cursor.id, collection: '$cmd.bulkWrite', batchSize: 3 }, 'admin');
    expect([more.cursor.nextBatch.length, Long.ZERO.equals(more.cursor.id as Long)]).toEqual([3, false]);
  });

  test('runs on the admin database from version 8.0 on, and validates its operations', async () => {
    const { client } = world();
    expect(await client.refusal(bulk(ops))).toMatch(/^13 /);
    expect(await client.refusal(bulk([]), 'admin')).toMatch(/^16 /);
    const one = { insert: 0, document: { _id: 1 } };
    expect(await client.refusal(bulk([one, { insert: 5, document: {} }]), 'admin')).toMatch(/^2 /);
    expect(await client.refusal(bulk([one, { insert: 'x', document: {} }]), 'admin')).toMatch(/^14 /);
    expect(await world({ version: '7.0.0' }).client.refusal(bulk(ops), 'admin')).toBe(
      "59 no such command: 'bulkWrite'",
    );
  });
});

describe('explain', () => {
  const winner = async (version: string, command: Document, options: Document = {}): Promise<unknown> => {
    const { client } = world({ version });
    await client.plain({ create: 'c', ...options });
    await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    const { queryPlanner } = await client.plain({ explain: command, verbosity: 'queryPlanner' });
    return (queryPlanner as Document)['winningPlan'];
  };

  test('names the stage in which mongod looks up a single key', async () => {
    const byId = { find: 'c', filter: { _id: 1 } };
    const clusteredIndex = { key: { _id: 1 }, unique: true };
    expect(await winner('7.0.0', byId)).toEqual({ stage: 'IDHACK' });
    expect(await winner('8.0.0', byId)).toEqual({
      ...{ stage: 'EXPRESS_IXSCAN', keyPattern: '{ _id: 1 }', indexName: '_id_' },
    });
    expect(await winner('8.0.0', byId, { clusteredIndex })).toEqual({ stage: 'EXPRESS_CLUSTERED_IXSCAN' });
    expect(await winner('8.0.0', { find: 'c' }, { clusteredIndex })).toEqual({
      ...{ stage: 'CLUSTERED_IXSCAN', direction: 'forward' },
    });
  });

  test('names the stage of the command above the stage of the query', async () => {
    const scan = { stage: 'COLLSCAN', direction: 'forward' };
    const u = { $set: { b: 1 } };
    const commands: readonly (readonly [Document, string])[] = [
      [{ count: 'c', query: { a: 1 } }, 'COUNT'],
      [{ update: 'c', updates: [{ q: { a: 1 }, u }] }, 'UPDATE'],
      [{ delete: 'c', deletes: [{ q: { a: 1 }, limit: 0 }] }, 'DELETE'],
      [{ findAndModify: 'c', query: { a: 1 }, update: u }, 'UPDATE'],
      [{ findAndModify: 'c', query: { a: 1 }, remove: true }, 'DELETE'],
    ];
    for (const [command, stage] of commands)
      expect(await winner('8.2.1', command)).toEqual({ stage, inputStage: scan });
  });

  test('names the index of the query, and with executionStats counts keys and documents', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: Array.from({ length: 20 }, (_, i) => ({ _id: i, a: i % 5, b: i })) });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
    const explain = async (command: Document): Promise<Document> =>
      client.plain({ explain: command, verbosity: 'executionStats' });
    expect(await explain({ find: 'c', filter: { a: 2, b: { $gt: 10 } }, sort: { b: 1 } })).toMatchObject({
      explainVersion: '1',
      queryPlanner: {
        namespace: 'db.c',
        winningPlan: {
          stage: 'SORT',
          inputStage: { stage: 'FETCH', inputStage: { stage: 'IXSCAN', indexName: 'a_1', direction: 'forward' } },
        },
      },
      executionStats: { nReturned: 2, totalKeysExamined: 4, totalDocsExamined: 4 },
      ok: 1,
    });
    const all = await client.plain({ explain: { find: 'c' }, verbosity: 'allPlansExecution' });
    expect(all['executionStats']).toMatchObject({ nReturned: 20, allPlansExecution: [] });
    expect(await explain({ delete: 'c', deletes: [{ q: { b: 1 }, limit: 1 }] })).toMatchObject({
      queryPlanner: { winningPlan: { stage: 'DELETE', inputStage: { stage: 'COLLSCAN' } } },
    });
    expect((await client.plain({ count: 'c' })).n).toBe(20);
    const pipeline = { aggregate: 'c', pipeline: [{ $match: { _id: 1 } }], cursor: {}, explain: true };
    expect(await client.plain(pipeline)).toMatchObject({
      queryPlanner: { winningPlan: { indexName: '_id_' } },
    });
    expect(await client.refusal({ explain: { nope: 'c' } })).toMatch(/^59 /);
  });
});

describe('find by index keys', () => {
  const seeded = async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [5, 3, 1, 4, 2].map(a => ({ _id: a * 10, a, l: [a, a + 1] })) });
    await client.plain({
      createIndexes: 'c',
      indexes: [
        { key: { a: 1 }, name: 'a_1' },
        { key: { l: 1 }, name: 'l_1' },
      ],
    });
    return client;
  };

  test('min is inclusive, max is exclusive; both require a hint and the fields of its index', async () => {
    const client = await seeded();
    const find = { find: 'c', projection: { a: 1, _id: 0 }, hint: 'a_1' };
    expect((await client.plain({ ...find, min: { a: 2 }, max: { a: 4 } })).cursor.firstBatch).toEqual([
      { a: 2 },
      { a: 3 },
    ]);
    expect((await client.plain({ ...find, min: { a: 4 } })).cursor.firstBatch).toEqual([{ a: 4 }, { a: 5 }]);
    expect(await client.refusal({ find: 'c', min: { a: 2 } })).toMatch(/^51173 /);
    expect(await client.refusal({ ...find, min: { b: 2 } })).toMatch(/^51174 /);
  });

  test('returnKey returns the index keys, showRecordId the id of the record', async () => {
    const client = await seeded();
    const keys = { find: 'c', filter: { a: { $gt: 3 } }, returnKey: true };
    expect((await client.plain(keys)).cursor.firstBatch).toEqual([{ a: 4 }, { a: 5 }]);
    const elements = { find: 'c', filter: { l: 2 }, returnKey: true };
    expect((await client.plain(elements)).cursor.firstBatch).toEqual([{ l: 2 }, { l: 2 }]);
    expect((await client.plain({ find: 'c', returnKey: true, limit: 1 })).cursor.firstBatch).toEqual([{}]);
    const { cursor } = await client.run({ find: 'c', filter: { _id: 30 }, projection: { a: 1 }, showRecordId: true });
    expect(typed(cursor.firstBatch)).toBe(
      '[{"_id":{"$numberInt":"30"},"a":{"$numberInt":"3"},"$recordId":{"$numberLong":"2"}}]',
    );
  });
});

describe('maintenance commands', () => {
  test('renameCollection moves documents and indexes, also to another database', async () => {
    const { client } = world();
    await client.plain({ insert: 'a', documents: [{ _id: 1 }] });
    await client.plain({ insert: 'b', documents: [{ _id: 2 }] });
    await client.plain({ createIndexes: 'a', indexes: [{ key: { x: 1 }, name: 'x_1' }] });
    const rename = (from: string, to: string, more: Document = {}): Document => ({
      renameCollection: from,
      to,
      ...more,
    });
    expect(await client.refusal(rename('db.a', 'db.b'), 'admin')).toBe('48 target namespace exists');
    expect(await client.refusal(rename('db.z', 'db.y'), 'admin')).toMatch(/^26 /);
    expect(await client.refusal(rename('db.a', 'db.a'), 'admin')).toMatch(/^20 /);
    expect(await client.plain(rename('db.a', 'db.b', { dropTarget: true }), 'admin')).toEqual({ ok: 1 });
    expect((await client.plain({ find: 'b' })).cursor.firstBatch).toEqual([{ _id: 1 }]);
    await client.plain(rename('db.b', 'other.c'), 'admin');
    expect((await client.plain({ listIndexes: 'c' }, 'other')).cursor.firstBatch).toHaveLength(2);
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toEqual([]);
    const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id: 1 }] }, 'other');
    expect(writeErrors[0]!.errmsg).toContain('collection: other.c');
  });

  test('collMod changes validators, indexes and views', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ],
    });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', expireAfterSeconds: 5 }] });
    expect(await client.plain({ collMod: 'c', validator: { a: { $lt: 9 } } })).toEqual({ ok: 1 });
    expect((await client.plain({ insert: 'c', documents: [{ a: 10 }] })).writeErrors[0]!.code).toBe(121);
    const expiry = { collMod: 'c', index: { keyPattern: { a: 1 }, expireAfterSeconds: 50 } };
    expect(await client.plain(expiry)).toEqual({ expireAfterSeconds_old: 5, expireAfterSeconds_new: 50, ok: 1 });
    expect(await client.plain({ collMod: 'c', index: { name: 'a_1', hidden: true } })).toEqual({
      hidden_old: false,
      hidden_new: true,
      ok: 1,
    });
    expect(await client.refusal({ find: 'c', hint: 'a_1' })).toMatch(/^2 /);
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [] });
    await client.plain({ collMod: 'v', viewOn: 'c', pipeline: [{ $match: { a: 2 } }] });
    expect((await client.plain({ count: 'v' })).n).toBe(1);
    expect(await client.refusal({ collMod: 'nope' })).toMatch(/^26 /);
    expect(await client.refusal({ collMod: 'c', index: { name: 'z', hidden: true } })).toMatch(/^27 /);
  });

  test('validate checks that documents and indexes are consistent', async () => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
    await client.plain({ insert: 'c', documents: [{ a: [1, 2, 3] }, { a: 1 }] });
    expect(await client.plain({ validate: 'c' })).toMatchObject({
      nrecords: 2,
      keysPerIndex: { _id_: 2, a_1: 4 },
      valid: true,
    });
    expect(await client.refusal({ validate: 'nope' })).toMatch(/^26 /);
  });

  test('a clustered collection lists its clustered index by name, and dropIndexes rejects it', async () => {
    const { client } = world();
    const clusteredIndex = { key: { _id: 1 }, unique: true, name: 'mine' };
    expect(await client.plain({ create: 'c', clusteredIndex })).toEqual({ ok: 1 });
    const [listed] = (await client.plain({ listCollections: 1 })).cursor.firstBatch;
    expect(listed).toMatchObject({ options: { clusteredIndex: { v: 2, ...clusteredIndex } } });
    expect(listed).not.toHaveProperty('idIndex');
    expect((await client.plain({ listIndexes: 'c' })).cursor.firstBatch).toEqual([
      { v: 2, ...clusteredIndex, clustered: true },
    ]);
    expect(await client.refusal({ dropIndexes: 'c', index: 'mine' })).toMatch(/^5979800 /);
    expect(await client.refusal({ create: 'd', clusteredIndex: { key: { a: 1 }, unique: true } })).toMatch(/^197 /);
  });
});

test('apiStrict rejects stages outside the Stable API with code 323', async () => {
  const { client } = world();
  const strict = { aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {}, apiVersion: '1', apiStrict: true };
  expect(await client.refusal(strict)).toMatch(/^323 /);
});

test('null is a valid _id', async () => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{ a: 1, _id: null }] });
  await client.plain({ update: 'd', updates: [{ q: { _id: null }, u: { $set: { a: 1 } }, upsert: true }] });
  await client.plain({ update: 'e', updates: [{ q: { _id: null }, u: { a: 1 }, upsert: true }] });
  for (const name of ['c', 'd', 'e'])
    expect((await client.plain({ find: name })).cursor.firstBatch).toEqual([{ _id: null, a: 1 }]);
});
