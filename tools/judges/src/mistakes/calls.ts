import type { Mistake } from './mistake.js';
import { wrong } from './mistake.js';

export const calls: readonly Mistake[] = [
  {
    mistake: '`limit(NaN)`, from `Number(undefined)`',
    cause: 'The limit is not a number.',
    remedy: 'Check the input before the call.',
    run: ({ films }) => films.find().limit(NaN).toArray(),
  },
  {
    mistake: "`limit('5')`, from a query string",
    cause: 'The limit is a string.',
    remedy: "Convert it: `limit(Number('5'))`.",
    run: ({ films }) => films.find().limit(wrong('5')).toArray(),
  },
  {
    mistake: "`skip('18')`",
    cause: 'The number of documents to skip is a string.',
    remedy: 'Convert it to a number.',
    run: ({ films }) => films.find().skip(wrong('18')).toArray(),
  },
  {
    mistake: "`batchSize('x')`",
    cause: 'The batch size is a string.',
    remedy: 'Pass a whole number.',
    run: ({ films }) => films.find().batchSize(wrong('x')).toArray(),
  },
  {
    mistake: 'A forgotten `.toArray()` in a JSON response',
    cause: '`find` returns a cursor, and `JSON.stringify` receives the cursor.',
    remedy: 'Call `await cursor.toArray()` first.',
    run: ({ films }) => Promise.resolve(JSON.stringify({ films: films.find() }).slice(0, 60)),
  },
  {
    mistake: 'A database name with a dot',
    cause: 'A dot separates database and collection.',
    remedy: "Call `client.db('shop').collection('x')`.",
    run: async ({ client }) => client.db('shop.x'),
  },
  {
    mistake: 'An empty collection name',
    cause: 'The variable that holds the name is empty.',
    remedy: 'Pass a name.',
    run: async ({ client }) => client.db('shop').collection(''),
  },
  {
    mistake: 'A callback as the last argument',
    cause: 'Callbacks were removed from the API.',
    remedy: 'Use the promise: `await films.findOne(filter)`.',
    run: ({ films }) =>
      films.insertOne(
        { title: 'M' },
        wrong(() => undefined),
      ),
  },
  {
    mistake: 'An array of documents for `insertOne`',
    cause: '`insertOne` takes one document.',
    remedy: 'Call `insertMany`.',
    run: ({ films }) => films.insertOne(wrong([{ title: 'M' }])),
  },
  {
    mistake: 'One document for `insertMany`',
    cause: '`insertMany` takes an array.',
    remedy: 'Call `insertOne`.',
    run: ({ films }) => films.insertMany(wrong({ title: 'M' })),
  },
  {
    mistake: 'An update without an operator',
    cause: 'An update consists of operators such as `$set`.',
    remedy: 'Write `{ $set: { year: 1931 } }`, or call `replaceOne`.',
    run: ({ films }) => films.updateOne({}, { year: 1931 }),
  },
  {
    mistake: 'Operators in a replacement',
    cause: '`replaceOne` takes a whole document.',
    remedy: 'Call `updateOne`.',
    run: ({ films }) => films.replaceOne({}, { $set: { year: 1931 } }),
  },
  {
    mistake: 'A sort direction that does not exist',
    cause: "Directions are 1, -1, 'asc', 'desc' and their variants.",
    remedy: 'Correct the direction.',
    run: ({ films }) =>
      films
        .find()
        .sort({ year: wrong('up') })
        .toArray(),
  },
  {
    mistake: 'A bulk write of an unknown kind',
    cause: 'There is no operation of that name.',
    remedy: 'Use `insertOne`, `updateOne`, `updateMany`, `replaceOne`, `deleteOne` or `deleteMany`.',
    run: ({ films }) => films.bulkWrite([wrong({ upsertOne: { document: {} } })]),
  },
  {
    mistake: 'An empty list for `insertMany`',
    cause: 'A list of documents may not be empty.',
    remedy: 'Skip the call for an empty list.',
    run: ({ films }) => films.insertMany([]),
  },
  {
    mistake: 'An invalid string for `new ObjectId()`',
    cause: 'An id has 24 hexadecimal characters.',
    remedy: 'Check with `ObjectId.isValid` first.',
    run: async ({ module }) => new module.ObjectId('film-1'),
  },
  {
    mistake: 'A document that contains itself',
    cause: 'BSON cannot represent a cycle.',
    remedy: 'Store an id in place of the document.',
    run: ({ films }) => {
      const film: { title: string; parent?: unknown } = { title: 'M' };
      film.parent = { film };
      return films.insertOne(film);
    },
  },
  {
    mistake: 'A document of more than 16 MB',
    cause: 'The limit of MongoDB is 16 MB for a document.',
    remedy: 'Store large data in GridFS.',
    run: ({ films }) => films.insertOne({ title: 'x'.repeat(17 * 1024 * 1024) }),
  },
  {
    mistake: 'An operation after `client.close()`',
    cause: 'The client is closed, often because of a missing `await` before it.',
    remedy: 'Await all operations before `close`, or call `connect` again.',
    run: ({ withClient, standalone }) =>
      withClient(standalone, {}, async client => {
        await client.connect();
        await client.close();
        return client.db('shop').collection('films').findOne({});
      }),
  },
  {
    mistake: 'A cursor that is changed after its first document',
    cause: 'The command was sent with the old settings.',
    remedy: 'Set sort, limit and other options before the first read.',
    run: async ({ films }) => {
      await films.insertMany([{ title: 'M' }, { title: 'Playtime' }]);
      const cursor = films.find();
      await cursor.next();
      return cursor.sort({ year: 1 });
    },
  },
  {
    mistake: 'Several kinds of reading on one change stream',
    cause: 'A change stream is read by listeners or by an iterator, not by both.',
    remedy: 'Decide for one of them.',
    run: async ({ withClient, replicaSet }) =>
      withClient(replicaSet, {}, async client => {
        const changes = client.db('shop').collection('films').watch();
        changes.on('change', () => undefined);
        try {
          return await changes.next();
        } finally {
          await changes.close();
        }
      }),
  },
];
