import { describe, expect, test } from 'vitest';
import {
  MongoClient,
  MongoClientClosedError,
  MongoError,
  MongoNotConnectedError,
  MongoServerSelectionError,
} from '@tessera/client';
import { createWorld } from '@tessera/sim';
import { withServer } from './with-server.js';
import { withServers } from './with-servers.js';

const failureOf = (work: Promise<unknown>): Promise<Error> =>
  work.then(
    () => new Error('it did not fail'),
    (error: unknown) => error as Error,
  );

describe('close', () => {
  test('fails operations that wait for a reply, and leaves nothing open', () =>
    withServer(async ({ world, client, films }) => {
      await films.insertOne({ _id: 1 }, { session: client.startSession() });
      world.network.blackhole('db1');
      const failures = [films.findOne(), films.insertOne({ _id: 2 }), films.find().toArray()].map(failureOf);
      await world.runtime.clock.sleep(5_000);
      const began = world.runtime.clock.now();
      const lasted = failures.map(failure => failure.then(() => world.runtime.clock.now() - began));
      await client.close();
      expect(world.runtime.clock.now() - began).toBe(500);
      for (const failure of failures) expect(await failure).toBeInstanceOf(MongoClientClosedError);
      expect(await Promise.all(lasted)).toEqual([0, 0, 0]);
    }));

  test('ends the sessions without waiting for running operations', () =>
    withServers([{}], async ({ open, failPoint, events, now, sleep }) => {
      const client = open('mongodb://db1', { options: { maxPoolSize: 1 } });
      const films = client.db('shop').collection('films');
      await films.insertOne({}, { session: client.startSession() });
      await failPoint('db1', 'alwaysOn', { failCommands: ['find'], blockConnection: true, blockTimeMS: 10_000 });
      const failures = [films.findOne(), films.findOne()].map(failureOf);
      await sleep(100);
      const began = now();
      await client.close();
      for (const failure of failures) expect(await failure).toBeInstanceOf(MongoClientClosedError);
      expect(now() - began).toBeLessThan(100);
      expect(events.findLast(({ name }) => name === 'commandSucceeded')).toMatchObject({ commandName: 'endSessions' });
      await failPoint('db1', 'off');
    }));

  test('fails operations that wait for a new connection', () =>
    withServer(
      async ({ world, client, films }) => {
        await films.insertOne({ _id: 1 });
        world.network.blackhole('db1');
        const failures = [1, 2].map(() => failureOf(films.findOne()));
        await world.runtime.clock.sleep(100);
        await client.close();
        for (const failure of failures) expect(await failure).toBeInstanceOf(MongoClientClosedError);
      },
      { connectTimeoutMS: 60_000 },
    ));

  test('fails an operation that waits between two attempts at once', () =>
    withServers([{}], async ({ world, open, failPoint, now, sleep }) => {
      const client = open('mongodb://db1');
      const films = client.db('shop').collection('films');
      await films.findOne();
      await failPoint('db1', { times: 1 }, { failCommands: ['find'], blockConnection: true, blockTimeMS: 10_000 });
      // The first operation uses the only connection. The server refuses another, and the second operation backs off.
      world.network.refuse('db1');
      const [, second] = [failureOf(films.findOne()), failureOf(films.findOne())];
      await sleep(3);
      const began = now();
      await client.close();
      expect(await second).toBeInstanceOf(MongoClientClosedError);
      expect(now() - began).toBeLessThan(5);
      expect((await second).message).toMatch('between two attempts');
    }));

  test('fails a withTransaction that waits between two attempts at once', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, now, sleep }) => {
      const client = open('mongodb://db1/?replicaSet=rs');
      const transient = new MongoError('again');
      transient.addLabel('TransientTransactionError');
      let calls = 0;
      const failure = failureOf(
        client.withSession(session =>
          session.withTransaction(async () => {
            calls++;
            throw transient;
          }),
        ),
      );
      await client.connect();
      await sleep(20_000);
      const before = calls;
      const began = now();
      const failed = failure.then(error => [error, now() - began]);
      await client.close();
      const [error, lasted] = await failed;
      expect(error).toBeInstanceOf(MongoClientClosedError);
      expect(error).toMatchObject({ kind: 'closed', cause: transient, labels: [] });
      expect([lasted, calls]).toEqual([0, before]);
    }));

  test('runs once for concurrent calls, and each call waits for the end', () =>
    withServer(
      async ({ world, client, films, events }) => {
        await films.insertOne({ _id: 1 });
        const { clock } = world.runtime;
        const began = clock.now();
        const ends = await Promise.all([1, 2].map(() => client.close().then(() => clock.now() - began)));
        expect(ends[0]).toBeGreaterThan(0);
        expect(ends[1]).toBe(ends[0]);
        await client.close();
        expect(clock.now() - began).toBe(ends[0]);
        expect(events.filter(event => event.name === 'commandStarted')).toHaveLength(2);
      },
      {},
      { latency: { delay: 10 } },
    ));

  test('Driver Sessions, "endSessions": ends explicit sessions and those of open cursors, which ends the cursors', () =>
    withServer(async ({ world, client, films, events }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const session = client.startSession();
      await films.findOne({}, { session });
      const cursor = films.find({}, { batchSize: 1 });
      await cursor.next();
      const find = events.findLast(event => event.name === 'commandStarted');
      await client.close();
      const last = events.findLast(event => event.name === 'commandStarted');
      expect(last?.command['endSessions']).toHaveLength(2);
      expect(last?.command['endSessions']).toContainEqual(find?.command['lsid']);
      expect(session.hasEnded).toBe(true);
      expect(await failureOf(cursor.next())).toBeInstanceOf(MongoClientClosedError);
      const other = new MongoClient('mongodb://db1/shop', {}, { runtime: world.runtime });
      const { metrics } = await other.db().admin().serverStatus();
      expect((metrics as { cursor: { open: { total: number } } }).cursor.open.total).toBe(0);
      await other.close();
    }));

  test('ends the session, and so the cursor, of a running getMore', () =>
    withServer(async ({ world, client, films, events }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
      const cursor = films.find({}, { batchSize: 1 });
      await cursor.next();
      const failure = failureOf(cursor.next());
      await client.close();
      expect(await failure).toBeInstanceOf(MongoClientClosedError);
      const [getMore, endSessions] = events.filter(event => event.name === 'commandStarted').slice(2);
      expect(endSessions!.command['endSessions']).toEqual([getMore!.command['lsid']]);
      const other = new MongoClient('mongodb://db1/shop', {}, { runtime: world.runtime });
      const { metrics } = await other.db().admin().serverStatus();
      expect((metrics as { cursor: { open: { total: number } } }).cursor.open.total).toBe(0);
      await other.close();
    }));

  test('lets the client connect again', () =>
    withServer(async ({ client, films }) => {
      await films.insertOne({ _id: 1 });
      await client.close();
      expect(await failureOf(films.findOne())).toBeInstanceOf(MongoNotConnectedError);
      expect(await failureOf(films.find().toArray())).toBeInstanceOf(MongoNotConnectedError);
      await client.connect();
      expect(await films.findOne()).toEqual({ _id: 1 });
    }));
});

describe('connect', () => {
  test('that reaches no server leaves nothing running that would keep the process alive', async () => {
    const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { hosts: ['db1'] });
    const { runtime } = world;
    await world.run(async () => {
      const client = new MongoClient('mongodb://db1', { serverSelectionTimeoutMS: 1_000 }, { runtime });
      expect(await failureOf(client.connect())).toBeInstanceOf(MongoServerSelectionError);
      expect(world.leftovers()).toEqual([]);
      expect(await failureOf(client.db().collection('films').findOne())).toBeInstanceOf(MongoServerSelectionError);
      await client.close();
    });
    expect(world.leftovers()).toEqual([]);
  });

  test('fails if the client is closed while it waits', async () => {
    const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { hosts: ['db1'] });
    const { runtime } = world;
    await world.run(async () => {
      const client = new MongoClient('mongodb://db1', {}, { runtime });
      const failure = failureOf(client.connect());
      await runtime.clock.sleep(100);
      await client.close();
      expect(await failure).toBeInstanceOf(MongoClientClosedError);
      expect(await failureOf(client.db().collection('films').findOne())).toBeInstanceOf(MongoNotConnectedError);
    });
    expect(world.leftovers()).toEqual([]);
  });

  const outcomes = (works: readonly Promise<unknown>[]): Promise<string[]> =>
    Promise.all(
      works.map(work =>
        work.then(
          () => 'settled',
          (error: unknown) => (error as Error).name,
        ),
      ),
    );

  test.each<{ readonly calls: string; readonly expected: readonly string[]; readonly events: readonly string[] }>([
    { calls: 'connect', expected: ['settled'], events: ['open'] },
    { calls: 'connect connect', expected: ['settled', 'settled'], events: ['open'] },
    { calls: 'connect close', expected: ['MongoClientClosedError', 'settled'], events: ['close'] },
    {
      calls: 'connect close connect',
      expected: ['MongoClientClosedError', 'settled', 'settled'],
      events: ['close', 'open'],
    },
    { calls: 'close connect', expected: ['settled', 'settled'], events: ['open'] },
    { calls: 'close connect close', expected: ['settled', 'MongoClientClosedError', 'settled'], events: ['close'] },
    {
      calls: 'connect close connect close',
      expected: ['MongoClientClosedError', 'settled', 'MongoClientClosedError', 'settled'],
      events: ['close', 'close'],
    },
    {
      calls: 'connect close connect connect close connect',
      expected: [
        'MongoClientClosedError',
        'settled',
        'MongoClientClosedError',
        'MongoClientClosedError',
        'settled',
        'settled',
      ],
      events: ['close', 'close', 'open'],
    },
  ])('settles "$calls" without awaiting each so that the last call decides', async ({ calls, expected, events }) => {
    await withServer(
      async ({ client, films }) => {
        const recorded: string[] = [];
        client.on('open', () => recorded.push('open'));
        client.on('close', () => recorded.push('close'));
        const names = calls.split(' ');
        expect(await outcomes(names.map(name => (name === 'connect' ? client.connect() : client.close())))).toEqual(
          expected,
        );
        expect(recorded).toEqual(events);
        if (names.at(-1) === 'connect') expect(await films.findOne()).toBe(null);
        else expect(await failureOf(films.findOne())).toBeInstanceOf(MongoNotConnectedError);
      },
      {},
      { latency: { delay: 10 } },
    );
  });
});
