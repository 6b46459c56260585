/** Tests that no server cursor outlives the operation that opened it. */
import { MongoClient, MongoNetworkError } from '@tessera/client';
import type { DriverEvent, Layer } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import type { Setup } from './with-server.js';
import { withServer } from './with-server.js';
import { names, withServers } from './with-servers.js';

const openCursors = async ({ world }: Setup): Promise<number> => {
  const other = new MongoClient('mongodb://db1/shop', {}, { runtime: world.runtime });
  const { metrics } = await other.db().admin().serverStatus();
  await other.close();
  return (metrics as { cursor: { open: { total: number } } }).cursor.open.total;
};

const fill = ({ films }: Setup): Promise<unknown> =>
  films.insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id })));

const slow = { latency: { delay: 10 } };

/** The timeout in milliseconds of a test with thousands of commands, for a busy machine. */
const manyCommands = 60_000;

const commands = (events: readonly DriverEvent[]): readonly string[] =>
  events.flatMap(event => (event.name === 'commandStarted' ? [event.commandName] : []));

/** Waits until the client has sent a command. */
const sentBy = async ({ world, events }: Setup): Promise<void> => {
  while (commands(events).length === 0) await world.runtime.clock.sleep(1);
};

const abortedAfter = async (
  setup: Setup,
  delay: number,
  run: (signal: AbortSignal) => Promise<unknown>,
): Promise<void> => {
  const controller = new AbortController();
  setup.world.runtime.clock.startTimer(delay, () => {
    controller.abort();
  });
  await run(controller.signal).catch(() => undefined);
};

/** Returns the cursor ids in killCursors commands, in order. */
const namedByKills = (events: readonly DriverEvent[]): readonly unknown[] =>
  events.flatMap(event =>
    event.name === 'commandStarted' && event.commandName === 'killCursors'
      ? (event.command['cursors'] as readonly unknown[])
      : [],
  );

const killed = ({ events }: Setup): number => namedByKills(events).length;

describe('the server keeps no cursor open from', () => {
  test('50 finds that were aborted before their first reply', () =>
    withServer(
      async setup => {
        await fill(setup);
        for (let i = 0; i < 50; i++) {
          await abortedAfter(setup, 15, signal => setup.films.find({}, { batchSize: 2, signal }).next());
          await setup.world.runtime.clock.sleep(50);
        }
        await setup.world.runtime.clock.sleep(1_000);
        expect([await openCursors(setup), killed(setup)]).toEqual([0, 50]);
        await setup.client.close();
        expect(await openCursors(setup)).toBe(0);
      },
      {},
      slow,
    ));

  test('50 finds whose timeoutMS expired before their first reply', () =>
    withServer(
      async setup => {
        await fill(setup);
        for (let i = 0; i < 50; i++) {
          const find = setup.films.find({}, { batchSize: 2, timeoutMS: 15 });
          await find.next().catch(() => undefined);
          await setup.world.runtime.clock.sleep(50);
        }
        await setup.world.runtime.clock.sleep(1_000);
        expect([await openCursors(setup), killed(setup)]).toEqual([0, 50]);
      },
      {},
      slow,
    ));

  test('an aggregate, find, listCollections, listIndexes, runCursorCommand or command that was aborted at any moment', () =>
    withServer(
      async setup => {
        await fill(setup);
        const { films } = setup;
        const db = setup.client.db();
        for (let i = 0; i < 5; i++) await db.collection(`other${i}`).createIndex({ a: 1 });
        const runs: readonly ((signal: AbortSignal) => Promise<unknown>)[] = [
          signal => films.aggregate([], { batchSize: 2, signal }).toArray(),
          signal => films.find({}, { batchSize: 2, signal }).toArray(),
          signal => db.listCollections({}, { batchSize: 1, signal }).toArray(),
          signal => films.listIndexes({ batchSize: 1, signal }).toArray(),
          signal => db.runCursorCommand({ find: 'films', batchSize: 2 }, { signal }).toArray(),
          signal => db.command({ find: 'films', batchSize: 2 }, { signal }),
        ];
        for (const run of runs) for (let delay = 5; delay < 120; delay += 9) await abortedAfter(setup, delay, run);
        await setup.world.runtime.clock.sleep(1_000);
        // A command that completed returns its cursor to the caller. That cursor ends with the session, when the client
        // closes.
        await setup.client.close();
        expect(await openCursors(setup)).toBe(0);
      },
      {},
      slow,
    ));

  test('a find that was aborted just before the client closes', () =>
    withServer(
      async setup => {
        await fill(setup);
        await abortedAfter(setup, 15, signal => setup.films.find({}, { batchSize: 2, signal }).next());
        await setup.client.close();
        expect(await openCursors(setup)).toBe(0);
      },
      {},
      slow,
    ));

  test(
    '600 cursors that are closed while every connection is busy',
    () =>
      withServer(
        async setup => {
          await fill(setup);
          const cursors = Array.from({ length: 600 }, () => setup.films.find({}, { batchSize: 2 }));
          await Promise.all(cursors.map(cursor => cursor.next()));
          const load = Array.from({ length: 600 }, () => setup.films.findOne({}));
          await Promise.all(cursors.map(cursor => cursor.close()));
          await Promise.all(load);
          await setup.world.runtime.clock.sleep(20_000);
          expect([await openCursors(setup), killed(setup)]).toEqual([0, 600]);
        },
        { maxPoolSize: 2 },
        slow,
      ),
    manyCommands,
  );

  test('a find whose session ended before the cursor was closed', () =>
    withServer(async setup => {
      await fill(setup);
      const session = setup.client.startSession();
      const cursor = setup.films.find({}, { batchSize: 2, session });
      await cursor.next();
      await session.endSession();
      await cursor.close();
      await setup.world.runtime.clock.sleep(1_000);
      expect(await openCursors(setup)).toBe(0);
    }));

  test.each([100, 700])(
    '600 cursors that were closed %d ms before the client, which takes 500 ms at most',
    async delay => {
      await withServer(
        async setup => {
          await fill(setup);
          const { clock } = setup.world.runtime;
          const cursors = Array.from({ length: 600 }, () => setup.films.find({}, { batchSize: 2 }));
          await Promise.all(cursors.map(cursor => cursor.next()));
          const load = Array.from({ length: 600 }, () => setup.films.findOne({}).catch(() => undefined));
          for (const cursor of cursors) void cursor.close();
          await clock.sleep(delay);
          const began = clock.now();
          await setup.client.close();
          expect(clock.now() - began).toBeLessThanOrEqual(500);
          await Promise.all(load);
          expect([await openCursors(setup), new Set(namedByKills(setup.events).map(String)).size]).toEqual([0, 600]);
        },
        { maxPoolSize: 2 },
        slow,
      );
    },
    manyCommands,
  );

  test('a change stream that was aborted before its first reply', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, failPoint, events, sleep }) => {
      const dispatched: string[] = [];
      const outerLayer: Layer = next => request => {
        dispatched.push(request.operation.name);
        return next(request);
      };
      const client = open('mongodb://db1/shop?replicaSet=rs', { parts: { outerLayers: [outerLayer] } });
      const films = client.db().collection('films');
      await films.insertOne({});
      await failPoint('db1', { times: 1 }, { failCommands: ['aggregate'], blockConnection: true, blockTimeMS: 100 });
      const controller = new AbortController();
      const stream = films.watch([], { signal: controller.signal });
      const failure = stream.open().catch((error: unknown) => error);
      await sleep(50);
      controller.abort();
      expect(await failure).toBeInstanceOf(DOMException);
      await stream.close();
      await sleep(1_000);
      expect(namedByKills(events)).toHaveLength(1);
      expect(dispatched).toEqual(['insert', 'aggregate', 'killCursors']);
      const kill = events.findLast(event => event.name === 'commandStarted');
      expect(kill).toMatchObject({
        commandName: 'killCursors',
        command: { $clusterTime: expect.anything() as unknown },
      });
      const { metrics } = await client.db().admin().serverStatus();
      expect((metrics as { cursor: { open: { total: number } } }).cursor.open.total).toBe(0);
    }));

  test('a cursor that is closed while every connection is busy for longer than waitQueueTimeoutMS', () =>
    withServers([{}], async ({ open, failPoint, events, sleep }) => {
      const client = open('mongodb://db1/shop', { options: { maxPoolSize: 1, waitQueueTimeoutMS: 100 } });
      const films = client.db().collection('films');
      await films.insertMany(Array.from({ length: 10 }, (_, i) => ({ i })));
      const cursor = films.find({}, { batchSize: 2 });
      await cursor.next();
      await failPoint('db1', { times: 1 }, { failCommands: ['count'], blockConnection: true, blockTimeMS: 2_000 });
      const counted = films.estimatedDocumentCount();
      await cursor.close();
      expect(namedByKills(events)).toEqual([]);
      expect(await counted).toBe(10);
      await sleep(100);
      expect(namedByKills(events)).toHaveLength(1);
    }));

  test('a find behind a load balancer that was aborted before its first reply, and kills it on the same connection', () =>
    withServers({ topology: 'load-balanced', mongoses: 2 }, async ({ open, events, sleep }) => {
      const client = open('mongodb://db1/shop?loadBalanced=true');
      const films = client.db().collection('films');
      await films.insertMany(Array.from({ length: 10 }, (_, i) => ({ i })));
      const controller = new AbortController();
      const failure = films
        .find({}, { batchSize: 2, signal: controller.signal })
        .next()
        .catch((error: unknown) => error);
      await Promise.resolve();
      controller.abort();
      await failure;
      await sleep(1_000);
      const sent = events.flatMap(event =>
        event.name === 'commandStarted' && ['find', 'killCursors'].includes(event.commandName)
          ? [[event.commandName, event.connectionId]]
          : [],
      );
      expect(sent).toEqual([
        ['find', sent[0]?.[1]],
        ['killCursors', sent[0]?.[1]],
      ]);
      expect(await films.countDocuments({})).toBe(10);
      await client.close();
    }));
});

describe('client.close()', () => {
  test('opens no connection for a session whose lost reply contained no cursor', () =>
    withServer(
      async setup => {
        const { world, client, films, events } = setup;
        const failure = films.findOne().catch((error: unknown) => error);
        await sentBy(setup);
        world.network.reset('db1');
        expect(await failure).toBeInstanceOf(MongoNetworkError);
        await client.close();
        expect([commands(events), names(events, 'connectionCreated')]).toEqual([['find'], ['connectionCreated']]);
      },
      { retryReads: false },
      slow,
    ));

  test('ends the session of a find whose reply was lost, which ends its cursor', () =>
    withServer(
      async setup => {
        const { world, client, films, events } = setup;
        const other = new MongoClient('mongodb://db1/shop', {}, { runtime: world.runtime });
        await other.db().collection('films').insertMany([{}, {}, {}]);
        await other.close();
        const failure = films
          .find({}, { batchSize: 2 })
          .next()
          .catch((error: unknown) => error);
        await sentBy(setup);
        // The server has replied, and the reply is on the way.
        await world.runtime.clock.sleep(15);
        world.network.reset('db1');
        expect(await failure).toBeInstanceOf(MongoNetworkError);
        expect(await openCursors(setup)).toBe(1);
        await client.close();
        expect([await openCursors(setup), commands(events)]).toEqual([0, ['find', 'endSessions']]);
      },
      { retryReads: false },
      slow,
    ));

  test('ends sessions and cursors over a single open connection', () =>
    withServer(async setup => {
      const { client, films, events } = setup;
      await fill(setup);
      const session = client.startSession();
      const orphan = films.find({}, { batchSize: 2, session });
      await orphan.next();
      await session.endSession();
      void orphan.close();
      await client.close();
      expect(await openCursors(setup)).toBe(0);
      expect(names(events, 'connectionCreated')).toEqual(['connectionCreated']);
    }));

  test('stops waiting after 500 ms when the server does not reply', () =>
    withServer(async setup => {
      const { world, client, films } = setup;
      await fill(setup);
      const session = client.startSession();
      const cursor = films.find({}, { batchSize: 2, session });
      await cursor.next();
      await session.endSession();
      world.network.blackhole('db1');
      void cursor.close();
      const began = world.runtime.clock.now();
      await client.close();
      expect(world.runtime.clock.now() - began).toBe(500);
      world.network.heal();
    }));
});
