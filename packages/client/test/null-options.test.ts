import { expect, test } from 'vitest';
import { Collection, Db, MongoClient, MongoInvalidArgumentError } from '@tessera/client';
import { withServer } from './with-server.js';

interface Given {
  readonly client: MongoClient;
  readonly db: Db;
  readonly films: Collection;
}

const none = null;
const calls: readonly (readonly [name: string, call: (given: Given) => unknown])[] = [
  ['command', ({ db }) => db.command({ ping: 1 }, none as never)],
  ['runCursorCommand', ({ db }) => db.runCursorCommand({ find: 'films' }, none).toArray()],
  ['listCollections', ({ db }) => db.listCollections(none, none).toArray()],
  ['collections', ({ db }) => db.collections(none)],
  ['stats', ({ db }) => db.stats(none as never)],
  ['listDatabases', ({ db }) => db.admin().listDatabases(none)],
  [
    'validateCollection',
    async ({ client }) => {
      const admin = client.db('admin');
      await admin.createCollection('films');
      return admin.admin().validateCollection('films', none);
    },
  ],
  ['serverStatus', ({ db }) => db.admin().serverStatus(none as never)],
  ['insertMany', ({ films }) => films.insertMany([{}], none as never)],
  ['find', ({ films }) => films.find({}, none as never).toArray()],
  ['count of a cursor', ({ films }) => films.find({}).count(none)],
  ['aggregate', ({ films }) => films.aggregate([], none as never).toArray()],
  ['updateOne', ({ films }) => films.updateOne({}, { $set: { a: 1 } }, none as never)],
  ['findOneAndUpdate', ({ films }) => films.findOneAndUpdate({}, { $set: { a: 1 } }, none as never)],
  ['countDocuments', ({ films }) => films.countDocuments({}, none)],
  ['estimatedDocumentCount', ({ films }) => films.estimatedDocumentCount(none as never)],
  ['distinct', ({ films }) => films.distinct('a', {}, none as never)],
  ['bulkWrite', ({ films }) => films.bulkWrite([{ insertOne: { document: {} } }], none as never)],
  ['createIndex', ({ films }) => films.createIndex('a', none as never)],
  ['indexes', ({ films }) => films.indexes(none as never)],
  ['listIndexes', ({ films }) => films.listIndexes(none as never).toArray()],
  ['execute of an ordered bulk', ({ films }) => films.initializeOrderedBulkOp(none).insert({}).execute(none)],
  ['execute of an unordered bulk', ({ films }) => films.initializeUnorderedBulkOp(none).insert({}).execute(none)],
  [
    'bulkWrite of the client',
    ({ client }) => client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document: {} }], none),
  ],
  ['withSession', ({ client }) => client.withSession(none as never, session => session.endSession(none))],
  ['rename', ({ films }) => films.rename('movies', none as never)],
  ['drop', ({ films }) => films.drop(none as never)],
];

test.each(calls)('%s accepts null as options', async (_name, call) => {
  await withServer(async ({ client }) => {
    const db = client.db('shop');
    const films = db.collection('films');
    await films.insertOne({ a: 1 });
    await expect(Promise.resolve(call({ client, db, films }))).resolves.not.toThrow();
  });
});

test.each([Object.create(null), Symbol('x'), NaN, -1, '5'])(
  'readBufferedDocuments rejects an invalid count',
  async most => {
    await withServer(async ({ films }) => {
      expect(() => films.find().readBufferedDocuments(most as number)).toThrow(MongoInvalidArgumentError);
    });
  },
);
