import {
  MongoClient,
  MongoClientClosedError,
  MongoNotConnectedError,
  MongoServerSelectionError,
} from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, useDeployment, waitingPlace } from './deployment.js';

const deployment = useDeployment();

test('a client connects itself at the first operation', async () => {
  await using client = new MongoClient(deployment.uri);
  expect(await client.db('admin').command({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('a closed client rejects operations until it connects again', async () => {
  const client = await MongoClient.connect(deployment.uri);
  await client.close();
  expect(await errorOf(client.db().command({ ping: 1 }))).toBeInstanceOf(MongoNotConnectedError);
  await client.connect();
  expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
  await client.close();
  await client.close();
});

test('close ends a running operation with an error', async context => {
  needs(context, 'capped collections', 'awaited data');
  const client = new MongoClient(deployment.uri, { monitorCommands: true });
  const collection = client.db(deployment.db.databaseName).collection(await waitingPlace(deployment));
  const cursor = collection.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 5_000 });
  await cursor.next();
  const asked = new Promise<void>(resolve => client.once('commandStarted', () => resolve()));
  const failed = errorOf(cursor.next());
  await asked;
  await client.close();
  expect(await failed).toBeInstanceOf(MongoClientClosedError);
});

test('connect to a port that refuses connections fails after serverSelectionTimeoutMS, and the error names the address', async () => {
  const error = await errorOf(MongoClient.connect('mongodb://127.0.0.1:1/', { serverSelectionTimeoutMS: 100 }));
  expect(error).toBeInstanceOf(MongoServerSelectionError);
  expect(error.message).toContain('127.0.0.1:1');
});

test('buildInfo and listDatabases return the version and the databases of the server', async () => {
  await deployment.collection().insertOne({});
  const { version } = await deployment.client.db().admin().buildInfo();
  expect(version).toMatch(/^\d+\.\d+\.\d+/);
  const { databases } = await deployment.client.db().admin().listDatabases({ nameOnly: true });
  expect(databases.map(({ name }) => name)).toContain(deployment.db.databaseName);
});

test('listDatabases returns the databases that match the filter', async context => {
  needs(context, 'listDatabases filter');
  await deployment.collection().insertOne({});
  const filter = { name: deployment.db.databaseName };
  const { databases } = await deployment.client.db().admin().listDatabases({ filter, nameOnly: true });
  expect(databases.map(({ name }) => name)).toEqual([deployment.db.databaseName]);
});

test('hello returns the limits that the driver obeys', async context => {
  needs(context, 'hello');
  const hello = await deployment.client.db('admin').command({ hello: 1 });
  expect(hello).toMatchObject({ maxBsonObjectSize: 16_777_216, isWritablePrimary: true, ok: 1 });
});
