import {
  MongoClient,
  MongoClientClosedError,
  MongoNotConnectedError,
  MongoServerSelectionError,
} from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, useRoom, waitingPlace } from './deployment.js';

const room = useRoom();

test('a client that was never connected opens itself at the first operation', async () => {
  await using client = new MongoClient(room.uri);
  expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('a closed client refuses work, and works again after connect', async () => {
  const client = await MongoClient.connect(room.uri);
  await client.close();
  expect(await errorOf(client.db().command({ ping: 1 }))).toBeInstanceOf(MongoNotConnectedError);
  await client.connect();
  expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
  await client.close();
});

test('an operation under way when its client is closed fails as the closing says', async context => {
  needs(context, 'capped collections', 'awaited data');
  const client = new MongoClient(room.uri, { monitorCommands: true });
  const collection = client.db(room.db.databaseName).collection(await waitingPlace(room));
  const cursor = collection.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 5_000 });
  await cursor.next();
  const asked = new Promise<void>(resolve => client.once('commandStarted', () => resolve()));
  const failed = errorOf(cursor.next());
  await asked;
  await client.close();
  expect(await failed).toBeInstanceOf(MongoClientClosedError);
});

test('connecting to a port where nobody listens fails after serverSelectionTimeoutMS and names the address', async () => {
  const error = await errorOf(MongoClient.connect('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 100 }));
  expect(error).toBeInstanceOf(MongoServerSelectionError);
  expect(error.message).toContain('127.0.0.1:1');
});

test('a server is asked for its version and its databases', async () => {
  await room.collection().insertOne({});
  const { version } = await room.client.db().admin().buildInfo();
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  const { databases } = await room.client.db().admin().listDatabases({ nameOnly: true });
  expect(databases.map(({ name }) => name)).toContain(room.db.databaseName);
});

test('listDatabases answers those that the filter names', async context => {
  needs(context, 'listDatabases filter');
  await room.collection().insertOne({});
  const filter = { name: room.db.databaseName };
  const { databases } = await room.client.db().admin().listDatabases({ filter, nameOnly: true });
  expect(databases.map(({ name }) => name)).toEqual([room.db.databaseName]);
});

test('hello tells the limits that the driver keeps to', async context => {
  needs(context, 'hello');
  const hello = await room.client.db('admin').command({ hello: 1 });
  expect(hello).toMatchObject({ maxBsonObjectSize: 16_777_216, isWritablePrimary: true, ok: 1 });
});
