import type { Document } from 'bson';
import { Long } from 'bson';
import { expect, test } from 'vitest';
import { typed, world } from '../client.js';

const transaction = { txnNumber: new Long(1), autocommit: false };

test('validate rejects full: true together with background: true', async () => {
  const { client } = world();
  await client.plain({ create: 'c' });
  expect(await client.refusal({ validate: 'c', full: true, background: true })).toMatch(/^72 /);
  expect(await client.plain({ validate: 'c', background: true })).toMatchObject({ valid: true });
});

test.each(['$out', '$merge'])('%s rejects the read concern linearizable', async stage => {
  const { client } = world({ replicaSet: 'rs0' });
  const aggregate = {
    aggregate: 'c',
    pipeline: [{ [stage]: 'd' }],
    cursor: {},
    readConcern: { level: 'linearizable' },
  };
  expect(await client.refusal(aggregate)).toBe(`72 ${stage} cannot be used with a 'linearizable' read concern level`);
});

test('bulkWrite rejects a namespace that contains NUL', async () => {
  const bulk = { bulkWrite: 1, ops: [{ insert: 0, document: {} }], nsInfo: [{ ns: 'db.a\0b' }] };
  expect(await world().client.refusal(bulk, 'admin')).toMatch(/^73 Invalid namespace specified for bulkWrite/);
});

test('listCollections returns sizes as int32 where they fit, even if they were given as long', async () => {
  const { client } = world();
  await client.plain({ create: 'c', capped: true, size: new Long(4000), max: new Long(2) });
  const { cursor } = await client.run({ listCollections: 1 });
  expect(typed(cursor)).toContain('"options":{"capped":true,"size":{"$numberInt":"4000"},"max":{"$numberInt":"2"}}');
});

test('a text index of one field may have expireAfterSeconds, and a compound index may not', async () => {
  const { client } = world();
  const index = { key: { foo: 'text' }, name: 'a', expireAfterSeconds: 10 };
  expect(await client.plain({ createIndexes: 'c', indexes: [index] })).toMatchObject({ ok: 1 });
  const compound = { key: { foo: 1, bar: 1 }, name: 'b', expireAfterSeconds: 10 };
  expect(await client.refusal({ createIndexes: 'c', indexes: [compound] })).toMatch(/^67 TTL indexes are single-field/);
});

test('in a transaction, create fails if the collection exists, and getMore returns the results of a bulkWrite', async () => {
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

test('explain: null is rejected as a missing command', async () => {
  expect(await world().client.refusal({ explain: null })).toBe(
    "40414 BSON field 'explain.explain' is missing but a required field",
  );
});

test.each(['$derivative', '$integral'])('explain checks the pipeline: a unit of %s above a week fails', async name => {
  const { client } = world();
  const output = { x: { [name]: { input: '$a', unit: 'month' }, window: { documents: [-1, 0] } } };
  const pipeline = [{ $setWindowFields: { sortBy: { t: 1 }, output } }];
  const message = "5490710 unit must be 'week' or smaller";
  expect(await client.refusal({ explain: { aggregate: 'c', pipeline, cursor: {} } })).toBe(message);
  expect(await client.refusal({ aggregate: 'c', pipeline, explain: true })).toBe(message);
});

test.each<readonly [Document]>([[{ $match: {} }], [{ $out: 'd' }], [{ $merge: 'd' }]])(
  'an explained aggregation with %j rejects a write concern with code 9, and other aggregations accept it',
  async stage => {
    const { client } = world();
    const aggregate = { aggregate: 'c', pipeline: [stage], writeConcern: { w: 1 } };
    const refusal = "9 Aggregation explain does not support the 'writeConcern' option";
    expect(await client.refusal({ ...aggregate, explain: true })).toBe(refusal);
    for (const verbosity of ['queryPlanner', 'executionStats', 'allPlansExecution'])
      expect(await client.refusal({ explain: { ...aggregate, cursor: {} }, verbosity })).toBe(refusal);
    expect(await client.plain({ ...aggregate, explain: false, cursor: {} })).toMatchObject({ ok: 1 });
  },
);

test('explain validates the fields of the explained command', async () => {
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
])('%s rejects a system collection as its target', async (stage, refusal) => {
  const { client } = world();
  await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
  expect(await client.refusal({ aggregate: 'c', pipeline: [{ [stage]: 'system.d' }], cursor: {} })).toBe(refusal);
});

test('the simple collation rejects other fields', async () => {
  const { client } = world();
  const collation = { locale: 'simple', strength: 1 };
  expect(await client.refusal({ find: 'c', collation })).toBe(
    '9 If locale=simple, no other fields should be present in: { locale: "simple", strength: 1 }',
  );
});

test('errors of collMod name the fields of collMod', async () => {
  const { client } = world();
  await client.plain({ create: 'c' });
  const refusal = (name: string) => `2 Enumeration value 'x' for field '${name}.validationLevel' is not a valid value.`;
  expect(await client.refusal({ collMod: 'c', validationLevel: 'x' })).toBe(refusal('collMod'));
  expect(await client.refusal({ create: 'd', validationLevel: 'x' })).toBe(refusal('create'));
});
