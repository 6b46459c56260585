import { createNode } from '@tessera/node';
import type { Db, MongoClientOptions } from 'mongodb';
import { Decimal128, Int32, Long, MongoBulkWriteError, MongoClient, MongoServerError, ObjectId } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../src/index.js';
import { createServer } from '../src/index.js';

// Uses the official driver, whose framing, types and reply parsing are independent of this server.

let server: Server;
let uri: string;
let client: MongoClient;
let names = 0;

beforeAll(async () => {
  server = createServer(createNode());
  const { address } = await server.listen('127.0.0.1:0');
  uri = `mongodb://${address}`;
  client = await MongoClient.connect(uri);
});

afterAll(async () => {
  await client.close();
  await server.close();
});

const fresh = (): Db => client.db(`db${++names}`);

const withClient = async (options: MongoClientOptions, use: (client: MongoClient) => Promise<void>): Promise<void> => {
  const other = await MongoClient.connect(uri, options);
  try {
    await use(other);
  } finally {
    await other.close();
  }
};

const failure = async (work: Promise<unknown>): Promise<MongoServerError> => {
  try {
    await work;
  } catch (error) {
    if (error instanceof MongoServerError) return error;
    throw error;
  }
  throw new Error('The operation succeeded.');
};

describe('the official driver', () => {
  test('writes and reads documents with all types of values', async () => {
    const c = fresh().collection('c');
    const doc = {
      _id: new ObjectId(),
      int: 1,
      long: Long.fromString('9223372036854775807'),
      double: 1.5,
      decimal: Decimal128.fromString('1.20'),
      text: 'ä€😀',
      list: [1, [2, { x: null }]],
      date: new Date(5),
      flag: true,
      regex: /a/i,
      '': { 'b.c': 1, $d: 2 },
    };
    await c.insertOne(doc);
    expect(await c.findOne({}, { promoteLongs: false, promoteValues: true })).toEqual({ ...doc });
  });

  test('updates, replaces, upserts and deletes, and returns the counts', async () => {
    const c = fresh().collection<{ _id: number; a?: number; b?: number }>('c');
    await c.insertMany([
      { _id: 1, a: 1 },
      { _id: 2, a: 1 },
      { _id: 3, a: 2 },
    ]);
    expect(await c.updateMany({ a: 1 }, { $inc: { a: 10 } })).toMatchObject({ matchedCount: 2, modifiedCount: 2 });
    expect(await c.replaceOne({ _id: 3 }, { b: 1 })).toMatchObject({ modifiedCount: 1 });
    expect(await c.updateOne({ _id: 9 }, { $set: { b: 5 } }, { upsert: true })).toMatchObject({
      upsertedId: 9,
      upsertedCount: 1,
    });
    expect(await c.deleteOne({ a: 11 })).toMatchObject({ deletedCount: 1 });
    expect(await c.find().sort({ _id: 1 }).toArray()).toEqual([
      { _id: 2, a: 11 },
      { _id: 3, b: 1 },
      { _id: 9, b: 5 },
    ]);
    expect(await c.findOneAndUpdate({ _id: 2 }, { $unset: { a: 1 } }, { returnDocument: 'after' })).toEqual({ _id: 2 });
    expect(await c.findOneAndDelete({ _id: 2 })).toEqual({ _id: 2 });
    expect(await c.findOneAndReplace({ _id: 2 }, { b: 2 })).toBeNull();
    expect([await c.countDocuments(), await c.estimatedDocumentCount()]).toEqual([2, 2]);
    expect(await c.distinct('b')).toEqual([1, 5]);
  });

  test('runs ordered and unordered bulk writes', async () => {
    const c = fresh().collection<{ _id: number; a?: number }>('c');
    const operations = [
      { insertOne: { document: { _id: 1 } } },
      { insertOne: { document: { _id: 1 } } },
      { updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } },
      { deleteOne: { filter: { _id: 7 } } },
    ];
    const ordered = await c.bulkWrite(operations).catch((error: unknown) => error);
    expect(ordered).toBeInstanceOf(MongoBulkWriteError);
    expect((ordered as MongoBulkWriteError).insertedCount).toBe(1);
    await c.deleteMany({});
    const unordered = await c.bulkWrite(operations, { ordered: false }).catch((error: unknown) => error);
    expect(unordered).toMatchObject({ code: 11000, result: { insertedCount: 1, modifiedCount: 1 } });
  });

  test('reads a cursor over many batches, and closes one early', async () => {
    const c = fresh().collection('c');
    await c.insertMany(Array.from({ length: 1000 }, (_, i) => ({ i })));
    const seen: unknown[] = [];
    for await (const doc of c.find({ i: { $gte: 100 } }, { batchSize: 7 }).sort({ i: -1 })) seen.push(doc['i']);
    expect(seen).toEqual(Array.from({ length: 900 }, (_, i) => 999 - i));
    const cursor = c.find({}, { batchSize: 5 });
    await cursor.next();
    await cursor.close();
    const { metrics } = await client.db('admin').command({ serverStatus: 1 });
    expect(metrics).toMatchObject({ cursor: { open: { total: 0 } } });
  });

  test('creates, lists and drops indexes and collections', async () => {
    const db = fresh();
    const c = await db.createCollection('c');
    expect(await c.createIndexes([{ key: { a: 1 } }, { key: { b: -1 }, unique: true, sparse: true }])).toEqual([
      'a_1',
      'b_-1',
    ]);
    expect(await c.indexExists(['a_1', 'b_-1'])).toBe(true);
    await c.dropIndex('a_1');
    expect((await c.indexes()).map(index => index.name)).toEqual(['_id_', 'b_-1']);
    await db.createCollection('capped', { capped: true, size: 1024 });
    expect(await db.collection('capped').isCapped()).toBe(true);
    expect((await db.listCollections({}, { nameOnly: true }).toArray()).map(one => one.name)).toEqual(['c', 'capped']);
    await c.drop();
    await db.dropDatabase();
    expect((await client.db().admin().listDatabases()).databases.map(one => one.name)).not.toContain(db.databaseName);
  });

  test('receives errors with code, name and details', async () => {
    const c = fresh().collection<{ _id: number; u?: number }>('c');
    await c.createIndexes([{ key: { u: 1 }, unique: true }]);
    await c.insertOne({ _id: 1, u: 5 });
    const duplicate = await failure(c.insertOne({ _id: 2, u: 5 }));
    expect(duplicate).toMatchObject({ code: 11000, keyPattern: { u: 1 }, keyValue: { u: 5 } });
    expect(duplicate.message).toContain('E11000 duplicate key error collection');
    expect(await failure(c.updateOne({ _id: 1 }, { $set: { _id: 2 } }))).toMatchObject({ code: 66 });
    expect(await failure(c.find({ $nope: 1 } as never).toArray())).toMatchObject({ code: 2, codeName: 'BadValue' });
    expect(await failure(c.aggregate([{ $nope: 1 }]).toArray())).toMatchObject({
      code: 40324,
      codeName: 'Location40324',
    });
    expect(await failure(client.db('x').command({ nope: 1 }))).toMatchObject({ code: 59, codeName: 'CommandNotFound' });
  });

  test('aggregates', async () => {
    const c = fresh().collection('c');
    await c.insertMany([
      { k: 'a', n: 1 },
      { k: 'b', n: 2 },
      { k: 'a', n: new Int32(3) },
    ]);
    const pipeline = [{ $group: { _id: '$k', sum: { $sum: '$n' } } }, { $sort: { _id: 1 } }];
    expect(await c.aggregate(pipeline).toArray()).toEqual([
      { _id: 'a', sum: 4 },
      { _id: 'b', sum: 2 },
    ]);
  });

  test('uses sessions, unacknowledged writes, compression, the Stable API and both kinds of monitoring', async () => {
    const c = fresh().collection<{ _id: number }>('c');
    await client.withSession(async session => {
      await c.insertOne({ _id: 1 }, { session });
      expect(await c.find({}, { session, batchSize: 1 }).toArray()).toEqual([{ _id: 1 }]);
    });
    await c.insertOne({ _id: 2 }, { writeConcern: { w: 0 } });
    await c.insertOne({ _id: 2 }, { writeConcern: { w: 0 } });
    await expect.poll(() => c.countDocuments()).toBe(2);
    await withClient({ compressors: ['zlib'] }, async other => {
      expect(await other.db(c.dbName).collection('c').countDocuments()).toBe(2);
    });
    await withClient({ serverApi: { version: '1', strict: true }, serverMonitoringMode: 'poll' }, async other => {
      expect(await other.db(c.dbName).collection('c').find().toArray()).toHaveLength(2);
      expect(await failure(other.db(c.dbName).command({ distinct: 'c', key: '_id' }))).toMatchObject({ code: 323 });
    });
    await withClient({ serverMonitoringMode: 'stream', heartbeatFrequencyMS: 500 }, async other => {
      const types: string[] = [];
      other.on('serverDescriptionChanged', event => types.push(event.newDescription.type));
      expect(await other.db().command({ ping: 1 })).toEqual({ ok: 1 });
      expect(types).not.toContain('Unknown');
    });
  });

  test('tails a capped collection', async () => {
    const db = fresh();
    const c = await db.createCollection<{ _id: number }>('c', { capped: true, size: 4096 });
    await c.insertOne({ _id: 1 });
    const cursor = c.find({}, { tailable: true, awaitData: true });
    expect(await cursor.next()).toEqual({ _id: 1 });
    const next = cursor.next();
    await c.insertOne({ _id: 2 });
    expect(await next).toEqual({ _id: 2 });
    await cursor.close();
  });
});
