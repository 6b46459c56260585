import { createNode } from '@tessera/node';
import { MongoClient } from '@tessera/mongodb';
import { MongoClient as OfficialClient } from 'mongodb';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { BlackPipe } from '../../src/index.js';
import { any, createBlackPipe } from '../../src/index.js';

// Runs two drivers, without test doubles, over real sockets.

let pipe: BlackPipe;
let uri: string;

beforeEach(async () => {
  pipe = createBlackPipe(createNode());
  const { address } = await pipe.listen('127.0.0.1:0');
  uri = `mongodb://${address}/?retryWrites=false`;
});

describe.each([
  ['the official driver', () => new OfficialClient(uri)],
  ['this driver', () => new MongoClient(uri) as unknown as OfficialClient],
])('%s', (_name, connect) => {
  let client: OfficialClient;

  beforeEach(() => {
    client = connect();
  });

  afterEach(async () => {
    await client.close();
    await pipe[Symbol.asyncDispose]();
  });

  test('returns the scripted replies of insert, find and getMore', async () => {
    const films = client.db('shop').collection<{ _id: number }>('films');
    const inserted = films.insertOne({ _id: 1 });
    (await pipe.expect('insert', { insert: 'films', documents: [{ _id: 1 }], lsid: any.document })).ok({ n: 1 });
    expect((await inserted).insertedId).toBe(1);
    const found = films.find().batchSize(1).toArray();
    (await pipe.expect('find', { batchSize: 1 })).cursor([{ _id: 1 }], { id: 5 });
    (await pipe.expect('getMore', { getMore: 5n })).cursor([{ _id: 2 }]);
    expect(await found).toEqual([{ _id: 1 }, { _id: 2 }]);
  });

  test.each(['rst', 'fin', { afterBytes: 20 }] as const)('retries a read on a new connection after %j', async how => {
    const found = client.db('shop').collection('films').findOne({});
    const first = await pipe.expect('find');
    first.hangUp(how);
    const again = await pipe.expect('find');
    expect(again.connection.id).not.toBe(first.connection.id);
    again.cursor([{ _id: 'again' }]);
    expect(await found).toEqual({ _id: 'again' });
  });

  test('closes a connection that receives bytes that are no message', async () => {
    const ping = client
      .db('shop')
      .command({ ping: 1 })
      .catch((error: unknown) => (error as Error).name);
    const request = await pipe.expect('ping');
    request.raw(new Uint8Array(16).fill(255));
    await request.connection.closed;
    expect(await ping).toMatch(/^Mongo/);
  });
});
