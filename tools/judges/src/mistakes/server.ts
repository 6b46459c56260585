import type { Mistake } from './mistake.js';
import { wrong } from './mistake.js';

export const server: readonly Mistake[] = [
  {
    mistake: 'A duplicate key',
    cause: 'A unique index, such as that of `_id`, already has the value. `keyPattern` and `keyValue` name it.',
    remedy: 'Update the existing document, or use `upsert`.',
    run: async ({ films }) => {
      await films.insertOne({ _id: 1 });
      return films.insertOne({ _id: 1 });
    },
  },
  {
    mistake: 'A duplicate key in `insertMany`',
    cause: 'As above. `writeErrors` has each failed document, and `insertedCount` the number of inserted ones.',
    remedy: 'Set `ordered: false` to insert the other documents.',
    run: async ({ films }) => films.insertMany([{ _id: 2 }, { _id: 2 }]),
  },
  {
    mistake: 'A document that fails the validation of its collection',
    cause: 'The `validator` of the collection rejects the document. `errInfo` has the details.',
    remedy: 'Correct the document.',
    run: async ({ client, films }) => {
      const name = `${films.collectionName}Checked`;
      const $jsonSchema = { required: ['year'], properties: { year: { bsonType: 'int' } } };
      const checked = await client.db('shop').createCollection(name, { validator: { $jsonSchema } });
      return checked.insertOne({ year: '1931' });
    },
  },
  {
    mistake: 'An unknown query operator',
    cause: 'The operator is misspelled.',
    remedy: 'Correct it: `$gt`.',
    run: ({ films }) => films.find({ year: wrong({ $gtt: 1950 }) }).toArray(),
  },
  {
    mistake: 'An unknown update operator',
    cause: 'The operator is misspelled.',
    remedy: 'Correct it: `$set`.',
    run: async ({ films }) => {
      await films.insertOne({ title: 'M' });
      return films.updateOne({}, wrong({ $sett: { year: 1 } }));
    },
  },
  {
    mistake: 'An unknown aggregation stage',
    cause: 'The stage is misspelled, or the server is too old for it.',
    remedy: 'Correct it: `$match`.',
    run: ({ films }) => films.aggregate([{ $mach: {} }]).toArray(),
  },
  {
    mistake: 'A change of `_id`',
    cause: 'The `_id` of a document cannot change.',
    remedy: 'Insert a new document and delete the old one.',
    run: async ({ films }) => {
      await films.insertOne({ _id: 5 });
      return films.updateOne({ _id: 5 }, { $set: { _id: 6 } });
    },
  },
  {
    mistake: 'An operation that takes longer than `maxTimeMS`',
    cause: 'The server ended the operation at its time limit.',
    remedy: 'Add an index, or allow more time.',
    run: async ({ films }) => {
      await films.insertMany(Array.from({ length: 10_000 }, (_, year) => ({ year })));
      const $lookup = { from: films.collectionName, pipeline: [{ $sort: { title: 1 } }], as: 'all' };
      return films.aggregate([{ $lookup }, { $count: 'n' }], { maxTimeMS: 1 }).toArray();
    },
  },
  {
    mistake: 'A hint that names no index',
    cause: 'No index has that name or key.',
    remedy: 'Create the index, or remove the hint.',
    run: async ({ films }) => {
      await films.insertOne({ title: 'M' });
      return films.find({}, { hint: 'no_such_index' }).toArray();
    },
  },
  {
    mistake: 'An index key of an unknown type',
    cause: 'The value of a key is 1, -1 or the name of an index type.',
    remedy: 'Use 1 or -1.',
    run: ({ films }) => films.createIndexes([{ key: { price: wrong('up') } }]),
  },
  {
    mistake: 'A transaction on a standalone',
    cause: 'Transactions need a replica set or a sharded cluster.',
    remedy: 'Start the server with `--replSet`; one member suffices.',
    run: ({ client, films }) =>
      client.withSession(session => session.withTransaction(() => films.insertOne({ title: 'M' }, { session }))),
  },
  {
    mistake: 'A session that has ended',
    cause: '`endSession` was called, often because of a missing `await` inside `withSession`.',
    remedy: 'Await all operations of the session.',
    run: async ({ client, films }) => {
      const session = client.startSession();
      await session.endSession();
      return films.findOne({}, { session });
    },
  },
  {
    mistake: 'A session of another client',
    cause: 'A session belongs to the client that started it.',
    remedy: 'Use one client for both.',
    run: ({ withClient, standalone, films }) =>
      withClient(standalone, {}, other => other.withSession(session => films.findOne({}, { session }))),
  },
  {
    mistake: '`commitTransaction` without a transaction',
    cause: 'No transaction was started, or it has ended.',
    remedy: 'Call `startTransaction` first, or use `withTransaction`.',
    run: ({ client }) => client.withSession(session => session.commitTransaction()),
  },
  {
    mistake: 'A change stream on a standalone',
    cause: 'Change streams need a replica set or a sharded cluster.',
    remedy: 'Start the server with `--replSet`; one member suffices.',
    run: async ({ films }) => {
      const changes = films.watch();
      try {
        return await changes.next();
      } finally {
        await changes.close();
      }
    },
  },
  {
    mistake: 'An aborted operation',
    cause: 'The `signal` of the call aborted.',
    remedy: 'None: the error is the reason of the signal.',
    run: ({ films }) => films.find({}, { signal: AbortSignal.abort(new Error('The user left.')) }).toArray(),
  },
  {
    mistake: 'A pool without a free connection',
    cause: 'All connections are in use for longer than `waitQueueTimeoutMS`.',
    remedy: 'Find slow operations, or raise `maxPoolSize`.',
    run: ({ withClient, replicaSet }) =>
      withClient(replicaSet, { maxPoolSize: 1, waitQueueTimeoutMS: 200 }, async client => {
        const log = await client
          .db('shop')
          .createCollection('log', { capped: true, size: 4096 })
          .catch(() => client.db('shop').collection('log'));
        await log.insertOne({});
        const tail = log.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 2000 });
        await tail.next();
        const waiting = tail.next().catch(() => null);
        try {
          return await log.findOne({});
        } finally {
          await tail.close();
          await waiting;
        }
      }),
  },
  {
    mistake: 'A GridFS file that does not exist',
    cause: 'The bucket has no file of that name.',
    remedy: 'List the files with `bucket.find()`.',
    run: ({ client, module }) =>
      new Promise((_, reject) => {
        new module.GridFSBucket(client.db('shop')).openDownloadStreamByName('poster.png').on('error', reject).resume();
      }),
  },
];
