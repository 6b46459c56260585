/** Every method of the driver that takes a session, and the methods that take none. */
import type { ClientSession, MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';

interface Film extends Document {
  _id: number;
}

/** Calls a method with the given session, or without one, on `shop.films`, its database or its client. */
export type Call = (client: MongoClient, session?: ClientSession) => Promise<unknown>;

const filmsOf = (client: MongoClient) => client.db('shop').collection<Film>('films');
const namespace = 'shop.films';
const set = { $set: { a: 1 } };

/** Waits for the first batch of a stream and closes the stream. */
const once = async (stream: { tryNext(): Promise<unknown>; close(): Promise<void> }): Promise<void> => {
  try {
    await stream.tryNext();
  } finally {
    await stream.close();
  }
};

const collection: Readonly<Record<string, Call>> = {
  insertOne: (client, session) => filmsOf(client).insertOne({ _id: 1 }, { session }),
  insertMany: (client, session) => filmsOf(client).insertMany([{ _id: 2 }, { _id: 3 }], { session }),
  updateOne: (client, session) => filmsOf(client).updateOne({ _id: 1 }, set, { session }),
  updateMany: (client, session) => filmsOf(client).updateMany({}, set, { session }),
  replaceOne: (client, session) => filmsOf(client).replaceOne({ _id: 1 }, { b: 1 }, { session }),
  bulkWrite: (client, session) =>
    filmsOf(client).bulkWrite(
      [
        { insertOne: { document: { _id: 4 } } },
        { deleteOne: { filter: { _id: 4 } } },
        { updateOne: { filter: {}, update: set } },
      ],
      { session },
    ),
  initializeOrderedBulkOp: (client, session) =>
    filmsOf(client).initializeOrderedBulkOp({ session }).insert({ _id: 5 }).execute(),
  initializeUnorderedBulkOp: (client, session) =>
    filmsOf(client).initializeUnorderedBulkOp().insert({ _id: 6 }).execute({ session }),
  find: (client, session) => filmsOf(client).find({}, { session, batchSize: 2 }).toArray(),
  findOne: (client, session) => filmsOf(client).findOne({}, { session }),
  aggregate: (client, session) =>
    filmsOf(client)
      .aggregate([{ $match: {} }], { session })
      .toArray(),
  distinct: (client, session) => filmsOf(client).distinct('a', {}, { session }),
  countDocuments: (client, session) => filmsOf(client).countDocuments({}, { session }),
  estimatedDocumentCount: (client, session) => filmsOf(client).estimatedDocumentCount({ session }),
  count: (client, session) => filmsOf(client).count({}, { session }),
  findOneAndUpdate: (client, session) => filmsOf(client).findOneAndUpdate({ _id: 1 }, set, { session }),
  findOneAndReplace: (client, session) => filmsOf(client).findOneAndReplace({ _id: 1 }, { c: 1 }, { session }),
  findOneAndDelete: (client, session) => filmsOf(client).findOneAndDelete({ _id: 1 }, { session }),
  deleteOne: (client, session) => filmsOf(client).deleteOne({ _id: 2 }, { session }),
  deleteMany: (client, session) => filmsOf(client).deleteMany({}, { session }),
  watch: (client, session) => once(filmsOf(client).watch([], { session, maxAwaitTimeMS: 10 })),
  createIndex: (client, session) => filmsOf(client).createIndex({ a: 1 }, { session }),
  createIndexes: (client, session) => filmsOf(client).createIndexes([{ key: { b: 1 } }], { session }),
  listIndexes: (client, session) => filmsOf(client).listIndexes({ session }).toArray(),
  indexes: (client, session) => filmsOf(client).indexes({ session }),
  indexInformation: (client, session) => filmsOf(client).indexInformation({ session }),
  indexExists: (client, session) => filmsOf(client).indexExists('a_1', { session }),
  dropIndex: (client, session) => filmsOf(client).dropIndex('a_1', { session }),
  dropIndexes: (client, session) => filmsOf(client).dropIndexes({ session }),
  listSearchIndexes: (client, session) => filmsOf(client).listSearchIndexes({ session }).toArray(),
  options: (client, session) => filmsOf(client).options({ session }),
  isCapped: (client, session) => filmsOf(client).isCapped({ session }),
  rename: (client, session) => filmsOf(client).rename('movies', { session, dropTarget: true }),
  drop: (client, session) => filmsOf(client).drop({ session }),
};

const db: Readonly<Record<string, Call>> = {
  command: (client, session) => client.db('shop').command({ ping: 1 }, { session }),
  runCursorCommand: (client, session) =>
    client
      .db('shop')
      .runCursorCommand({ listCollections: 1, cursor: { batchSize: 10 } }, { session })
      .toArray(),
  aggregate: (client, session) =>
    client
      .db('shop')
      .aggregate([{ $documents: [{}] }], { session })
      .toArray(),
  watch: (client, session) => once(client.db('shop').watch([], { session, maxAwaitTimeMS: 10 })),
  createCollection: (client, session) => client.db('shop').createCollection('films', { session }),
  listCollections: (client, session) => client.db('shop').listCollections({}, { session }).toArray(),
  collections: (client, session) => client.db('shop').collections({ session }),
  createIndex: (client, session) => client.db('shop').createIndex('films', { a: 1 }, { session }),
  indexes: (client, session) => client.db('shop').indexes('films', { session }),
  indexInformation: (client, session) => client.db('shop').indexInformation('films', { session }),
  stats: (client, session) => client.db('shop').stats({ session }),
  profilingLevel: (client, session) => client.db('shop').profilingLevel({ session }),
  setProfilingLevel: (client, session) => client.db('shop').setProfilingLevel('off', { session }),
  removeUser: (client, session) => client.db('shop').removeUser('nobody', { session }),
  renameCollection: (client, session) =>
    client.db('shop').renameCollection('films', 'movies', { session, dropTarget: true }),
  dropCollection: (client, session) => client.db('shop').dropCollection('movies', { session }),
  dropDatabase: (client, session) => client.db('shop').dropDatabase({ session }),
};

const admin: Readonly<Record<string, Call>> = {
  command: (client, session) => client.db().admin().command({ ping: 1 }, { session }),
  ping: (client, session) => client.db().admin().ping({ session }),
  buildInfo: (client, session) => client.db().admin().buildInfo({ session }),
  serverInfo: (client, session) => client.db().admin().serverInfo({ session }),
  serverStatus: (client, session) => client.db().admin().serverStatus({ session }),
  replSetGetStatus: (client, session) => client.db().admin().replSetGetStatus({ session }),
  listDatabases: (client, session) => client.db().admin().listDatabases({ session }),
  removeUser: (client, session) => client.db().admin().removeUser('nobody', { session }),
  validateCollection: (client, session) => client.db().admin().validateCollection('films', { session }),
};

const ofClient: Readonly<Record<string, Call>> = {
  watch: (client, session) => once(client.watch([], { session, maxAwaitTimeMS: 10 })),
  bulkWrite: (client, session) => client.bulkWrite([{ name: 'insertOne', namespace, document: { a: 7 } }], { session }),
};

const cursors: Readonly<Record<string, Call>> = {
  'find().explain': (client, session) => filmsOf(client).find({}, { session }).explain(),
  'aggregate().explain': (client, session) => filmsOf(client).aggregate([], { session }).explain(),
};

const withClass = (name: string, calls: Readonly<Record<string, Call>>): readonly (readonly [string, Call])[] =>
  Object.entries(calls).map(([method, call]) => [`${name}.${method}`, call]);

/** The title and call of each method that takes a session. The order matters: some need the results of earlier ones. */
export const methods: readonly (readonly [title: string, call: Call])[] = [
  ...withClass('Collection', collection),
  ...withClass('Collection', cursors),
  ...withClass('Db', db),
  ...withClass('Admin', admin),
  ...withClass('MongoClient', ofClient),
];

/** Methods without a session: they send nothing, or no specification defines one for them. */
export const withoutSession: readonly string[] = [
  'Collection.strict',
  ...['createSearchIndex', 'createSearchIndexes', 'updateSearchIndex', 'dropSearchIndex'].map(
    name => `Collection.${name}`,
  ),
  ...['Db.collection', 'Db.admin'],
  ...['connect', 'close', 'db', 'appendMetadata', 'startSession', 'withSession'].map(name => `MongoClient.${name}`),
];
