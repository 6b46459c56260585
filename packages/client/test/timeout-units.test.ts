/**
 * The unit tests of Client Side Operations Timeout, and the prose test about change streams, which needs a scripted
 * server.
 */
import { MongoClient, MongoOperationTimeoutError } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import { MongoError } from '@tessera/contracts';
import type { Document, Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Respond } from './scripted-server.js';

/** The start and deadline of each connection attempt. */
interface Connecting {
  readonly at: Millis;
  readonly deadline: Millis;
}

interface Scenario {
  readonly client: MongoClient;
  readonly connecting: readonly Connecting[];
  received(): readonly string[];
  now(): Millis;
  sleep(duration: Millis): Promise<void>;
}

type Later = (after: Millis, reply: Document) => Promise<Document>;

/** Runs a test with a scripted server. `later` returns a reply after a delay. */
const withScript = async (
  query: string,
  respond: (command: Document, later: Later) => ReturnType<Respond>,
  program: (scenario: Scenario) => Promise<void>,
  opens: 'every socket' | 'only the first socket' = 'every socket',
): Promise<void> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 8 });
  const { clock, transport } = world.runtime;
  await world.run(async () => {
    const later: Later = (after, reply) => clock.sleep(after).then(() => reply);
    const server = await scriptServer(world, 'db1:27017', command => respond(command, later));
    const connecting: Connecting[] = [];
    const runtime = {
      ...world.runtime,
      transport: {
        connect: async (...[to, options]: Parameters<typeof transport.connect>) => {
          const at = clock.now();
          connecting.push({ at, deadline: options.deadline });
          if (opens === 'every socket' || connecting.length === 1) return transport.connect(to, options);
          await clock.sleep(options.deadline - at, options.signal);
          throw new MongoError('timeout', 'Nobody answers.', { origin: { phase: 'connect', sent: false } });
        },
      },
    };
    const uri = `mongodb://db1/?directConnection=true&serverMonitoringMode=poll&heartbeatFrequencyMS=100000&${query}`;
    const options: MongoClientOptions = { retryReads: false, retryWrites: false };
    const client = new MongoClient(uri, options, { runtime });
    await program({
      client,
      connecting,
      received: () => server.received.filter(command => !isHello(command)).map(command => Object.keys(command)[0]!),
      now: () => clock.now(),
      sleep: duration => clock.sleep(duration),
    });
    await client.close();
    await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

const ended = (
  now: () => Millis,
  promise: Promise<unknown>,
): Promise<{ readonly error: unknown; readonly at: Millis }> =>
  promise.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => ({ error, at: now() }),
  );

/** Replies to handshakes after 30 ms, and never to other commands. */
const slow = (command: Document, later: Later): ReturnType<Respond> =>
  isHello(command) ? later(30, HELLO) : 'silence';

describe('Client Side Operations Timeout, "Unit Tests"', () => {
  test.each<readonly [title: string, query: string]>([
    [
      'Client Side Operations Timeout, prose test U1: timeoutMS replaces waitQueueTimeoutMS',
      'waitQueueTimeoutMS=10&timeoutMS=200',
    ],
    [
      'Client Side Operations Timeout, prose test U2: the checkout is limited by the rest of timeoutMS after server selection',
      'timeoutMS=200',
    ],
  ])('%s', (_, query) =>
    withScript(`maxPoolSize=1&${query}`, slow, async ({ client, now, sleep }) => {
      const db = client.db('db');
      const first = ended(now, db.command({ ping: 1 }, { timeoutMS: 1000 }));
      await sleep(1);
      const began = now();
      const { error, at } = await ended(now, db.command({ ping: 1 }));
      expect(error).toBeInstanceOf(MongoOperationTimeoutError);
      expect(error).toMatchObject({ phase: 'checkout' });
      expect(at - began).toBe(200);
      await first;
    }),
  );

  test('Client Side Operations Timeout, prose test U3: without timeoutMS, waitQueueTimeoutMS starts after server selection', () =>
    withScript(
      'maxPoolSize=1&waitQueueTimeoutMS=50',
      (command, later) => (isHello(command) ? later(30, HELLO) : later(500, {})),
      async ({ client, now }) => {
        const began = now();
        let failed = 0;
        const ping = (): Promise<unknown> =>
          client
            .db('db')
            .command({ ping: 1 })
            .catch((error: unknown) => {
              failed = now() - began;
              throw error;
            });
        const ways = await Promise.allSettled([ping(), ping()]);
        const errors = ways.flatMap(way => (way.status === 'rejected' ? [way.reason as Error] : []));
        expect(errors).toMatchObject([{ name: 'MongoWaitQueueTimeoutError' }]);
        // Server selection waits for the handshake of the monitor.
        expect(failed).toBeGreaterThanOrEqual(30 + 50);
        expect(failed).toBeLessThan(30 + 50 + 10);
      },
    ));

  test.each<readonly [title: string, query: string]>([
    ['timeoutMS', 'timeoutMS=200&serverSelectionTimeoutMS=300&connectTimeoutMS=400'],
    ['serverSelectionTimeoutMS', 'timeoutMS=300&serverSelectionTimeoutMS=200&connectTimeoutMS=400'],
    ['connectTimeoutMS', 'timeoutMS=400&serverSelectionTimeoutMS=300&connectTimeoutMS=150'],
  ])(
    'Client Side Operations Timeout, prose test U4: establishing a connection is limited by the lowest timeout: %s',
    (least, query) =>
      withScript(
        query,
        (command, later) => (isHello(command) ? later(30, HELLO) : {}),
        async ({ client, connecting, now }) => {
          const began = now();
          const { error, at } = await ended(now, client.db('db').command({ ping: 1 }));
          const [, own] = connecting;
          expect(at).toBe(least === 'connectTimeoutMS' ? own!.at + 150 : began + 200);
          expect(error).toBeInstanceOf(MongoOperationTimeoutError);
          expect(((error as Error).cause as Error).message).toContain(
            least === 'connectTimeoutMS' ? 'Nobody answers.' : 'the handshake with db1:27017 did not finish within',
          );
        },
        'only the first socket',
      ),
  );

  test('Client Side Operations Timeout, prose test U8: a connection for minPoolSize is limited by connectTimeoutMS, not by timeoutMS', () =>
    withScript(
      'minPoolSize=3&timeoutMS=200&connectTimeoutMS=1500',
      command => (isHello(command) ? HELLO : {}),
      async ({ client, connecting, sleep }) => {
        await client.db('db').command({ ping: 1 });
        await sleep(500);
        // The first attempt is that of the monitor.
        expect(connecting.map(({ at, deadline }) => deadline - at)).toEqual([1500, 1500, 1500, 1500]);
      },
    ));
});

test('Client Side Operations Timeout, prose test 5: a change stream waits at most timeoutMS, over several getMores', () => {
  const cursor = (batch: 'firstBatch' | 'nextBatch'): Document => ({
    cursor: { id: 9n, ns: 'db.coll', [batch]: [], postBatchResumeToken: { _data: 'a' } },
  });
  return withScript(
    'timeoutMS=40',
    (command, later) => {
      if (isHello(command)) return { ...HELLO, setName: 'rs', hosts: ['db1:27017'] };
      if ('aggregate' in command) return cursor('firstBatch');
      return 'getMore' in command ? later(25, cursor('nextBatch')) : {};
    },
    async ({ client, received, now }) => {
      await client.db('db').command({ ping: 1 }, { timeoutMS: 0 });
      const stream = client.db('db').collection('coll').watch();
      const began = now();
      const { error, at } = await ended(now, stream.next());
      expect(error).toBeInstanceOf(MongoOperationTimeoutError);
      expect(at - began).toBe(40);
      expect(received().slice(1, 4)).toEqual(['aggregate', 'getMore', 'getMore']);
      await stream.close();
    },
  );
});
