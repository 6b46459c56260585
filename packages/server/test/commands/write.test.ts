import type { Document } from 'bson';
import { BSON, Decimal128, Double, Int32, Long, ObjectId } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, Row } from '../client.js';
import { frameOf, typed, world } from '../client.js';

const all = async (client: Pick<Client, 'plain'>, filter: Document = {}): Promise<readonly Row[]> =>
  (await client.plain({ find: 'c', filter })).cursor.firstBatch;

describe('insert', () => {
  test('returns the number of inserted documents as an int32, and creates the collection', async () => {
    const { client } = world();
    expect(typed(await client.run({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] }))).toBe(
      '{"n":{"$numberInt":"2"},"ok":{"$numberDouble":"1.0"}}',
    );
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toMatchObject([
      { name: 'c', type: 'collection' },
    ]);
  });

  test('a failed document is a write error in a reply with ok: 1; n counts the inserted documents', async () => {
    const { client } = world();
    const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
    expect(await client.plain({ insert: 'c', documents })).toEqual({
      n: 1,
      writeErrors: [
        {
          index: 1,
          code: 11000,
          keyPattern: { _id: 1 },
          keyValue: { _id: 1 },
          errmsg: 'E11000 duplicate key error collection: db.c index: _id_ dup key: { _id: 1 }',
        },
      ],
      ok: 1,
    });
    const unordered = await client.plain({ insert: 'd', documents, ordered: false });
    expect([unordered.n, unordered.writeErrors.length]).toEqual([2, 1]);
  });

  test('adds a missing _id, and moves _id to the front', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ a: 1 }, { a: 2, _id: 5 }] });
    const [first, second] = await all(client);
    expect(Object.keys(first!)).toEqual(['_id', 'a']);
    expect(first!._id).toBeInstanceOf(ObjectId);
    expect(Object.keys(second!)).toEqual(['_id', 'a']);
  });

  test('1, 1L, 1.0 and 1.00 are the same _id', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: new Int32(1) }] });
    for (const _id of [Long.fromNumber(1), new Double(1), Decimal128.fromString('1.00')]) {
      const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id }] });
      expect(writeErrors[0]!.code).toBe(11000);
      expect(await all(client, { _id })).toHaveLength(1);
    }
  });

  test('the duplicate key error shows the type of the key', async () => {
    const { client } = world();
    const messageOf = async (_id: unknown): Promise<string> => {
      await client.plain({ insert: 'c', documents: [{ _id }] });
      return (await client.plain({ insert: 'c', documents: [{ _id }] })).writeErrors[0]!.errmsg;
    };
    expect(await messageOf(new Double(2))).toContain('dup key: { _id: 2.0 }');
    expect(await messageOf('x')).toContain('dup key: { _id: "x" }');
    expect(await messageOf(null)).toContain('dup key: { _id: null }');
    expect(await messageOf(new ObjectId('00112233445566778899aabb'))).toContain(
      "dup key: { _id: ObjectId('00112233445566778899aabb') }",
    );
    expect(await messageOf(new BSON.Binary(Uint8Array.of(0x20, 0x21)))).toContain('dup key: { _id: BinData(0, 2021) }');
    expect(await messageOf(new BSON.UUID('00112233-4455-6677-8899-aabbccddeeff'))).toContain(
      'dup key: { _id: UUID("00112233-4455-6677-8899-aabbccddeeff") }',
    );
  });

  test('rejects an array, a regular expression, and an embedded document with a $-prefixed field as _id', async () => {
    const { client } = world();
    const codeOf = async (_id: unknown): Promise<number> => {
      const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id }] });
      return writeErrors[0]!.code;
    };
    expect([await codeOf([1]), await codeOf(/a/), await codeOf({ $x: 1 })]).toEqual([2, 2, 52]);
  });

  test.each([
    [{ a: { $b: 1 } }, '$b'],
    [{ a: [{ $b: 1 }] }, '$b'],
    [{ $id: 1 }, '$id'],
    [{ $ref: 1, $id: 1 }, '$ref'],
    [{ a: 1, $ref: 'c', $id: 1 }, '$ref'],
    [{ $ref: 'c', $id: { $x: 1 } }, '$x'],
  ])('rejects the _id %j, which contains the name %s', async (_id, name) => {
    const errmsg = `_id fields may not contain '$'-prefixed fields: ${name} is not valid for storage.`;
    const { client } = world();
    const refused = await client.plain({ insert: 'c', documents: [{ _id }] });
    expect(refused.writeErrors).toEqual([{ index: 0, code: 52, errmsg }]);
    const updates = [{ q: { _id: { $eq: _id } }, u: { $set: { a: 1 } }, upsert: true }];
    expect(await client.plain({ update: 'c', updates })).toMatchObject({ writeErrors: [{ code: 52 }] });
  });

  test('accepts DBRefs in an _id', async () => {
    const { client } = world();
    const documents = [{ _id: { $ref: 'c', $id: 1 } }, { _id: { a: { $ref: 'c', $id: 1, $db: 'd' } } }];
    expect(await client.plain({ insert: 'c', documents })).toMatchObject({ n: 2 });
  });

  test('a rejected document does not create the collection, and an unordered batch with a valid one does', async () => {
    const { client } = world();
    const names = async (): Promise<unknown> =>
      (await client.plain({ listCollections: 1 })).cursor.firstBatch.map(({ name }) => name);
    const documents = [{ _id: /x/ }, { _id: 1 }];
    expect(await client.plain({ insert: 'c', documents })).toMatchObject({ n: 0, writeErrors: [{ code: 2 }] });
    const bulk = { bulkWrite: 1, ops: [{ insert: 0, document: { _id: /x/ } }], nsInfo: [{ ns: 'db.c' }] };
    expect(await client.plain(bulk, 'admin')).toMatchObject({ nErrors: 1 });
    expect(await names()).toEqual([]);
    expect(await client.plain({ insert: 'c', documents, ordered: false })).toMatchObject({ n: 1 });
    expect(await names()).toEqual(['c']);
  });

  test('replaces Timestamp(0, 0) at the top level by the current time', async () => {
    const { client } = world();
    const zero = new BSON.Timestamp({ t: 0, i: 0 });
    await client.plain({ insert: 'c', documents: [{ _id: 1, t: zero, d: { t: zero } }] });
    const [doc] = await all(client);
    expect([(doc!['t'] as BSON.Timestamp).t, (doc!['d'] as { t: BSON.Timestamp }).t.t]).toEqual([1_700_000_001, 0]);
  });

  test('rejects an empty batch', async () => {
    const { client } = world();
    expect(await client.refusal({ insert: 'c', documents: [] })).toBe(
      '16 Write batch sizes must be between 1 and 100000. Got 0 operations.',
    );
  });

  test('returns documents byte for byte: duplicate keys, integer-like keys, their order', async () => {
    const { client } = world();
    const field = (type: number, name: string, ...value: readonly number[]): number[] => [
      type,
      ...new TextEncoder().encode(name),
      0,
      ...value,
    ];
    const elements = [
      ...field(16, '_id', 1, 0, 0, 0),
      ...field(16, 'b', 1, 0, 0, 0),
      ...field(8, '0', 1),
      ...field(10, ''),
      ...field(16, 'b', 2, 0, 0, 0),
      ...field(10, '__proto__'),
      ...field(6, 'u'),
    ];
    const document = [elements.length + 5, 0, 0, 0, ...elements, 0];
    const sequence = [...new TextEncoder().encode('documents'), 0, ...document];
    const body = BSON.serialize({ insert: 'c', $db: 'db' });
    client.send(
      frameOf(1, 2013, Uint8Array.from([0, 0, 0, 0, 0, ...body, 1, sequence.length + 4, 0, 0, 0, ...sequence])),
    );
    expect((await client.next()).doc).toMatchObject({ n: { value: 1 } });
    for (const command of [
      { find: 'c' },
      { find: 'c', filter: { b: 1 }, sort: { b: -1 } },
      { aggregate: 'c', pipeline: [{ $match: { b: 1 } }], cursor: {} },
    ]) {
      await client.run(command).then(() => undefined);
      client.send(frameOf(2, 2013, Uint8Array.from([0, 0, 0, 0, 0, ...BSON.serialize({ ...command, $db: 'db' })])));
      const { bytes } = await client.next();
      expect([...bytes].join()).toContain(document.join());
    }
  });
});

describe('update', () => {
  const seed = [
    { _id: 1, a: 1 },
    { _id: 2, a: 1 },
    { _id: 3, a: 2 },
  ];
  const seeded = async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: seed });
    return client;
  };
  const update = (q: Document, u: unknown, more: Document = {}): Document => ({
    update: 'c',
    updates: [{ q, u, ...more }],
  });

  test('changes the first match, or all with multi; nModified counts only documents that change', async () => {
    const client = await seeded();
    expect(typed(await client.run(update({ a: 1 }, { $set: { b: 1 } })))).toBe(
      '{"n":{"$numberInt":"1"},"nModified":{"$numberInt":"1"},"ok":{"$numberDouble":"1.0"}}',
    );
    expect(await client.plain(update({ a: 1 }, { $set: { b: 1 } }, { multi: true }))).toEqual({
      n: 2,
      nModified: 1,
      ok: 1,
    });
    expect(await client.plain(update({ a: 9 }, { $set: { b: 1 } }))).toEqual({ n: 0, nModified: 0, ok: 1 });
    expect(await all(client)).toEqual([
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 1, b: 1 },
      { _id: 3, a: 2 },
    ]);
  });

  test('replacing an int by an equal long counts as a change', async () => {
    const client = await seeded();
    expect((await client.plain(update({ _id: 1 }, { $set: { a: Long.fromNumber(1) } }))).nModified).toBe(1);
    expect((await client.plain(update({ _id: 1 }, { $set: { a: Long.fromNumber(1) } }))).nModified).toBe(0);
  });

  test('an upsert without a match inserts, and returns the _id with the index of its statement', async () => {
    const client = await seeded();
    const reply = await client.run({
      update: 'c',
      updates: [
        { q: { _id: 1 }, u: { $set: { b: 1 } }, upsert: true },
        { q: { _id: 7, x: 'y' }, u: { $set: { b: 1 } }, upsert: true },
      ],
    });
    expect(typed(reply)).toBe(
      '{"n":{"$numberInt":"2"},"upserted":[{"index":{"$numberInt":"1"},"_id":{"$numberInt":"7"}}],"nModified":{"$numberInt":"1"},"ok":{"$numberDouble":"1.0"}}',
    );
    expect(await all(client, { _id: 7 })).toEqual([{ _id: 7, x: 'y', b: 1 }]);
  });

  test('rejects constants without a pipeline', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    for (const u of [{ $set: { a: 1 } }, { a: 1 }]) {
      expect(await client.plain(update({}, u, { c: { x: 1 } }))).toMatchObject({
        n: 0,
        writeErrors: [{ code: 51198, errmsg: 'Constant values may only be specified for pipeline updates' }],
      });
    }
    expect((await client.plain(update({}, [{ $set: { a: '$$x' } }], { c: { x: 1 } }))).nModified).toBe(1);
  });

  test('a replacement keeps the _id; another _id fails with code 66', async () => {
    const client = await seeded();
    await client.plain(update({ _id: 1 }, { z: 1 }));
    expect(await all(client, { _id: 1 })).toEqual([{ _id: 1, z: 1 }]);
    const { writeErrors } = await client.plain(update({ _id: 1 }, { _id: 9 }));
    expect(writeErrors).toMatchObject([{ index: 0, code: 66 }]);
    expect(await client.plain(update({}, { z: 1 }, { multi: true }))).toMatchObject({
      n: 0,
      ok: 1,
      writeErrors: [{ code: 9 }],
    });
  });

  test('a pipeline with an unknown stage fails the command, a disallowed stage only its statement', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    const command = (stage: Document): Document => ({
      update: 'c',
      updates: [
        { q: {}, u: { $set: { a: 1 } } },
        { q: {}, u: [stage] },
      ],
    });
    expect(await client.refusal(command({ $nope: 1 }))).toBe("40324 Unrecognized pipeline stage name: '$nope'");
    expect(await client.refusal(command({ $set: {}, $unset: 'a' }))).toMatch(/^40323 /);
    expect(await client.plain({ find: 'c' })).toMatchObject({ cursor: { firstBatch: [{ _id: 1 }] } });
    expect(await client.plain(command({ $match: {} }))).toMatchObject({ ok: 1, n: 1, writeErrors: [{ index: 1 }] });
  });

  test('accepts pipelines with let, arrayFilters, hint, collation and, from version 8.0 on, sort', async () => {
    const client = await seeded();
    await client.plain({ ...update({ _id: 1 }, [{ $set: { b: { $add: ['$a', '$$n'] } } }]), let: { n: 4 } });
    expect(await all(client, { _id: 1 })).toEqual([{ _id: 1, a: 1, b: 5 }]);
    await client.plain(update({ _id: 2 }, { $set: { l: [1, 5, 9] } }));
    await client.plain(update({ _id: 2 }, { $set: { 'l.$[x]': 0 } }, { arrayFilters: [{ x: { $gt: 3 } }] }));
    expect(await all(client, { _id: 2 })).toEqual([{ _id: 2, a: 1, l: [1, 0, 0] }]);
    await client.plain(update({}, { $set: { last: true } }, { sort: { _id: -1 } }));
    expect(await all(client, { last: true })).toEqual([{ _id: 3, a: 2, last: true }]);
    const wrong = await client.plain(update({}, { $set: { a: 1 } }, { hint: 'nope' }));
    expect(wrong.writeErrors[0]!.code).toBe(2);
    const older = world({ version: '7.0.0' }).client;
    expect(await older.refusal(update({}, { $set: { a: 1 } }, { sort: {} }))).toContain(
      "'update.updates.sort' is an unknown field",
    );
  });

  test('positional $ changes the element that matched', async () => {
    const client = await seeded();
    await client.plain(update({ _id: 1 }, { $set: { l: [1, 2, 3] } }));
    await client.plain(update({ _id: 1, l: 2 }, { $inc: { 'l.$': 10 } }));
    expect(await all(client, { _id: 1 })).toEqual([{ _id: 1, a: 1, l: [1, 12, 3] }]);
  });

  test('an error in the middle of a multi update keeps the changes made before it', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 'x' },
        { _id: 3, a: 1 },
      ],
    });
    const reply = await client.plain(update({}, { $inc: { a: 1 } }, { multi: true }));
    expect(reply.writeErrors).toMatchObject([{ index: 0, code: 14 }]);
    expect(await all(client)).toEqual([
      { _id: 1, a: 2 },
      { _id: 2, a: 'x' },
      { _id: 3, a: 1 },
    ]);
  });

  test('updates indexes, and changes nothing if a key is a duplicate', async () => {
    const client = await seeded();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { u: 1 }, name: 'u_1', unique: true, sparse: true }] });
    await client.plain(update({ _id: 1 }, { $set: { u: 5 } }));
    const reply = await client.plain(update({ _id: 2 }, { $set: { u: 5, z: 1 } }));
    expect(reply.writeErrors[0]).toMatchObject({ code: 11000, keyPattern: { u: 1 }, keyValue: { u: 5 } });
    expect(await all(client, { _id: 2 })).toEqual([{ _id: 2, a: 1 }]);
    await client.plain(update({ _id: 1 }, { $set: { u: 6 } }));
    expect((await client.plain(update({ _id: 2 }, { $set: { u: 5 } }))).nModified).toBe(1);
    expect((await client.plain({ find: 'c', filter: { u: 5 }, hint: 'u_1' })).cursor.firstBatch).toEqual([
      { _id: 2, a: 1, u: 5 },
    ]);
  });
});

describe('update with constants', () => {
  test.each([[{ foo: '$x' }], [{ foo: { $add: [1, 2] } }], [{ foo: '$$NOW' }]])(
    'the constants %j are values, not expressions',
    async c => {
      const { client } = world();
      await client.plain({ insert: 'c', documents: [{ _id: 1, x: 5 }] });
      const u = [{ $set: { y: '$$foo' } }];
      expect(await client.plain({ update: 'c', updates: [{ q: { _id: 1 }, u, c }] })).toMatchObject({ nModified: 1 });
      const nsInfo = [{ ns: 'db.d' }];
      await client.plain({ insert: 'd', documents: [{ _id: 1, x: 5 }] });
      const ops = [{ update: 0, filter: { _id: 1 }, updateMods: u, constants: c }];
      expect(await client.plain({ bulkWrite: 1, ops, nsInfo }, 'admin')).toMatchObject({ nModified: 1 });
      expect((await all(client))[0]).toMatchObject({ y: c.foo });
      expect((await client.plain({ find: 'd' })).cursor.firstBatch[0]).toMatchObject({ y: c.foo });
    },
  );

  test('an upsert with upsertSupplied inserts the constant "new"', async () => {
    const { client } = world();
    const u = [{ $set: { x: 1 } }];
    const statement = { q: { _id: 1 }, u, upsert: true, upsertSupplied: true, c: { new: { _id: 1, s: 'new' } } };
    expect(await client.plain({ update: 'c', updates: [statement] })).toMatchObject({ upserted: [{ _id: 1 }] });
    expect(await all(client)).toEqual([{ _id: 1, s: 'new' }]);
    // A document that matches is updated.
    expect(await client.plain({ update: 'c', updates: [statement] })).toMatchObject({ nModified: 1 });
    expect(await all(client)).toEqual([{ _id: 1, s: 'new', x: 1 }]);
    const op = { update: 0, filter: { _id: 2 }, updateMods: u, upsert: true, upsertSupplied: true };
    const ops = [{ ...op, constants: { new: { s: 'supplied' } } }];
    const nsInfo = [{ ns: 'db.c' }];
    expect(await client.plain({ bulkWrite: 1, ops, nsInfo }, 'admin')).toMatchObject({ nUpserted: 1 });
    expect(await all(client, { _id: 2 })).toEqual([{ _id: 2, s: 'supplied' }]);
  });

  test.each([
    [{ upsert: true }, "the parameter 'upsertSupplied' is set to 'true', but no document was supplied"],
    [{ upsert: true, c: { new: 1 } }, "the parameter 'upsertSupplied' is set to 'true', but no document was supplied"],
    [{ c: { new: {} } }, "cannot specify 'upsertSupplied: true' for a non-upsert operation"],
  ])('upsertSupplied with %j fails with code 9', async (rest, errmsg) => {
    const { client } = world();
    const statement = { q: { _id: 1 }, u: [{ $set: { x: 1 } }], upsertSupplied: true, ...rest };
    expect((await client.plain({ update: 'c', updates: [statement] })).writeErrors).toEqual([
      { index: 0, code: 9, errmsg },
    ]);
  });
});

describe('an upsert rejects $expr in its query with code 224', () => {
  const errmsg = '$expr is not allowed in the query predicate for an upsert';
  test.each([{ $expr: true }, { $and: [{ $expr: { $ne: ['$a', 2] } }] }])('%j', async q => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ a: 1 }] });
    for (const u of [{ $set: { b: 1 } }, { b: 1 }, [{ $set: { b: 1 } }]]) {
      expect((await client.plain({ update: 'c', updates: [{ q, u, upsert: true }] })).writeErrors).toEqual([
        { index: 0, code: 224, errmsg },
      ]);
      const modify = { findAndModify: 'c', query: q, update: u, upsert: true };
      expect(await client.refusal(modify)).toBe(`224 ${errmsg}`);
      expect(await client.plain({ update: 'c', updates: [{ q, u }] })).toMatchObject({ n: 1 });
    }
  });
});

describe('delete', () => {
  test('deletes one document with limit 1, all with limit 0, and rejects other limits with code 9', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ a: 1 }, { a: 1 }, { a: 1 }] });
    const remove = (limit: number): Document => ({ delete: 'c', deletes: [{ q: { a: 1 }, limit }] });
    expect(typed(await client.run(remove(1)))).toBe('{"n":{"$numberInt":"1"},"ok":{"$numberDouble":"1.0"}}');
    expect((await client.plain(remove(2))).writeErrors).toMatchObject([{ code: 9 }]);
    expect(await client.plain(remove(0))).toEqual({ n: 2, ok: 1 });
    expect(await client.plain(remove(0))).toEqual({ n: 0, ok: 1 });
  });
});

describe('findAndModify', () => {
  const seeded = async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ],
    });
    return client;
  };

  test('returns the document before the update, after it with new: true, or null', async () => {
    const client = await seeded();
    const modify = (more: Document): Document => ({
      findAndModify: 'c',
      query: { _id: 1 },
      update: { $inc: { a: 1 } },
      ...more,
    });
    expect(typed(await client.run(modify({})))).toBe(
      '{"lastErrorObject":{"n":{"$numberInt":"1"},"updatedExisting":true},"value":{"_id":{"$numberInt":"1"},"a":{"$numberInt":"1"}},"ok":{"$numberDouble":"1.0"}}',
    );
    expect((await client.plain(modify({ new: true }))).value).toEqual({ _id: 1, a: 3 });
    expect(await client.plain(modify({ query: { _id: 9 } }))).toEqual({
      lastErrorObject: { n: 0, updatedExisting: false },
      value: null,
      ok: 1,
    });
  });

  test('upserts, and returns null without new: true', async () => {
    const client = await seeded();
    const upsert = (_id: number, more: Document = {}): Document => ({
      findAndModify: 'c',
      query: { _id },
      update: { $set: { a: 0 } },
      upsert: true,
      ...more,
    });
    expect(await client.plain(upsert(8))).toEqual({
      lastErrorObject: { n: 1, updatedExisting: false, upserted: 8 },
      value: null,
      ok: 1,
    });
    expect((await client.plain(upsert(9, { new: true }))).value).toEqual({ _id: 9, a: 0 });
  });

  test('removes a document, and omits updatedExisting', async () => {
    const client = await seeded();
    const remove = { findAndModify: 'c', sort: { a: -1 }, remove: true, fields: { a: 1, _id: 0 } };
    expect(await client.plain(remove)).toEqual({ lastErrorObject: { n: 1 }, value: { a: 2 }, ok: 1 });
    await client.plain(remove);
    expect(await client.plain(remove)).toEqual({ lastErrorObject: { n: 0 }, value: null, ok: 1 });
  });

  test('rejects contradictory options with code 9, and returns execution errors with their context', async () => {
    const client = await seeded();
    expect(await client.refusal({ findAndModify: 'c' })).toBe('9 Either an update or remove=true must be specified');
    expect(await client.refusal({ findAndModify: 'c', remove: true, upsert: true })).toMatch(/^9 /);
    expect(await client.refusal({ findAndModify: 'c', remove: true, new: true })).toMatch(/^9 /);
    const twice = { findAndModify: 'c', query: { _id: 1 }, update: { $set: { _id: 5 } } };
    expect(await client.refusal(twice)).toBe(
      "66 Plan executor error during findAndModify :: caused by :: Performing an update on the path '_id' would modify the immutable field '_id'",
    );
    await client.plain({ createIndexes: 'c', indexes: [{ key: { a: 1 }, name: 'a_1', unique: true }] });
    const reply = await client.plain({ findAndModify: 'c', query: { _id: 1 }, update: { $set: { a: 2 } } });
    expect(reply).toMatchObject({
      ok: 0,
      code: 11000,
      codeName: 'DuplicateKey',
      keyPattern: { a: 1 },
      keyValue: { a: 2 },
    });
  });
});

describe('validation', () => {
  test.each(['admin', 'local', 'config'])('is not possible in the database %s', async db => {
    const { client } = world();
    const refusal = `72 Document validators are not allowed on collection ${db}.c in the ${db} internal database`;
    expect(await client.refusal({ create: 'c', validator: { a: 1 } }, db)).toBe(refusal);
    await client.plain({ create: 'c' }, db);
    expect(await client.refusal({ collMod: 'c', validator: { a: 1 } }, db)).toBe(refusal);
  });

  test('a document that fails the validator is rejected with code 121 and errInfo, unless validation is bypassed', async () => {
    const { client } = world();
    await client.plain({ create: 'c', validator: { x: { $type: 'string' } } });
    const { writeErrors, n } = await client.plain({ insert: 'c', documents: [{ _id: 1, x: 5 }] });
    expect(n).toBe(0);
    expect(writeErrors).toEqual([
      {
        index: 0,
        code: 121,
        errInfo: {
          failingDocumentId: 1,
          details: {
            operatorName: '$type',
            specifiedAs: { x: { $type: 'string' } },
            reason: 'type did not match',
            consideredValue: 5,
            consideredType: 'int',
          },
        },
        errmsg: 'Document failed validation',
      },
    ]);
    const bypassed = { insert: 'c', documents: [{ _id: 1, x: 5 }], bypassDocumentValidation: true };
    expect((await client.plain(bypassed)).n).toBe(1);
    expect(
      (await client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { y: 1 } } }] })).writeErrors[0]!.code,
    ).toBe(121);
  });

  test('level moderate exempts invalid existing documents; action warn and level off accept every document', async () => {
    const { client } = world();
    const create = (name: string, more: Document): Promise<Document> =>
      client.plain({ create: name, validator: { x: 1 }, ...more });
    await create('moderate', { validationLevel: 'moderate' });
    await create('warned', { validationAction: 'warn' });
    await create('off', { validationLevel: 'off' });
    await client.plain({ insert: 'moderate', documents: [{ _id: 1 }], bypassDocumentValidation: true });
    expect((await client.plain({ update: 'moderate', updates: [{ q: {}, u: { $set: { y: 1 } } }] })).nModified).toBe(1);
    expect((await client.plain({ insert: 'moderate', documents: [{}] })).n).toBe(0);
    expect((await client.plain({ insert: 'warned', documents: [{}] })).n).toBe(1);
    expect((await client.plain({ insert: 'off', documents: [{}] })).n).toBe(1);
    expect(await client.refusal({ create: 'z', validationLevel: 'some' })).toMatch(/^2 /);
  });
});
