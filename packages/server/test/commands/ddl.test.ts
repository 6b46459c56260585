import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import type { Client, Row } from '../client.js';
import { typed, world } from '../client.js';

interface Collection {
  readonly info: { readonly uuid: { readonly sub_type: number } };
}

describe('collections', () => {
  test('listCollections describes collections and views', async () => {
    const { client } = world();
    await client.plain({ create: 'c', capped: true, size: 5000 });
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [{ $match: {} }] });
    const { cursor } = await client.run({ listCollections: 1 });
    expect(cursor.ns).toBe('db.$cmd.listCollections');
    expect(typed(cursor.id)).toBe('{"$numberLong":"0"}');
    const [c, views, v] = cursor.firstBatch as readonly [Collection, Collection, Row];
    expect(typed({ ...c, info: { ...c.info, uuid: 4 } })).toBe(
      '{"name":"c","type":"collection","options":{"capped":true,"size":{"$numberInt":"5000"}},"info":{"readOnly":false,"uuid":{"$numberInt":"4"}},"idIndex":{"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"}}',
    );
    expect(c.info.uuid.sub_type).toBe(4);
    expect(typed(v)).toBe(
      '{"name":"v","type":"view","options":{"viewOn":"c","pipeline":[{"$match":{}}]},"info":{"readOnly":true}}',
    );
    expect(typed({ ...views, info: { ...views.info, uuid: 4 } })).toBe(
      '{"name":"system.views","type":"collection","options":{},"info":{"readOnly":false,"uuid":{"$numberInt":"4"}},"idIndex":{"v":{"$numberInt":"2"},"key":{"_id":{"$numberInt":"1"}},"name":"_id_"}}',
    );
    const names = await client.plain({ listCollections: 1, nameOnly: true, filter: { type: 'view' } });
    expect(names.cursor.firstBatch).toEqual([{ name: 'v', type: 'view' }]);
  });

  test('system.views contains the definitions of views, and deleting one drops the view', async () => {
    const { client } = world();
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [] });
    await client.plain({ create: 'w', viewOn: 'c', pipeline: [{ $match: {} }], collation: { locale: 'de' } });
    const views = await client.plain({ find: 'system.views', filter: { _id: 'db.v' } });
    expect(views.cursor.firstBatch).toEqual([{ _id: 'db.v', viewOn: 'c', pipeline: [] }]);
    const one = [{ q: { _id: 'db.v' }, limit: 1 }];
    expect(await client.plain({ delete: 'system.views', deletes: one })).toEqual({ n: 1, ok: 1 });
    const names = { listCollections: 1, nameOnly: true, filter: { type: 'view' } };
    expect((await client.plain(names)).cursor.firstBatch).toEqual([{ name: 'w', type: 'view' }]);
    await client.plain({ drop: 'system.views' });
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toEqual([]);
  });

  test('a command with collectionUUID fails with code 361 unless its collection has the UUID', async () => {
    const { client } = world();
    await client.plain({ create: 'c' });
    await client.plain({ create: 'd' });
    const { cursor } = await client.run({ listCollections: 1, filter: { name: 'c' } });
    const collectionUUID = (cursor.firstBatch as unknown as readonly Collection[])[0]!.info.uuid;
    expect(await client.plain({ find: 'c', collectionUUID })).toMatchObject({ ok: 1 });
    expect(await client.plain({ insert: 'c', documents: [{}], collectionUUID })).toEqual({ n: 1, ok: 1 });
    const refused = {
      code: 361,
      codeName: 'CollectionUUIDMismatch',
      db: 'db',
      collectionUUID,
      expectedCollection: 'd',
      actualCollection: 'c',
    };
    for (const command of [
      { find: 'd' },
      { aggregate: 'd', pipeline: [], cursor: {} },
      { drop: 'd' },
      { collMod: 'd' },
    ])
      expect(await client.plain({ ...command, collectionUUID })).toMatchObject({ ...refused, ok: 0 });
    const { codeName: _, ...entry } = refused;
    const errmsg = 'Collection UUID does not match that specified';
    expect(await client.plain({ insert: 'd', documents: [{}, {}], ordered: false, collectionUUID })).toEqual({
      n: 0,
      writeErrors: [0, 1].map(index => ({ index, ...entry, errmsg })),
      ok: 1,
    });
    const rename = { renameCollection: 'db.c', to: 'db.d', dropTarget: collectionUUID };
    expect(await client.plain(rename, 'admin')).toMatchObject({ ...refused, ok: 0 });
    expect(await client.refusal({ find: 'c', collectionUUID: 5 })).toBe(
      "14 BSON field 'find.collectionUUID' is the wrong type 'int', expected type 'binData'",
    );
  });

  test('creating a collection again with the same options succeeds from version 7.0 on, and fails with code 48 before', async () => {
    const { client } = world();
    expect(await client.plain({ create: 'c' })).toEqual({ ok: 1 });
    expect(await client.plain({ create: 'c' })).toEqual({ ok: 1 });
    expect(await client.refusal({ create: 'c', capped: true, size: 100 })).toMatch(/^48 /);
    const older = world({ version: '6.0.0' }).client;
    await older.plain({ create: 'c' });
    expect(await older.refusal({ create: 'c' })).toBe('48 Collection already exists. NS: db.c');
  });

  test('drop returns the index count; dropping a missing collection succeeds from version 7.0 on, and fails with code 26 before', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{}] });
    expect(typed(await client.run({ drop: 'c' }))).toBe(
      '{"nIndexesWas":{"$numberInt":"1"},"ns":"db.c","ok":{"$numberDouble":"1.0"}}',
    );
    expect(await client.plain({ drop: 'c' })).toEqual({ ok: 1 });
    expect(await world({ version: '6.0.0' }).client.refusal({ drop: 'c' })).toBe('26 ns not found');
  });

  test('listDatabases lists databases with at least one collection, and always admin, config and local', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ a: 1 }] }, 'one');
    await client.plain({ create: 'c' }, 'two');
    const own = await client.plain({ listDatabases: 1, nameOnly: true, filter: { name: /^[a-l]/ } }, 'admin');
    expect(own).toEqual({ databases: ['admin', 'config', 'local'].map(name => ({ name })), ok: 1 });
    const reply = await client.run({ listDatabases: 1, filter: { name: /^[m-z]/ } }, 'admin');
    expect(typed(reply)).toBe(
      '{"databases":[{"name":"one","sizeOnDisk":{"$numberLong":"29"},"empty":false},{"name":"two","sizeOnDisk":{"$numberLong":"0"},"empty":false}],"totalSize":{"$numberLong":"29"},"totalSizeMb":{"$numberLong":"0"},"ok":{"$numberDouble":"1.0"}}',
    );
    expect(await client.plain({ dropDatabase: 1 }, 'one')).toEqual({ dropped: 'one', ok: 1 });
    const names = await client.plain({ listDatabases: 1, nameOnly: true, filter: { name: /t/ } }, 'admin');
    expect(names).toEqual({ databases: [{ name: 'two' }], ok: 1 });
  });

  test('create rejects contradictory options', async () => {
    const { client } = world();
    expect(await client.refusal({ create: 'c', size: 10 })).toMatch(/^72 the 'capped' field needs to be true/);
    expect(await client.refusal({ create: 'c', pipeline: [] })).toMatch(/^72 /);
    expect(await client.refusal({ create: 'v', viewOn: 'c', pipeline: [{ $out: 'x' }] })).toMatch(/^167 /);
    expect(await client.refusal({ create: 'v', viewOn: 'v', pipeline: [] })).toMatch(/^5 /);
    expect(await client.refusal({ create: 'system.foo' })).toMatch(/^73 /);
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toEqual([]);
  });
});

describe('a view', () => {
  test('can be read by find, aggregate, count and distinct, and rejects writes', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
        { _id: 3, a: 3 },
      ],
    });
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [{ $match: { a: { $gt: 1 } } }] });
    await client.plain({ create: 'w', viewOn: 'v', pipeline: [{ $project: { b: '$a' } }] });
    expect((await client.plain({ find: 'w', filter: { b: 3 } })).cursor.firstBatch).toEqual([{ _id: 3, b: 3 }]);
    expect((await client.plain({ find: 'v', sort: { a: -1 }, limit: 1 })).cursor.firstBatch).toEqual([
      { _id: 3, a: 3 },
    ]);
    const sum = { aggregate: 'w', pipeline: [{ $group: { _id: null, n: { $sum: '$b' } } }], cursor: {} };
    expect((await client.plain(sum)).cursor).toMatchObject({ firstBatch: [{ _id: null, n: 5 }], ns: 'db.w' });
    expect((await client.plain({ count: 'v' })).n).toBe(2);
    expect((await client.plain({ distinct: 'w', key: 'b' })).values).toEqual([2, 3]);
    expect(await client.refusal({ insert: 'v', documents: [{}] })).toMatch(/^166 /);
    expect(await client.refusal({ listIndexes: 'v' })).toMatch(/^166 /);
  });
});

describe('indexes', () => {
  const create = (key: Document, more: Document = {}): Document => ({
    createIndexes: 'c',
    indexes: [{ key, name: Object.entries(key).flat().join('_'), ...more }],
  });

  test('createIndexes counts the indexes before and after, and adds a note if all of them exist', async () => {
    const { client } = world();
    expect(typed(await client.run(create({ a: 1 })))).toBe(
      '{"numIndexesBefore":{"$numberInt":"1"},"numIndexesAfter":{"$numberInt":"2"},"createdCollectionAutomatically":true,"ok":{"$numberDouble":"1.0"}}',
    );
    expect(await client.plain(create({ a: 1 }))).toEqual({
      numIndexesBefore: 2,
      numIndexesAfter: 2,
      createdCollectionAutomatically: false,
      note: 'all indexes already exist',
      ok: 1,
    });
  });

  test('listIndexes returns the indexes with their options, and fails with code 26 if the collection does not exist', async () => {
    const { client } = world();
    await client.plain(create({ a: 1, b: -1 }, { unique: true, partialFilterExpression: { a: { $gt: 0 } } }));
    const { cursor } = await client.plain({ listIndexes: 'c' });
    expect(cursor).toMatchObject({ ns: 'db.c' });
    expect(cursor.firstBatch).toEqual([
      { v: 2, key: { _id: 1 }, name: '_id_' },
      { v: 2, key: { a: 1, b: -1 }, name: 'a_1_b_-1', unique: true, partialFilterExpression: { a: { $gt: 0 } } },
    ]);
    expect(await client.refusal({ listIndexes: 'nope' })).toBe('26 ns does not exist: db.nope');
  });

  test('conflicts: the same name with another key fails with 86, with other options with 85 or 86, the same key under another name with 85', async () => {
    const { client } = world();
    await client.plain(create({ a: 1 }));
    expect(await client.refusal(create({ b: 1 }, { name: 'a_1' }))).toMatch(/^86 /);
    expect(await client.refusal(create({ a: 1 }, { unique: true }))).toMatch(/^86 /);
    expect(await client.refusal(create({ a: 1 }, { expireAfterSeconds: 5 }))).toMatch(/^85 /);
    expect(await client.refusal(create({ a: 1 }, { name: 'other' }))).toBe(
      '85 Index already exists with a different name: a_1',
    );
    expect((await client.plain(create({ a: 1 }, { name: 'other', collation: { locale: 'fr' } }))).numIndexesAfter).toBe(
      3,
    );
  });

  test('invalid index specifications fail with code 67 or 197, and create nothing', async () => {
    const { client } = world();
    for (const key of [{ a: 0 }, { a: true }, {}, { a: 'foo' }, { 'a..b': 1 }]) {
      expect(await client.refusal({ createIndexes: 'c', indexes: [{ key, name: 'x' }] })).toMatch(/^67 /);
    }
    expect(await client.refusal(create({ a: 1 }, { foo: 1 }))).toMatch(/^197 /);
    expect(await client.refusal({ createIndexes: 'c', indexes: [] })).toMatch(/^2 /);
    expect((await client.plain({ listCollections: 1 })).cursor.firstBatch).toEqual([]);
  });

  test('a unique index over duplicates fails with code 11000 and is not created', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ a: 1 }, { a: 1 }] });
    expect(await client.refusal(create({ a: 1 }, { unique: true }))).toMatch(
      /^11000 E11000 duplicate key error collection: db\.c index: a_1/,
    );
    expect((await client.plain({ listIndexes: 'c' })).cursor.firstBatch).toHaveLength(1);
  });

  test('dropIndexes drops by name, key, list or all, but never the index on _id', async () => {
    const { client } = world();
    for (const key of [{ a: 1 }, { b: 1 }, { c: 1 }, { d: 1 }, { e: 1 }]) await client.plain(create(key));
    const drop = (index: unknown): Document => ({ dropIndexes: 'c', index });
    expect(await client.plain(drop('a_1'))).toEqual({ nIndexesWas: 6, ok: 1 });
    expect(await client.plain(drop({ b: 1 }))).toEqual({ nIndexesWas: 5, ok: 1 });
    expect(await client.plain(drop(['c_1', 'd_1']))).toEqual({ nIndexesWas: 4, ok: 1 });
    expect(await client.refusal(drop('a_1'))).toBe('27 index not found with name [a_1]');
    expect(await client.refusal(drop('_id_'))).toBe('72 cannot drop _id index');
    expect(await client.plain(drop('*'))).toMatchObject({ nIndexesWas: 2, ok: 1 });
    expect(await client.refusal({ dropIndexes: 'nope', index: '*' })).toBe('26 ns not found db.nope');
  });

  test('queries and sorts return the same with and without an index', async () => {
    const { client } = world();
    const values = [3, 1, null, 'b', 'a', [5, 0], [], true, 2.5, { x: 1 }, { x: 0 }];
    await client.plain({ insert: 'c', documents: [...values.map((a, i) => ({ _id: i, a, b: i % 2 })), { _id: 90 }] });
    const commands = [
      { filter: { a: null } },
      { filter: { a: { $gt: 1 } } },
      { filter: { a: { $gte: 0, $lt: 3 } } },
      { filter: { a: { $in: [1, 'a', null] } } },
      { filter: { a: { x: 1 } } },
      { filter: { a: [5, 0] } },
      { filter: { a: { $exists: true } }, sort: { a: -1, _id: 1 } },
      { filter: { b: 1 }, sort: { a: 1, _id: 1 } },
      { sort: { a: 1, _id: 1 } },
    ];
    const read = async (command: Document): Promise<readonly Row[]> =>
      (await client.plain({ find: 'c', ...command })).cursor.firstBatch;
    const sorted = (docs: readonly Row[], command: Document): readonly Row[] =>
      'sort' in command ? docs : [...docs].sort((x, y) => (x._id as number) - (y._id as number));
    const before = await Promise.all(commands.map(async command => sorted(await read(command), command)));
    await client.plain(create({ a: 1 }));
    await client.plain(create({ b: 1, a: -1 }));
    const after = await Promise.all(commands.map(async command => sorted(await read(command), command)));
    expect(after).toEqual(before);
    expect(after[0]!.map(doc => doc._id)).toEqual([2, 90]);
    const hinted = await Promise.all(
      commands.map(async command => sorted(await read({ ...command, hint: { b: 1, a: -1 } }), command)),
    );
    expect(hinted).toEqual(before);
  });

  test('a hint must name an existing index; $natural scans the collection', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }, { _id: 2 }] });
    expect(await client.refusal({ find: 'c', hint: 'nope' })).toMatch(
      /^2 .*hint provided does not correspond to an existing index/,
    );
    expect((await client.plain({ find: 'c', hint: { $natural: -1 } })).cursor.firstBatch).toEqual([
      { _id: 2 },
      { _id: 1 },
    ]);
  });

  test('a partial index is unique among its own documents only, and is used only if it covers all matches', async () => {
    const { client } = world();
    await client.plain(create({ a: 1 }, { unique: true, partialFilterExpression: { b: { $gt: 5 } } }));
    const { n } = await client.plain({
      insert: 'c',
      documents: [
        { a: 1, b: 1 },
        { a: 1, b: 2 },
        { a: 1, b: 6 },
      ],
    });
    expect(n).toBe(3);
    expect((await client.plain({ insert: 'c', documents: [{ a: 1, b: 7 }] })).writeErrors[0]!.code).toBe(11000);
    expect((await client.plain({ count: 'c', query: { a: 1 } })).n).toBe(3);
    expect((await client.plain({ count: 'c', query: { a: 1, b: { $gt: 5 } } })).n).toBe(1);
    expect((await client.plain({ count: 'c', query: { a: 1, b: { $gte: 2 } } })).n).toBe(2);
  });

  test('an index with a collation is unique by that collation, and serves queries with the same collation', async () => {
    const { client } = world();
    const collation = { locale: 'en', strength: 2 };
    await client.plain(create({ s: 1 }, { unique: true, collation }));
    await client.plain({ insert: 'c', documents: [{ _id: 1, s: 'Ab' }] });
    const { writeErrors } = await client.plain({ insert: 'c', documents: [{ _id: 2, s: 'aB' }] });
    expect(writeErrors[0]!.errmsg).toBe(
      'E11000 duplicate key error collection: db.c index: s_1 collation: { locale: "en", caseLevel: false, caseFirst: "off", strength: 2, numericOrdering: false, alternate: "non-ignorable", maxVariable: "punct", normalization: false, backwards: false, version: "57.1" } dup key: { s: "aB" }',
    );
    expect((await client.plain({ find: 'c', filter: { s: 'AB' }, collation })).cursor.firstBatch).toEqual([
      { _id: 1, s: 'Ab' },
    ]);
    expect((await client.plain({ find: 'c', filter: { s: 'AB' } })).cursor.firstBatch).toEqual([]);
    expect((await client.plain({ find: 'c', filter: { s: 'Ab' } })).cursor.firstBatch).toEqual([{ _id: 1, s: 'Ab' }]);
  });

  test('expireAfterSeconds: documents are deleted within a minute after they expire', async () => {
    const { client, clock } = world();
    await client.plain(create({ at: 1 }, { expireAfterSeconds: 100 }));
    const now = new Date(clock.wallTime());
    const future = new Date(clock.wallTime() + 1_000_000);
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, at: now },
        { _id: 2, at: future },
        { _id: 3, at: [future, now] },
        { _id: 4, at: 'never' },
        { _id: 5 },
      ],
    });
    await clock.advance(60_000);
    expect((await client.plain({ count: 'c' })).n).toBe(5);
    await clock.advance(60_000);
    expect((await client.plain({ distinct: 'c', key: '_id' })).values).toEqual([2, 4, 5]);
    await client.plain({ drop: 'c' });
    await clock.advance(60_000);
    expect(clock.pending).toBe(0);
  });
});

describe('aggregate', () => {
  test('requires a cursor, and fails with the codes of mongod', async () => {
    const { client } = world();
    expect(await client.refusal({ aggregate: 'c', pipeline: [] })).toMatch(/^9 The 'cursor' option is required/);
    expect(await client.refusal({ aggregate: 'c', pipeline: [{ $foo: 1 }], cursor: {} })).toBe(
      "40324 Unrecognized pipeline stage name: '$foo'",
    );
    expect(await client.refusal({ aggregate: 'c', pipeline: [{ $changeStream: {} }], cursor: {} })).toBe(
      '40573 The $changeStream stage is only supported on replica sets',
    );
    expect(
      await client.refusal({ aggregate: 'c', pipeline: [{ $match: {} }, { $changeStream: {} }], cursor: {} }),
    ).toMatch(/^40602 /);
    expect(await client.refusal({ aggregate: 'c', pipeline: [{ $listSearchIndexes: {} }], cursor: {} })).toContain(
      'Atlas',
    );
    expect(await client.refusal({ aggregate: 1, pipeline: [{ $match: {} }], cursor: {} })).toMatch(/^73 /);
  });

  test('returns its results in batches', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: Array.from({ length: 10 }, (_, i) => ({ _id: i })) });
    const { cursor } = await client.run({
      aggregate: 'c',
      pipeline: [{ $match: { _id: { $gte: 2 } } }, { $sort: { _id: -1 } }],
      cursor: { batchSize: 3 },
    });
    expect(cursor.firstBatch).toMatchObject([9, 8, 7].map(value => ({ _id: { value } })));
    const rest = await client.plain({ getMore: cursor.id, collection: 'c' });
    expect(rest.cursor.nextBatch).toEqual([6, 5, 4, 3, 2].map(_id => ({ _id })));
  });

  test('joins collections with $lookup, and runs $documents without a collection', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1, k: 'x' }] });
    await client.plain({
      insert: 'd',
      documents: [
        { _id: 7, j: 'x' },
        { _id: 8, j: 'y' },
      ],
    });
    const lookup = { $lookup: { from: 'd', localField: 'k', foreignField: 'j', as: 'd' } };
    expect((await client.plain({ aggregate: 'c', pipeline: [lookup], cursor: {} })).cursor.firstBatch).toEqual([
      { _id: 1, k: 'x', d: [{ _id: 7, j: 'x' }] },
    ]);
    const documents = { aggregate: 1, pipeline: [{ $documents: [{ a: 1 }] }], cursor: {} };
    expect((await client.plain(documents)).cursor).toMatchObject({ firstBatch: [{ a: 1 }], ns: 'db.$cmd.aggregate' });
  });

  test('$out replaces a collection, keeps its indexes, and returns an empty cursor', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ],
    });
    await client.plain({ insert: 'o', documents: [{ _id: 9 }] });
    await client.plain({ createIndexes: 'o', indexes: [{ key: { a: 1 }, name: 'a_1' }] });
    const { cursor } = await client.plain({
      aggregate: 'c',
      pipeline: [{ $match: { a: 2 } }, { $out: 'o' }],
      cursor: {},
    });
    expect(cursor).toMatchObject({ firstBatch: [], ns: 'db.c' });
    expect((await client.plain({ find: 'o' })).cursor.firstBatch).toEqual([{ _id: 2, a: 2 }]);
    expect((await client.plain({ listIndexes: 'o' })).cursor.firstBatch).toHaveLength(2);
  });

  test('$merge merges, replaces, keeps, fails, or runs a pipeline', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ],
    });
    const reset = async (): Promise<void> => {
      await client.plain({ drop: 'm' });
      await client.plain({ insert: 'm', documents: [{ _id: 1, a: 0, b: 1 }] });
    };
    const merge = async (more: Document): Promise<Document | string> => {
      await reset();
      const command = { aggregate: 'c', pipeline: [{ $merge: { into: 'm', ...more } }], cursor: {} };
      const reply = await client.plain(command);
      return reply.ok === 1 ? (await client.plain({ find: 'm' })).cursor.firstBatch : String(reply.code);
    };
    expect(await merge({})).toEqual([
      { _id: 1, a: 1, b: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await merge({ whenMatched: 'replace' })).toEqual([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await merge({ whenMatched: 'keepExisting' })).toEqual([
      { _id: 1, a: 0, b: 1 },
      { _id: 2, a: 2 },
    ]);
    expect(await merge({ whenMatched: 'fail' })).toBe('11000');
    expect(await merge({ whenNotMatched: 'fail' })).toBe('13113');
    expect(await merge({ whenMatched: [{ $set: { b: { $add: ['$b', '$$new.a'] } } }] })).toEqual([
      { _id: 1, a: 0, b: 2 },
      { _id: 2, a: 2 },
    ]);
    expect(await merge({ on: 'k' })).toBe('51183');
  });

  test('a pipeline of $merge that omits _id keeps the _id of the existing document', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 7, k: 1, v: 5 }] });
    await client.plain({ insert: 'm', documents: [{ _id: 1, k: 1 }] });
    await client.plain({ createIndexes: 'm', indexes: [{ key: { k: 1 }, name: 'k', unique: true }] });
    const $merge = { into: 'm', on: 'k', whenMatched: [{ $replaceWith: { k: '$k', v: '$$new.v' } }] };
    const reply = await client.plain({ aggregate: 'c', pipeline: [{ $merge }], cursor: {} });
    expect(reply).toMatchObject({ ok: 1 });
    expect((await client.plain({ find: 'm' })).cursor.firstBatch).toEqual([{ _id: 1, k: 1, v: 5 }]);
  });

  test('$merge matches by the fields of a unique index, and null only if the index is not sparse', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, k: 'x', a: 1 },
        { _id: 2, a: 2 },
      ],
    });
    const merge = async (into: string, index: Document, more: Document = {}): Promise<Document | string> => {
      await client.plain({
        insert: into,
        documents: [
          { _id: 7, k: 'x' },
          { _id: 8, b: 1 },
        ],
      });
      await client.plain({ createIndexes: into, indexes: [{ key: { k: 1 }, name: 'k_1', unique: true, ...index }] });
      const stages = [{ $unset: '_id' }, { $merge: { into, on: 'k', ...more } }];
      const reply = await client.plain({ aggregate: 'c', pipeline: stages, cursor: {} });
      return reply.ok === 1 ? (await client.plain({ find: into })).cursor.firstBatch : `${reply.code} ${reply.errmsg}`;
    };
    expect(await merge('full', {})).toEqual([
      { _id: 7, k: 'x', a: 1 },
      { _id: 8, b: 1, a: 2 },
    ]);
    expect(await merge('sparse', { sparse: true })).toMatch(
      /^51132 .*\$merge write error: 'on' field 'k' cannot be missing, null or undefined if supporting index is sparse$/,
    );
    expect(await merge('partial', { partialFilterExpression: { b: 1 } })).toMatch(
      /^51183 .*Cannot find index to verify that join fields will be unique$/,
    );
    expect(
      await merge('named', {}, { let: { n: '$a' }, whenMatched: [{ $set: { sum: { $add: ['$$n', '$$new.a'] } } }] }),
    ).toEqual([
      { _id: 7, k: 'x', sum: 2 },
      { _id: 8, b: 1, sum: 4 },
    ]);
    await client.plain({ update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { k: [1] } } }] });
    expect(await merge('array', {})).toMatch(/^51185 .*\$merge write error: 'on' field 'k' is an array$/);
  });

  test('$merge can discard documents without a match, and like $out write to another database', async () => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, a: 1 },
        { _id: 2, a: 2 },
      ],
    });
    await client.plain({ insert: 'm', documents: [{ _id: 1 }] }, 'other');
    const run = (stage: Document): Promise<Document> => client.plain({ aggregate: 'c', pipeline: [stage], cursor: {} });
    await run({ $merge: { into: { db: 'other', coll: 'm' }, whenNotMatched: 'discard' } });
    expect((await client.plain({ find: 'm' }, 'other')).cursor.firstBatch).toEqual([{ _id: 1, a: 1 }]);
    await run({ $out: { db: 'other', coll: 'o' } });
    expect((await client.plain({ find: 'o' }, 'other')).cursor.firstBatch).toEqual([
      { _id: 1, a: 1 },
      { _id: 2, a: 2 },
    ]);
  });

  test('$graphLookup reads the collection with and without an index, and through views', async () => {
    const { client } = world();
    const documents = [{ _id: 1 }, { _id: 2, up: 1 }, { _id: 3, up: 2 }];
    await client.plain({ insert: 'c', documents });
    await client.plain({ create: 'v', viewOn: 'c', pipeline: [{ $match: { _id: { $ne: 1 } } }] });
    const ways = async (from: string): Promise<unknown> => {
      const graph = { from, startWith: '$up', connectFromField: 'up', connectToField: '_id', as: 'ways' };
      const pipeline = [{ $match: { _id: 3 } }, { $graphLookup: graph }, { $project: { ways: '$ways._id' } }];
      return (await client.plain({ aggregate: 'c', pipeline, cursor: {} })).cursor.firstBatch;
    };
    expect(await ways('c')).toEqual([{ _id: 3, ways: [2, 1] }]);
    expect(await ways('v')).toEqual([{ _id: 3, ways: [2] }]);
    expect(await ways('nowhere')).toEqual([{ _id: 3, ways: [] }]);
  });

  test('$collStats and $indexStats describe the collection, $listLocalSessions the sessions', async () => {
    const { client } = world();
    await client.plain({ insert: 'c', documents: [{ _id: 1 }] });
    const stage = async (spec: Document): Promise<readonly Row[]> =>
      (await client.plain({ aggregate: 'c', pipeline: [spec], cursor: {} })).cursor.firstBatch;
    expect((await stage({ $collStats: { count: {}, storageStats: {} } }))[0]).toMatchObject({
      ns: 'db.c',
      count: 1,
      storageStats: { nindexes: 1 },
    });
    expect(await stage({ $indexStats: {} })).toMatchObject([{ name: '_id_' }]);
    const { id } = await client.run({ startSession: 1 });
    await client.plain({ ping: 1, lsid: id });
    const { cursor } = await client.run({ aggregate: 1, pipeline: [{ $listLocalSessions: {} }], cursor: {} });
    expect(cursor.firstBatch).toMatchObject([{ _id: { id: id.id } }]);
  });
});

describe('collMod that makes an index unique', () => {
  const mod = (change: Document): Document => ({ collMod: 'c', index: { keyPattern: { x: 1 }, ...change } });

  const shared = async (): Promise<Client> => {
    const { client } = world();
    await client.plain({
      insert: 'c',
      documents: [
        { _id: 1, x: 1 },
        { _id: 2, x: 1 },
        { _id: 4, x: [5, 6] },
      ],
    });
    await client.plain({ createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x_1' }] });
    expect(await client.plain(mod({ prepareUnique: true }))).toEqual({
      prepareUnique_old: false,
      prepareUnique_new: true,
      ok: 1,
    });
    return client;
  };

  test('after prepareUnique, existing documents may share keys, and new writes may not', async () => {
    const client = await shared();
    for (const x of [1, 6])
      expect(await client.plain({ insert: 'c', documents: [{ _id: 3, x }] })).toMatchObject({
        n: 0,
        writeErrors: [{ code: 11000, keyPattern: { x: 1 } }],
      });
    const toShared = { update: 'c', updates: [{ q: { _id: 4 }, u: { $set: { x: 1 } } }] };
    expect(await client.plain(toShared)).toMatchObject({ n: 0, writeErrors: [{ code: 11000 }] });
    const same = { update: 'c', updates: [{ q: { _id: 2 }, u: { $set: { y: 1 } } }] };
    expect(await client.plain(same)).toMatchObject({ nModified: 1 });
  });

  test('fails with code 359 and the conflicting _ids while documents share a key, and succeeds afterwards', async () => {
    const client = await shared();
    expect(await client.plain(mod({ unique: true }))).toMatchObject({
      ok: 0,
      code: 359,
      codeName: 'CannotConvertIndexToUnique',
      violations: [{ ids: [1, 2] }],
    });
    await client.plain({ delete: 'c', deletes: [{ q: { _id: 1 }, limit: 1 }] });
    expect(await client.plain(mod({ unique: true }))).toEqual({ unique_new: true, ok: 1 });
    expect((await client.plain({ listIndexes: 'c' })).cursor.firstBatch[1]).toEqual({
      v: 2,
      key: { x: 1 },
      name: 'x_1',
      unique: true,
    });
    expect(await client.plain({ insert: 'c', documents: [{ x: 1 }] })).toMatchObject({
      writeErrors: [{ code: 11000 }],
    });
    expect((await client.plain({ find: 'c', filter: { x: 5 }, hint: 'x_1' })).cursor.firstBatch).toEqual([
      { _id: 4, x: [5, 6] },
    ]);
  });

  test('fails with code 72 without prepareUnique', async () => {
    const { client } = world();
    await client.plain({ createIndexes: 'c', indexes: [{ key: { x: 1 }, name: 'x_1' }] });
    expect(await client.refusal(mod({ unique: true }))).toMatch(/^72 /);
    expect(await world({ version: '5.0.0' }).client.refusal(mod({ unique: true }))).toBe(
      "40415 BSON field 'collMod.index.unique' is an unknown field.",
    );
  });
});
