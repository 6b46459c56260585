import type { Document } from 'bson';
import { Long, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { world } from './client.js';

const update = (statement: Document, more: Document = {}): Document => ({
  update: 'c',
  updates: [{ q: {}, u: { $set: { a: 1 } }, ...statement }],
  ...more,
});
const remove = (statement: Document, more: Document = {}): Document => ({
  delete: 'c',
  deletes: [{ q: {}, limit: 1, ...statement }],
  ...more,
});
const modify = (more: Document): Document => ({ findAndModify: 'c', update: { $set: { a: 1 } }, ...more });
const aggregate = (more: Document): Document => ({ aggregate: 'c', pipeline: [], cursor: {}, ...more });
const insert = (...documents: readonly Document[]): Document => ({ insert: 'c', documents });
const hint = '_id_';

const unknown = (field: string): string => `40415 BSON field '${field}' is an unknown field.`;

/** Commands with the last version that rejects them, its error, and the first version that accepts them. */
const rows: readonly (readonly [Document, last: string, refusal: string, first: string])[] = [
  [
    { find: 'c', allowDiskUse: false },
    '4.2.0',
    '9 Failed to parse: { find: "c", allowDiskUse: false, $db: "db" }. Unrecognized field \'allowDiskUse\'.',
    '4.4.0',
  ],
  [remove({ hint }), '4.2.0', unknown('delete.deletes.hint'), '4.4.0'],
  [modify({ hint }), '4.2.0', "51177 BSON field 'hint' is an unknown field.", '4.4.0'],
  [{ ...insert({}), comment: 1 }, '4.2.0', unknown('insert.comment'), '4.4.0'],
  [{ distinct: 'c', key: 'a', comment: {} }, '4.2.0', unknown('distinct.comment'), '4.4.14'],
  [
    aggregate({ comment: {} }),
    '4.2.0',
    "14 BSON field 'aggregate.comment' is the wrong type 'object', expected type 'string'",
    '4.4.0',
  ],
  [
    { find: 'c', let: {} },
    '4.4.29',
    '9 Failed to parse: { find: "c", let: {}, $db: "db" }. Unrecognized field \'let\'.',
    '5.0.0',
  ],
  [aggregate({ let: {} }), '4.4.29', "9 unrecognized field 'let'", '5.0.0'],
  [modify({ let: {} }), '4.4.29', "51177 BSON field 'let' is an unknown field.", '5.0.0'],
  [update({}, { let: {} }), '4.4.29', unknown('update.let'), '5.0.0'],
  [remove({}, { let: {} }), '4.4.29', unknown('delete.let'), '5.0.0'],
  [{ count: 'c', apiVersion: '1' }, '4.4.29', unknown('count.apiVersion'), '5.0.0'],
  [{ distinct: 'c', key: 'a', hint }, '7.0.0', unknown('distinct.hint'), '7.1.0'],
  [update({ sort: { a: 1 } }), '7.3.4', unknown('update.updates.sort'), '8.0.0'],
  [{ find: 'c', rawData: true }, '8.1.0', unknown('find.rawData'), '8.2.0'],
];

describe('features of later versions', () => {
  test.each(rows)('%j is rejected by version %s: %s', async (command, last, refusal, first) => {
    const before = world({ version: last });
    await before.client.plain({ create: 'c' });
    expect(await before.client.refusal(command)).toBe(refusal);
    const after = world({ version: first });
    await after.client.plain({ create: 'c' });
    expect(await after.client.plain(command)).toMatchObject({ ok: 1 });
  });

  test.each([
    [{ bulkWrite: 1, ops: [], nsInfo: [] }, '7.3.4', '8.0.0'],
    [{ createSearchIndexes: 'c', indexes: [] }, '6.0.0', '7.0.0'],
  ])('the command %j is unknown in version %s, and known in version %s', async (command, last, first) => {
    const [name] = Object.keys(command);
    expect(await world({ version: last }).client.refusal(command, 'admin')).toBe(`59 no such command: '${name}'`);
    expect(await world({ version: first }).client.refusal(command, 'admin')).not.toMatch(/^59 /);
  });
});

describe('pipelines', () => {
  const over = (...pipeline: readonly Document[]): Document => ({ aggregate: 'c', pipeline, cursor: {} });
  const set = (a: unknown): Document => over({ $set: { a } });
  const now = new Date(0);
  const both = { from: 'c', localField: 'a', foreignField: 'a', pipeline: [], as: 'b' };

  test.each([
    [over({ $unionWith: 'c' }), '4.2.0', "40324 Unrecognized pipeline stage name: '$unionWith'", '4.4.0'],
    [
      over({ $setWindowFields: { sortBy: { a: 1 }, output: {} } }),
      '4.4.0',
      "40324 Unrecognized pipeline stage name: '$setWindowFields'",
      '5.0.0',
    ],
    [
      over({ $fill: { output: { a: { value: 1 } } } }),
      '5.0.0',
      "40324 Unrecognized pipeline stage name: '$fill'",
      '6.0.0',
    ],
    [
      over({ $facet: { a: [{ $unionWith: 'c' }] } }),
      '4.2.0',
      "40324 Unrecognized pipeline stage name: '$unionWith'",
      '4.4.0',
    ],
    [
      over({ $lookup: both }),
      '4.4.0',
      "9 $lookup with 'pipeline' may not specify 'localField' or 'foreignField'",
      '5.0.0',
    ],
    [
      over({ $out: { db: 'db', coll: 'd' } }),
      '4.2.0',
      '16990 $out only supports a string argument, not object',
      '4.4.0',
    ],
    [
      set({ $dateAdd: { startDate: now, unit: 'day', amount: 1 } }),
      '4.4.0',
      "168 Unrecognized expression '$dateAdd'",
      '5.0.0',
    ],
    [set({ $sortArray: { input: [2, 1], sortBy: 1 } }), '5.0.0', "168 Unrecognized expression '$sortArray'", '6.0.0'],
    [set({ $bitAnd: [1, 1] }), '6.0.0', "168 Unrecognized expression '$bitAnd'", '7.0.0'],
    [
      over({ $group: { _id: 1, a: { $median: { input: 1, method: 'approximate' } } } }),
      '6.0.0',
      "168 Unrecognized expression '$median'",
      '7.0.0',
    ],
    [
      set({ $toUUID: '00112233-4455-6677-8899-aabbccddeeff' }),
      '7.0.0',
      "168 Unrecognized expression '$toUUID'",
      '8.0.0',
    ],
  ])('%j is rejected by version %s: %s', async (command, last, refusal, first) => {
    expect(await world({ version: last }).client.refusal(command)).toBe(refusal);
    expect(await world({ version: first }).client.plain(command)).toMatchObject({ ok: 1 });
  });

  test('$literal may contain unknown operators', async () => {
    const command = set({ $literal: { $toUUID: 1 } });
    expect(await world({ version: '4.2.0' }).client.plain(command)).toMatchObject({ ok: 1 });
  });
});

describe('collections and indexes', () => {
  test.each([
    [{ create: 'd', clusteredIndex: { key: { _id: 1 }, unique: true } }, '5.0.0', 'create.clusteredIndex', '6.0.0'],
    [
      { create: 'd', changeStreamPreAndPostImages: { enabled: true } },
      '5.0.0',
      'create.changeStreamPreAndPostImages',
      '6.0.0',
    ],
    [{ create: 'd', encryptedFields: { fields: [] } }, '5.0.0', 'create.encryptedFields', '6.0.0'],
  ])('%j is unknown in version %s', async (command, last, field, first) => {
    expect(await world({ version: last }).client.refusal(command)).toBe(unknown(field));
    expect(await world({ version: first }).client.plain(command)).toMatchObject({ ok: 1 });
  });

  test('dropping a missing collection and creating an existing one are errors before version 7.0', async () => {
    const outcomes = async (version: string): Promise<unknown> => {
      const { client } = world({ version });
      await client.plain({ create: 'c' });
      const again = await client.plain({ create: 'c' });
      return [again.ok, (await client.plain({ drop: 'none' })).ok];
    };
    expect([await outcomes('4.4.0'), await outcomes('6.0.0'), await outcomes('7.0.0')]).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ]);
  });

  test('an index can be hidden from version 4.4 on, and before has its namespace in listIndexes', async () => {
    const hidden = { createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a', hidden: true }] };
    const before = world({ version: '4.2.0' }).client;
    expect(await before.refusal(hidden)).toMatch(/^197 The field 'hidden' is not valid/);
    await before.plain({ create: 'c' });
    expect((await before.plain({ listIndexes: 'c' })).cursor.firstBatch).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_', ns: 'db.c' },
    ]);
    const after = world({ version: '4.4.0' }).client;
    expect(await after.plain(hidden)).toMatchObject({ ok: 1 });
    expect((await after.plain({ listIndexes: 'c' })).cursor.firstBatch[0]).toEqual({
      ...{ v: 2, key: { _id: 1 }, name: '_id_' },
    });
  });

  test('a validation error has errInfo from version 5.0 on', async () => {
    const why = async (version: string): Promise<unknown> => {
      const { client } = world({ version });
      await client.plain({ create: 'c', validator: { a: 1 } });
      const { writeErrors } = await client.plain(insert({ a: 2 }));
      return Object.keys(writeErrors[0] ?? {});
    };
    expect([await why('4.4.0'), await why('5.0.0')]).toEqual([
      ['index', 'code', 'errmsg'],
      ['index', 'code', 'errInfo', 'errmsg'],
    ]);
  });
});

test('getnonce exists up to version 6.1', async () => {
  expect(await world({ version: '6.1.0' }).client.plain({ getnonce: 1 })).toEqual({
    nonce: expect.stringMatching(/^[0-9a-f]{16}$/) as unknown,
    ok: 1,
  });
  expect(await world({ version: '6.2.0' }).client.refusal({ getnonce: 1 })).toMatch(/^59 /);
});

test('search index commands fail like on a mongod without Atlas Search', async () => {
  for (const command of ['createSearchIndexes', 'dropSearchIndex', 'listSearchIndexes', 'updateSearchIndex'])
    expect(await world().client.refusal({ [command]: 'c' })).toMatch(/^31082 .*Atlas/);
});

describe('$-prefixed field names before version 5.0', () => {
  const refused = async (version: string, command: Document): Promise<unknown> => {
    const { client } = world({ version });
    await client.plain(insert({ _id: 1 }));
    const { ok, code, writeErrors } = await client.plain(command);
    return ok === 0 ? code : writeErrors?.[0]?.code;
  };

  test.each([
    [insert({ $a: 1 }), 2],
    [update({ u: { a: { $b: 1 } } }), 52],
    [update({ u: { $set: { 'a.$b': 1 } } }), 52],
    [update({ q: { _id: 2 }, u: { a: [{ $b: 1 }] }, upsert: true }), 52],
    [modify({ update: { a: { $b: 1 } } }), 52],
  ])('%j is rejected with code %d', async (command, code) => {
    expect(await refused('4.4.0', command)).toBe(code);
    expect(await refused('5.0.0', command)).toBe(undefined);
  });

  test('the fields of a DBRef are accepted', async () => {
    expect(await refused('4.2.0', update({ u: { a: { $ref: 'c', $id: 1, $db: 'd' } } }))).toBe(undefined);
  });
});

describe('buildInfo and hello', () => {
  test.each([
    ['4.2', '4.2.0', [4, 2, 0, 0], 8, false],
    ['4.4.29', '4.4.29', [4, 4, 29, 0], 9, true],
    ['5.0.31', '5.0.31', [5, 0, 31, 0], 13, true],
    ['6.0.20', '6.0.20', [6, 0, 20, 0], 17, true],
    ['7.0.12', '7.0.12', [7, 0, 12, 0], 21, true],
    ['8.0', '8.0.0', [8, 0, 0, 0], 25, true],
    ['8.2.1', '8.2.1', [8, 2, 1, 0], 27, true],
  ])('report %s as version %s', async (given, version, versionArray, maxWireVersion, streams) => {
    const { client } = world({ version: given });
    expect(await client.plain({ buildInfo: 1 })).toMatchObject({ version, versionArray });
    const hello = await client.plain({ isMaster: 1 });
    expect(hello).toMatchObject({ minWireVersion: 0, maxWireVersion });
    expect('topologyVersion' in hello).toBe(streams);
  });

  test.each(['8', '3.6.0', '8.3.0', 'eight'])('version %s is rejected', version => {
    expect(() => world({ version })).toThrow(RangeError);
  });
});

test('errors have labels and the topologyVersion from version 4.4 on', async () => {
  const errorOf = async (version: string): Promise<Document> => {
    const { client } = world({ replicaSet: 'rs0', testCommands: true, version });
    const data = { failCommands: ['insert'], errorCode: 10107 };
    await client.plain({ configureFailPoint: 'failCommand', mode: 'alwaysOn', data }, 'admin');
    const lsid = { id: new UUID('00112233-4455-6677-8899-aabbccddeeff') };
    const { errorLabels, topologyVersion } = await client.plain({ ...insert({}), lsid, txnNumber: Long.ONE });
    return { errorLabels, streams: topologyVersion !== undefined };
  };
  expect([await errorOf('4.2.0'), await errorOf('4.4.0')]).toEqual([
    { errorLabels: undefined, streams: false },
    { errorLabels: ['RetryableWriteError'], streams: true },
  ]);
});
