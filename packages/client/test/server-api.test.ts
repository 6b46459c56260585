/** The Stable API version and unacknowledged writes in the commands that a server receives. */
import { MongoClient } from '@tessera/client';
import type { Collection, MongoClientOptions } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

interface Asked {
  readonly name: string;
  readonly command: Document;
}

const set = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], me: 'db1:27017', primary: 'db1:27017' };

interface Film extends Document {
  _id?: number;
}

/** Replies as a replica set of one member. Every cursor has a second batch. */
const answer = (command: Document): Document => {
  if (isHello(command)) return set;
  if ('find' in command) return { cursor: { id: 7n, ns: 'shop.films', firstBatch: [{ _id: 1 }] } };
  if ('getMore' in command) return { cursor: { id: 7n, ns: 'shop.films', nextBatch: [{ _id: 2 }] } };
  return { n: 1 };
};

/** Returns every command that a client with these options sends. */
const commandsOf = async (
  options: MongoClientOptions,
  program: (films: Collection<Film>, client: MongoClient) => Promise<unknown>,
): Promise<readonly Asked[]> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 2 });
  let received: readonly Document[] = [];
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', answer);
    const client = new MongoClient('mongodb://db1/?replicaSet=rs', options, { runtime: world.runtime });
    await program(client.db('shop').collection<Film>('films'), client);
    await world.runtime.clock.sleep(100);
    await client.close();
    await world.runtime.clock.sleep(100);
    received = [...server.received];
    await server.close();
    await world.runtime.clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
  return received.map(command => ({ name: Object.keys(command)[0]!, command }));
};

/** Runs one operation of each kind. */
const everything = async (films: Collection<Film>, client: MongoClient): Promise<void> => {
  await films.insertOne({});
  const cursor = films.find({}, { batchSize: 1 });
  await cursor.next();
  await cursor.next();
  await cursor.close();
  await client.db('shop').command({ ping: 1 });
  const session = client.startSession();
  session.startTransaction();
  await films.insertOne({}, { session });
  await session.commitTransaction();
  session.startTransaction();
  await films.insertOne({}, { session });
  await session.abortTransaction();
  await session.endSession();
};

const versionOf = ({ apiVersion, apiStrict, apiDeprecationErrors }: Document): readonly unknown[] => [
  ...[apiVersion, apiStrict, apiDeprecationErrors],
];

describe('Stable API', () => {
  test.each<readonly [title: string, serverApi: MongoClientOptions['serverApi'], expected: readonly unknown[]]>([
    ['only a version', '1', ['1', undefined, undefined]],
    ['all fields', { version: '1', strict: true, deprecationErrors: false }, ['1', true, false]],
  ])(
    '%s is sent with every command of handshakes, monitors, cursors, transactions and sessions',
    async (_, serverApi, expected) => {
      const received = await commandsOf({ serverApi }, everything);
      expect(new Set(received.map(({ name }) => name))).toEqual(
        new Set([
          ...['hello', 'insert', 'find', 'getMore', 'killCursors', 'ping'],
          ...['commitTransaction', 'abortTransaction', 'endSessions'],
        ]),
      );
      for (const { command } of received) expect(versionOf(command)).toEqual(expected);
    },
  );

  test('no version is sent by default, and monitors and handshakes begin with the legacy hello', async () => {
    const received = await commandsOf({}, everything);
    expect(received[0]).toMatchObject({ name: 'isMaster' });
    for (const { command } of received) expect(versionOf(command)).toEqual([undefined, undefined, undefined]);
  });

  test('null equals no value', () => {
    const options = { serverApi: null } as unknown as MongoClientOptions;
    expect(new MongoClient('mongodb://db1', options, {} as never).options.serverApi).toBe(undefined);
  });

  test.each<readonly [title: string, serverApi: unknown]>([
    ['another version', '2'],
    ['no version', { strict: true }],
    ['a strict that is not a boolean', { version: '1', strict: 'yes' }],
  ])('%s is rejected', (_, serverApi) => {
    const options = { serverApi } as MongoClientOptions;
    expect(() => new MongoClient('mongodb://db1', options, {} as never)).toThrow(
      expect.objectContaining({ name: 'MongoParseError', message: expect.stringContaining('serverApi') as string }),
    );
  });

  test('it is an option in code, not in the connection string', () => {
    expect(() => new MongoClient('mongodb://db1/?serverApi=1', {}, {} as never)).toThrow("no option 'serverApi'");
  });
});

describe('Read and Write Concern, "Unacknowledged": w: 0', () => {
  const w0 = { writeConcern: { w: 0 } } as const;

  test('sends neither lsid nor txnNumber, and does not wait for a reply', async () => {
    const received = await commandsOf({}, async films => {
      await films.insertOne({ _id: 1 });
      expect(await films.insertOne({ _id: 2 }, w0)).toEqual({ acknowledged: false, insertedId: 2 });
      expect(await films.updateOne({}, { $set: { a: 1 } }, w0)).toMatchObject({ acknowledged: false });
      expect(await films.deleteOne({}, w0)).toMatchObject({ acknowledged: false });
    });
    const writes = received.filter(({ name }) => ['insert', 'update', 'delete'].includes(name));
    const [acknowledged, ...others] = writes.map(({ command }) =>
      ['lsid', 'txnNumber'].filter(name => name in command),
    );
    expect(acknowledged).toEqual(['lsid', 'txnNumber']);
    expect(others).toEqual([[], [], []]);
    for (const { command } of writes.slice(1)) expect(command).toMatchObject(w0);
    // The connection of the monitor, and the single application connection. A reply to a w: 0 write would have closed
    // the latter.
    expect(received.filter(({ command }) => 'client' in command)).toHaveLength(2);
  });

  test('is rejected in a session', () =>
    commandsOf({}, async (films, client) => {
      const session = client.startSession();
      await expect(films.insertOne({}, { ...w0, session })).rejects.toThrow('cannot use a session');
      await session.endSession();
    }));

  test('set on a collection is ignored in a transaction', async () => {
    const received = await commandsOf({}, async (_, client) => {
      const session = client.startSession();
      session.startTransaction();
      const films = client.db('shop').collection<Film>('films', w0);
      expect(await films.insertOne({ _id: 1 }, { session })).toEqual({ acknowledged: true, insertedId: 1 });
      await session.commitTransaction();
      await session.endSession();
    });
    expect(received.find(({ name }) => name === 'insert')?.command).not.toHaveProperty('writeConcern');
  });
});
