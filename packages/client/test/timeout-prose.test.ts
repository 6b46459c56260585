/** The prose tests of Client Side Operations Timeout. Those of GridFS are in packages/gridfs. */
import { MongoClient, MongoOperationTimeoutError, MongoServerSelectionError } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Document, DriverEvent, EventName, Millis } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Respond } from './scripted-server.js';
import { withServers } from './with-servers.js';
import type { Layout } from './with-servers.js';

/** Returns the started commands with these names. */
const sent = (events: readonly DriverEvent[], ...names: readonly string[]): readonly Document[] =>
  events.flatMap(event =>
    event.name === 'commandStarted' && names.includes(event.commandName) ? [event.command] : [],
  );

/** Returns the error, and the time after which it was thrown. */
const failing = async (
  now: () => Millis,
  run: () => Promise<unknown>,
): Promise<{ readonly error: unknown; readonly after: Millis }> => {
  const began = now();
  const error = await run().then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { error, after: now() - began };
};

const blocked = (blockTimeMS: Millis, ...failCommands: readonly string[]): Document => ({
  failCommands,
  blockConnection: true,
  blockTimeMS,
});

test(
  'Client Side Operations Timeout, prose test 1: the batches of an insertMany share one timeoutMS',
  () =>
    withServers([{}], async ({ open, failPoint, events, now }) => {
      await failPoint('db1', { times: 2 }, blocked(1010, 'insert'));
      const coll = open('mongodb://db1/?timeoutMS=2000').db('db').collection('coll');
      const text = 'a'.repeat(1024 * 1024);
      const documents = Array.from({ length: 50 }, () => ({ text }));
      const { error, after } = await failing(now, () => coll.insertMany(documents));
      expect(error).toBeInstanceOf(MongoOperationTimeoutError);
      expect(after).toBe(2000);
      expect(sent(events, 'insert')).toHaveLength(2);
    }),
  60_000,
);

interface Guarded {
  open(query: string): { readonly client: MongoClient; readonly emitted: readonly EventName[] };
  failPoint(mode: unknown, data: Document): Promise<void>;
  now(): Millis;
  sleep(duration: Millis): Promise<void>;
}

/** Runs a test with a server that requires authentication, in its own world. */
const behindAPassword = async (program: (setup: Guarded) => Promise<void>): Promise<void> => {
  const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));
  const world = createWorld({ turn, crypto: createNode().crypto }, { seed: 7 });
  const { clock } = world.runtime;
  await world.run(async () => {
    const server = createServer(world.at('db1'), { testCommands: true, users: [{ user: 'ada', pwd: 'pencil' }] });
    await server.listen('db1:27017');
    const options: MongoClientOptions = { auth: { username: 'ada', password: 'pencil' } };
    const clients: MongoClient[] = [];
    const open: Guarded['open'] = query => {
      const client = new MongoClient(`mongodb://db1/?authSource=admin&${query}`, options, { runtime: world.runtime });
      const emitted: EventName[] = [];
      for (const name of ['connectionCreated', 'connectionReady', 'connectionClosed'] as const)
        client.on(name, () => emitted.push(name));
      clients.push(client);
      return { client, emitted };
    };
    const failPoint: Guarded['failPoint'] = async (mode, data) => {
      await open('').client.db('admin').command({ configureFailPoint: 'failCommand', mode, data });
    };
    try {
      await program({ open, failPoint, now: () => clock.now(), sleep: duration => clock.sleep(duration) });
    } finally {
      for (const client of clients) await client.close();
      await server.close();
    }
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

describe('Client Side Operations Timeout, prose test 4: a connection for minPoolSize', () => {
  test('applies timeoutMS to a command of its authentication', () =>
    behindAPassword(async ({ open, failPoint, sleep, now }) => {
      const appName = 'timeoutBackgroundPoolTest';
      // One failure affects the connection of the first ping, which has no timeout.
      await failPoint({ times: 2 }, { ...blocked(15, 'saslContinue'), appName });
      const { client, emitted } = open(`minPoolSize=1&timeoutMS=10&appName=${appName}`);
      // This ping fails because the pool is cleared.
      await failing(now, () => client.db('admin').command({ ping: 1 }, { timeoutMS: 0 }));
      await sleep(20);
      expect(emitted.slice(0, 3)).toEqual(['connectionCreated', 'connectionCreated', 'connectionClosed']);
    }));

  test('applies timeoutMS to each command of its authentication separately', () =>
    behindAPassword(async ({ open, failPoint, sleep }) => {
      const appName = 'refreshTimeoutBackgroundPoolTest';
      await failPoint('alwaysOn', { ...blocked(15, 'hello', 'isMaster', 'saslContinue'), appName });
      // The ping uses one of the two connections, so at least one is opened in the background.
      const { client, emitted } = open(`minPoolSize=2&timeoutMS=20&appName=${appName}`);
      await client.db('admin').command({ ping: 1 }, { timeoutMS: 0 });
      await sleep(200);
      expect(emitted.toSorted()).toEqual([
        ...['connectionCreated', 'connectionCreated', 'connectionReady', 'connectionReady'],
      ]);
    }));
});

test('Client Side Operations Timeout, prose test 5: a tailable cursor waits at most timeoutMS, over several getMores', () =>
  withServers([{}], async ({ open, failPoint, events, now }) => {
    const setUp = open('mongodb://db1/').db('db');
    await setUp.createCollection('coll', { capped: true, size: 500 });
    await setUp.collection('coll').insertOne({ x: 1 });
    await failPoint('db1', 'alwaysOn', blocked(15, 'getMore'));
    const coll = open('mongodb://db1/?timeoutMS=20').db('db').collection('coll');
    const cursor = coll.find({}, { tailable: true, projection: { _id: 0 } });
    expect(await cursor.next()).toEqual({ x: 1 });
    expect(cursor.id?.isZero()).toBe(false);
    expect(sent(events, 'getMore')).toEqual([]);
    const { error, after } = await failing(now, () => cursor.next());
    expect(error).toBeInstanceOf(MongoOperationTimeoutError);
    expect(after).toBe(20);
    expect(sent(events, 'find', 'getMore').map(command => Object.keys(command)[0])).toEqual([
      ...['find', 'getMore', 'getMore'],
    ]);
  }));

describe('Client Side Operations Timeout, prose test 8: server selection', () => {
  test.each<readonly [title: string, query: string, took: Millis, isTimed: boolean]>([
    ['serverSelectionTimeoutMS applies without timeoutMS', 'serverSelectionTimeoutMS=10', 10, false],
    ['timeoutMS applies if it is lower', 'timeoutMS=10&serverSelectionTimeoutMS=20', 10, true],
    ['serverSelectionTimeoutMS applies if it is lower', 'timeoutMS=20&serverSelectionTimeoutMS=10', 10, true],
    ['serverSelectionTimeoutMS applies with timeoutMS=0', 'timeoutMS=0&serverSelectionTimeoutMS=10', 10, true],
  ])('%s', (_, query, took, isTimed) =>
    withServers([], async ({ open, now }) => {
      const admin = open(`mongodb://invalid/?${query}`).db('admin');
      const { error, after } = await failing(now, () => admin.command({ ping: 1 }));
      expect(after).toBe(took);
      expect(error).toBeInstanceOf(isTimed ? MongoOperationTimeoutError : MongoServerSelectionError);
      if (isTimed) expect((error as Error).cause).toBeInstanceOf(MongoServerSelectionError);
    }),
  );

  test.each<readonly [title: string, query: string]>([
    ['timeoutMS applies to the handshake if it is lower', 'timeoutMS=10&serverSelectionTimeoutMS=20'],
    ['serverSelectionTimeoutMS applies to the handshake if it is lower', 'timeoutMS=20&serverSelectionTimeoutMS=10'],
  ])('%s', (_, query) =>
    behindAPassword(async ({ open, failPoint, now }) => {
      await failPoint({ times: 1 }, blocked(15, 'saslContinue'));
      const coll = open(query).client.db('db').collection('coll');
      const { error, after } = await failing(now, () => coll.insertOne({ x: 1 }));
      expect(error).toBeInstanceOf(MongoOperationTimeoutError);
      expect((error as MongoOperationTimeoutError).phase).toBe('checkout');
      expect(after).toBe(10);
    }),
  );
});

/** Runs a test with a scripted replica set of one member, which replies to other commands with success. */
const onScriptedSet = async (
  query: string,
  respond: (command: Document, later: (reply: Document) => Promise<Document>) => ReturnType<Respond> | undefined,
  program: (setup: { client: MongoClient; received(): readonly string[]; now(): Millis }) => Promise<void>,
): Promise<void> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 3 });
  const { clock } = world.runtime;
  const set = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], me: 'db1:27017', primary: 'db1:27017' };
  await world.run(async () => {
    const later = (reply: Document): Promise<Document> => clock.sleep(25).then(() => reply);
    const server = await scriptServer(world, 'db1:27017', command =>
      isHello(command) ? set : (respond(command, later) ?? { n: 1 }),
    );
    const uri = `mongodb://db1/?replicaSet=rs${query}`;
    const client = new MongoClient(uri, {}, { runtime: world.runtime });
    const nameOf = (command: Document): string => Object.keys(command)[0] ?? '';
    const received = (): readonly string[] => server.received.filter(command => !isHello(command)).map(nameOf);
    await client.connect();
    await program({ client, received, now: () => clock.now() });
    await client.close();
    await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

describe('Client Side Operations Timeout, prose test 9: endSession aborts the transaction within', () => {
  test.each<readonly [title: string, query: string, start: object, end: object]>([
    ["the client's timeoutMS", '&timeoutMS=150', {}, {}],
    ["the session's defaultTimeoutMS", '', { defaultTimeoutMS: 150 }, {}],
    ['its own timeoutMS', '', {}, { timeoutMS: 150 }],
  ])('%s', (_, query, start, end) =>
    onScriptedSet(
      query,
      command => ('abortTransaction' in command ? 'silence' : undefined),
      async ({ client, now }) => {
        const session = client.startSession(start);
        session.startTransaction();
        await client.db('db').collection('coll').insertOne({ x: 1 }, { session });
        const { error, after } = await failing(now, () => session.endSession(end));
        expect(error).toBeInstanceOf(MongoOperationTimeoutError);
        expect(after).toBe(150);
        expect(session.hasEnded).toBe(true);
      },
    ),
  );
});

describe('Client Side Operations Timeout, prose test 10: withTransaction', () => {
  test.each<readonly [title: string, layout: Layout, uri: string]>([
    ['a replica set', [{ replicaSet: 'rs' }], 'mongodb://db1/?replicaSet=rs&timeoutMS=150'],
    ['a sharded cluster', { topology: 'sharded', mongoses: 1 }, 'mongodb://db1/?timeoutMS=150'],
  ])('gives abortTransaction the full timeoutMS after its callback failed: %s', (_, layout, uri) =>
    withServers(layout, async ({ open, failPoint, events, now }) => {
      const client = open(uri);
      const coll = client.db('db').collection<{ _id: number }>('coll');
      await coll.insertOne({ _id: 0 });
      await failPoint('db1', { times: 2 }, blocked(200, 'insert', 'abortTransaction'));
      events.length = 0;
      const session = client.startSession();
      const { error, after } = await failing(now, () =>
        session.withTransaction(async () => {
          await coll.insertOne({ _id: 1 }, { session });
        }),
      );
      expect(error).toBeInstanceOf(MongoOperationTimeoutError);
      expect(after).toBe(300);
      expect(
        events.flatMap(event =>
          event.name === 'commandStarted' || event.name === 'commandSucceeded' || event.name === 'commandFailed'
            ? [`${event.name} ${event.commandName}`]
            : [],
        ),
      ).toEqual([
        'commandStarted insert',
        'commandFailed insert',
        'commandStarted abortTransaction',
        'commandFailed abortTransaction',
      ]);
      await session.endSession();
    }),
  );

  test('has one timeout for all its retries', () =>
    onScriptedSet(
      '',
      (command, later) =>
        'insert' in command
          ? later({ ok: 0, code: 24, errmsg: 'locked', errorLabels: ['TransientTransactionError'] })
          : undefined,
      async ({ client, received, now }) => {
        const session = client.startSession({ defaultTimeoutMS: 200 });
        const { error, after } = await failing(now, () =>
          session.withTransaction(async () => {
            await client.db('db').collection('coll').insertOne({ x: 1 }, { session });
          }),
        );
        expect(error).toBeInstanceOf(MongoOperationTimeoutError);
        expect(error).toMatchObject({ labels: ['TransientTransactionError'] });
        expect((error as Error).cause).toMatchObject({ code: 24 });
        expect(after).toBeLessThanOrEqual(201);
        expect(received().filter(name => name === 'insert').length).toBeGreaterThan(1);
        await session.endSession();
      },
    ));
});
