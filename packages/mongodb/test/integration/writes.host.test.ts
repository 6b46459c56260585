import { Long, MongoInvalidArgumentError, MongoServerError, ObjectId } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';

interface Item {
  _id: number;
  n?: number;
  tag?: string;
  list?: unknown[];
}

const deployment = useDeployment();

test('insertOne adds an _id to the document and returns it', async () => {
  const collection = deployment.collection<{ _id?: ObjectId; name: string }>();
  const document: { _id?: ObjectId; name: string } = { name: 'one' };
  const result = await collection.insertOne(document);
  expect(result).toEqual({ acknowledged: true, insertedId: document._id });
  expect(document._id).toBeInstanceOf(ObjectId);
  expect(await collection.findOne()).toEqual({ _id: document._id, name: 'one' });
});

test('insertOne keeps an _id of any permitted type', async () => {
  const collection = deployment.collection<{ _id: unknown }>();
  for (const _id of ['text', 7, { a: 1, b: [2] }, new Date(5), true]) {
    expect(await collection.insertOne({ _id })).toEqual({ acknowledged: true, insertedId: _id });
    expect(await collection.findOne({ _id: _id as never })).toEqual({ _id });
  }
});

test('insertMany returns each _id under its index', async () => {
  const collection = deployment.collection<Item>();
  const result = await collection.insertMany([{ _id: 3 }, { _id: 1 }, { _id: 2 }]);
  expect(result).toEqual({ acknowledged: true, insertedCount: 3, insertedIds: { 0: 3, 1: 1, 2: 2 } });
  expect(await collection.countDocuments()).toBe(3);
});

test('insertMany splits a list that exceeds one message', { timeout: 60_000 }, async () => {
  const collection = deployment.collection();
  const text = 'x'.repeat(4_000_000);
  const documents = numbered(14, () => ({ text }));
  expect(await collection.insertMany(documents)).toMatchObject({ insertedCount: 14 });
  const found = await collection.find({}, { projection: { text: 0 }, sort: { _id: 1 } }).toArray();
  expect(found).toEqual(numbered(14));
});

test('insertMany of an empty list fails before a command is sent', async () => {
  expect(await errorOf(deployment.collection().insertMany([]))).toBeInstanceOf(MongoInvalidArgumentError);
});

test('updateOne and updateMany return matchedCount and modifiedCount', async () => {
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(4, n => ({ n })));
  const none = { acknowledged: true, matchedCount: 0, modifiedCount: 0, upsertedCount: 0, upsertedId: null };
  expect(await collection.updateOne({ _id: 9 }, { $set: { n: 1 } })).toEqual(none);
  expect(await collection.updateOne({ _id: 1 }, { $set: { n: 1 } })).toEqual({ ...none, matchedCount: 1 });
  const many = await collection.updateMany({ _id: { $gte: 1 } }, { $set: { n: 1 } });
  expect(many).toEqual({ ...none, matchedCount: 3, modifiedCount: 2 });
  expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([0, 1, 1, 1].map((n, _id) => ({ _id, n })));
});

test('an upsert returns the _id of the inserted document', async () => {
  const collection = deployment.collection<Item>();
  const upserted = { acknowledged: true, matchedCount: 0, modifiedCount: 0, upsertedCount: 1 };
  expect(await collection.updateOne({ _id: 5 }, { $inc: { n: 2 } }, { upsert: true })).toEqual({
    ...upserted,
    upsertedId: 5,
  });
  expect(await collection.replaceOne({ _id: 6 }, { tag: 'new' }, { upsert: true })).toEqual({
    ...upserted,
    upsertedId: 6,
  });
  const { upsertedId } = await collection.updateOne({ tag: 'other' }, { $set: { n: 1 } }, { upsert: true });
  expect(upsertedId).toBeInstanceOf(ObjectId);
  expect(
    await collection
      .find({}, { sort: { _id: 1 } })
      .limit(2)
      .toArray(),
  ).toEqual([
    { _id: 5, n: 2 },
    { _id: 6, tag: 'new' },
  ]);
});

test('update operators change fields as documented', async () => {
  const collection = deployment.collection();
  await collection.insertOne({ _id: 1, a: 1, b: 2, c: [1, 2, 3], d: 'gone', e: { f: 1 } });
  await collection.updateOne(
    { _id: 1 },
    { $inc: { a: 5 }, $mul: { b: 3 }, $push: { c: 4 }, $unset: { d: '' }, $set: { 'e.g': 2 }, $max: { h: 7 } },
  );
  expect(await collection.findOne()).toEqual({ _id: 1, a: 6, b: 6, c: [1, 2, 3, 4], e: { f: 1, g: 2 }, h: 7 });
  await collection.updateOne({ _id: 1 }, { $pull: { c: 4 }, $rename: { h: 'i' }, $min: { a: 0 } });
  await collection.updateOne({ _id: 1 }, { $addToSet: { c: 2 } });
  expect(await collection.findOne()).toEqual({ _id: 1, a: 0, b: 6, c: [1, 2, 3], e: { f: 1, g: 2 }, i: 7 });
});

test('$push sorts and slices', async context => {
  needs(context, 'push modifiers');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, list: [5, 1] });
  await collection.updateOne({ _id: 1 }, { $push: { list: { $each: [4, 2], $sort: 1, $slice: 3 } } });
  expect(await collection.findOne()).toEqual({ _id: 1, list: [1, 2, 4] });
});

test('$pull removes matching elements', async context => {
  needs(context, 'pull conditions');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, list: [1, 2, 3, 4] });
  await collection.updateOne({ _id: 1 }, { $pull: { list: { $gt: 2 } } });
  expect(await collection.findOne()).toEqual({ _id: 1, list: [1, 2] });
});

test('the positional operator changes the matched element', async context => {
  needs(context, 'positional updates');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, list: [1, 2, 3] });
  await collection.updateOne({ list: 2 }, { $set: { 'list.$': 20 } });
  expect(await collection.findOne()).toEqual({ _id: 1, list: [1, 20, 3] });
});

test('arrayFilters select the elements to change', async context => {
  needs(context, 'array filters');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, list: [{ n: 1 }, { n: 5 }, { n: 9 }] });
  const options = { arrayFilters: [{ 'big.n': { $gte: 5 } }] };
  await collection.updateOne({ _id: 1 }, { $set: { 'list.$[big].n': 0 } }, options);
  expect(await collection.findOne()).toEqual({ _id: 1, list: [{ n: 1 }, { n: 0 }, { n: 0 }] });
});

test('an update can be a pipeline', async context => {
  needs(context, 'pipeline updates');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, n: 4 });
  await collection.updateOne({ _id: 1 }, [{ $set: { tag: { $concat: ['n', { $toString: '$n' }] } } }]);
  expect(await collection.findOne()).toEqual({ _id: 1, n: 4, tag: 'n4' });
});

test('an update can read the variables of let', async context => {
  needs(context, 'let variables');
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(2, n => ({ n })));
  const filter = { $expr: { $eq: ['$n', '$$wanted'] } };
  expect(await collection.updateOne(filter, { $set: { tag: 'it' } }, { let: { wanted: 1 } })).toMatchObject({
    matchedCount: 1,
  });
  expect(await collection.findOne({ tag: 'it' })).toEqual({ _id: 1, n: 1, tag: 'it' });
});

test('replaceOne keeps only the _id', async () => {
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, n: 4, tag: 'old' });
  expect(await collection.replaceOne({ _id: 1 }, { list: [] })).toMatchObject({ matchedCount: 1, modifiedCount: 1 });
  expect(await collection.findOne()).toEqual({ _id: 1, list: [] });
});

test('an update without operators and a replacement with operators fail before a command is sent', async () => {
  const collection = deployment.collection();
  expect(await errorOf(collection.updateOne({}, { a: 1 }))).toBeInstanceOf(MongoInvalidArgumentError);
  expect(await errorOf(collection.replaceOne({}, { $set: { a: 1 } }))).toBeInstanceOf(MongoInvalidArgumentError);
});

test('deleteOne deletes one document, deleteMany all matching ones', async () => {
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(5, n => ({ n: n % 2 })));
  expect(await collection.deleteOne({ n: 0 })).toEqual({ acknowledged: true, deletedCount: 1 });
  expect(await collection.deleteMany({ n: 0 })).toEqual({ acknowledged: true, deletedCount: 2 });
  expect(await collection.deleteMany({ n: 7 })).toEqual({ acknowledged: true, deletedCount: 0 });
  expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([1, 3].map(_id => ({ _id, n: 1 })));
});

test('an unacknowledged write returns at once and is carried out', async context => {
  needs(context, 'unacknowledged writes');
  const client = deployment.another({ maxPoolSize: 1 });
  const name = deployment.collection().collectionName;
  const collection = client.db(deployment.db.databaseName).collection<Item>(name, { writeConcern: { w: 0 } });
  expect(await collection.insertOne({ _id: 1 })).toEqual({ acknowledged: false, insertedId: 1 });
  expect(await collection.updateOne({ _id: 1 }, { $set: { n: 3 } })).toMatchObject({ acknowledged: false });
  // The pool has one connection, so the server runs the reads after the writes.
  expect(await collection.findOne()).toEqual({ _id: 1, n: 3 });
  expect(await collection.deleteMany()).toMatchObject({ acknowledged: false });
  expect(await collection.findOne()).toBeNull();
});

test('findOneAndUpdate returns the document before or after the update', async () => {
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, n: 1 });
  expect(await collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } })).toEqual({ _id: 1, n: 1 });
  const after = { returnDocument: 'after' } as const;
  expect(await collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, after)).toEqual({ _id: 1, n: 3 });
  expect(await collection.findOneAndUpdate({ _id: 2 }, { $inc: { n: 1 } })).toBeNull();
});

test('findOneAndUpdate applies the projection', async context => {
  needs(context, 'projection of findAndModify');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, n: 1, tag: 'x' });
  const options = { projection: { _id: 0, n: 1 } };
  expect(await collection.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, options)).toEqual({ n: 1 });
});

test('findOneAndUpdate upserts and reports it with includeResultMetadata', async context => {
  needs(context, 'upsert metadata');
  const collection = deployment.collection<Item>();
  const result = await collection.findOneAndUpdate(
    { _id: 4 },
    { $set: { n: 1 } },
    { upsert: true, returnDocument: 'after', includeResultMetadata: true },
  );
  expect(result).toMatchObject({ ok: 1, value: { _id: 4, n: 1 } });
  expect(result.lastErrorObject).toMatchObject({ n: 1, updatedExisting: false, upserted: 4 });
});

test('findOneAndReplace and findOneAndDelete take the first document in sort order', async () => {
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(3, n => ({ n })));
  expect(await collection.findOneAndReplace({}, { tag: 'x' }, { sort: { n: -1 } })).toEqual({ _id: 2, n: 2 });
  expect(await collection.findOneAndDelete({ n: { $exists: true } }, { sort: { n: -1 } })).toEqual({ _id: 1, n: 1 });
  expect(await collection.find().sort({ _id: 1 }).toArray()).toEqual([
    { _id: 0, n: 0 },
    { _id: 2, tag: 'x' },
  ]);
  expect(await collection.findOneAndDelete({ _id: 9 })).toBeNull();
});

test('a collation decides which documents match', async context => {
  needs(context, 'collation');
  const collection = deployment.collection<Item>();
  await collection.insertMany([
    { _id: 1, tag: 'Abc' },
    { _id: 2, tag: 'abc' },
  ]);
  const collation = { locale: 'en', strength: 2 };
  expect(await collection.updateMany({ tag: 'ABC' }, { $set: { n: 1 } }, { collation })).toMatchObject({
    matchedCount: 2,
  });
  expect(await collection.countDocuments({ tag: 'ABC' }, { collation })).toBe(2);
  expect(await collection.countDocuments({ tag: 'ABC' })).toBe(0);
});

test('numbers beyond 32 bits are incremented without loss', async () => {
  const collection = deployment.collection();
  await collection.insertOne({ _id: 1, n: Long.fromString('9007199254740991') });
  await collection.updateOne({ _id: 1 }, { $inc: { n: Long.fromNumber(1) } });
  const found = await collection.findOne({}, { promoteLongs: false });
  expect(String(found?.['n'])).toBe('9007199254740992');
});

test('a write that the server rejects fails with a MongoServerError and its code', async context => {
  needs(context, 'error codes');
  const collection = deployment.collection();
  await collection.insertOne({ _id: 1, text: 'x' });
  const error = await errorOf<MongoServerError>(collection.updateOne({ _id: 1 }, { $inc: { text: 1 } }));
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error.code).toBe(14);
});
