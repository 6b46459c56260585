/** The prose tests of Driver Sessions and Causal Consistency that need the whole driver. */
import { MongoClient, ReadPreferenceMode } from '@tessera/client';
import type { ClientSession } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { Binary, Long, ObjectId, Timestamp, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import { withServers } from './with-servers.js';
import type { Layout } from './with-servers.js';

interface Film extends Document {
  _id: number;
}

const commands = (events: readonly DriverEvent[]): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
const replies = (events: readonly DriverEvent[]): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandSucceeded' ? [event.reply] : []));

const set = 'mongodb://db1/?replicaSet=rs';
const elsewhere = { clusterTime: new Timestamp({ t: 1, i: 1 }), signature: { hash: new Binary(), keyId: Long.ZERO } };

describe('sessions', () => {
  test('Driver Sessions, prose test 3: every command sends the cluster time of the previous reply', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const client = open(set);
      const films = client.db().collection<Film>('films');
      await client.db().command({ ping: 1 });
      const all = [
        () => client.db().command({ ping: 1 }),
        () => films.aggregate([{ $match: {} }]).toArray(),
        () => films.find({}).toArray(),
        () => films.insertOne({ _id: 1 }),
        () => client.db().command({ ping: 1 }),
      ];
      for (const one of all) {
        const before = replies(events).at(-1)?.['$clusterTime'] as unknown;
        expect(before).toBeDefined();
        await one();
        expect(commands(events).at(-1)?.['$clusterTime']).toEqual(before);
      }
    }));

  test.each<readonly [title: string, documents: number, batchSize: number, taken: number]>([
    ['Driver Sessions, prose test 8: with the first batch', 2, 101, 1],
    ['Driver Sessions, prose test 9: with a later batch', 5, 3, 4],
  ])('%s an exhausted cursor returns its implicit session', (_, documents, batchSize, taken) =>
    withServers([{}], async ({ open, events }) => {
      const films = open('mongodb://db1').db().collection<Film>('films');
      await films.insertMany(Array.from({ length: documents }, (__, _id) => ({ _id })));
      events.length = 0;
      const cursor = films.find({}, { batchSize });
      for (let n = 0; n < taken; n++) await cursor.next();
      await films.countDocuments();
      const ids = commands(events).map(({ lsid }) => lsid as unknown);
      expect(ids).toEqual(ids.map(() => ids[0]));
      expect(await cursor.next()).toEqual({ _id: documents - 1 });
      await cursor.close();
    }),
  );

  test.each<readonly [topology: string, layout: Layout, uri: string]>([
    ['a standalone', [{}], 'mongodb://db1/?'],
    ['a replica set', { topology: 'replicaset', setName: 'rs', members: 3 }, 'mongodb://db1/?replicaSet=rs&'],
    ['mongos', { topology: 'sharded', mongoses: 1, members: 3 }, 'mongodb://db1/?'],
    ['a load balancer', { topology: 'load-balanced', mongoses: 1, members: 3 }, 'mongodb://db1/?loadBalanced=true&'],
  ])(
    'Driver Sessions, prose test 11: find and getMore send the same lsid to %s with each read preference',
    (topology, layout, uri) =>
      withServers(layout, async ({ open, events }) => {
        for (const readPreference of Object.values(ReadPreferenceMode)) {
          // Every readable member has the documents.
          const writeConcern = { w: topology === 'a standalone' ? 1 : 3 };
          const films = open(`${uri}readPreference=${readPreference}`).db().collection<Film>(readPreference);
          await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }], { writeConcern });
          events.length = 0;
          expect(await films.find({}, { batchSize: 2 }).toArray()).toHaveLength(3);
          const [find, more, ...rest] = commands(events);
          expect([find?.['find'], more?.['collection'], rest]).toEqual([readPreference, readPreference, []]);
          expect(find?.['lsid']).toEqual({ id: expect.any(UUID) as unknown });
          expect(more?.['lsid']).toEqual(find?.['lsid']);
        }
      }),
  );

  test('Driver Sessions, prose test 14: operations that wait for one connection share one session', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const films = open(`${set}&maxPoolSize=1`).db().collection('films');
      const all = (): Promise<unknown> =>
        Promise.all([
          films.insertOne({}),
          films.deleteOne({}),
          films.updateOne({}, { $set: { a: 1 } }),
          films.bulkWrite([{ updateOne: { filter: {}, update: { $set: { a: 1 } } } }]),
          films.findOneAndDelete({}),
          films.findOneAndUpdate({}, { $set: { a: 1 } }),
          films.findOneAndReplace({}, { a: 1 }),
          films.find().toArray(),
        ]);
      for (let round = 0; round < 5; round++) {
        events.length = 0;
        await all();
        const ids = commands(events).map(({ lsid }) => JSON.stringify(lsid));
        expect(ids).toHaveLength(8);
        expect(new Set(ids).size).toBe(1);
      }
    }));

  test('Driver Sessions, prose tests 18, 19: a server without session support receives no lsid, and an explicit session is an error', async () => {
    const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
    const { logicalSessionTimeoutMinutes: _, ...hello } = HELLO;
    await world.run(async () => {
      const server = await scriptServer(world, 'db1:27017', command => {
        if (isHello(command)) return hello;
        return Object.keys(command)[0] === 'find' ? { cursor: { id: 0n, ns: 'test.films', firstBatch: [] } } : { n: 1 };
      });
      const client = new MongoClient('mongodb://db1', {}, { runtime: world.runtime });
      const films = client.db().collection('films');
      const events: DriverEvent[] = [];
      client.on('commandStarted', event => events.push(event));
      await films.findOne();
      await films.insertOne({});
      expect(commands(events).map(command => 'lsid' in command)).toEqual([false, false]);
      const session = client.startSession();
      for (const run of [() => films.findOne({}, { session }), () => films.insertOne({}, { session })])
        await expect(run()).rejects.toThrow(/sessions/);
      expect(events).toHaveLength(2);
      await session.endSession();
      await client.close();
      await server.close();
      await world.runtime.clock.sleep(2000);
    });
    expect(world.leftovers()).toEqual([]);
  });

  test('Driver Sessions, prose test 20: heartbeats neither send nor store a cluster time', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events, sleep }) => {
      const uri = 'mongodb://db1/?directConnection=true&heartbeatFrequencyMS=500&serverMonitoringMode=poll';
      const client = open(uri);
      const { $clusterTime } = await client.db().command({ ping: 1 });
      await open(uri).db().collection('films').insertOne({ advance: '$clusterTime' });
      events.length = 0;
      await sleep(2000);
      expect(events.filter(({ name }) => name === 'serverHeartbeatSucceeded').length).toBeGreaterThanOrEqual(2);
      await client.db().command({ ping: 1 });
      expect(commands(events).at(-1)?.['$clusterTime']).toEqual($clusterTime);
    }));

  test.each(['poll', 'stream'])(
    'Driver Sessions, prose test 20: heartbeats send neither a cluster time nor a session: mode %s',
    async mode => {
      const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
      const { clock } = world.runtime;
      const $clusterTime = { clusterTime: new Timestamp({ t: 7, i: 1 }) };
      await world.run(async () => {
        const topologyVersion = { processId: new ObjectId(), counter: 0n };
        const server = await scriptServer(world, 'db1:27017', command => {
          const hello = { ...HELLO, setName: 'rs', hosts: ['db1:27017'], topologyVersion, $clusterTime };
          if (!isHello(command)) return { $clusterTime };
          return 'topologyVersion' in command ? clock.sleep(500).then(() => hello) : hello;
        });
        const uri = `mongodb://db1/?replicaSet=rs&heartbeatFrequencyMS=500&serverMonitoringMode=${mode}`;
        const client = new MongoClient(uri, {}, { runtime: world.runtime });
        await client.withSession(session => client.db().command({ ping: 1 }, { session }));
        await client.db().command({ ping: 1 });
        const pings = server.received.filter(command => 'ping' in command && 'lsid' in command);
        expect(pings.at(-1)).toMatchObject({ $clusterTime, lsid: { id: expect.anything() as unknown } });
        const before = server.received.length;
        await clock.sleep(3000);
        const heartbeats = server.received.slice(before).filter(isHello);
        expect(heartbeats.length).toBeGreaterThanOrEqual(5);
        expect(heartbeats.filter(command => '$clusterTime' in command || 'lsid' in command)).toEqual([]);
        await client.close();
        await server.close();
        await clock.sleep(2000);
      });
      expect(world.leftovers()).toEqual([]);
    },
  );
});

describe('causal consistency', () => {
  test('Causal Consistency, prose test 2: the first read sends no operation time, and later reads the last one', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const client = open(set);
      const films = client.db().collection<Film>('films');
      const afterClusterTime = (): unknown =>
        (commands(events).at(-1)?.['readConcern'] as Document | undefined)?.['afterClusterTime'];
      const reads = (session: ClientSession): readonly (() => Promise<unknown>)[] => [
        () => films.findOne({}, { session }),
        () => films.aggregate([{ $match: {} }], { session }).toArray(),
        () => films.distinct('a', {}, { session }),
        () => films.countDocuments({}, { session }),
      ];
      await client.withSession(async session => {
        await films.findOne({}, { session });
        expect(afterClusterTime()).toBeUndefined();
        for (const read of reads(session)) {
          const { operationTime } = session;
          expect(operationTime).toBeDefined();
          await read();
          expect(afterClusterTime()).toEqual(operationTime);
        }
        for (const write of [
          () => films.insertOne({ _id: 1 }, { session }),
          () => films.insertOne({ _id: 1 }, { session }),
        ]) {
          await write().catch(() => undefined);
          const { operationTime } = session;
          expect(operationTime).toBeDefined();
          await films.findOne({}, { session });
          expect(afterClusterTime()).toEqual(operationTime);
        }
      });
    }));

  test.each([
    ['Causal Consistency, prose test 11: is not sent to a standalone', {}, 'mongodb://db1', false],
    ['Causal Consistency, prose test 12: is sent to a replica set', { replicaSet: 'rs' }, set, true],
  ] as const)('%s: the cluster time', (_, server, uri, has) =>
    withServers([server], async ({ open, events }) => {
      const client = open(uri);
      const films = client.db().collection('films');
      await client.withSession(async session => {
        await films.findOne({}, { session });
        // A standalone returns no cluster time; this one comes from another deployment.
        if (!has) session.advanceClusterTime(elsewhere);
        await films.findOne({}, { session });
      });
      expect('$clusterTime' in commands(events).at(-1)!).toBe(has);
    }),
  );
});
