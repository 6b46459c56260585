import { MongoServerError } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, useDeployment } from './deployment.js';

const deployment = useDeployment();

const names = async (): Promise<string[]> => {
  const infos = await deployment.db.listCollections({}, { nameOnly: true }).toArray();
  return infos.map(({ name }) => name);
};

test('a collection is created, listed and dropped', async () => {
  const collection = await deployment.db.createCollection('made');
  expect(collection.namespace).toBe(`${deployment.db.databaseName}.made`);
  expect(await names()).toContain('made');
  expect(await collection.drop()).toBe(true);
  expect(await names()).not.toContain('made');
});

test('creating an existing collection with other options fails', async context => {
  needs(context, 'error codes', 'capped collections');
  await deployment.db.createCollection('once');
  const error = await errorOf<MongoServerError>(deployment.db.createCollection('once', { capped: true, size: 4096 }));
  expect([error.code, error.codeName]).toEqual([48, 'NamespaceExists']);
});

test('dropping a collection that does not exist succeeds', async () => {
  expect(typeof (await deployment.collection().drop())).toBe('boolean');
  expect(await deployment.client.db(`${deployment.db.databaseName}_none`).dropDatabase()).toBe(true);
});

test('listCollections returns the type and options of matching collections', async context => {
  needs(context, 'capped collections');
  await deployment.db.createCollection('small', { capped: true, size: 4096, max: 3 });
  const infos = await deployment.db.listCollections({ name: 'small' }).toArray();
  expect(infos).toMatchObject([{ name: 'small', type: 'collection', options: { capped: true, size: 4096, max: 3 } }]);
});

test('a capped collection keeps its newest documents', async context => {
  needs(context, 'capped collections', 'capped maximum');
  const capped = await deployment.db.createCollection<{ _id: number }>('newest', { capped: true, size: 4096, max: 2 });
  for (const _id of [1, 2, 3]) await capped.insertOne({ _id });
  expect(await capped.find().toArray()).toEqual([{ _id: 2 }, { _id: 3 }]);
});

test('rename renames a collection', async context => {
  needs(context, 'collection rename');
  const before = deployment.collection<{ _id: number }>();
  await before.insertOne({ _id: 1 });
  const to = `${deployment.db.databaseName}.renamed`;
  await deployment.client.db('admin').command({ renameCollection: before.namespace, to });
  expect(await deployment.db.collection('renamed').findOne()).toEqual({ _id: 1 });
  expect(await names()).not.toContain(before.collectionName);
});

test('a view returns the result of its pipeline', async context => {
  needs(context, 'views');
  const source = deployment.collection<{ _id: number }>();
  await source.insertMany([{ _id: 1 }, { _id: 2 }]);
  const pipeline = [{ $match: { _id: 2 } }];
  const view = await deployment.db.createCollection('view', { viewOn: source.collectionName, pipeline });
  expect(await view.find().toArray()).toEqual([{ _id: 2 }]);
});

test('a write to a view fails', async context => {
  needs(context, 'views', 'read-only views');
  const view = await deployment.db.createCollection('shown', {
    viewOn: deployment.collection().collectionName,
    pipeline: [],
  });
  const error = await errorOf<MongoServerError>(view.insertOne({}));
  expect([error.code, error.codeName]).toEqual([166, 'CommandNotSupportedOnView']);
});

test('a validator rejects an invalid document, with details', async context => {
  needs(context, 'document validation');
  const validator = { $jsonSchema: { required: ['n'], properties: { n: { bsonType: 'int' } } } };
  const collection = await deployment.db.createCollection<{ _id: number; n?: unknown }>('checked', { validator });
  await collection.insertOne({ _id: 1, n: 1 });
  const error = await errorOf<MongoServerError>(collection.insertOne({ _id: 2, n: 'x' }));
  expect(error.code).toBe(121);
  expect(error.errInfo).toMatchObject({ failingDocumentId: 2 });
  expect(await collection.insertOne({ _id: 3 }, { bypassDocumentValidation: true })).toMatchObject({
    insertedId: 3,
  });
});

test('indexes are created with the given names, listed and dropped', async () => {
  const collection = deployment.collection();
  expect(await collection.createIndex({ a: 1, b: -1 })).toBe('a_1_b_-1');
  expect(await collection.createIndexes([{ key: { c: 1 }, name: 'mine' }, { key: { d: -1 } }])).toEqual([
    'mine',
    'd_-1',
  ]);
  const infos = await collection.indexes();
  expect(Object.fromEntries(infos.map(({ name, key }) => [name, key]))).toEqual({
    _id_: { _id: 1 },
    'a_1_b_-1': { a: 1, b: -1 },
    mine: { c: 1 },
    'd_-1': { d: -1 },
  });
  expect(await collection.indexExists(['mine', 'd_-1'])).toBe(true);
  await collection.dropIndex('mine');
  expect(await collection.indexExists('mine')).toBe(false);
  await collection.dropIndexes();
  expect((await collection.indexes()).map(({ name }) => name)).toEqual(['_id_']);
});

test('a unique index rejects a duplicate', async () => {
  const collection = deployment.collection();
  await collection.createIndex({ email: 1 }, { unique: true });
  await collection.insertOne({ email: 'a' });
  expect((await errorOf<MongoServerError>(collection.insertOne({ email: 'a' }))).code).toBe(11000);
  expect(await collection.countDocuments()).toBe(1);
});

test('a partial unique index applies only to matching documents', async context => {
  needs(context, 'partial indexes');
  const collection = deployment.collection();
  await collection.createIndex({ n: 1 }, { unique: true, partialFilterExpression: { live: true } });
  await collection.insertMany([{ n: 1 }, { n: 1 }, { n: 1, live: true }]);
  expect((await errorOf<MongoServerError>(collection.insertOne({ n: 1, live: true }))).code).toBe(11000);
});

test('dropping an index that does not exist fails', async context => {
  needs(context, 'error codes');
  const collection = deployment.collection();
  await collection.insertOne({});
  const error = await errorOf<MongoServerError>(collection.dropIndex('nothing_1'));
  expect([error.code, error.codeName]).toEqual([27, 'IndexNotFound']);
});

test('dbStats returns the size of a database', async () => {
  await deployment.collection().insertOne({});
  expect(await deployment.db.stats()).toMatchObject({ db: deployment.db.databaseName, ok: 1 });
});
