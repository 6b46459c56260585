import { MongoClient, MongoCursorExhaustedError, MongoNetworkError } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Document, DriverEvent, EventName } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createCluster } from '@tessera/cluster';
import { createServer } from '@tessera/server';
import type { ClusterOptions } from '@tessera/cluster';
import { createWorld } from '@tessera/sim';
import type { World } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

interface Balanced {
  readonly world: World;
  readonly client: MongoClient;
  readonly events: DriverEvent[];
  emitted(...names: readonly EventName[]): readonly string[];
  /** Returns all started commands, with their connection. */
  sent(): readonly (readonly [string, number])[];
}

const all: readonly EventName[] = [
  ...(['commandStarted', 'connectionPoolCleared', 'connectionCheckedOut', 'connectionCheckedIn'] as const),
  ...(['connectionClosed', 'connectionReady', 'topologyOpening', 'topologyClosed'] as const),
  ...(['topologyDescriptionChanged', 'serverOpening', 'serverClosed', 'serverDescriptionChanged'] as const),
  ...(['serverHeartbeatStarted', 'connectionCheckOutStarted', 'connectionCheckOutFailed'] as const),
];

/** Runs a test with two services behind one address. Connections alternate between them. */
const behindBalancer = async (
  test: (setup: Balanced) => Promise<void>,
  options: MongoClientOptions = {},
  clusterOptions: ClusterOptions = {},
) => {
  const world = createWorld({ turn, crypto: createNode().crypto });
  await world.run(async () => {
    const cluster = await createCluster(world.at('lb'), {
      ...clusterOptions,
      topology: 'load-balanced',
      testCommands: true,
      addresses: ['mongos1', 'mongos2', 'lb', 'shard1', 'shard2', 'shard3'].map(host => `${host}:27017`),
    });
    const client = new MongoClient('mongodb://lb/shop?loadBalanced=true', options, { runtime: world.runtime });
    const events: DriverEvent[] = [];
    const listen = client.on.bind(client) as (name: EventName, listener: (event: DriverEvent) => void) => MongoClient;
    for (const name of all) listen(name, event => events.push(event));
    const emitted = (...names: readonly EventName[]): readonly string[] =>
      events.map(({ name }) => name).filter(name => names.includes(name));
    const sent = () =>
      events.flatMap(event =>
        event.name === 'commandStarted' ? [[event.commandName, event.connectionId] as const] : [],
      );
    try {
      await test({ world, client, events, emitted, sent });
    } finally {
      await client.close();
      await cluster.close();
    }
    await world.runtime.clock.sleep(2000);
  });
  expect(world.leftovers()).toEqual([]);
};

/** Inserts documents, and opens a connection to each service. */
const fill = async ({ client, events }: Balanced, documents = 5): Promise<void> => {
  const films = client.db().collection<{ _id: number }>('films');
  const some = Array.from({ length: documents }, (_, _id) => ({ _id }));
  // Two concurrent operations use two connections, which lead to the two services.
  await Promise.all([films.insertMany(some), films.countDocuments()]);
  events.length = 0;
};

describe('Load Balancers', () => {
  test('"Monitoring": the only server has type LoadBalancer at once, and is not monitored', () =>
    behindBalancer(async ({ client, events, world }) => {
      await client.db().command({ ping: 1 });
      await world.runtime.clock.sleep(30_000);
      await client.close();
      const sdam = events.filter(({ name }) => /^(topology|server)/.test(name));
      expect(
        sdam.map(event => {
          if (event.name === 'topologyDescriptionChanged') {
            const { type, servers, compatibilityError } = event.newDescription;
            return [event.name, type, [...servers.values()].map(server => server.type), compatibilityError];
          }
          return event.name === 'serverDescriptionChanged' ? [event.name, event.newDescription.type] : event.name;
        }),
      ).toEqual([
        'topologyOpening',
        ['topologyDescriptionChanged', 'LoadBalanced', ['Unknown'], undefined],
        'serverOpening',
        ['serverDescriptionChanged', 'LoadBalancer'],
        ['topologyDescriptionChanged', 'LoadBalanced', ['LoadBalancer'], undefined],
        'serverClosed',
        ['topologyDescriptionChanged', 'Unknown', [], undefined],
        'topologyClosed',
      ]);
    }));

  test(`"Connection Establishment": a server that is not behind a load balancer is rejected with the specification's message`, async () => {
    const world = createWorld({ turn });
    await world.run(async () => {
      const server = createServer(world.at('db1'));
      const listening = await server.listen('db1:27017');
      const client = new MongoClient('mongodb://db1/?loadBalanced=true', {}, { runtime: world.runtime });
      await expect(client.db().command({ ping: 1 })).rejects.toThrow(
        'Driver attempted to initialize in load balancing mode, but the server does not support this mode.',
      );
      await client.close();
      await listening.close();
      await server.close();
    });
  });

  test('"Behaviour With Cursors": all commands use one connection, which is checked out and in once', () =>
    behindBalancer(async setup => {
      const { client, sent, emitted } = setup;
      await fill(setup);
      const cursor = client.db().collection('films').find({}, { batchSize: 2 });
      expect(cursor.loadBalanced).toBe(false);
      expect(await cursor.toArray()).toHaveLength(5);
      expect(cursor.loadBalanced).toBe(true);
      const [first] = sent();
      expect(sent()).toEqual(['find', 'getMore', 'getMore'].map(name => [name, first?.[1]]));
      expect(emitted('connectionCheckOutStarted', 'connectionCheckedOut', 'connectionCheckedIn')).toEqual([
        'connectionCheckOutStarted',
        'connectionCheckedOut',
        'connectionCheckedIn',
      ]);
    }));

  test('"Behaviour With Cursors": a single batch with all documents checks the connection in at once', () =>
    behindBalancer(async setup => {
      await fill(setup);
      const cursor = setup.client.db().collection('films').find();
      await cursor.next();
      expect(setup.emitted('connectionCheckedIn')).toEqual(['connectionCheckedIn']);
      await cursor.close();
    }));

  test('"Behaviour With Cursors": close kills the cursor on its own connection, then checks it in', () =>
    behindBalancer(async setup => {
      const { client, sent, emitted } = setup;
      await fill(setup);
      const cursor = client.db().collection('films').find({}, { batchSize: 2 });
      await cursor.next();
      expect(emitted('connectionCheckedIn')).toEqual([]);
      await client.db().command({ ping: 1 });
      await cursor.close();
      const [find] = sent();
      const kill = sent().at(-1);
      expect(kill).toEqual(['killCursors', find?.[1]]);
      expect(emitted('connectionCheckedOut', 'connectionCheckedIn').length).toBe(4);
    }));

  test('"Behaviour With Cursors": after a network error of getMore the cursor is not killed, and the connection is checked in', () =>
    behindBalancer(async setup => {
      const { client, sent, emitted, world } = setup;
      await fill(setup);
      const cursor = client.db().collection('films').find({}, { batchSize: 2 });
      await cursor.next();
      world.network.reset('lb:27017');
      await cursor.next();
      await expect(cursor.next()).rejects.toThrow(MongoNetworkError);
      await expect(cursor.next()).rejects.toThrow(MongoCursorExhaustedError);
      await cursor.close();
      expect(sent().map(([name]) => name)).toEqual(['find', 'getMore']);
      expect(emitted('connectionCheckedIn')).toEqual(['connectionCheckedIn']);
    }));

  test('"Behaviour With Cursors": after a server error of getMore the cursor is killed, and the connection is checked in', () =>
    behindBalancer(async setup => {
      const { client, sent, emitted } = setup;
      await fill(setup);
      const films = client.db().collection('films');
      const fail = { configureFailPoint: 'failCommand', mode: { times: 1 } };
      const data = { failCommands: ['getMore'], errorCode: 96 };
      await Promise.all([client.db('admin').command({ ...fail, data }), client.db('admin').command({ ...fail, data })]);
      setup.events.length = 0;
      const cursor = films.find({}, { batchSize: 2 });
      await expect(cursor.toArray()).rejects.toMatchObject({ code: 96 });
      await setup.world.runtime.clock.sleep(100);
      expect(sent().map(([name]) => name)).toEqual(['find', 'getMore', 'killCursors']);
      expect(new Set(sent().map(([, id]) => id)).size).toBe(1);
      expect(emitted('connectionCheckedIn')).toEqual(['connectionCheckedIn']);
    }));

  test('"Behaviour With Cursors": close during a getMore ends both, on the same connection', () =>
    behindBalancer(async setup => {
      const { client, sent, emitted, world } = setup;
      await fill(setup);
      const fail = { configureFailPoint: 'failCommand', mode: 'alwaysOn' };
      const data = { failCommands: ['getMore'], blockConnection: true, blockTimeMS: 300 };
      await Promise.all([client.db('admin').command({ ...fail, data }), client.db('admin').command({ ...fail, data })]);
      setup.events.length = 0;
      const cursor = client.db().collection('films').find({}, { batchSize: 2 });
      await cursor.next();
      await cursor.next();
      const next = cursor.next();
      await world.runtime.clock.sleep(50);
      await cursor.close();
      expect(await next).toBeNull();
      await world.runtime.clock.sleep(500);
      expect(sent().map(([name]) => name)).toEqual(['find', 'getMore', 'killCursors']);
      expect(new Set(sent().map(([, id]) => id)).size).toBe(1);
      expect(emitted('connectionCheckedIn')).toEqual(['connectionCheckedIn']);
    }));

  test('"Connection Pinning": cursors that close during another operation of their transaction do not disturb it', () =>
    behindBalancer(async setup => {
      const { client, sent } = setup;
      await fill(setup);
      const films = client.db().collection('films');
      await client.withSession(async session => {
        session.startTransaction();
        const cursors = [1, 2].map(() => films.find({}, { session, batchSize: 2 }));
        for (const cursor of cursors) await cursor.next();
        const inserting = films.insertOne({}, { session });
        const closing = Promise.all(cursors.map(cursor => cursor.close()));
        const counting = inserting.then(() => films.findOne({}, { session }));
        await Promise.all([inserting, closing, counting]);
        await session.commitTransaction();
      });
      expect(sent().map(([name]) => name)).toEqual([
        ...['find', 'find', 'insert', 'killCursors', 'killCursors', 'find', 'commitTransaction'],
      ]);
      expect(new Set(sent().map(([, id]) => id)).size).toBe(1);
    }));

  test('"Connection Pinning": after an aborted operation the transaction continues when the late reply has arrived', () =>
    behindBalancer(
      async ({ client, sent, world }) => {
        const films = client.db().collection('films');
        await films.insertOne({});
        const fail = { configureFailPoint: 'failCommand', mode: 'alwaysOn' };
        const data = { failCommands: ['find'], blockConnection: true, blockTimeMS: 300 };
        await client.db('admin').command({ ...fail, data });
        await client.withSession(async session => {
          session.startTransaction();
          await films.insertOne({}, { session });
          const abort = new AbortController();
          const finding = expect(films.findOne({}, { session, signal: abort.signal })).rejects.toBe('enough');
          await world.runtime.clock.sleep(50);
          abort.abort('enough');
          await finding;
          await session.abortTransaction();
          await films.insertOne({}, { session });
        });
        expect(sent().map(([name]) => name)).toEqual([
          ...['insert', 'configureFailPoint', 'insert', 'find', 'abortTransaction', 'insert'],
        ]);
        expect(new Set(sent().map(([, id]) => id)).size).toBe(1);
      },
      { maxPoolSize: 1 },
    ));

  test('Client Side Operations Timeout: an operation that waits for an abandoned reply times out on time, and does not delay later ones', () =>
    behindBalancer(async ({ client, world }) => {
      const { clock } = world.runtime;
      const films = client.db().collection('films');
      await films.insertOne({});
      const fail = { configureFailPoint: 'failCommand', mode: { times: 1 } };
      const data = { failCommands: ['find'], blockConnection: true, blockTimeMS: 900 };
      await client.db('admin').command({ ...fail, data });
      const session = client.startSession();
      session.startTransaction();
      await films.insertOne({}, { session });
      const failureAfter = async (duration: number, options: { readonly timeoutMS?: number }): Promise<unknown> => {
        const [began, abort] = [clock.now(), new AbortController()];
        const failure = films
          .findOne({}, { session, signal: abort.signal, ...options })
          .catch((error: unknown) => error);
        await clock.sleep(duration);
        abort.abort('enough');
        const error = await failure;
        expect(clock.now() - began).toBe(duration);
        return error;
      };
      expect([await failureAfter(50, {}), await failureAfter(30, {})]).toEqual(['enough', 'enough']);
      expect(session.transaction.isPinned).toBe(true);
      expect(await failureAfter(40, { timeoutMS: 40 })).toMatchObject({
        name: 'MongoOperationTimeoutError',
        labels: ['TransientTransactionError'],
      });
      const began = clock.now();
      await session.abortTransaction();
      session.startTransaction();
      await films.insertOne({}, { session });
      await session.commitTransaction();
      expect(clock.now() - began).toBeLessThan(100);
    }));

  test('"Connection Tracking": a checkout timeout reports that a cursor uses the connection', () =>
    behindBalancer(
      async setup => {
        const films = setup.client.db().collection('films');
        await films.insertMany([{}, {}, {}]);
        const cursor = films.find({}, { batchSize: 1 });
        await cursor.next();
        await expect(films.findOne()).rejects.toThrow(
          'maxPoolSize: 1, connections in use by cursors: 1, connections in use by transactions: 0, connections in use by other operations: 0',
        );
        await cursor.close();
      },
      { maxPoolSize: 1, waitQueueTimeoutMS: 50 },
    ));

  test('"Session Support": every command sends an lsid', () =>
    behindBalancer(async ({ client, events }) => {
      await client.db().collection('films').findOne();
      const [started] = events.filter(({ name }) => name === 'commandStarted');
      expect((started as { readonly command: Document }).command['lsid']).toBeDefined();
    }));

  test('"Post-Handshake Errors": a service that shuts down loses only its own connections, and remains selectable', () =>
    behindBalancer(async setup => {
      const { client, events, emitted } = setup;
      await fill(setup);
      const fail = { configureFailPoint: 'failCommand', mode: { times: 1 } };
      const data = { failCommands: ['ping'], errorCode: 91 };
      await client.db('admin').command({ ...fail, data });
      await expect(client.db().command({ ping: 1 })).rejects.toMatchObject({ code: 91 });
      const cleared = events.filter(event => event.name === 'connectionPoolCleared');
      expect(cleared).toHaveLength(1);
      expect(cleared[0]?.serviceId).toBeDefined();
      const closed = events.flatMap(event => (event.name === 'connectionClosed' ? [event.serviceId] : []));
      expect(closed.map(String)).toEqual([String(cleared[0]?.serviceId)]);
      expect(emitted('serverDescriptionChanged')).toEqual([]);
      await client.db().command({ ping: 1 });
    }));

  test('"Initial Handshake Errors": an error before the reply to hello clears no pool', () =>
    behindBalancer(
      async setup => {
        const { client, emitted, world } = setup;
        await fill(setup);
        world.network.refuse('lb:27017');
        const busy = [1, 2, 3].map(() => client.db().command({ ping: 1 }));
        await Promise.allSettled(busy);
        expect(emitted('connectionPoolCleared', 'serverDescriptionChanged')).toEqual([]);
      },
      { serverSelectionTimeoutMS: 1000 },
    ));

  test('"Initial Handshake Errors": an error after hello clears the connections to that service', () =>
    behindBalancer(
      async ({ client, events, emitted }) => {
        const films = client.db().collection('films');
        const data = { failCommands: ['saslContinue'], closeConnection: true };
        const arm = { configureFailPoint: 'failCommand', mode: { times: 1 }, data };
        await Promise.all([client.db('admin').command(arm), client.db('admin').command(arm)]);
        await films.insertMany([{}, {}, {}]);
        events.length = 0;
        // Two open cursors use the two connections, so the ping needs another.
        const cursors = [1, 2].map(() => films.find({}, { batchSize: 2 }));
        const ping = () => client.db('admin').command({ ping: 1 });
        const outcomes = await Promise.allSettled([...cursors.map(cursor => cursor.next()), ping()]);
        expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
        const cleared = events.filter(event => event.name === 'connectionPoolCleared');
        expect(cleared.map(({ serviceId }) => serviceId !== undefined)).toEqual([true]);
        expect(emitted('serverDescriptionChanged')).toEqual([]);
        await Promise.all(cursors.map(cursor => cursor.close()));
      },
      { auth: { username: 'user', password: 'secret' }, authSource: 'admin', retryReads: false },
      { users: [{ user: 'user', pwd: 'secret' }] },
    ));

  test('"Passing read preference": is the same as for a mongos', () =>
    behindBalancer(
      async ({ client, events }) => {
        await client.db().collection('films').findOne({}, { readPreference: 'secondary' });
        await client.db().collection('films').findOne();
        const commands = events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
        expect(commands.map(command => command['$readPreference'] as unknown)).toEqual([
          { mode: 'secondary' },
          undefined,
        ]);
      },
      {},
      { members: 3 },
    ));
});
