import { expect, test } from 'vitest';
import { MongoWaitQueueTimeoutError } from '@tessera/mongodb';
import { errorOf, needs, numbered, useRoom } from './deployment.js';

interface Item {
  _id: number;
  n?: number;
}

const room = useRoom();

test(
  '500 operations in flight over 10 connections are all answered, each with its own',
  { timeout: 60_000 },
  async () => {
    const client = room.another({ maxPoolSize: 10 });
    let most = 0;
    let open = 0;
    client.on('connectionCreated', () => void (most = Math.max(most, ++open)));
    client.on('connectionClosed', () => void open--);
    const { collectionName } = room.collection();
    const collection = client.db(room.db.databaseName).collection<Item>(collectionName);
    await Promise.all(numbered(250).map(item => collection.insertOne(item)));
    const found = await Promise.all(
      Array.from({ length: 500 }, (_, index) => collection.findOne({ _id: index % 250 })),
    );
    expect(found.map(item => item?._id)).toEqual(Array.from({ length: 500 }, (_, index) => index % 250));
    expect(most).toBeGreaterThan(1);
    expect(most).toBeLessThanOrEqual(10);
  },
);

test('increments of one document at the same time are all counted', { timeout: 60_000 }, async context => {
  needs(context, 'atomic updates');
  const collection = room.collection<Item>();
  await collection.insertOne({ _id: 1, n: 0 });
  await Promise.all(Array.from({ length: 100 }, () => collection.updateOne({ _id: 1 }, { $inc: { n: 1 } })));
  expect(await collection.findOne()).toEqual({ _id: 1, n: 100 });
});

test('cursors that are read in turns do not disturb one another', async context => {
  needs(context, 'cursor batches');
  const collection = room.collection<Item>();
  await collection.insertMany(numbered(30));
  const options = { batchSize: 3, sort: { _id: 1 } } as const;
  const cursors = [collection.find({}, options), collection.find({ _id: { $gte: 10 } }, options)];
  const seen: number[][] = [[], []];
  for (let turn = 0; turn < 20; turn++)
    for (const [index, cursor] of cursors.entries()) seen[index]!.push((await cursor.next())!._id);
  expect(seen).toEqual([0, 10].map(from => Array.from({ length: 20 }, (_, index) => from + index)));
  await Promise.all(cursors.map(cursor => cursor.close()));
});

test('who waits longer than waitQueueTimeoutMS for a connection is told so', async () => {
  const client = room.another({ maxPoolSize: 1, waitQueueTimeoutMS: 1 });
  const db = client.db(room.db.databaseName);
  // Opens the connection: timeoutMS takes the place of waitQueueTimeoutMS, which is too short for a handshake.
  await db.command({ ping: 1 }, { timeoutMS: 30_000 });
  // So large that its bytes alone take longer than the wait may last.
  const insert = db.collection(room.collection().collectionName).insertOne({ text: 'x'.repeat(15_000_000) });
  expect(await errorOf(db.command({ ping: 1 }))).toBeInstanceOf(MongoWaitQueueTimeoutError);
  expect(await insert).toMatchObject({ acknowledged: true });
});
