import { describe, expect, test } from 'vitest';
import { ObjectId } from 'bson';
import {
  Collection,
  MongoAPIError,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoServerError,
} from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { withServer } from './with-server.js';

test('each member of a collection is an own property of Collection.prototype, also an index method', () => {
  const { prototype } = Collection;
  const inherited = Object.getOwnPropertyNames(Object.getPrototypeOf(prototype));
  expect(inherited).toContain('createIndex');
  expect(inherited.filter(name => !Object.hasOwn(prototype, name))).toEqual([]);
  expect(prototype.constructor).toBe(Collection);
  expect(Object.keys(prototype)).toEqual([]);
});

test('a collection keeps a hint, as in the official driver', () =>
  withServer(({ client }) => {
    const films = client.db().collection('films');
    const hints: unknown[] = [films.hint];
    for (const hint of ['a_1', { a: 1 }, ['a', 'b'], undefined]) {
      films.hint = hint;
      hints.push(films.hint);
    }
    expect(hints).toEqual([undefined, 'a_1', { a: 1 }, { a: 1, b: 1 }, undefined]);
    return Promise.resolve();
  }));

describe('CRUD: a collection', () => {
  test("insertOne adds an _id to a document without one, in the caller's object too", () =>
    withServer(async ({ client }) => {
      const notes = client.db().collection('notes');
      const note: { text: string; _id?: ObjectId } = { text: 'a' };
      const { acknowledged, insertedId } = await notes.insertOne(note);
      expect([acknowledged, insertedId]).toEqual([true, note._id]);
      expect(note._id).toBeInstanceOf(ObjectId);
      expect(await notes.findOne({ _id: insertedId })).toEqual({ _id: insertedId, text: 'a' });
    }));

  test('pkFactory creates the ids: that of the collection, else of its database, else of the client', () =>
    withServer(
      async ({ client }) => {
        const ids = (id: string) => ({ pkFactory: { createPk: () => id } });
        const inserted = async (collection: Collection): Promise<unknown> =>
          (await collection.insertOne({ a: 1 })).insertedId;
        const db = client.db('shop', ids('database'));
        expect([
          await inserted(client.db('shop').collection('a')),
          await inserted(db.collection('b', { readConcern: 'local' })),
          await inserted(db.collection('c', ids('collection'))),
          await inserted(await db.createCollection('d', ids('created'))),
          await inserted(db.collection('e', { forceServerObjectId: true })),
        ]).toEqual(['client', 'database', 'collection', 'created', undefined]);
      },
      { pkFactory: { createPk: () => 'client' } },
    ));

  test("client.bulkWrite inserts documents with ids from the client's pkFactory", () =>
    withServer(
      async ({ client }) => {
        const document: Document = { a: 1 };
        const { insertResults } = await client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document }], {
          verboseResults: true,
        });
        expect([insertResults?.get(0)?.insertedId, document['_id']]).toEqual(['client', 'client']);
        expect(await client.db('shop').collection('films').findOne({})).toEqual({ _id: 'client', a: 1 });
      },
      { pkFactory: { createPk: () => 'client' } },
    ));

  test("a duplicate key fails with the server's code, keyPattern and keyValue", () =>
    withServer(async ({ films }) => {
      await films.insertOne({ _id: 1 });
      const failed = await films.insertOne({ _id: 1 }).catch((error: unknown) => error);
      expect(failed).toBeInstanceOf(MongoServerError);
      expect(failed).toMatchObject({ code: 11_000, keyPattern: { _id: 1 }, keyValue: { _id: 1 } });
      const { errorResponse, errmsg } = failed as MongoServerError;
      expect(errorResponse).toEqual({ index: 0, code: 11_000, errmsg, keyPattern: { _id: 1 }, keyValue: { _id: 1 } });
    }));

  test('insertMany stops at the first error if ordered, continues if unordered, and reports the inserted ids in both cases', () =>
    withServer(async ({ films }) => {
      await films.insertOne({ _id: 2 });
      const documents = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
      const ordered = (await films.insertMany(documents).catch((error: unknown) => error)) as MongoBulkWriteError;
      expect(ordered).toBeInstanceOf(MongoBulkWriteError);
      expect([ordered.insertedCount, ordered.insertedIds]).toEqual([1, { 0: 1 }]);
      expect(ordered.writeErrors).toMatchObject([{ index: 1, code: 11_000, err: { op: { _id: 2 } } }]);
      const [refused] = ordered.writeErrors;
      expect([refused?.getOperation(), refused?.err.errmsg]).toEqual([{ _id: 2 }, ordered.errmsg]);
      await films.deleteMany({});
      await films.insertOne({ _id: 2 });
      const unordered = (await films
        .insertMany(documents, { ordered: false })
        .catch((error: unknown) => error)) as MongoBulkWriteError;
      expect([unordered.insertedCount, unordered.insertedIds]).toEqual([2, { 0: 1, 2: 3 }]);
    }));

  test('updates, replacements and deletions return matched, modified, upserted and deleted counts', () =>
    withServer(async ({ films }) => {
      await films.insertMany([
        { _id: 1, year: 1927 },
        { _id: 2, year: 1967 },
      ]);
      const changed = { acknowledged: true, upsertedCount: 0, upsertedId: null };
      expect(await films.updateOne({ _id: 1 }, { $set: { year: 1927 } })).toEqual({
        ...changed,
        matchedCount: 1,
        modifiedCount: 0,
      });
      expect(await films.updateMany({}, { $inc: { year: 1 } })).toEqual({
        ...changed,
        matchedCount: 2,
        modifiedCount: 2,
      });
      expect(await films.replaceOne({ _id: 2 }, { title: 'Playtime' })).toEqual({
        ...changed,
        matchedCount: 1,
        modifiedCount: 1,
      });
      expect(await films.updateOne({ _id: 9 }, { $set: { year: 1 } }, { upsert: true })).toEqual({
        acknowledged: true,
        matchedCount: 0,
        modifiedCount: 0,
        upsertedCount: 1,
        upsertedId: 9,
      });
      expect(await films.deleteOne({ _id: 9 })).toEqual({ acknowledged: true, deletedCount: 1 });
      expect(await films.find().sort('_id').toArray()).toEqual([
        { _id: 1, year: 1928 },
        { _id: 2, title: 'Playtime' },
      ]);
      expect(await films.deleteMany({})).toEqual({ acknowledged: true, deletedCount: 2 });
    }));

  test('findOneAnd… methods return the document before or after the change, or the whole reply', () =>
    withServer(async ({ films }) => {
      await films.insertOne({ _id: 1, year: 1 });
      expect(await films.findOneAndUpdate({ _id: 1 }, { $inc: { year: 1 } })).toEqual({ _id: 1, year: 1 });
      expect(await films.findOneAndUpdate({ _id: 1 }, { $inc: { year: 1 } }, { returnDocument: 'after' })).toEqual({
        _id: 1,
        year: 3,
      });
      expect(await films.findOneAndReplace({ _id: 7 }, { title: 'x' })).toBeNull();
      expect(await films.findOneAndDelete({ _id: 1 }, { includeResultMetadata: true })).toEqual({
        value: { _id: 1, year: 3 },
        lastErrorObject: { n: 1 },
        ok: 1,
      });
    }));

  test('bulkWrite accepts options that only some of its commands have', () =>
    withServer(async ({ films }) => {
      const result = await films.bulkWrite(
        [
          { insertOne: { document: { _id: 1 } } },
          { updateOne: { filter: { $expr: { $eq: ['$_id', '$$one'] } }, update: { $set: { year: 1 } } } },
          { deleteOne: { filter: { $expr: { $eq: ['$_id', '$$one'] } } } },
        ],
        { let: { one: 1 }, bypassDocumentValidation: true, comment: 'all' },
      );
      expect(result).toMatchObject({ insertedCount: 1, modifiedCount: 1, deletedCount: 1 });
    }));

  test('bulkWrite sends adjacent operations of one kind together, and sums the counts', () =>
    withServer(async ({ films, events }) => {
      const result = await films.bulkWrite([
        { insertOne: { document: { _id: 1 } } },
        { insertOne: { document: { _id: 2 } } },
        { updateMany: { filter: {}, update: { $set: { year: 1 } } } },
        { replaceOne: { filter: { _id: 5 }, replacement: { title: 'x' }, upsert: true } },
        { deleteOne: { filter: { _id: 1 } } },
      ]);
      expect(result).toEqual({
        insertedCount: 2,
        matchedCount: 2,
        modifiedCount: 2,
        deletedCount: 1,
        upsertedCount: 1,
        upsertedIds: { 3: 5 },
        insertedIds: { 0: 1, 1: 2 },
      });
      const sent = events.flatMap(event => (event.name === 'commandStarted' ? [event.commandName] : []));
      expect(sent).toEqual(['insert', 'update', 'delete']);
    }));

  test('invalid arguments are rejected before a command is sent', () =>
    withServer(async ({ films, events }) => {
      await expect(films.updateOne({}, { year: 1 })).rejects.toThrow(/operators such as \$set/);
      await expect(films.replaceOne({}, { $set: { year: 1 } })).rejects.toThrow(/must not contain operators/);
      await expect(films.findOne('x' as never)).rejects.toThrow(MongoInvalidArgumentError);
      await expect(films.insertMany({} as never)).rejects.toThrow(/array/);
      await expect(films.bulkWrite([])).rejects.toThrow(/at least one/);
      await expect(films.bulkWrite([{ insertTwo: {} } as never])).rejects.toThrow(/insertTwo/);
      await expect(films.bulkWrite([null as never])).rejects.toThrow(MongoInvalidArgumentError);
      await expect(films.createIndex({})).rejects.toThrow(/at least one key/);
      expect(events).toEqual([]);
    }));

  test('documents that BSON cannot represent are rejected with the path of the invalid value', () =>
    withServer(async ({ films }) => {
      const loop: Record<string, unknown> = { _id: 1 };
      loop['self'] = { loop };
      await expect(films.insertOne(loop as never)).rejects.toThrow(/self/);
      await expect(films.insertOne({ _id: 1, 'a\0b': 1 })).rejects.toThrow(MongoInvalidArgumentError);
      await expect(films.insertOne({ _id: 1, text: 'x'.repeat(17_000_000) })).rejects.toThrow(/16777216/);
      expect(await films.countDocuments()).toBe(0);
    }));

  test('w: 0 returns an unacknowledged result, and the connection can be used at once', () =>
    withServer(async ({ films }) => {
      expect(await films.insertOne({ _id: 1 }, { writeConcern: { w: 0 } })).toEqual({
        acknowledged: false,
        insertedId: 1,
      });
      expect(await films.findOne()).toEqual({ _id: 1 });
    }));

  test('counts, distinct values, indexes and collections', () =>
    withServer(async ({ client, films }) => {
      await films.insertMany([1, 2, 3].map(_id => ({ _id, year: 1900 + (_id % 2) })));
      expect(await films.countDocuments({ year: 1901 })).toBe(2);
      expect(await films.countDocuments({}, { skip: 1, limit: 1 })).toBe(1);
      expect(await films.estimatedDocumentCount()).toBe(3);
      expect((await films.distinct('year')).sort()).toEqual([1900, 1901]);
      expect(await films.createIndex({ year: -1, title: 1 }, { unique: false })).toBe('year_-1_title_1');
      expect(await films.createIndexes([{ key: ['title', ['year', -1]] }, { key: { title: 1 }, name: 'own' }])).toEqual(
        ['title_1_year_-1', 'own'],
      );
      expect(await films.indexExists(['own', '_id_'])).toBe(true);
      await films.dropIndex('own');
      expect((await films.indexes()).map(({ name }) => name)).toEqual(['_id_', 'year_-1_title_1', 'title_1_year_-1']);
      await client.db().createCollection('logs', { capped: true, size: 4096 });
      expect(
        (await client.db().listCollections({}, { nameOnly: true }).toArray()).map(({ name }) => name).sort(),
      ).toEqual(['films', 'logs']);
      expect(await client.db().collection('logs').isCapped()).toBe(true);
      expect(await films.drop()).toBe(true);
      expect(await client.db().dropDatabase()).toBe(true);
    }));

  test('a bulk write whose connection is lost reports the partial result and the cause', () =>
    withServer(
      async ({ world, films }) => {
        await films.insertOne({ _id: 9 });
        const { clock } = world.runtime;
        const writing = films
          .bulkWrite([{ insertOne: { document: { _id: 1 } } }, { deleteMany: { filter: { _id: 9 } } }])
          .catch((error: unknown) => error);
        await clock.sleep(25);
        world.network.reset('db1');
        const failed = (await writing) as MongoBulkWriteError;
        expect(failed).toBeInstanceOf(MongoBulkWriteError);
        expect(failed).toMatchObject({ kind: 'network', insertedCount: 1, insertedIds: { 0: 1 }, deletedCount: 0 });
        expect(failed.writeErrors).toEqual([]);
        expect(failed.cause).toBeInstanceOf(MongoNetworkError);
      },
      {},
      { latency: { delay: 10 } },
    ));

  test("a bulk write with a partial result fails with that result, and an aborted one with the signal's reason", () =>
    withServer(
      async ({ world, films }) => {
        const beyond = { writeConcern: { w: 3 } };
        await expect(films.insertMany([{ _id: 1 }], beyond)).rejects.toThrow(MongoBulkWriteError);
        await expect(films.insertMany([{ _id: 1 }], { signal: AbortSignal.abort('enough') })).rejects.toBe('enough');
        world.network.refuse('db1');
        world.network.reset('db1');
        const lost = await films.insertMany([{ _id: 1 }]).catch((error: unknown) => error);
        expect(lost).toMatchObject({ name: 'MongoBulkWriteError', kind: 'network', insertedCount: 0 });
        expect((lost as Error).cause).toBeInstanceOf(MongoNetworkError);
        world.network.heal();
      },
      { serverSelectionTimeoutMS: 100 },
    ));

  test('the filter of find may be an _id, or null for all documents', () =>
    withServer(async ({ client }) => {
      const notes = client.db().collection('notes');
      const { insertedId } = await notes.insertOne({ text: 'a' });
      await notes.insertOne({ text: 'b' });
      expect(await notes.findOne(insertedId as never)).toMatchObject({ text: 'a' });
      expect(await notes.find(insertedId as never).toArray()).toHaveLength(1);
      expect(await notes.find(null as never).toArray()).toHaveLength(2);
      await expect(notes.deleteMany(null as never)).rejects.toThrow(MongoInvalidArgumentError);
    }));

  test('createIndex passes on index options, and derives the name from the keys in order', () =>
    withServer(async ({ films, events }) => {
      const keys = new Map<string, 1 | -1>([
        ['b', 1],
        ['1', -1],
      ]);
      expect(await films.createIndex(keys, { unique: true, ignoreUndefined: true, comment: 'why' })).toBe('b_1_1_-1');
      const sent = events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
      expect(sent[0]).toMatchObject({ indexes: [{ unique: true, name: 'b_1_1_-1' }], comment: 'why' });
      expect(Object.keys((sent[0]!['indexes'] as object[])[0] ?? {}).sort()).toEqual(['key', 'name', 'unique']);
      await expect(films.dropIndex('*')).rejects.toThrow(/dropIndexes/);
    }));

  test('comment and maxTimeMS are sent with every command', () =>
    withServer(async ({ client, films, events }) => {
      const db = client.db();
      const options = { comment: 'why', maxTimeMS: 5_000 };
      await db.createCollection('films', options);
      await films.insertOne({ _id: 1 }, options);
      await films.updateOne({}, { $set: { year: 1 } }, options);
      await films.find({}, options).toArray();
      await films.findOne({}, options);
      await films.findOneAndUpdate({}, { $set: { year: 2 } }, options);
      await films.aggregate([], options).toArray();
      await films.distinct('year', {}, options);
      await films.countDocuments({}, options);
      await films.estimatedDocumentCount(options);
      await films.count({}, options);
      await films.createIndex({ year: 1 }, options);
      await films.listIndexes(options).toArray();
      await films.dropIndex('year_1', options);
      await films.dropIndexes(options);
      await films.deleteOne({}, options);
      await films.bulkWrite([{ deleteMany: { filter: {} } }], options);
      await db.listCollections({}, options).toArray();
      await db.admin().listDatabases(options);
      await films.drop(options);
      await db.dropDatabase(options);
      const sent = events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
      expect(sent).toHaveLength(21);
      for (const command of sent) expect(command).toMatchObject(options);
    }));

  test('dropIndex and options fail for a collection that does not exist', () =>
    withServer(async ({ films, client }) => {
      expect(await films.dropIndexes()).toBe(false);
      await expect(films.options()).rejects.toThrow(MongoAPIError);
      await expect(films.isCapped()).rejects.toThrow(/shop\.films/);
      expect(client.db('').databaseName).toBe('shop');
    }));

  test('counts and names are returned as usual under every BSON option', async () => {
    for (const options of [{ raw: true }, { promoteValues: false }, { useBigInt64: true }])
      await withServer(async ({ client, films }) => {
        await films.insertMany([{ _id: 1 }, { _id: 2 }]);
        expect([await films.countDocuments(), await films.estimatedDocumentCount()]).toEqual([2, 2]);
        expect(await films.indexExists('_id_')).toBe(true);
        expect((await client.db().collections()).map(({ collectionName }) => collectionName)).toEqual(['films']);
        expect(await films.isCapped()).toBe(false);
        expect(await films.updateOne({ _id: 7 }, { $set: { year: 1 } }, { upsert: true })).toMatchObject({
          upsertedCount: 1,
        });
      }, options);
  });
});
