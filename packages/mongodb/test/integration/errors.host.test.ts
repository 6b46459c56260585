import { MongoError, MongoServerError } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, useDeployment } from './deployment.js';

const deployment = useDeployment();

test('a duplicate key error contains code, keyPattern and keyValue', async context => {
  needs(context, 'duplicate key details');
  const collection = deployment.collection();
  await collection.createIndex({ email: 1 }, { unique: true });
  await collection.insertOne({ email: 'a@b' });
  const error = await errorOf<MongoServerError>(collection.insertOne({ email: 'a@b' }));
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error).toMatchObject({ code: 11000, keyPattern: { email: 1 }, keyValue: { email: 'a@b' } });
  expect(error.message).toBe(
    `E11000 duplicate key error collection: ${collection.namespace} index: email_1 dup key: { email: "a@b" }`,
  );
});

test('a duplicate key fails with code 11000 in every kind of write', async context => {
  needs(context, 'duplicate keys in updates');
  const collection = deployment.collection<{ _id: number; n?: number }>();
  await collection.createIndex({ n: 1 }, { unique: true });
  await collection.insertMany([
    { _id: 1, n: 1 },
    { _id: 2, n: 2 },
  ]);
  const works: (() => Promise<unknown>)[] = [
    () => collection.insertOne({ _id: 1 }),
    () => collection.updateOne({ _id: 1 }, { $set: { n: 2 } }),
    () => collection.replaceOne({ _id: 1 }, { n: 2 }),
    () => collection.findOneAndUpdate({ _id: 1 }, { $set: { n: 2 } }),
  ];
  for (const work of works) expect((await errorOf<MongoServerError>(work())).code).toBe(11000);
});

test('an unknown command fails with its code and codeName', async context => {
  needs(context, 'error codes');
  const error = await errorOf<MongoServerError>(deployment.db.command({ noSuchCommand: 1 }));
  expect(error).toBeInstanceOf(MongoServerError);
  expect([error.code, error.codeName]).toEqual([59, 'CommandNotFound']);
  expect(error.message).toBe("no such command: 'noSuchCommand'");
});

test('an unknown query operator fails with code 2', async context => {
  needs(context, 'error codes');
  const error = await errorOf<MongoServerError>(
    deployment
      .collection()
      .find({ n: { $noSuch: 1 } })
      .toArray(),
  );
  expect([error.code, error.codeName]).toEqual([2, 'BadValue']);
  expect(error.message).toBe('unknown operator: $noSuch');
});

test('an unknown update operator fails with code 9', async context => {
  needs(context, 'error codes');
  const collection = deployment.collection();
  await collection.insertOne({});
  const error = await errorOf<MongoServerError>(collection.updateOne({}, { $noSuch: { n: 1 } }));
  expect(error.code).toBe(9);
});

test('an update of _id fails', async context => {
  needs(context, 'error codes');
  const collection = deployment.collection<{ _id: number }>();
  await collection.insertOne({ _id: 1 });
  const error = await errorOf<MongoServerError>(collection.updateOne({ _id: 1 }, { $set: { _id: 2 } }));
  expect(error.code).toBe(66);
});

test('the stack of an error contains the calling function', async () => {
  async function whoCalled(): Promise<void> {
    await deployment.db.command({ noSuchCommand: 1 });
  }
  const error = await errorOf(whoCalled());
  expect(error).toBeInstanceOf(MongoError);
  expect(error.stack).toContain('whoCalled');
});

test('a client works after an error', async () => {
  const collection = deployment.collection<{ _id: number }>();
  await collection.insertOne({ _id: 1 });
  for (let time = 0; time < 5; time++) await errorOf(collection.insertOne({ _id: 1 }));
  expect(await collection.findOne()).toEqual({ _id: 1 });
});
