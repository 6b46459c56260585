import type { Authenticator } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createServer } from '@tessera/server';
import type { World } from '@tessera/sim';
import { createWorld } from '@tessera/sim';
import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import { describe, expect, test } from 'vitest';
import { receiving } from './received.js';
import type { Received } from './received.js';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/**
 * Runs a program with a server that requires authentication and a client, in a simulated world. Nothing may stay open
 * afterwards.
 */
const guarded = async (
  options: MongoClientOptions,
  use: (client: MongoClient, world: World) => Promise<void>,
  more: ConstructorParameters<typeof MongoClient>[2]['parts'] = {},
): Promise<World> => {
  const world = createWorld({ turn, crypto: createNode().crypto }, { seed: 7 });
  await world.run(async () => {
    const server = createServer(world.at('db1'), { users: [{ user: 'ada', pwd: 'pencil' }], testCommands: true });
    const listening = await server.listen('db1:27017');
    const client = new MongoClient('mongodb://db1/shop?authSource=admin', options, {
      runtime: world.runtime,
      parts: more,
    });
    try {
      await use(client, world);
    } finally {
      await client.close();
      await listening.close();
      await server.close();
    }
    await world.runtime.clock.sleep(2_000);
  });
  expect(world.leftovers()).toEqual([]);
  return world;
};

const ada = { auth: { username: 'ada', password: 'pencil' } };

describe('a client with credentials', () => {
  test('authenticates every connection of its pool, and no monitoring connection', async () => {
    const world = createWorld({ turn, crypto: createNode().crypto }, { seed: 7 });
    const received: Received = [];
    let ready = 0;
    await world.run(async () => {
      const runtime = receiving(world.at('db1'), received);
      const server = createServer(runtime, { users: [{ user: 'ada', pwd: 'pencil' }] });
      await server.listen('db1:27017');
      const client = new MongoClient('mongodb://db1/?authSource=admin&minPoolSize=3', ada, { runtime: world.runtime });
      client.on('connectionReady', () => (ready += 1));
      const films = client.db('shop').collection('films');
      await Promise.all(Array.from({ length: 20 }, (_, i) => films.insertOne({ i })));
      await world.runtime.clock.sleep(30_000);
      await client.close();
      await server.close();
      await world.runtime.clock.sleep(2_000);
    });
    const sent = received.map(pieces => Buffer.concat(pieces).toString('latin1'));
    const authenticated = sent.filter(text => /speculativeAuthenticate|saslStart/.test(text));
    const monitors = sent.filter(text => !authenticated.includes(text));
    expect(ready).toBeGreaterThanOrEqual(3);
    expect(authenticated.map(text => /saslContinue/.test(text))).toEqual(Array.from({ length: ready }, () => true));
    // One monitor connection waits for changes, and one measures the round-trip time.
    expect(monitors.map(text => [/hello|isMaster/i.test(text), /sasl|insert/.test(text)])).toEqual([
      [true, false],
      [true, false],
    ]);
    expect(world.leftovers()).toEqual([]);
  });

  test('produces the same history for the same seed', async () => {
    const work = async (client: MongoClient): Promise<void> => {
      const films = client.db().collection('films');
      await Promise.all(Array.from({ length: 8 }, (_, year) => films.insertOne({ year })));
      expect(await films.countDocuments()).toBe(8);
    };
    const [one, two] = [await guarded(ada, work), await guarded(ada, work)];
    expect(one.history).toEqual(two.history);
    expect(one.history.length).toBeGreaterThan(20);
  });

  test('opens a connection in two round trips: hello with the first SASL message, then the proof', async () => {
    await guarded({ ...ada, minPoolSize: 0 }, async (client, world) => {
      const { clock } = world.runtime;
      const admin = client.db('admin');
      const data = { failCommands: ['ping'], blockConnection: true, blockTimeMS: 20 };
      await admin.command({ configureFailPoint: 'failCommand', mode: { times: 1 }, data });
      const opened: number[] = [];
      client.on('connectionReady', ({ durationMS }) => void opened.push(durationMS));
      // The first ping uses the open connection for 20 ms, so the second needs another.
      await Promise.all([1, 2].map(() => admin.command({ ping: 1 })));
      expect(clock.now()).toBeGreaterThan(0);
      // Three round trips: TCP, hello and the proof, each with 1 ms per direction.
      expect(opened).toEqual([6]);
    });
  });

  test('stops waiting for a token when it is closed', async () => {
    const stuck: Authenticator = {
      mechanism: 'stuck',
      begin: () => ({ finish: () => new Promise(() => undefined) }),
    };
    await guarded(
      ada,
      async client => {
        const failed = client
          .db()
          .collection('films')
          .findOne({})
          .catch((error: unknown) => (error as Error).name);
        await turn();
        await client.close();
        expect(await failed).toMatch(/Mongo(ClientClosed|PoolClosed|NotConnected)Error/);
      },
      { authenticators: { DEFAULT: () => stuck } },
    );
  });
});
