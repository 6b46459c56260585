import { MongoClient } from '@tessera/mongodb';
import type { Document, MongoClientOptions } from '@tessera/mongodb';
import type { RunningServer } from 'tessera-server';
import { startServer } from 'tessera-server';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';

// A replica set with one member: the embedded server over TCP.

let server: RunningServer;
let client: MongoClient;

interface Numbered extends Document {
  readonly _id: number;
}

const connect = (options: MongoClientOptions = {}): MongoClient =>
  new MongoClient(server.uri, { heartbeatFrequencyMS: 500, ...options });

beforeEach(async () => {
  server = await startServer({ replicaSet: 'rs0', testCommands: true });
  client = connect();
});

afterEach(async () => {
  await client.close();
  await server.close();
});

describe('a replica set of one member', () => {
  test('is discovered by the replicaSet option, with its primary', async () => {
    const changes: unknown[] = [];
    client.on('topologyDescriptionChanged', ({ newDescription }) => changes.push(newDescription.type));
    await client.connect();
    expect(server.uri).toBe(`mongodb://${server.address}/?replicaSet=rs0`);
    expect(changes.at(-1)).toBe('ReplicaSetWithPrimary');
    expect(await client.db('admin').command({ hello: 1 })).toMatchObject({ setName: 'rs0', me: server.address });
  });

  test('is not discovered under another name', async () => {
    const other = new MongoClient(`mongodb://${server.address}/?replicaSet=other`, { serverSelectionTimeoutMS: 300 });
    await expect(other.connect()).rejects.toThrow(/other/);
    await other.close();
  });

  test('runs a retryable write once, even if the connection is lost', async () => {
    const films = client.db('shop').collection<Numbered>('films');
    const lost = server.intercept('update', { txnNumber: 1n }, { at: 'applied' });
    const updated = films.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true });
    (await lost).hangUp();
    expect((await updated).upsertedId).toBe(1);
    expect(await films.find().toArray()).toEqual([{ _id: 1, n: 1 }]);
  });

  test('acknowledges a majority, and reports a write concern that it cannot satisfy', async () => {
    const films = client.db('shop').collection<Numbered>('films');
    await films.insertOne({ _id: 1 }, { writeConcern: { w: 'majority' } });
    await expect(films.insertOne({ _id: 2 }, { writeConcern: { w: 2 } })).rejects.toMatchObject({ code: 100 });
    expect(await films.countDocuments()).toBe(2);
  });

  test("returns a session's own writes in a causally consistent session", async () => {
    const films = client.db('shop').collection<Numbered>('films');
    const session = client.startSession({ causalConsistency: true });
    await films.insertOne({ _id: 1 }, { session });
    expect(session.operationTime).toBeDefined();
    expect(await films.findOne({ _id: 1 }, { session, readConcern: { level: 'majority' } })).toEqual({ _id: 1 });
    await session.endSession();
  });

  test('steps down: the streaming monitor notices, and a write waits for the next primary', async () => {
    const types: unknown[] = [];
    client.on('serverDescriptionChanged', ({ newDescription }) => types.push(newDescription.type));
    await client.connect();
    const films = client.db('shop').collection<Numbered>('films');
    await films.insertOne({ _id: 1 });
    await client.db('admin').command({ replSetStepDown: 1, force: true });
    const read = films.find({}, { readPreference: 'secondaryPreferred' }).toArray();
    await films.insertOne({ _id: 2 });
    expect(await read).toEqual([{ _id: 1 }]);
    expect(types.slice(-3)).toEqual(['RSPrimary', 'RSSecondary', 'RSPrimary']);
  });
});
