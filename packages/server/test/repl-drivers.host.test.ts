import { createNode } from '@tessera/node';
import { MongoClient } from 'mongodb';
import type { MongoClientOptions, TopologyDescription } from 'mongodb';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Server } from '../src/index.js';
import { createServer } from '../src/index.js';

// Tests the replica set of one member with the official driver.

let server: Server;
let client: MongoClient;

beforeEach(async () => {
  server = createServer(createNode(), { replicaSet: 'rs0' });
  const { address } = await server.listen('127.0.0.1:0');
  const options: MongoClientOptions = { replicaSet: 'rs0', heartbeatFrequencyMS: 500 };
  client = await MongoClient.connect(`mongodb://${address}`, options);
});

afterEach(async () => {
  await client.close();
  await server.close();
});

test('the official driver discovers the set, and a write that is retried after a lost connection is executed once', async () => {
  const films = client.db('shop').collection<{ _id: number }>('films');
  const lost = server.intercept('update', {}, { at: 'applied' });
  const updated = films.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
  (await lost).hangUp();
  expect((await updated).upsertedId).toBe(1);
  expect(await films.find().toArray()).toEqual([{ _id: 1, n: 1 }]);
});

test('the official driver observes a step-down by streaming, and its next write waits for the election', async () => {
  const types: string[] = [];
  client.on('topologyDescriptionChanged', ({ newDescription }: { newDescription: TopologyDescription }) =>
    types.push(newDescription.type),
  );
  const films = client.db('shop').collection<{ _id: number }>('films');
  await films.insertOne({ _id: 1 });
  await client.db('admin').command({ replSetStepDown: 1, force: true });
  await films.insertOne({ _id: 2 });
  expect(await films.countDocuments()).toBe(2);
  expect(types.slice(-2)).toEqual(['ReplicaSetNoPrimary', 'ReplicaSetWithPrimary']);
});
