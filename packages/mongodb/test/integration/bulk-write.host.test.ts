import { MongoBulkWriteError } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';

interface Item {
  _id: number;
  n?: number;
}

const deployment = useDeployment();

const inOrder = { sort: { _id: 1 } } as const;

test('bulkWrite sums the counts of all kinds of operations', async context => {
  needs(context, 'upsert places');
  const collection = deployment.collection<Item>();
  const result = await collection.bulkWrite([
    { insertOne: { document: { _id: 1 } } },
    { insertOne: { document: { _id: 2 } } },
    { updateOne: { filter: { _id: 1 }, update: { $set: { n: 1 } } } },
    { updateMany: { filter: { _id: { $lte: 2 } }, update: { $inc: { n: 1 } } } },
    { replaceOne: { filter: { _id: 9 }, replacement: { n: 9 }, upsert: true } },
    { deleteOne: { filter: { _id: 1 } } },
    { deleteMany: { filter: { n: 100 } } },
  ]);
  expect(result).toEqual({
    insertedCount: 2,
    matchedCount: 3,
    modifiedCount: 3,
    deletedCount: 1,
    upsertedCount: 1,
    upsertedIds: { 4: 9 },
    insertedIds: { 0: 1, 1: 2 },
  });
  expect(await collection.find({}, inOrder).toArray()).toEqual([
    { _id: 2, n: 1 },
    { _id: 9, n: 9 },
  ]);
});

test('an ordered bulkWrite stops at the first error', async context => {
  needs(context, 'bulk counts');
  const collection = deployment.collection<Item>();
  const documents = [{ _id: 1 }, { _id: 1 }, { _id: 2 }];
  const error = await errorOf<MongoBulkWriteError>(collection.insertMany(documents));
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(error.code).toBe(11000);
  expect(error.writeErrors.map(({ index, code, err: { op } }) => ({ index, code, op }))).toEqual([
    { index: 1, code: 11000, op: { _id: 1 } },
  ]);
  expect(error.result).toMatchObject({ insertedCount: 1, insertedIds: { 0: 1 } });
  expect(await collection.find({}, inOrder).toArray()).toEqual([{ _id: 1 }]);
});

test('an unordered bulkWrite continues after errors, and reports each with its index', async context => {
  needs(context, 'bulk counts');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1 });
  const error = await errorOf<MongoBulkWriteError>(
    collection.bulkWrite(
      [
        { insertOne: { document: { _id: 1 } } },
        { updateOne: { filter: { _id: 1 }, update: { $set: { n: 1 } } } },
        { insertOne: { document: { _id: 2 } } },
        { insertOne: { document: { _id: 2 } } },
        { deleteOne: { filter: { _id: 7 } } },
      ],
      { ordered: false },
    ),
  );
  expect(error).toBeInstanceOf(MongoBulkWriteError);
  expect(error.writeErrors.map(({ index, code }) => [index, code])).toEqual([
    [0, 11000],
    [3, 11000],
  ]);
  expect([error.insertedCount, error.matchedCount, error.modifiedCount, error.deletedCount]).toEqual([1, 1, 1, 0]);
  expect(await collection.find({}, inOrder).toArray()).toEqual([{ _id: 1, n: 1 }, { _id: 2 }]);
});

test('more documents than maxWriteBatchSize are sent in several batches', { timeout: 120_000 }, async () => {
  const collection = deployment.collection<Item>();
  const { maxWriteBatchSize = 100_000 } = await deployment.client.db('admin').command({ isMaster: 1 });
  // At most 3,000 documents, because slow servers time out beyond that; the message size limit then splits the batch.
  const count = Math.min(Number(maxWriteBatchSize) + 1, 3_000);
  let commands = 0;
  const client = deployment.another({ monitorCommands: true });
  client.on('commandStarted', ({ commandName }) => void (commands += Number(commandName === 'insert')));
  const documents = numbered(count, () => ({ text: 'x'.repeat(20_000) }));
  const target = client.db(deployment.db.databaseName).collection<Item>(collection.collectionName);
  expect(await target.insertMany(documents)).toMatchObject({ insertedCount: count });
  expect(commands).toBeGreaterThan(1);
  expect(await collection.estimatedDocumentCount()).toBe(count);
});

test('an error in a later batch has its index in the whole list', { timeout: 60_000 }, async context => {
  needs(context, 'bulk counts');
  const collection = deployment.collection<Item>();
  const documents = numbered(13, () => ({ text: 'x'.repeat(4_000_000) }));
  documents[12]!._id = 0;
  const error = await errorOf<MongoBulkWriteError>(collection.insertMany(documents, { ordered: false }));
  expect(error.writeErrors.map(({ index }) => index)).toEqual([12]);
  expect(error.insertedCount).toBe(12);
});
