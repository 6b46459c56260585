import { expect, test } from 'vitest';
import { MongoWaitQueueTimeoutError } from '@tessera/mongodb';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';

interface Item {
  _id: number;
  n?: number;
}

const deployment = useDeployment();

test('500 concurrent operations on 10 connections each receive their own reply', { timeout: 60_000 }, async () => {
  const client = deployment.another({ maxPoolSize: 10 });
  let most = 0;
  let open = 0;
  client.on('connectionCreated', () => void (most = Math.max(most, ++open)));
  client.on('connectionClosed', () => void open--);
  const { collectionName } = deployment.collection();
  const collection = client.db(deployment.db.databaseName).collection<Item>(collectionName);
  await Promise.all(numbered(250).map(item => collection.insertOne(item)));
  const found = await Promise.all(Array.from({ length: 500 }, (_, index) => collection.findOne({ _id: index % 250 })));
  expect(found.map(item => item?._id)).toEqual(Array.from({ length: 500 }, (_, index) => index % 250));
  expect(most).toBeGreaterThan(1);
  expect(most).toBeLessThanOrEqual(10);
});

test('concurrent increments of one document are all applied', { timeout: 60_000 }, async context => {
  needs(context, 'atomic updates');
  const collection = deployment.collection<Item>();
  await collection.insertOne({ _id: 1, n: 0 });
  await Promise.all(Array.from({ length: 100 }, () => collection.updateOne({ _id: 1 }, { $inc: { n: 1 } })));
  expect(await collection.findOne()).toEqual({ _id: 1, n: 100 });
});

test('interleaved cursors each return their own documents', async context => {
  needs(context, 'cursor batches');
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(30));
  const options = { batchSize: 3, sort: { _id: 1 } } as const;
  const cursors = [collection.find({}, options), collection.find({ _id: { $gte: 10 } }, options)];
  const seen: number[][] = [[], []];
  for (let turn = 0; turn < 20; turn++)
    for (const [index, cursor] of cursors.entries()) seen[index]!.push((await cursor.next())!._id);
  expect(seen).toEqual([0, 10].map(from => Array.from({ length: 20 }, (_, index) => from + index)));
  await Promise.all(cursors.map(cursor => cursor.close()));
});

test('an operation that waits for a connection longer than waitQueueTimeoutMS fails', async () => {
  const client = deployment.another({ maxPoolSize: 1, waitQueueTimeoutMS: 1 });
  const db = client.db(deployment.db.databaseName);
  // Opens the connection. timeoutMS replaces waitQueueTimeoutMS here, because the latter is too short for a handshake.
  await db.command({ ping: 1 }, { timeoutMS: 30_000 });
  // The document is so large that sending it takes longer than waitQueueTimeoutMS.
  const insert = db.collection(deployment.collection().collectionName).insertOne({ text: 'x'.repeat(15_000_000) });
  expect(await errorOf(db.command({ ping: 1 }))).toBeInstanceOf(MongoWaitQueueTimeoutError);
  expect(await insert).toMatchObject({ acknowledged: true });
});
