import { Long } from 'bson';
import { expect, test } from 'vitest';
import { typed, world } from '../client.js';

const transaction = { txnNumber: new Long(1), autocommit: false };

test('validate is not done in full and in the background', async () => {
  const { client } = world();
  await client.plain({ create: 'c' });
  expect(await client.refusal({ validate: 'c', full: true, background: true })).toMatch(/^72 /);
  expect(await client.plain({ validate: 'c', background: true })).toMatchObject({ valid: true });
});

test.each(['$out', '$merge'])('%s is not done with the read concern linearizable', async stage => {
  const { client } = world({ replicaSet: 'rs0' });
  const aggregate = {
    aggregate: 'c',
    pipeline: [{ [stage]: 'd' }],
    cursor: {},
    readConcern: { level: 'linearizable' },
  };
  expect(await client.refusal(aggregate)).toBe(`72 ${stage} cannot be used with a 'linearizable' read concern level`);
});

test('a bulkWrite’s namespaces have no NUL in them', async () => {
  const bulk = { bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'db.a\0b' }] };
  expect(await world().client.refusal(bulk, 'admin')).toMatch(/^73 Invalid namespace specified for bulkWrite/);
});

test('sizes are ints where they fit, whatever they were given as', async () => {
  const { client } = world();
  await client.plain({ create: 'c', capped: true, size: new Long(4000), max: new Long(2) });
  const { cursor } = await client.run({ listCollections: 1 });
  expect(typed(cursor)).toContain('"options":{"capped":true,"size":{"$numberInt":"4096"},"max":{"$numberInt":"2"}}');
});

test('a text index is one field, and may expire', async () => {
  const { client } = world();
  const index = { key: { foo: 'text' }, name: 'a', expireAfterSeconds: 10 };
  expect(await client.plain({ createIndexes: 'c', indexes: [index] })).toMatchObject({ ok: 1 });
  const compound = { key: { foo: 1, bar: 1 }, name: 'b', expireAfterSeconds: 10 };
  expect(await client.refusal({ createIndexes: 'c', indexes: [compound] })).toMatch(/^67 TTL indexes are single-field/);
});

test('in a transaction a collection that is there cannot be created, and a bulkWrite’s results can be fetched', async () => {
  const { client } = world({ replicaSet: 'rs0' });
  await client.plain({ create: 'c' });
  expect(await client.plain({ create: 'c' })).toMatchObject({ ok: 1 });
  const { id } = (await client.run({ startSession: 1 }, 'admin'))['id'] as { id: unknown };
  const inside = { ...transaction, lsid: { id } };
  expect(await client.refusal({ create: 'c', ...inside, startTransaction: true })).toMatch(/^48 /);
  const again = { ...inside, txnNumber: new Long(2) };
  const ops = [
    { insert: 0, document: {} },
    { insert: 0, document: {} },
  ];
  const bulk = {
    bulkWrite: 1,
    ops,
    nsInfo: [{ ns: 'db.c' }],
    cursor: { batchSize: 1 },
    ...again,
    startTransaction: true,
  };
  const { cursor } = await client.run(bulk, 'admin');
  const more = { getMore: cursor.id, collection: '$cmd.bulkWrite', ...again };
  expect((await client.plain(more, 'admin'))['cursor']).toMatchObject({ nextBatch: [{ ok: 1, idx: 1, n: 1 }] });
});

test('explain has something to explain: null is nothing', async () => {
  expect(await world().client.refusal({ explain: null })).toBe(
    "40414 BSON field 'explain.explain' is missing but a required field",
  );
});

test('what is explained has the fields that its command takes', async () => {
  const { client } = world();
  expect(await client.refusal({ explain: { find: 'c', filter: /a/ } })).toBe(
    "14 BSON field 'find.filter' is the wrong type 'regex', expected type 'object'",
  );
  expect(await client.refusal({ explain: { find: 'c', filler: {} } })).toBe(
    "40415 BSON field 'find.filler' is an unknown field.",
  );
  expect(await client.plain({ explain: { aggregate: 'c', pipeline: [] } })).toMatchObject({ ok: 1 });
});

test.each([
  ['$out', "17385 Can't $out to special collection: system.d"],
  ['$merge', '31319 Cannot $merge to special collection: system.d'],
])('%s is not done to a collection of the system', async (stage, refusal) => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
  expect(await client.refusal({ aggregate: 'c', pipeline: [{ [stage]: 'system.d' }], cursor: {} })).toBe(refusal);
});

test('the simple collation has no other fields', async () => {
  const { client } = world();
  const collation = { locale: 'simple', strength: 1 };
  expect(await client.refusal({ find: 'c', collation })).toBe(
    '9 If locale=simple, no other fields should be present in: { locale: "simple", strength: 1 }',
  );
});

test('collMod names its own fields', async () => {
  const { client } = world();
  await client.plain({ create: 'c' });
  const refusal = (name: string) => `2 Enumeration value 'x' for field '${name}.validationLevel' is not a valid value.`;
  expect(await client.refusal({ collMod: 'c', validationLevel: 'x' })).toBe(refusal('collMod'));
  expect(await client.refusal({ create: 'd', validationLevel: 'x' })).toBe(refusal('create'));
});
