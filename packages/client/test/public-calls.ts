/** A call of every public method that returns a promise, for tests of all methods. */
import type {
  AbstractCursor,
  Admin,
  AggregationCursor,
  ChangeStream,
  ClientSession,
  Collection,
  Db,
  FindCursor,
  GridFSBucket,
  MongoClient,
  OrderedBulkOperation,
} from '@tessera/client';
import type { Document } from 'bson';
import { expect } from 'vitest';
import type { Handles } from './bad-server.js';

export interface Given extends Handles {
  readonly options: { readonly timeoutMS?: number };
  readonly files: GridFSBucket;
}

export type Call = (given: Given) => Promise<unknown>;

/** The methods that return a promise. A method that is missing here is a compile error. */
type Waited<Of> = {
  [Name in keyof Of & string]: Of[Name] extends (...given: never) => infer Answer
    ? [Answer] extends [never]
      ? never
      : Answer extends Promise<unknown> | AsyncIterableIterator<unknown, unknown>
        ? Name
        : never
    : never;
}[keyof Of & string];
type Calls<Of, But extends string = never> = Readonly<Record<Exclude<Waited<Of>, But>, Call>>;

const write = { name: 'insertOne', namespace: 'test.films', document: {} } as const;
const change = { $set: { a: 1 } };
const definition = { mappings: { dynamic: true } };
const bytes = new Uint8Array(3);

export const ofCollections: Calls<Collection> = {
  insertOne: ({ films, options }) => films.insertOne({}, options),
  insertMany: ({ films, options }) => films.insertMany([{}], options),
  bulkWrite: ({ films, options }) => films.bulkWrite([{ insertOne: { document: {} } }], options),
  updateOne: ({ films, options }) => films.updateOne({}, change, options),
  updateMany: ({ films, options }) => films.updateMany({}, change, options),
  replaceOne: ({ films, options }) => films.replaceOne({}, { a: 1 }, options),
  deleteOne: ({ films, options }) => films.deleteOne({}, options),
  deleteMany: ({ films, options }) => films.deleteMany({}, options),
  findOne: ({ films, options }) => films.findOne({}, options),
  findOneAndDelete: ({ films, options }) => films.findOneAndDelete({}, options),
  findOneAndReplace: ({ films, options }) => films.findOneAndReplace({}, { a: 1 }, options),
  findOneAndUpdate: ({ films, options }) => films.findOneAndUpdate({}, change, options),
  countDocuments: ({ films, options }) => films.countDocuments({}, options),
  estimatedDocumentCount: ({ films, options }) => films.estimatedDocumentCount(options),
  count: ({ films, options }) => films.count({}, options),
  distinct: ({ films, options }) => films.distinct('a', {}, options),
  createIndex: ({ films, options }) => films.createIndex({ a: 1 }, options),
  createIndexes: ({ films, options }) => films.createIndexes([{ key: { a: 1 } }], options),
  dropIndex: ({ films, options }) => films.dropIndex('a_1', options),
  dropIndexes: ({ films, options }) => films.dropIndexes(options),
  indexes: ({ films, options }) => films.indexes(options),
  indexInformation: ({ films, options }) => films.indexInformation(options),
  indexExists: ({ films, options }) => films.indexExists('a_1', options),
  createSearchIndex: ({ films }) => films.createSearchIndex({ definition }),
  createSearchIndexes: ({ films }) => films.createSearchIndexes([{ definition }]),
  updateSearchIndex: ({ films }) => films.updateSearchIndex('a', definition),
  dropSearchIndex: ({ films }) => films.dropSearchIndex('a'),
  rename: ({ films, options }) => films.rename('movies', options),
  drop: ({ films, options }) => films.drop(options),
  options: ({ films, options }) => films.options(options),
  isCapped: ({ films, options }) => films.isCapped(options),
};

/** The compiler takes a cursor over documents of any type for an iterator. */
export const ofDatabases: Calls<Db, 'runCursorCommand'> = {
  command: ({ db, options }) => db.command({ buildInfo: 1 }, options),
  createCollection: ({ db, options }) => db.createCollection('movies', options),
  collections: ({ db, options }) => db.collections(options),
  renameCollection: ({ db, options }) => db.renameCollection('films', 'movies', options),
  dropCollection: ({ db, options }) => db.dropCollection('films', options),
  dropDatabase: ({ db, options }) => db.dropDatabase(options),
  stats: ({ db, options }) => db.stats(options),
  createIndex: ({ db, options }) => db.createIndex('films', { a: 1 }, options),
  indexes: ({ db, options }) => db.indexes('films', options),
  indexInformation: ({ db, options }) => db.indexInformation('films', options),
  removeUser: ({ db, options }) => db.removeUser('ann', options),
  profilingLevel: ({ db, options }) => db.profilingLevel(options),
  setProfilingLevel: ({ db, options }) => db.setProfilingLevel('all', options),
};

export const ofAdmin: Calls<Admin> = {
  command: ({ db, options }) => db.admin().command({ buildInfo: 1 }, options),
  listDatabases: ({ db, options }) => db.admin().listDatabases(options),
  buildInfo: ({ db, options }) => db.admin().buildInfo(options),
  serverInfo: ({ db, options }) => db.admin().serverInfo(options),
  serverStatus: ({ db, options }) => db.admin().serverStatus(options),
  ping: ({ db, options }) => db.admin().ping(options),
  replSetGetStatus: ({ db, options }) => db.admin().replSetGetStatus(options),
  removeUser: ({ db, options }) => db.admin().removeUser('ann', options),
  validateCollection: ({ db, options }) => db.admin().validateCollection('films', options),
};

/** Methods that do not fail because of a server reply. */
export const ofClients: Calls<MongoClient, 'close' | 'connect' | 'withSession'> = {
  bulkWrite: ({ client, options }) => client.bulkWrite([write], options),
};

/** Methods of the cursor itself and of its subclasses. */
export const ofCursors: Calls<AbstractCursor<Document>, 'close'> &
  Calls<FindCursor<Document>, 'close'> &
  Calls<AggregationCursor<Document>, 'close'> = {
  next: ({ films, options }) => films.find({}, options).next(),
  tryNext: ({ films, options }) => films.find({}, options).tryNext(),
  hasNext: ({ films, options }) => films.find({}, options).hasNext(),
  toArray: ({ films, options }) => films.find({}, options).toArray(),
  forEach: ({ films, options }) => films.find({}, options).forEach(() => undefined),
  explain: ({ films, options }) => films.find({}, options).explain(),
  count: ({ films, options }) => films.find({}, options).count(options),
};

export const moreOfCursors: Readonly<Record<string, Call>> = {
  'for await': async ({ films, options }) => {
    for await (const film of films.find({}, options)) expect(film).toEqual({ _id: 1 });
  },
  'next of its iterator': ({ films, options }) => films.find({}, options)[Symbol.asyncIterator]().next(),
  'the list of collections': ({ db, options }) => db.listCollections({}, options).next(),
  'the list of indexes': ({ films, options }) => films.listIndexes(options).next(),
  'of a command': ({ db, options }) => db.runCursorCommand({ find: 'films' }, options).next(),
  'of an aggregation': ({ films, options }) => films.aggregate([], options).next(),
};

export const ofBulks: Calls<OrderedBulkOperation> = {
  execute: ({ films, options }) => films.initializeOrderedBulkOp(options).insert({}).execute(),
};

const watchedOnce =
  (read: (stream: ChangeStream) => Promise<unknown>): Call =>
  async ({ films, options }) => {
    const stream = films.watch([], options);
    try {
      await read(stream);
    } finally {
      await stream.close();
    }
  };

export const ofChangeStreams: Calls<ChangeStream, 'close'> & Readonly<Record<string, Call>> = {
  open: watchedOnce(stream => stream.open()),
  next: watchedOnce(stream => stream.next()),
  tryNext: watchedOnce(stream => stream.tryNext()),
  hasNext: watchedOnce(stream => stream.hasNext()),
  'for await': watchedOnce(async stream => {
    for await (const event of stream) expect(event).toBeDefined();
  }),
};

/** Neither abortTransaction nor endSession fails because of a server reply. */
export const ofSessions: Calls<ClientSession, 'abortTransaction' | 'endSession'> & Readonly<Record<string, Call>> = {
  commitTransaction: async ({ client, films, options }) => {
    const session = client.startSession();
    session.startTransaction();
    await films.insertOne({}, { session });
    await session.commitTransaction(options);
  },
  withTransaction: async ({ client, films, options }) => {
    const session = client.startSession();
    await session.withTransaction(() => films.insertOne({}, { session }), options);
  },
  'an operation within withTransaction': async ({ client, films, options }) => {
    const session = client.startSession();
    await session.withTransaction(async () => {
      await films.insertOne({}, { session, comment: 'refuse' });
    }, options);
  },
};

export const ofFiles: Calls<GridFSBucket> & Readonly<Record<string, Call>> = {
  upload: ({ files, options }) => files.upload('a', bytes, options),
  'upload of many bytes': ({ files, options }) => files.upload('a', new Uint8Array(4_000_000), options),
  'upload from a source': ({ files, options }) =>
    files.upload(
      'a',
      (async function* () {
        yield await Promise.resolve(bytes);
      })(),
      options,
    ),
  download: async ({ files, options }) => {
    for await (const some of files.download('a', options)) expect(some).toBeDefined();
  },
  downloadByName: ({ files, options }) => files.downloadByName('a', options).next(),
  delete: ({ files, options }) => files.delete('a', options),
  deleteByName: ({ files, options }) => files.deleteByName('a', options),
  rename: ({ files, options }) => files.rename('a', 'b', options),
  renameByName: ({ files, options }) => files.renameByName('a', 'b', options),
  drop: ({ files, options }) => files.drop(options),
};
