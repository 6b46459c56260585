import type { Document } from 'bson';
import { Double, Long } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, Reply } from '../client.js';
import { msgOf, settled, typed, world } from '../client.js';

const many = async (client: Client, count: number, name = 'c'): Promise<void> => {
  await client.plain({ insert: name, documents: Array.from({ length: count }, (_, i) => ({ _id: i })) });
};

/** Returns the number of documents in a batch, and whether the cursor is open. */
const shape = ({ cursor }: Reply): readonly [number, boolean] => [
  ((cursor as Partial<Reply['cursor']>).firstBatch ?? cursor.nextBatch).length,
  !Long.ZERO.equals(cursor.id as Long),
];

describe('find', () => {
  test('returns a cursor with firstBatch, id as int64, and ns', async () => {
    const { client } = world();
    await many(client, 1);
    expect(typed(await client.run({ find: 'c' }))).toBe(
      '{"cursor":{"firstBatch":[{"_id":{"$numberInt":"0"}}],"id":{"$numberLong":"0"},"ns":"db.c"},"ok":{"$numberDouble":"1.0"}}',
    );
  });

  test('the first batch has 101 documents unless batchSize is set', async () => {
    const { client } = world();
    await many(client, 102);
    expect(shape(await client.run({ find: 'c' }))).toEqual([101, true]);
    expect(shape(await client.run({ find: 'c', batchSize: 200 }))).toEqual([102, false]);
  });

  test('batchSize 0 opens a cursor with an empty batch', async () => {
    const { client } = world();
    await many(client, 2);
    const reply = await client.run({ find: 'c', batchSize: 0 });
    expect(shape(reply)).toEqual([0, true]);
    expect(shape(await client.run({ getMore: reply.cursor.id, collection: 'c' }))).toEqual([2, false]);
    expect(shape(await client.run({ find: 'missing', batchSize: 0 }))).toEqual([0, false]);
  });

  test('an exactly filled batch keeps the cursor open, and the next batch is empty', async () => {
    const { client } = world();
    await many(client, 4);
    const reply = await client.run({ find: 'c', batchSize: 4 });
    expect(shape(reply)).toEqual([4, true]);
    expect(shape(await client.run({ getMore: reply.cursor.id, collection: 'c', batchSize: 4 }))).toEqual([0, false]);
  });

  test('singleBatch, a query by _id, and a limit reached within the batch close the cursor at once', async () => {
    const { client } = world();
    await many(client, 10);
    expect(shape(await client.run({ find: 'c', batchSize: 5, limit: 4 }))).toEqual([4, false]);
    expect(shape(await client.run({ find: 'c', batchSize: 4, singleBatch: true }))).toEqual([4, false]);
    expect(shape(await client.run({ find: 'c', batchSize: 1, filter: { _id: 3 } }))).toEqual([1, false]);
    const reply = await client.run({ find: 'c', batchSize: 3, limit: 5 });
    expect(shape(reply)).toEqual([3, true]);
    expect(shape(await client.run({ getMore: reply.cursor.id, collection: 'c', batchSize: 3 }))).toEqual([2, false]);
  });

  test.each([
    [1, 0],
    [2, 1],
    [3, 2],
  ])('a limit of %i for %i documents leaves no cursor open', async (limit, count) => {
    const { client } = world();
    await many(client, 10);
    const find = { find: 'c', filter: { _id: { $lt: count } }, limit };
    expect(shape(await client.run(find))).toEqual([count, false]);
    expect(shape(await client.run({ ...find, hint: { $natural: 1 } }))).toEqual([count, false]);
  });

  test.each([
    ['4.4.0', false],
    ['5.0.0', true],
  ])(
    'if the last document before the limit fills the batch: with version %s the cursor stays open: %s',
    async (version, open) => {
      const { client } = world({ version });
      await many(client, 10);
      const reply = await client.run({ find: 'c', batchSize: 4, limit: 4 });
      expect(shape(reply)).toEqual([4, open]);
      if (open) expect(shape(await client.run({ getMore: reply.cursor.id, collection: 'c' }))).toEqual([0, false]);
    },
  );

  test('a batch has at most 16 MiB, but at least one document', async () => {
    const { client } = world();
    const text = 'x'.repeat(7_000_000);
    for (let i = 0; i < 3; i++) await client.plain({ insert: 'c', documents: [{ _id: i, text }] });
    const reply = await client.run({ find: 'c' });
    expect(shape(reply)).toEqual([2, true]);
    expect(shape(await client.run({ getMore: reply.cursor.id, collection: 'c' }))).toEqual([1, false]);
  });

  test('a result document of more than 16 MiB fails with code 10334', async () => {
    const { client } = world();
    const text = 'x'.repeat(7_000_000);
    for (let i = 0; i < 3; i++) await client.plain({ insert: 'c', documents: [{ _id: i, text }] });
    const group = { aggregate: 'c', pipeline: [{ $group: { _id: null, all: { $push: '$text' } } }], cursor: {} };
    expect(await client.refusal(group)).toMatch(/^10334 .*is invalid. Size must be between 0 and 16793600/);
  });

  test('filters, sorts, skips, limits and projects', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 3, b: 1 },
        { _id: 2, a: 1, b: 1 },
        { _id: 3, a: 2, b: 1 },
        { _id: 4, a: 0, b: 2 },
      ],
    });
    const find = { find: 'c', filter: { b: 1 }, sort: { a: 1 }, skip: 1, limit: 1, projection: { a: 1, _id: 0 } };
    expect((await client.plain(find)).cursor.firstBatch).toEqual([{ a: 2 }]);
    const expr = {
      find: 'c',
      filter: { $expr: { $gt: ['$a', '$$least'] } },
      let: { least: 1 },
      projection: { n: { $add: ['$a', 1] } },
    };
    expect((await client.plain(expr)).cursor.firstBatch).toEqual([
      { _id: 1, n: 4 },
      { _id: 3, n: 3 },
    ]);
    expect((await client.plain({ find: 'c', sort: { $natural: -1 }, limit: 1 })).cursor.firstBatch).toMatchObject([
      { _id: 4 },
    ]);
  });

  test('an error during execution names the namespace from version 8.0 on', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ a: 'x' }] });
    const failing = { find: 'c', filter: { $expr: { $gt: [{ $add: ['$a', 1] }, 1] } } };
    expect(await client.refusal(failing)).toMatch(
      /^14 Executor error during find command: db\.c :: caused by :: \$add/,
    );
    expect(await client.refusal({ find: 'c', filter: { $foo: 1 } })).toMatch(/^2 unknown top level operator: \$foo/);
  });

  test('compares strings by the collation', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, s: 'B' },
        { _id: 2, s: 'a' },
        { _id: 3, s: 'b' },
        { _id: 4, s: 'C' },
      ],
    });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { s: 1 }, name: 's_1' }] });
    const collation = { locale: 'en', strength: 2 };
    const ids = async (command: Document): Promise<unknown[]> =>
      (await client.plain({ find: 'c', ...command })).cursor.firstBatch.map(doc => doc._id);
    expect(await ids({ filter: { s: 'b' } })).toEqual([3]);
    expect(await ids({ filter: { s: 'b' }, collation })).toEqual([1, 3]);
    expect(await ids({ sort: { s: 1 } })).toEqual([1, 4, 2, 3]);
    expect(await ids({ sort: { s: 1 }, collation })).toEqual([2, 1, 3, 4]);
    expect(await client.refusal({ find: 'c', collation: { locale: 'no such place' } })).toMatch(/^2 /);
    expect(await client.refusal({ find: 'c', collation: { strength: 1 } })).toMatch(/^40414 /);
  });
});

describe('a cursor', () => {
  test('reads the data as it was when the cursor was opened', async () => {
    const { client } = world();
    await many(client, 10);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    await client.plain({ delete: 'c', deletes: [{ q: { _id: 5 }, limit: 1 }] });
    await client.plain({ insert: 'c', documents: [{ _id: 99 }] });
    await client.plain({ update: 'c', updates: [{ q: {}, u: { $set: { z: 1 } }, multi: true }] });
    const rest = await client.plain({ getMore: cursor.id, collection: 'c' });
    expect(rest.cursor.nextBatch).toEqual([2, 3, 4, 5, 6, 7, 8, 9].map(_id => ({ _id })));
  });

  test('fails with code 43 under an unknown id, and with code 13 for another namespace', async () => {
    const { client } = world();
    await many(client, 5);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    expect(await client.refusal({ getMore: Long.fromNumber(12), collection: 'c' })).toBe('43 cursor id 12 not found');
    expect(await client.refusal({ getMore: cursor.id, collection: 'd' })).toBe(
      "13 Requested getMore on namespace 'db.d', but cursor belongs to a different namespace db.c",
    );
    expect(await client.refusal({ getMore: cursor.id, collection: 'c', batchSize: -1 })).toMatch(/^2 /);
    expect(await client.refusal({ getMore: cursor.id, collection: 'c', maxTimeMS: 5 })).toBe(
      '2 cannot set maxTimeMS on getMore command for a non-awaitData cursor',
    );
    expect(await client.refusal({ getMore: cursor.id })).toMatch(/^40414 BSON field 'getMore.collection'/);
    expect(shape(await client.run({ getMore: cursor.id, collection: 'c' }))).toEqual([3, false]);
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^43 /);
  });

  test('is closed by killCursors, which returns the ids that it found', async () => {
    const { client } = world();
    await many(client, 5);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    const kill = { killCursors: 'c', cursors: [cursor.id, Long.fromNumber(7)] };
    const reply = await client.run(kill);
    expect(reply).toEqual({
      cursorsKilled: [cursor.id],
      cursorsNotFound: [Long.fromNumber(7)],
      cursorsAlive: [],
      cursorsUnknown: [],
      ok: new Double(1),
    });
    expect(await client.refusal({ killCursors: 'c', cursors: [1] })).toMatch(/^14 .*expected type 'long'/);
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^43 /);
  });

  test('times out after ten minutes without use, except with noCursorTimeout', async () => {
    const { client, clock } = world();
    await many(client, 9);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    const { cursor: kept } = await client.run({ find: 'c', batchSize: 2, noCursorTimeout: true });
    await clock.advance(400_000);
    expect(shape(await client.run({ getMore: cursor.id, collection: 'c', batchSize: 2 }))).toEqual([2, true]);
    await clock.advance(400_000);
    expect(shape(await client.run({ getMore: cursor.id, collection: 'c', batchSize: 2 }))).toEqual([2, true]);
    await clock.advance(1_300_000);
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^43 /);
    expect(shape(await client.run({ getMore: kept.id, collection: 'c' }))).toEqual([7, false]);
  });

  test('fails with code 175 when its collection is dropped', async () => {
    const { client } = world();
    await many(client, 5);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    await client.plain({ drop: 'c' });
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^175 collection dropped/);
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^43 /);
  });

  test('with exhaustAllowed, one getMore returns all batches', async () => {
    const { client } = world();
    await many(client, 6);
    const { cursor } = await client.run({ find: 'c', batchSize: 2 });
    client.send(msgOf(50, { getMore: cursor.id, collection: 'c', batchSize: 2, $db: 'db' }, 0x10000));
    await settled();
    const [a, b, c] = [await client.next(), await client.next(), await client.next()];
    expect([a, b, c].map(one => [one.flags, ...shape(one.doc)])).toEqual([
      [2, 2, true],
      [2, 2, true],
      [0, 0, false],
    ]);
    expect([a.responseTo, b.responseTo, c.responseTo]).toEqual([50, a.requestId, b.requestId]);
  });
});

describe('a capped collection', () => {
  test('keeps the newest documents within its size and number', async () => {
    const { client } = world();
    await client.plain({ create: 'c', capped: true, size: 4096, max: 3 });
    await many(client, 5);
    expect((await client.plain({ find: 'c' })).cursor.firstBatch).toEqual([{ _id: 2 }, { _id: 3 }, { _id: 4 }]);
    expect(await client.refusal({ create: 'd', capped: true })).toBe(
      "72 the 'size' field is required when 'capped' is true",
    );
  });

  test('has tailable cursors that stay open at the end and return new documents', async () => {
    const { client } = world();
    await client.plain({ create: 'c', capped: true, size: 4096 });
    await many(client, 2);
    const reply = await client.run({ find: 'c', tailable: true });
    expect(shape(reply)).toEqual([2, true]);
    const more = { getMore: reply.cursor.id, collection: 'c' };
    expect(shape(await client.run(more))).toEqual([0, true]);
    await client.plain({ insert: 'c', documents: [{ _id: 8 }] });
    expect((await client.plain(more)).cursor.nextBatch).toEqual([{ _id: 8 }]);
    await many(client, 1, 'other');
    expect(await client.refusal({ find: 'other', tailable: true })).toMatch(
      /^2 .*tailable cursor requested on non capped collection/,
    );
    expect(await client.refusal({ find: 'c', awaitData: true })).toMatch(/^9 /);
  });

  test('an insert wakes an awaitData cursor; without one, the getMore returns an empty batch after maxTimeMS', async () => {
    const { server, client, clock } = world();
    await client.plain({ create: 'c', capped: true, size: 4096 });
    await many(client, 1);
    const { cursor } = await client.run({ find: 'c', tailable: true, awaitData: true });
    const more = { getMore: cursor.id, collection: 'c', $db: 'db' };
    client.send(msgOf(1, { ...more, maxTimeMS: 300 }));
    await clock.advance(299);
    expect(client.received).toEqual([]);
    await clock.advance(1);
    expect(shape((await client.next()).doc)).toEqual([0, true]);
    client.send(msgOf(2, more));
    const other = new (client.constructor as new (s: typeof server) => Client)(server);
    await other.plain({ insert: 'elsewhere', documents: [{}] });
    await settled();
    expect(client.received).toEqual([]);
    await other.plain({ insert: 'c', documents: [{ _id: 7 }] });
    expect((await client.next()).doc.cursor.nextBatch).toMatchObject([{ _id: { value: 7 } }]);
  });

  test('a tailable cursor whose position was overwritten fails with code 136', async () => {
    const { client } = world();
    await client.plain({ create: 'c', capped: true, size: 4096, max: 2 });
    await many(client, 2);
    const { cursor } = await client.run({ find: 'c', tailable: true });
    await client.plain({ insert: 'c', documents: [{ _id: 10 }, { _id: 11 }, { _id: 12 }] });
    expect(await client.refusal({ getMore: cursor.id, collection: 'c' })).toMatch(/^136 /);
  });
});

describe('count and distinct', () => {
  test('count applies query, skip and limit, and returns 0 for a missing collection', async () => {
    const { client } = world();
    await many(client, 10);
    expect(typed(await client.run({ count: 'c' }))).toBe('{"n":{"$numberInt":"10"},"ok":{"$numberDouble":"1.0"}}');
    expect((await client.plain({ count: 'c', query: { _id: { $gt: 3 } } })).n).toBe(6);
    expect((await client.plain({ count: 'c', skip: 8, limit: 5 })).n).toBe(2);
    expect((await client.plain({ count: 'c', query: { _id: { $gt: 3 } }, skip: 1, limit: 3 })).n).toBe(3);
    expect((await client.plain({ count: 'c', limit: -4 })).n).toBe(4);
    expect((await client.plain({ count: 'c', skip: 20 })).n).toBe(0);
    expect((await client.plain({ count: 'missing' })).n).toBe(0);
  });

  test('distinct unwinds arrays and treats 1, 1L and 1.0 as equal', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { a: 1 },
        { a: Long.fromNumber(1) },
        { a: new Double(1) },
        { a: [2, 3, [4]] },
        { a: { b: 1 } },
        { a: null },
        {},
        { a: [] },
      ],
    });
    expect((await client.plain({ distinct: 'c', key: 'a' })).values).toEqual([1, 2, 3, [4], { b: 1 }, null]);
    expect((await client.plain({ distinct: 'c', key: 'a.b' })).values).toEqual([1]);
    expect((await client.plain({ distinct: 'c', key: 'a', query: { a: 2 } })).values).toEqual([2, 3, [4]]);
    expect((await client.plain({ distinct: 'missing', key: 'a' })).values).toEqual([]);
    expect(await client.refusal({ distinct: 'c' })).toMatch(/^40414 /);
  });

  test('distinct reads a number in the key as an array index, and unwinds the array at that index', async () => {
    const { client } = world();
    const documents = [{ a: [[1, [2]], 3] }, { a: [{ 0: 'x', b: [4] }, 5] }, { a: { 0: 6 } }, { a: [] }];
    await client.plain({ insert: 'c', documents });
    expect((await client.plain({ distinct: 'c', key: 'a.0' })).values).toEqual([1, [2], { 0: 'x', b: [4] }, 6]);
    expect((await client.plain({ distinct: 'c', key: 'a.1' })).values).toEqual([3, 5]);
    expect((await client.plain({ distinct: 'c', key: 'a.b.0' })).values).toEqual([4]);
  });
});
