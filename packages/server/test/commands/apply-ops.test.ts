import type { Document } from 'bson';
import { BSON, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { Client, world } from '../client.js';
import { members, nearest } from '../../../cluster/test/cluster/members.js';
import { logIn } from '../auth/scram-client.js';

const apply = (client: Client, applyOps: readonly Document[], more: Document = {}): Promise<Document> =>
  client.plain({ applyOps, ...more }, 'admin');

const all = async (client: Client, collection = 'c'): Promise<readonly Document[]> =>
  (await client.plain({ find: collection, sort: { _id: 1 } })).cursor.firstBatch;

const filled = async (...docs: readonly Document[]): Promise<Client> => {
  const { client } = world();
  await client.run({ create: 'c' });
  if (docs.length > 0) await client.run({ insert: 'c', documents: docs });
  return client;
};

const insert = (o: Document, more: Document = {}): Document => ({ op: 'i', ns: 'db.c', o, ...more });
const update = (_id: unknown, o: Document, more: Document = {}): Document => ({
  ...{ op: 'u', ns: 'db.c', o2: { _id }, o },
  ...more,
});
const diff = (difference: Document): Document => ({ $v: 2, diff: difference });
const inArray = (change: Document): Document => update(1, diff({ slist: { a: true, ...change } }));
const remove = (_id: unknown): Document => ({ op: 'd', ns: 'db.c', o: { _id } });
const run = (o: Document, more: Document = {}): Document => ({ op: 'c', ns: 'db.$cmd', o, ...more });

const done = (...results: readonly boolean[]): Document => ({ applied: results.length, results, ok: 1 });

const uuidOf = async (client: Client): Promise<unknown> => {
  const { cursor } = await client.plain({ listCollections: 1, filter: { name: 'c' } });
  return (cursor.firstBatch[0] as unknown as { info: { uuid: unknown } }).info.uuid;
};

describe('applyOps', () => {
  test('inserts, updates and removes documents in order, and ignores notes', async () => {
    const client = await filled({ _id: 1, a: 1 });
    const ops = [
      insert({ _id: 2 }),
      { op: 'n', ns: '', o: { msg: 'a note' } },
      update(1, diff({ u: { a: 2 }, i: { b: 3 } })),
      update(2, { _id: 2, whole: true }),
      insert({ _id: 3 }),
      remove(3),
    ];
    expect(await apply(client, ops)).toEqual(done(true, true, true, true, true));
    expect(await all(client)).toEqual([
      { _id: 1, a: 2, b: 3 },
      { _id: 2, whole: true },
    ]);
  });

  test('runs on any database', async () => {
    const client = await filled();
    expect(await client.plain({ applyOps: [insert({ _id: 1 })] }, 'other')).toEqual(done(true));
    expect(await all(client)).toEqual([{ _id: 1 }]);
  });

  test('accepts no operations', async () => {
    expect(await apply(await filled(), [])).toEqual(done());
  });

  test('replaces a document whose _id exists already, and removes a missing one without an error', async () => {
    const client = await filled({ _id: 1, a: 1 });
    expect(await apply(client, [insert({ _id: 1, b: 1 }), remove(7)])).toEqual(done(true, true));
    expect(await all(client)).toEqual([{ _id: 1, b: 1 }]);
  });

  test('inserts a missing document with an update, except with alwaysUpsert: false', async () => {
    const client = await filled();
    expect(await apply(client, [update(1, diff({ i: { a: 1 } }))])).toEqual(done(true));
    const refused = await apply(client, [update(2, diff({ u: { a: 1 } })), update(3, { _id: 3 }, { b: true })], {
      alwaysUpsert: false,
    });
    expect(refused).toEqual({
      ...{ ok: 0, code: 8, codeName: 'UnknownError', errmsg: 'applyOps had one or more errors applying ops' },
      ...{ applied: 2, results: [false, true] },
    });
    expect(await all(client)).toEqual([{ _id: 1, a: 1 }, { _id: 3 }]);
  });

  test('ends with the first error, and keeps the operations before it', async () => {
    const client = await filled({ _id: 0, x: 1 });
    await client.run({ createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x_1', unique: true }] });
    const reply = await apply(client, [insert({ _id: 1, x: 0 }), insert({ _id: 2, x: 1 }), insert({ _id: 3 })]);
    expect(reply).toMatchObject({ ok: 0, code: 11000, applied: 2, results: [true, false] });
    expect(await all(client)).toEqual([
      { _id: 0, x: 1 },
      { _id: 1, x: 0 },
    ]);
  });

  test('deletes from a missing collection without an error, but neither inserts nor updates there', async () => {
    const { client } = world();
    expect(await apply(client, [remove(1)])).toEqual(done(true));
    for (const op of [insert({ _id: 1 }), update(1, diff({ u: { a: 1 } }))]) {
      const reply = await apply(client, [op]);
      expect(reply).toMatchObject({ ok: 0, code: 26, applied: 1, results: [false] });
      expect(reply['errmsg']).toMatch(/^cannot apply insert or update operation on a non-existent namespace db\.c: \{/);
    }
  });

  test('refuses a namespace whose UUID is that of another collection', async () => {
    const client = await filled();
    const ui = await uuidOf(client);
    expect(await apply(client, [insert({ _id: 1 }, { ui })])).toEqual(done(true));
    expect(await apply(client, [insert({ _id: 2 }, { ui: new UUID() })])).toMatchObject({ code: 8, results: [false] });
    expect(await all(client)).toEqual([{ _id: 1 }]);
  });

  test('skips validation with bypassDocumentValidation only', async () => {
    const client = await filled();
    await client.run({ collMod: 'c', validator: { a: 1 } });
    expect(await apply(client, [insert({ _id: 1 })])).toMatchObject({ code: 121, results: [false] });
    expect(await apply(client, [insert({ _id: 1 })], { bypassDocumentValidation: true })).toEqual(done(true));
  });

  test('refuses views', async () => {
    const client = await filled();
    await client.run({ create: 'v', viewOn: 'c' });
    expect(await apply(client, [insert({ _id: 1 }, { ns: 'db.v' })])).toMatchObject({
      code: 166,
      errmsg: 'applyOps not supported on view: db.v',
    });
  });
});

const differences: readonly (readonly [title: string, before: Document, difference: Document, after: Document])[] = [
  ['removes fields', { a: 1, b: 2 }, { d: { a: false, x: false } }, { b: 2 }],
  [
    'changes fields in place, and adds missing ones in order',
    { a: 1, b: 2 },
    { u: { z: 1, a: 3, y: 2 } },
    { a: 3, b: 2, z: 1, y: 2 },
  ],
  ['adds fields at the end', { a: 1, b: 2 }, { i: { a: 4, c: 5 } }, { b: 2, a: 4, c: 5 }],
  ['changes nested documents', { a: { b: 1, c: 2 } }, { sa: { d: { b: false }, u: { c: 3 } } }, { a: { c: 3 } }],
  ['changes items of arrays', { a: [1, 2, 3] }, { sa: { a: true, u1: 9, u4: 8 } }, { a: [1, 9, 3, null, 8] }],
  ['changes documents in arrays', { a: [{ b: 1 }] }, { sa: { a: true, s0: { i: { c: 2 } } } }, { a: [{ b: 1, c: 2 }] }],
  ['shortens arrays', { a: [1, 2, 3] }, { sa: { a: true, l: 1 } }, { a: [1] }],
  ['lengthens arrays', { a: [1] }, { sa: { a: true, l: 2 } }, { a: [1, null] }],
  ['ignores the difference of an array for another value', { a: null }, { sa: { a: true, u0: 1 } }, { a: null }],
  [
    'ignores the difference of a document for another value',
    { a: null },
    { u: { b: 2 }, sa: { u: { c: 2 } } },
    { a: null, b: 2 },
  ],
  ['ignores the difference of a missing field', {}, { sa: { u: { c: 2 } } }, {}],
];

test.each(differences)('a difference %s', async (_title, before, difference, after) => {
  const client = await filled({ _id: 1, ...before });
  expect(await apply(client, [update(1, diff(difference))])).toEqual(done(true));
  expect(JSON.stringify(await all(client))).toEqual(JSON.stringify([{ _id: 1, ...after }]));
});

describe('commands in applyOps', () => {
  test('create, modify, rename and drop collections', async () => {
    const client = await filled();
    await client.run({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
    const changes = [
      run({ collMod: 'c', index: { name: 'a_1', hidden: true } }),
      run({ dropIndexes: 'c', index: 'a_1' }),
      run({ deleteIndex: 'c', index: 'a_1' }),
      run({ drop: 'c' }),
      run({ drop: 'c' }),
    ];
    expect(await apply(client, changes)).toEqual(done(true, true, true, true, true));
    expect(await apply(client, [run({ create: 'd', capped: true, size: 4096 })])).toEqual(done(true));
    expect(await apply(client, [run({ renameCollection: 'db.d', to: 'db.e' })])).toEqual(done(true));
    const { cursor } = await client.plain({ listCollections: 1, nameOnly: true });
    expect(cursor.firstBatch).toEqual([{ name: 'e', type: 'collection' }]);
    expect(await apply(client, [run({ dropDatabase: 1 })])).toEqual(done(true));
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toEqual([]);
  });

  test('create a collection with its UUID', async () => {
    const { client } = world();
    const ui = new UUID();
    expect(await apply(client, [run({ create: 'c' }, { ui })])).toEqual(done(true));
    expect(await uuidOf(client)).toEqual(ui);
  });

  test('nest, at most ten levels deep', async () => {
    const client = await filled();
    const nested = (depth: number): Document =>
      depth === 0 ? insert({ _id: 1 }) : run({ applyOps: [nested(depth - 1)] });
    expect(await apply(client, [nested(10)])).toEqual(done(true));
    expect(await all(client)).toEqual([{ _id: 1 }]);
    expect(await apply(client, [nested(11)])).toMatchObject({ code: 9, errmsg: 'Too many nested applyOps' });
    const failing = run({ applyOps: [update(9, diff({ u: { a: 1 } }))], alwaysUpsert: false });
    expect(await apply(client, [failing])).toMatchObject({ code: 8, applied: 1, results: [false] });
  });

  const refusals: readonly (readonly [o: Document, error: string])[] = [
    [{ createIndexes: 'c' }, '115 The createIndexes operation is not supported in applyOps mode'],
    [{ startIndexBuild: 'c' }, '115 The startIndexBuild operation is not supported in applyOps mode'],
    [{ commitTransaction: 1 }, '50987 commitTransaction is only used internally by secondaries.'],
    [{ find: 'c' }, "2 Invalid key 'find' found in field 'o'"],
    [{ toString: 1 }, "2 Invalid key 'toString' found in field 'o'"],
    [{}, "2 Invalid key '' found in field 'o'"],
  ];

  test.each(refusals)('%o is refused', async (o, error) => {
    const client = await filled();
    expect(await client.refusal({ applyOps: [run(o)] }, 'admin')).toBe(error);
  });
});

const invalid: readonly (readonly [command: Document, error: string])[] = [
  [{ applyOps: 'no array' }, '13111 Wrong type for field (applyOps) string != array'],
  [{ applyOps: ['no object'] }, '13111 Wrong type for field (0) string != object'],
  [{ applyOps: [{ ns: 'db.c' }] }, '10065 Wrong type for field (op) missing != string'],
  [{ applyOps: [{ op: 12345, ns: 'db.c' }] }, '13111 Wrong type for field (op) int != string'],
  [{ applyOps: [{ op: '', ns: 'db.c' }] }, '20 "op" field value cannot be empty: 0'],
  [{ applyOps: [{ op: 'd' }] }, '20 op does not contain required "ns" field: 0'],
  [{ applyOps: [{ op: 'd', ns: 1 }] }, '20 "ns" field is not a string: 0'],
  [{ applyOps: [{ op: 'd', ns: '' }] }, `20 "ns" field value cannot be empty when op type is not 'n': 0`],
  [{ applyOps: [{ op: 'd', ns: 'c', o: { _id: 1 } }] }, '73 invalid ns: "c"'],
  [{ applyOps: [{ op: 'c', ns: 'db.$cmd' }] }, '10065 Wrong type for field (o) missing != object'],
  [{ applyOps: [{ op: 'c', ns: 'db.$cmd', o: 'bar' }] }, '13111 Wrong type for field (o) string != object'],
  [
    { applyOps: [{ op: 'x', ns: 'db.c' }] },
    "2 Enumeration value 'x' for field 'OplogEntryBase.op' is not a valid value.",
  ],
  [{ applyOps: [{ op: 'i', ns: 'db.c' }] }, "40414 BSON field 'OplogEntryBase.o' is missing but a required field"],
  [{ applyOps: [insert([])] }, "14 BSON field 'OplogEntryBase.o' is the wrong type 'array', expected type 'object'"],
  [
    { applyOps: [{ op: 'd', ns: 'db.c', o: {} }] },
    '4 Failed to apply delete due to missing _id: { op: "d", ns: "db.c", o: {} }',
  ],
  [{ applyOps: [{ op: 'u', ns: 'db.c', o: diff({}) }] }, /^4 Failed to apply update due to missing _id: /.source],
  [{ applyOps: [update(1, { $v: 1, $set: { z: 1 } })] }, '4772600 Expected _id field or $v:2, but got: $v: 1'],
  [{ applyOps: [update(1, { $set: { z: 1 } })] }, '4772600 Expected _id field or $v:2, but got: EOO'],
  [{ applyOps: [update(1, diff({}))] }, '4770500 Expected a difference of a document not to be empty'],
  [{ applyOps: [update(1, { $v: 2 })] }, "4772601 Expected 'diff' field to be an object, instead got type: missing"],
  [{ applyOps: [], preCondition: [] }, "6711600 applyOps command no longer supports the 'preCondition' option"],
  [{ applyOps: [], prepare: true }, "2 applyOps command can't have 'prepare' field"],
  [{ applyOps: [], partialTxn: true }, "31056 applyOps command can't have 'partialTxn' field."],
  [{ applyOps: [], count: 1 }, "31240 applyOps command can't have 'count' field."],
  [{ applyOps: [run({ dropDatabase: 1 }), remove(1)] }, '6275900 dropDatabase in an applyOps must be the only entry'],
  [{ applyOps: [run({ applyOps: [{ op: 'i', o: {} }] })] }, '20 op does not contain required "ns" field: 0'],
  [{ applyOps: [run({ applyOps: [run({ create: 'd' }, { ns: '$x.$cmd' })] })] }, '73 invalid ns: "$x.$cmd"'],
  [
    { applyOps: [run({ create: 'd' }, { ui: new BSON.Binary(new Uint8Array(16), 0) })] },
    "14 BSON field 'OplogEntryBase.ui'",
  ],
  [{ applyOps: [inArray({ l: 1.5 })] }, '4770507 Expected l section to be an int'],
  [{ applyOps: [inArray({ l: -1 })] }, '10334 The array of the difference would have -1 items'],
  [{ applyOps: [inArray({ l: 5000000 })] }, '10334 The array of the difference would have 5000000 items'],
  [{ applyOps: [inArray({ u999999999: 1 })] }, '10334 The array of the difference would have 1000000000 items'],
  [{ applyOps: [inArray({ s1e9: {} })] }, '4770512 Expected integer but got 1e9'],
  [{ applyOps: [inArray({ s0: 1 })] }, '4770501 Expected a difference of the item 0'],
  [{ applyOps: [inArray({ x0: 1 })] }, "4770502 Expected either 'u' or 's' at index 0"],
  [{ applyOps: [update(1, diff({ u: 1 }))] }, '4770507 Expected u section to be an object'],
  [{ applyOps: [update(1, diff({ x: {} }))] }, '4770503 Unexpected section: x in document diff'],
  [
    { applyOps: [run({ applyOps: [run({ dropDatabase: 1 })] })] },
    '9585500 dropDatabase is not allowed inside nested applyOps',
  ],
];

test.each(invalid)('applyOps refuses %o', async (command, error) => {
  const client = await filled({ _id: 1, list: [1] });
  expect(await client.refusal(command, 'admin')).toContain(error.replace(/^\^/, ''));
  expect(await all(client)).toEqual([{ _id: 1, list: [1] }]);
});

describe('on a replica set member', () => {
  test('each operation has its own oplog entry', async () => {
    const { clients, close } = members(1);
    const client = clients[0]!;
    await client.run({ create: 'c' });
    await client.run({ applyOps: [insert({ _id: 1 }), update(1, diff({ i: { a: 1 } })), remove(1), remove(1)] });
    const filter = { ns: 'db.c' };
    const { cursor } = await client.plain({ find: 'oplog.rs', filter, ...nearest }, 'local');
    expect(cursor.firstBatch.map(({ op, o }) => ({ op, o }))).toEqual([
      { op: 'i', o: { _id: 1 } },
      { op: 'u', o: { $v: 2, diff: { i: { a: 1 } } } },
      { op: 'd', o: { _id: 1 } },
    ]);
    await close();
  });

  test('a secondary refuses it', async () => {
    const { clients, close } = members(2);
    expect(await clients[1]!.refusal({ applyOps: [] }, 'admin')).toBe('10107 not primary');
    await close();
  });
});

test('BSON of a difference keeps the types of its values', async () => {
  const client = await filled({ _id: 1 });
  await apply(client, [update(1, diff({ i: { long: BSON.Long.fromNumber(5), double: new BSON.Double(5) } }))]);
  const { cursor } = await client.run({ find: 'c' });
  expect(cursor.firstBatch).toEqual([
    { _id: new BSON.Int32(1), long: BSON.Long.fromNumber(5), double: new BSON.Double(5) },
  ]);
});

describe('privileges of applyOps', () => {
  const open = async (...actions: readonly string[]): Promise<Client> => {
    const { server, client: boss } = world({ users: [{ user: 'root', pwd: 'root' }] });
    await logIn(boss, 'root', 'root');
    await boss.plain({ create: 'c' });
    const privileges = [
      { resource: { cluster: true }, actions: ['applyOps', ...actions.filter(one => one.endsWith('UUID'))] },
      { resource: { db: 'db', collection: 'c' }, actions: actions.filter(one => !one.endsWith('UUID')) },
    ];
    await boss.plain({ createRole: 'clerk', privileges, roles: [] }, 'admin');
    await boss.plain({ createUser: 'ada', pwd: 'pencil', roles: ['clerk'] }, 'admin');
    const ada = new Client(server);
    await logIn(ada, 'ada', 'pencil', { db: 'admin' });
    return ada;
  };

  test('are those of its operations', async () => {
    const ada = await open('insert', 'update');
    expect(await apply(ada, [insert({ _id: 1 }), update(1, diff({ u: { a: 1 } }))])).toEqual(done(true, true));
    expect(await apply(ada, [remove(1)])).toMatchObject({ code: 13 });
    expect(await apply(ada, [insert({ _id: 2 }, { ns: 'db.d' })])).toMatchObject({ code: 13 });
    expect(await apply(ada, [run({ drop: 'c' })])).toMatchObject({ code: 13 });
    expect(await apply(ada, [run({ applyOps: [remove(1)] })])).toMatchObject({ code: 13 });
    expect(await apply(ada, [{ op: 'n', ns: '', o: {} }])).toMatchObject({ code: 13 });
    expect(await apply(ada, [{ op: 'toString', ns: 'db.c', o: {} }])).toMatchObject({ code: 9 });
    expect(await apply(ada, [run({ unknown: 1 })])).toMatchObject({ code: 9 });
  });

  test('include bypassDocumentValidation if the command has the option, also for nested operations', async () => {
    const ops = [run({ applyOps: [insert({ _id: 1 })] })];
    const option = { bypassDocumentValidation: true };
    expect(await apply(await open('insert'), ops, option)).toMatchObject({ code: 13 });
    expect(await apply(await open('insert', 'bypassDocumentValidation'), ops, option)).toEqual(done(true));
  });

  test('include useUUID for a UUID, and all privileges for no operations', async () => {
    const ui = new UUID();
    expect(await apply(await open('insert'), [insert({ _id: 1 }, { ui })])).toMatchObject({ code: 13 });
    expect(await apply(await open('insert', 'useUUID'), [insert({ _id: 1 }, { ui })])).toMatchObject({ code: 8 });
    expect(await apply(await open('insert'), [])).toMatchObject({ code: 13 });
  });
});
