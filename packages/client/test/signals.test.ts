/** An operation's own signal ends it at once in every phase, and its connection is kept. */
import { MongoClient } from '@tessera/client';
import type { Collection } from '@tessera/client';
import type { Document, EventName, Millis } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import type { Respond } from './scripted-server.js';

interface Scenario {
  readonly client: MongoClient;
  readonly films: Collection;
  readonly emitted: readonly EventName[];
  /** Runs an operation whose signal aborts after the given time. Returns the rejection reason and the duration. */
  aborted(after: Millis, run: (signal: AbortSignal) => Promise<unknown>): Promise<readonly [unknown, Millis]>;
  sleep(duration: Millis): Promise<void>;
}

const reason = new Error('enough');

const withScript = async (
  query: string,
  respond: (command: Document, later: (after: Millis, reply: Document) => Promise<Document>) => ReturnType<Respond>,
  program: (scenario: Scenario) => Promise<void>,
): Promise<void> => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) }, { seed: 5 });
  const { clock } = world.runtime;
  const set = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], me: 'db1:27017', primary: 'db1:27017' };
  await world.run(async () => {
    const later = (after: Millis, reply: Document): Promise<Document> => clock.sleep(after).then(() => reply);
    const server = await scriptServer(world, 'db1:27017', command =>
      isHello(command) ? set : 'endSessions' in command || 'ping' in command ? {} : respond(command, later),
    );
    const uri = `mongodb://db1/?replicaSet=rs&heartbeatFrequencyMS=100000${query}`;
    const client = new MongoClient(uri, {}, { runtime: world.runtime });
    const emitted: EventName[] = [];
    for (const name of ['connectionCreated', 'connectionClosed', 'connectionPoolCleared'] as const)
      client.on(name, () => emitted.push(name));
    const aborted: Scenario['aborted'] = async (after, run) => {
      const controller = new AbortController();
      const began = clock.now();
      clock.startTimer(after, () => {
        controller.abort(reason);
      });
      const error = await run(controller.signal).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return [error, clock.now() - began];
    };
    const films = client.db('shop').collection('films');
    await program({ client, films, emitted, aborted, sleep: duration => clock.sleep(duration) });
    await client.close();
    await server.close();
    await clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

const batch = (id: bigint, kind: 'firstBatch' | 'nextBatch', ...documents: readonly Document[]): Document => ({
  cursor: { id, ns: 'shop.films', [kind]: documents },
});

describe('an aborted signal ends an operation at once with its reason', () => {
  test('before it begins: nothing is sent', () =>
    withScript(
      '',
      () => ({ n: 1 }),
      async ({ films, emitted }) => {
        const signal = AbortSignal.abort(reason);
        const operations: readonly (() => Promise<unknown>)[] = [
          () => films.insertOne({}, { signal }),
          () => films.findOne({}, { signal }),
          () => films.find({}, { signal }).toArray(),
          () => films.bulkWrite([{ insertOne: { document: {} } }], { signal }),
          () => films.countDocuments({}, { signal }),
          () => films.createIndex({ a: 1 }, { signal }),
        ];
        for (const run of operations) await expect(run()).rejects.toBe(reason);
        expect(emitted).toEqual([]);
      },
    ));

  test('during server selection', () =>
    withScript(
      '',
      () => ({ n: 1 }),
      async ({ films, aborted }) => {
        const nearest = { readPreference: 'secondary' } as const;
        expect(await aborted(70, signal => films.findOne({}, { ...nearest, signal }))).toEqual([reason, 70]);
      },
    ));

  test('while it waits for a connection', () =>
    withScript(
      '&maxPoolSize=1',
      (_, later) => later(100, { n: 1 }),
      async ({ films, aborted }) => {
        await films.insertOne({});
        const first = films.insertOne({});
        expect(await aborted(40, signal => films.insertOne({}, { signal }))).toEqual([reason, 40]);
        await first;
      },
    ));

  test('while the server runs the command: the late reply is read, and the connection reused', () =>
    withScript(
      '&maxPoolSize=1',
      (_, later) => later(100, { n: 1 }),
      async ({ films, aborted, emitted }) => {
        await films.insertOne({});
        expect(await aborted(40, signal => films.insertOne({}, { signal }))).toEqual([reason, 40]);
        await films.insertOne({});
        expect(emitted).toEqual(['connectionCreated']);
      },
    ));

  test('during the backoff before a retry', () => {
    const busy = {
      ...{ ok: 0, code: 462, errmsg: 'busy', baseBackoffMS: 5000 },
      errorLabels: ['SystemOverloadedError', 'RetryableError'],
    };
    return withScript(
      '',
      () => busy,
      async ({ client, films, aborted }) => {
        await client.connect();
        expect(await aborted(60, signal => films.insertOne({}, { signal }))).toEqual([reason, 60]);
      },
    );
  });

  test('during a getMore: the cursor is closed, and its connection kept', () =>
    withScript(
      '&maxPoolSize=1',
      (command, later) =>
        'find' in command
          ? batch(7n, 'firstBatch', { _id: 1 })
          : 'getMore' in command
            ? later(100, batch(0n, 'nextBatch', { _id: 2 }))
            : {},
      async ({ films, aborted, emitted, sleep }) => {
        let cursor: { readonly closed: boolean } | undefined;
        const outcome = await aborted(40, async signal => {
          const found = films.find({}, { signal });
          cursor = found;
          await found.next();
          await found.next();
        });
        expect(outcome).toEqual([reason, 40]);
        expect(cursor?.closed).toBe(true);
        await sleep(200);
        expect(emitted).toEqual(['connectionCreated']);
      },
    ));

  test('in withTransaction: the transaction is aborted, and the reason thrown', () => {
    const received: string[] = [];
    return withScript(
      '',
      (command, later) => {
        received.push(Object.keys(command)[0] ?? '');
        return 'insert' in command ? later(100, { n: 1 }) : {};
      },
      async ({ client, films, aborted }) => {
        await client.connect();
        const session = client.startSession();
        const [error] = await aborted(40, signal =>
          session.withTransaction(async () => {
            await films.insertOne({}, { session, signal });
          }),
        );
        expect(error).toBe(reason);
        expect(received).toEqual(['insert', 'abortTransaction']);
        await session.endSession();
      },
    );
  });
});
