import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import {
  MongoClient,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoOperationTimeoutError,
  MongoServerSelectionError,
  MongoWaitQueueTimeoutError,
} from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Layer } from '@tessera/contracts';
import { createServer } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { withServer } from './with-server.js';
import type { Film } from './with-server.js';

describe('Driver Sessions', () => {
  test('every command sends the lsid of its session, and an explicit session keeps its lsid', () =>
    withServer(async ({ client, films, events }) => {
      await client.withSession(async session => {
        await films.insertOne({ _id: 1 }, { session });
        await films.findOne({}, { session });
        const sent = events.flatMap(event => (event.name === 'commandStarted' ? [event.command['lsid']] : []));
        expect(sent).toEqual([session.id, session.id]);
      });
    }));

  test('an implicit session is reused by the next operation, and ended with the client', () =>
    withServer(async ({ client, films, events }) => {
      await films.insertOne({ _id: 1 });
      await films.findOne();
      await client.close();
      const sent = events.flatMap(event => (event.name === 'commandStarted' ? [event] : []));
      expect(sent.map(({ commandName }) => commandName)).toEqual(['insert', 'find', 'endSessions']);
      expect(sent[0]?.command['lsid']).toEqual(sent[1]?.command['lsid']);
      expect(sent[2]?.command['endSessions']).toEqual([sent[0]?.command['lsid']]);
    }));

  test('Driver Sessions, prose test 10: an operation returns its session and connection, however it ends', () =>
    withServer(
      async ({ world, client, films, events }) => {
        const loop: Film = { _id: 8 };
        loop['self'] = loop;
        const ends: readonly (() => Promise<unknown>)[] = [
          () => films.insertMany([1, 2, 3, 4].map(_id => ({ _id }))),
          () => films.insertOne({ _id: 1 }),
          () => films.insertOne(loop),
          () => films.insertMany([{ _id: 5 }, loop]),
          () => films.find({ $nonsense: 1 }).toArray(),
          () => films.find({}, { sort: { year: 'sideways' as 'asc' } }).next(),
          () => films.aggregate([{ $nonsense: 1 }]).next(),
          () =>
            films
              .find({}, { batchSize: 1 })
              .map(() => null)
              .next(),
          () => films.find({}, { batchSize: 2, limit: 2 }).next(),
          () => films.find({ loop }).toArray(),
          () => films.findOne({}, { timeoutMS: -1 }),
          () => films.bulkWrite([{ insertOne: { document: { _id: 2 } } }]),
          () => films.insertOne({ _id: 9 }, { signal: AbortSignal.abort('enough') }),
          () => films.findOneAndUpdate({ _id: 1 }, { $nonsense: 1 }),
          () => films.find({}, { batchSize: 1 }).forEach(() => Promise.reject(new Error('mine'))),
        ];
        for (const end of ends) {
          await end().catch(() => undefined);
          // killCursors runs in the background.
          await world.runtime.clock.sleep(10);
        }
        expect(await films.countDocuments()).toBe(4);
        await client.close();
        const started = events.filter(event => event.name === 'commandStarted');
        const ids = started.flatMap(({ command }) => ('lsid' in command ? [JSON.stringify(command['lsid'])] : []));
        expect(new Set(ids).size).toBe(1);
        expect(started.at(-1)?.command['endSessions']).toHaveLength(1);
        expect(events.filter(({ name }) => name === 'connectionCreated')).toHaveLength(1);
      },
      { maxPoolSize: 1 },
    ));

  test('an ended session and a session of another client are rejected', () =>
    withServer(async ({ world, client, films }) => {
      const session = client.startSession();
      await session.endSession();
      await expect(films.findOne({}, { session })).rejects.toThrow(MongoExpiredSessionError);
      const other = new MongoClient('mongodb://db1', {}, { runtime: world.runtime });
      await expect(films.findOne({}, { session: other.startSession() })).rejects.toThrow(MongoInvalidArgumentError);
      await other.close();
    }));
});

test('an invalid cluster time is rejected as an argument', () =>
  withServer(({ client }) => {
    const session = client.startSession();
    expect(() => {
      session.advanceClusterTime({} as never);
    }).toThrow(MongoInvalidArgumentError);
    return session.endSession();
  }));

describe('an operation', () => {
  test("that is aborted fails at once with the signal's reason, and its connection is reused", () =>
    withServer(
      async ({ world, films, emitted }) => {
        await films.insertOne({ _id: 1 });
        const abort = new AbortController();
        const waiting = films.findOne({}, { signal: abort.signal });
        const outcome = expect(waiting).rejects.toBe('enough');
        await world.runtime.clock.sleep(10);
        abort.abort('enough');
        await outcome;
        await world.runtime.clock.sleep(500);
        expect(await films.findOne()).toEqual({ _id: 1 });
        expect(emitted('connectionCreated', 'connectionClosed')).toEqual(['connectionCreated']);
      },
      {},
      { latency: { delay: 50 } },
    ));

  test('Client Side Operations Timeout: shares one timeoutMS among all its steps, and keeps the connection', () =>
    withServer(
      async ({ world, films, emitted }) => {
        await films.insertOne({ _id: 1 });
        const began = world.runtime.clock.now();
        await expect(films.findOne({}, { timeoutMS: 30 })).rejects.toThrow(MongoOperationTimeoutError);
        expect(world.runtime.clock.now() - began).toBe(30);
        await world.runtime.clock.sleep(500);
        expect(await films.findOne()).toEqual({ _id: 1 });
        expect(emitted('connectionClosed', 'connectionPoolCleared')).toEqual([]);
      },
      {},
      { latency: { delay: 50 } },
    ));

  test('URI Options, "socketTimeoutMS": limits the wait for a reply without a deadline', () =>
    withServer(
      async ({ world, films }) => {
        await films.insertOne({ _id: 1 });
        world.network.blackhole('db1');
        const began = world.runtime.clock.now();
        await expect(films.insertOne({ _id: 2 })).rejects.toThrow(MongoNetworkTimeoutError);
        expect(world.runtime.clock.now() - began).toBe(100);
      },
      { socketTimeoutMS: 100 },
    ));

  test('CMAP, "waitQueueTimeoutMS": fails if no connection becomes available, and timeoutMS replaces that limit', () =>
    withServer(
      async ({ world, films }) => {
        await films.insertOne({ _id: 1 });
        world.network.blackhole('db1');
        const abort = new AbortController();
        const holding = expect(films.insertOne({ _id: 2 }, { signal: abort.signal })).rejects.toBe('enough');
        await expect(films.findOne()).rejects.toThrow(MongoWaitQueueTimeoutError);
        await expect(films.findOne({}, { timeoutMS: 20 })).rejects.toThrow(MongoOperationTimeoutError);
        abort.abort('enough');
        await holding;
      },
      { maxPoolSize: 1, waitQueueTimeoutMS: 50 },
    ));

  test('Client Side Operations Timeout, "Errors": a server selection that times out reports both limits', () =>
    withServer(async ({ world, client }) => {
      const away = new MongoClient('mongodb://db2', {}, { runtime: world.runtime });
      const failed = (await away
        .db()
        .command({ ping: 1 }, { timeoutMS: 200 })
        .catch((error: unknown) => error)) as Error;
      expect(failed).toBeInstanceOf(MongoOperationTimeoutError);
      expect(failed.cause).toBeInstanceOf(MongoServerSelectionError);
      await away.close();
      await client.close();
    }));

  test('Retryable Reads: retries a read once after the connection is lost', () =>
    withServer(
      async ({ world, films, emitted }) => {
        await films.insertOne({ _id: 1 });
        const reading = films.findOne();
        await world.runtime.clock.sleep(5);
        world.network.reset('db1:27017');
        expect(await reading).toEqual({ _id: 1 });
        // The monitor loses its connection too, and may report it first.
        expect(emitted('commandFailed', 'connectionPoolCleared').toSorted()).toEqual([
          'commandFailed',
          'connectionPoolCleared',
        ]);
      },
      {},
      { latency: { delay: 10 } },
    ));

  test('reports both attempts in the error', () =>
    withServer(
      async ({ world, films }) => {
        await films.insertOne({ _id: 1 });
        const reading = films.findOne().catch((error: unknown) => error);
        await world.runtime.clock.sleep(5);
        world.network.reset('db1:27017');
        world.network.refuse('db1:27017');
        const failed = (await reading) as MongoNetworkError;
        expect(failed).toBeInstanceOf(MongoNetworkError);
        expect(failed.attempts.length).toBe(2);
        expect(failed.attempts.map(({ error }) => error.kind)).toEqual(['network', 'selection']);
        world.network.heal();
      },
      { serverSelectionTimeoutMS: 1_000 },
      { latency: { delay: 10 } },
    ));
});

describe('the options of a client', () => {
  const open = (uri: string, options: MongoClientOptions = {}): MongoClient =>
    new MongoClient(uri, options, { runtime: createWorld({ turn: () => Promise.resolve() }).runtime });

  test('are not part of its inspected form, which has the address and state', () => {
    const client = open('mongodb://db1,db2/shop?authMechanismProperties=AWS_SESSION_TOKEN:hunter2');
    expect(inspect(client)).toBe('MongoClient { mongodb://db1:27017,db2:27017/shop, new }');
    expect(inspect({ client, db: client.db(), session: client.startSession() }, { depth: 9 })).not.toContain('hunter2');
    expect(JSON.stringify(client)).not.toContain('hunter2');
  });

  test('Max Staleness: tags and maxStalenessSeconds without a mode are rejected, because the default mode primary takes neither', () => {
    expect(() => open('mongodb://db1/?maxStalenessSeconds=120')).toThrow(/primary accepts neither/);
    expect(() => open('mongodb://db1/?readPreferenceTags=dc:ny')).toThrow(/primary accepts neither/);
    expect(open('mongodb://db1/?maxStalenessSeconds=-1&readPreferenceTags=').readPreference.mode).toBe('primary');
  });

  test('that no part of the driver accepts are rejected as arguments on connect', async () => {
    const client = open('mongodb://db1', { appName: 'x'.repeat(129) });
    await expect(client.connect()).rejects.toThrow(MongoInvalidArgumentError);
    await expect(client.db().command({ ping: 1 })).rejects.toThrow(
      "'appName' has 129 bytes in UTF-8. Servers accept at most 128.",
    );
  });
});

describe('runtime and parts', () => {
  test('the same seed produces the same history, byte for byte, and another seed another', async () => {
    const live = async (seed: number): Promise<string> => {
      const world = await withServer(
        async ({ films }) => {
          await films.insertMany(Array.from({ length: 50 }, (_, _id) => ({ _id })));
          await Promise.all([
            films.updateMany({}, { $set: { year: 1 } }),
            films.find({}, { batchSize: 7 }).toArray(),
            films.countDocuments(),
          ]);
        },
        {},
        { seed, latency: { delay: 5, jitter: 4 } },
      );
      return JSON.stringify(world.history);
    };
    const first = await live(3);
    expect(await live(3)).toBe(first);
    expect(await live(4)).not.toBe(first);
  });

  test('a listener that throws breaks no operation', () =>
    withServer(async ({ client, films }) => {
      const recorded: unknown[] = [];
      client.on('error', error => recorded.push(error));
      client.on('commandStarted', () => {
        throw new Error('mine');
      });
      expect(await films.countDocuments()).toBe(0);
      expect(recorded).toHaveLength(1);
    }));

  test('an outer layer sees every operation', async () => {
    const seen: string[] = [];
    const watch: Layer = next => request => {
      seen.push(request.operation.name);
      return next(request);
    };
    const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
    await world.run(async () => {
      const server = createServer(world.at('db1'));
      await server.listen('db1:27017');
      const client = new MongoClient('mongodb://db1', {}, { runtime: world.runtime, parts: { outerLayers: [watch] } });
      await client.db('a').collection('b').insertOne({});
      await client.db('a').command({ ping: 1 });
      await client.close();
      await server.close();
    });
    expect(seen).toEqual(['insert', 'ping']);
  });
});
