/** Programs written for the official driver: both drivers return the same results and errors. */
import type * as official from 'mongodb';
import { describe } from 'vitest';
import { same, serveBoth, six } from './both-drivers.js';
import type { Program, Context } from './both-drivers.js';

serveBoth();

const twice =
  (work: (films: Context['films']) => Promise<unknown>): Program =>
  async ({ films }) => {
    await films.insertOne({ _id: 1 });
    return work(films);
  };

describe('writes', () => {
  same('insertOne', ({ films }) => films.insertOne({ _id: 1 }));
  same(
    'insertOne with an existing _id',
    twice(films => films.insertOne({ _id: 1 })),
  );
  same('insertOne, unacknowledged', ({ films }) => films.insertOne({ _id: 1 }, { writeConcern: { w: 0 } }));
  same('insertOne with forceServerObjectId', ({ films }) =>
    films.insertOne({} as never, { forceServerObjectId: true }),
  );
  same('insertMany', ({ films }) => films.insertMany([{ _id: 1 }, { _id: 2 }]));
  same('insertMany of an empty list', ({ films }) => films.insertMany([]));
  same(
    'insertMany with an error',
    twice(films => films.insertMany([{ _id: 0 }, { _id: 1 }, { _id: 2 }])),
  );
  same(
    'updateOne',
    twice(films => films.updateOne({ _id: 1 }, { $set: { year: 1 } })),
  );
  same('updateOne with upsert', ({ films }) => films.updateOne({ _id: 1 }, { $set: { a: 1 } }, { upsert: true }));
  same(
    'updateOne with a pipeline',
    twice(films => films.updateOne({}, [{ $set: { year: 1 } }])),
  );
  same('updateOne without operators', ({ films }) => films.updateOne({}, { year: 1 }));
  same('updateOne with an empty pipeline', ({ films }) => films.updateOne({}, []));
  same('updateMany', async context => [
    await six(context),
    await context.films.updateMany({ year: 1 }, { $inc: { year: 5 } }),
  ]);
  same(
    'replaceOne',
    twice(films => films.replaceOne({ _id: 1 }, { title: 'x' })),
  );
  same('replaceOne with operators', ({ films }) => films.replaceOne({}, { $set: { a: 1 } } as never));
  same('deleteOne and deleteMany', async context => [
    await six(context),
    ...[await context.films.deleteOne({ year: 1 }), await context.films.deleteMany(), await context.films.deleteOne()],
  ]);
  same('findOneAnd… with default options', async context => {
    await six(context);
    return [
      await context.films.findOneAndUpdate({ year: 1 }, { $set: { year: 9 } }, { sort: { _id: -1 } }),
      await context.films.findOneAndReplace({ _id: 0 }, { year: 7 }, { returnDocument: 'after' }),
      await context.films.findOneAndDelete({ year: 2 }, { projection: { year: 1 } }),
      await context.films.findOneAndDelete({ year: 99 }),
    ];
  });
  same('findOneAnd… with includeResultMetadata', ({ films }) =>
    films.findOneAndUpdate({ _id: 1 }, { $set: { a: 1 } }, { includeResultMetadata: true, upsert: true }),
  );
  same('findOneAndDelete without a filter', ({ films }) => films.findOneAndDelete(undefined as never));
  same('bulkWrite', async context => {
    await six(context);
    const result = await context.films.bulkWrite([
      { insertOne: { document: { _id: 9 } } },
      { updateMany: { filter: { year: 1 }, update: { $set: { year: 5 } } } },
      { replaceOne: { filter: { _id: 77 }, replacement: { year: 1 }, upsert: true } },
      { deleteMany: { filter: { year: 2 } } },
    ]);
    const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, insertedIds, upsertedIds, ok } =
      result;
    return { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount, insertedIds, upsertedIds, ok };
  });
  same('bulkWrite of an empty list', ({ films }) => films.bulkWrite([]));
  same('bulkWrite of an unknown operation', ({ films }) => films.bulkWrite([{ nope: 1 } as never]));
  same(
    'bulkWrite, unordered, with errors',
    twice(async films => {
      const failed = await films
        .bulkWrite(
          [
            { insertOne: { document: { _id: 1 } } },
            { updateOne: { filter: {}, update: { $set: { _id: 5 } } } },
            { insertOne: { document: { _id: 2 } } },
          ],
          { ordered: false },
        )
        .catch((error: unknown) => error as official.MongoBulkWriteError);
      const { name, code, message, errmsg, insertedCount, insertedIds, writeErrors } =
        failed as official.MongoBulkWriteError;
      const errors = (writeErrors as official.WriteError[]).map(one => [
        one.index,
        one.code,
        one.errmsg,
        one.getOperation(),
      ]);
      return { name, code, message, errmsg, insertedCount, insertedIds, errors };
    }),
  );
  same('an invalid write concern', ({ films }) =>
    films.insertMany([{ _id: 1 }], { writeConcern: { w: 3, wtimeoutMS: 10 } }),
  );
});

describe('reads', () => {
  same('findOne without a match', ({ films }) => films.findOne({ _id: 77 }));
  same('findOne with an ObjectId as the filter', async ({ db, module: { ObjectId } }) => {
    const _id = new ObjectId('65a000000000000000000001');
    await db.collection('notes').insertOne({ _id });
    return db.collection('notes').findOne(_id as never);
  });
  same('find with null or an invalid filter', async ({ films }) => [
    await films.find(null as never).toArray(),
    await films.find('x' as never).toArray(),
  ]);
  same('all forms of sort', async context => {
    await six(context);
    const sorts = ['year', ['year', -1], ['year', '_id'], { year: 'desc', _id: -1 }, new Map([['year', -1]]), {}, []];
    return Promise.all(sorts.map(sort => context.films.find({}, { sort: sort as official.Sort }).toArray()));
  });
  same('an invalid sort', ({ films }) =>
    films
      .find()
      .sort({ year: 'sideways' as 'asc' })
      .toArray(),
  );
  same('limit and batchSize', async context => {
    await six(context);
    const options = [{ limit: 3 }, { limit: -3 }, { skip: 4 }, { batchSize: 2, limit: 5 }, { batchSize: -3 }];
    return Promise.all(options.map(one => context.films.find({}, one).toArray()));
  });
  same('countDocuments, estimatedDocumentCount and distinct', async context => {
    await six(context);
    const { films } = context;
    return [
      await films.countDocuments({ year: 1 }),
      await films.estimatedDocumentCount(),
      await films.distinct('year'),
    ];
  });
  same('aggregate', async context => {
    await six(context);
    const groups = [{ $group: { _id: '$year', n: { $sum: 1 } } }, { $sort: { _id: 1 } }];
    return [
      await context.films.aggregate(groups).toArray(),
      await context.films.aggregate([{ $out: 'other' }]).toArray(),
    ];
  });
  same('aggregate with an invalid pipeline', ({ films }) => films.aggregate({} as never).toArray());
  same('int64 with each promotion option', async ({ films, module: { Long } }) => {
    await films.insertOne({ _id: 1, long: Long.fromString('9007199254740993'), small: 5n });
    const options = [{}, { useBigInt64: true }, { promoteLongs: false }, { promoteValues: false }];
    return Promise.all(options.map(one => films.findOne({}, one)));
  });
  same('undefined values', async ({ films }) => {
    await films.insertOne({ _id: 1, a: undefined });
    await films.insertOne({ _id: 2, a: undefined }, { ignoreUndefined: true });
    return films.find().toArray();
  });
});

describe('cursors', () => {
  same('reads after the last document', async context => {
    await six(context);
    const cursor = context.films.find();
    await cursor.toArray();
    const asked = [await cursor.next(), await cursor.hasNext(), await cursor.tryNext(), await cursor.toArray()];
    return [asked, cursor.closed, cursor.killed, String(cursor.id)];
  });
  same('closed early', async context => {
    await six(context);
    const cursor = context.films.find({}, { batchSize: 1 });
    const before = cursor.id;
    await cursor.next();
    const during = cursor.id?.constructor.name;
    await cursor.close();
    return [
      before,
      during,
      String(cursor.id),
      cursor.closed,
      cursor.killed,
      await cursor.hasNext(),
      await cursor.toArray(),
    ];
  });
  same('next after an early close', async context => {
    await six(context);
    const cursor = context.films.find({}, { batchSize: 1 });
    await cursor.next();
    await cursor.close();
    return cursor.next();
  });
  same('map to undefined', async context => {
    await six(context);
    const seen: unknown[] = [];
    for await (const one of context.films.find().map(() => undefined)) seen.push(one);
    return seen;
  });
  same('map to null', async context => [
    await six(context),
    await context.films
      .find()
      .map(() => null)
      .next(),
  ]);
  same('clone and rewind', async context => {
    await six(context);
    const cursor = context.films.find().sort({ _id: -1 });
    await cursor.next();
    const cloned = await cursor.clone().toArray();
    cursor.rewind();
    return [cloned, await cursor.toArray()];
  });
  same('setters after the first read', async ({ films }) => {
    const cursor = films.find();
    await cursor.next();
    return cursor.limit(1);
  });
  same('addCursorFlag with an unknown flag', ({ films }) =>
    Promise.resolve(films.find().addCursorFlag('nope' as 'tailable', true)),
  );
  same('a signal that aborts during iteration', async context => {
    await six(context);
    const abort = new AbortController();
    const cursor = context.films.find({}, { signal: abort.signal });
    await cursor.next();
    abort.abort(new RangeError('enough'));
    return cursor.next();
  });
  same('readBufferedDocuments', async context => {
    await six(context);
    const cursor = context.films.find();
    await cursor.hasNext();
    return [cursor.bufferedCount(), cursor.readBufferedDocuments(2), cursor.bufferedCount()];
  });
});

describe('indexes and collections', () => {
  same('names of indexes', async ({ films }) => [
    await films.createIndex({ a: 1, b: -1 }),
    await films.createIndex('x'),
    await films.createIndex(['p', 'q']),
    await films.createIndex(
      new Map([
        ['z', 1],
        ['1', 1],
      ]),
      { comment: 'why', ignoreUndefined: true },
    ),
    await films.createIndexes([{ key: { c: 1 } }, { key: { d: 1 }, name: 'own', sparse: true }]),
    await films.indexes(),
    await films.indexExists(['a_1_b_-1', 'none']),
  ]);
  same('dropIndex of an index that does not exist', ({ films }) => films.dropIndex('none'));
  same('dropIndexes without indexes and with some', async ({ films }) => [
    await films.dropIndexes(),
    await films.createIndex({ a: 1 }),
    await films.dropIndexes(),
  ]);
  same('indexes of a collection that does not exist', ({ films }) => films.indexes());
  same('options of a collection that does not exist', ({ films }) => films.options());
  same('isCapped', async ({ db }) => (await db.createCollection('logs', { capped: true, size: 4096 })).isCapped());
  same('createCollection with other options', async ({ db }) => {
    await db.createCollection('logs');
    return db.createCollection('logs', { capped: true, size: 4096 });
  });
  same('drop', async ({ films, db }) => [await films.drop(), await db.dropCollection('none'), await db.dropDatabase()]);
  same('listCollections and collections', async context => {
    await six(context);
    const named = await context.db.listCollections({}, { nameOnly: true }).toArray();
    return [named, (await context.db.collections()).map(({ collectionName }) => collectionName)];
  });
});

describe('clients, databases and sessions', () => {
  same('the default database', ({ client }) => Promise.resolve([client.db().databaseName, client.db('').databaseName]));
  same('commands', async ({ db }) => [
    await db.command({ ping: 1 }),
    await db.admin().ping(),
    await db.command({ no: 1 }),
  ]);
  same('concerns of handles', ({ client }) => {
    const db = client.db('x', {
      readConcern: 'majority' as never,
      writeConcern: { w: 1 },
      readPreference: 'secondary',
    });
    const films = db.collection('films');
    const plain = client.db().collection('films');
    return Promise.resolve([
      ...[db.readConcern?.level, db.writeConcern?.w, db.readPreference.mode],
      ...[films.readConcern?.level, films.writeConcern?.w, films.readPreference?.mode],
      ...[plain.readConcern, plain.writeConcern, plain.readPreference?.mode],
    ]);
  });
  same('an operation in an ended session', async ({ client, films }) => {
    const session = client.startSession();
    await session.endSession();
    return films.findOne({}, { session });
  });
  same('a session after its client is closed', async ({ client, films }) => {
    const session = client.startSession();
    await films.findOne({}, { session });
    await client.close();
    return session.hasEnded;
  });
  same('withSession', async ({ client, films }) => [
    await client.withSession(session => films.insertOne({ _id: 1 }, { session })),
    await client.withSession(() => Promise.reject(new RangeError('mine'))),
  ]);
  same('an operation after close', async ({ client, films }) => [await client.close(), await films.findOne()]);
  same('a cursor after close', async ({ client, films }) => [await client.close(), await films.find().toArray()]);
  same('a client that connects again', async ({ client, films }) => [
    await Promise.all([client.close(), client.close()]),
    await client.connect().then(() => films.findOne()),
  ]);
  same('an unreachable server', async ({ module: { MongoClient } }) => {
    const client = new MongoClient('mongodb://127.0.0.1:1', { serverSelectionTimeoutMS: 50 });
    const failed = await client.connect().catch((error: unknown) => error as official.MongoServerSelectionError);
    const { name, reason } = failed as official.MongoServerSelectionError;
    return [name, reason?.type, [...(reason?.servers.keys() ?? [])]];
  });
});
