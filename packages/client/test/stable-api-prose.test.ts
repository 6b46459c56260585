/** The Stable API test in which the server rejects commands without a version and unauthenticated clients. */
import { createOidc } from '@tessera/auth';
import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Peer } from './scripted-server.js';

const required = {
  ok: 0,
  code: 498870,
  codeName: 'APIVersionError',
  errmsg: "The apiVersion parameter is required, please configure your MongoClient's API version",
};

const cursor = (id: bigint, batch: 'firstBatch' | 'nextBatch', documents: readonly Document[] = [{}]): Document => ({
  cursor: { id, ns: 'shop.films', [batch]: documents },
});

const answer = (command: Document, peer: Peer): Document => {
  if (command['apiVersion'] !== '1') return required;
  if (isHello(command)) return HELLO;
  if ('saslStart' in command) {
    peer['isKnown'] = true;
    return { conversationId: 1, done: true, payload: new Uint8Array(0) };
  }
  if (peer['isKnown'] !== true) return { ok: 0, code: 13, errmsg: 'log in first' };
  if ('find' in command) return cursor(9n, 'firstBatch');
  if ('getMore' in command) return cursor(9n, 'nextBatch');
  if ('aggregate' in command || 'listIndexes' in command || 'listCollections' in command) {
    return cursor(0n, 'firstBatch');
  }
  if ('bulkWrite' in command) return { ...cursor(0n, 'firstBatch', []), nInserted: 1 };
  if ('distinct' in command) return { values: [] };
  return { n: 1, databases: [] };
};

const within = async (
  options: MongoClientOptions,
  program: (client: MongoClient) => Promise<void>,
): Promise<readonly string[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 9 });
  let received: readonly Document[] = [];
  await world.run(async () => {
    const server = await scriptServer(world, 'localhost:27017', answer);
    const OIDC_CALLBACK = (): Promise<{ accessToken: string }> => Promise.resolve({ accessToken: 'token' });
    const client = new MongoClient(
      'mongodb://localhost/?authMechanism=MONGODB-OIDC&retryReads=false&serverSelectionTimeoutMS=500',
      { authMechanismProperties: { OIDC_CALLBACK }, ...options },
      { runtime: world.runtime, parts: { authenticators: { 'MONGODB-OIDC': createOidc } } },
    );
    await program(client);
    await world.runtime.clock.sleep(100);
    await client.close();
    await world.runtime.clock.sleep(100);
    await server.close();
    await world.runtime.clock.sleep(2000);
    received = server.received;
  });
  expect(world.leftovers()).toEqual([]);
  return received.map(command => Object.keys(command)[0]!);
};

test('Stable API, prose test 1: every command has the version that the server requires', async () => {
  const received = await within({ serverApi: '1' }, async client => {
    const films = client.db('shop').collection<{ _id: number }>('films');
    await films.insertOne({ _id: 1 });
    await films.insertMany([{ _id: 2 }]);
    await films.updateOne({}, { $set: { a: 1 } });
    await films.deleteOne({});
    await films.findOneAndDelete({});
    await films.bulkWrite([{ insertOne: { document: { _id: 3 } } }]);
    await client.bulkWrite([{ name: 'insertOne', namespace: 'shop.films', document: { n: 4 } }]);
    await films.distinct('a');
    await films.estimatedDocumentCount();
    await films.aggregate([]).toArray();
    await films.listIndexes().toArray();
    await films.createIndex({ a: 1 });
    await films.drop();
    await client.db('shop').listCollections().toArray();
    await client.db('shop').dropDatabase();
    await client.db().admin().listDatabases();
    await client.db('shop').command({ ping: 1 });
    const found = films.find({}, { batchSize: 1 });
    await found.next();
    await found.next();
    await found.close();
  });
  expect([...new Set(received)].sort()).toEqual([
    ...['aggregate', 'bulkWrite', 'count', 'createIndexes', 'delete', 'distinct', 'drop', 'dropDatabase'],
    ...['endSessions', 'find', 'findAndModify', 'getMore', 'hello', 'insert', 'killCursors', 'listCollections'],
    ...['listDatabases', 'listIndexes', 'ping', 'saslStart', 'update'],
  ]);
});

test('a client without a version cannot connect to that server', async () => {
  const received = await within({}, async client => {
    await expect(client.db('shop').command({ ping: 1 })).rejects.toThrow('The apiVersion parameter is required');
  });
  expect(new Set(received)).toEqual(new Set(['isMaster']));
});
