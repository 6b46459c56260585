/** The prose tests of Driver Sessions and Causal Consistency that need the whole driver. */
import { MongoClient } from '@tessera/client';
import type { ClientSession, Collection } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { createWorld } from '@tessera/sim';
import { Binary, Long, Timestamp } from 'bson';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';
import { onStage } from './stage.js';

interface Film extends Document {
  _id: number;
}

const commands = (events: readonly DriverEvent[]): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
const replies = (events: readonly DriverEvent[]): readonly Document[] =>
  events.flatMap(event => (event.name === 'commandSucceeded' ? [event.reply] : []));

const set = 'mongodb://db1/?replicaSet=rs';
const elsewhere = { clusterTime: new Timestamp({ t: 1, i: 1 }), signature: { hash: new Binary(), keyId: Long.ZERO } };

/** Each kind of operation that takes a session. */
const operations = (
  films: Collection<Film>,
): Readonly<Record<string, (session?: ClientSession) => Promise<unknown>>> => ({
  insertOne: session => films.insertOne({ _id: 1 }, { session }),
  insertMany: session => films.insertMany([{ _id: 2 }, { _id: 3 }], { session }),
  updateOne: session => films.updateOne({ _id: 1 }, { $set: { a: 1 } }, { session }),
  updateMany: session => films.updateMany({}, { $set: { a: 1 } }, { session }),
  replaceOne: session => films.replaceOne({ _id: 1 }, { b: 1 }, { session }),
  bulkWrite: session => films.bulkWrite([{ deleteOne: { filter: { _id: 9 } } }], { session }),
  find: session => films.find({}, { session }).toArray(),
  findOne: session => films.findOne({}, { session }),
  aggregate: session => films.aggregate([{ $match: {} }], { session }).toArray(),
  distinct: session => films.distinct('a', {}, { session }),
  countDocuments: session => films.countDocuments({}, { session }),
  findOneAndUpdate: session => films.findOneAndUpdate({ _id: 1 }, { $set: { a: 2 } }, { session }),
  findOneAndReplace: session => films.findOneAndReplace({ _id: 1 }, { c: 1 }, { session }),
  findOneAndDelete: session => films.findOneAndDelete({ _id: 1 }, { session }),
  deleteOne: session => films.deleteOne({ _id: 2 }, { session }),
  deleteMany: session => films.deleteMany({}, { session }),
  createIndex: session => films.createIndex({ a: 1 }, { session }),
  listIndexes: session => films.listIndexes({ session }).toArray(),
  dropIndex: session => films.dropIndex('a_1', { session }),
});

describe('sessions', () => {
  test('Driver Sessions, prose test 3: every command tells the cluster time of the reply before it', () =>
    onStage([{ replicaSet: 'rs' }], async ({ open, events }) => {
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

  test('Driver Sessions, prose test 4: an explicit session is told by its id, and without one an implicit session', () =>
    onStage([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const client = open(set);
      const session = client.startSession();
      const explicit = client.db().collection<Film>('explicit');
      const implicit = client.db().collection<Film>('implicit');
      for (const [name, run] of Object.entries(operations(explicit))) {
        events.length = 0;
        await run(session);
        expect([name, commands(events).map(({ lsid }) => lsid as unknown)]).toEqual([name, [session.id]]);
        events.length = 0;
        await operations(implicit)[name]!();
        const [command] = commands(events);
        expect([name, command?.['lsid']]).toEqual([name, { id: expect.anything() as unknown }]);
        expect(command?.['lsid']).not.toEqual(session.id);
      }
      await session.endSession();
    }));

  test('Driver Sessions, prose test 6: nothing works with a session that has ended', () =>
    onStage([{}], async ({ open, events }) => {
      const client = open('mongodb://db1');
      const session = client.startSession();
      await session.endSession();
      for (const run of Object.values(operations(client.db().collection<Film>('films'))))
        await expect((async () => run(session))()).rejects.toMatchObject({ name: 'MongoExpiredSessionError' });
      expect(commands(events)).toEqual([]);
    }));

  test.each<readonly [title: string, documents: number, batchSize: number, taken: number]>([
    ['Driver Sessions, prose test 8: with the first batch', 2, 101, 1],
    ['Driver Sessions, prose test 9: with a later batch', 5, 3, 4],
  ])('%s a cursor that has all gives its implicit session back', (_, documents, batchSize, taken) =>
    onStage([{}], async ({ open, events }) => {
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

  test.each([
    ['a standalone', [{}], 'mongodb://db1'],
    ['a replica set', [{ replicaSet: 'rs' }], set],
    ['mongos', { topology: 'sharded', mongoses: 1 }, 'mongodb://db1'],
    ['a load balancer', { topology: 'load-balanced', mongoses: 1 }, 'mongodb://db1/?loadBalanced=true'],
  ] as const)(
    'Driver Sessions, prose test 11: find and getMore tell the same id to %s, whatever the read preference',
    (_, cast, uri) =>
      onStage(cast, async ({ open, events }) => {
        for (const readPreference of ['primary', 'primaryPreferred', 'secondaryPreferred', 'nearest'] as const) {
          const films = open(uri).db().collection<Film>(readPreference);
          await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
          events.length = 0;
          expect(await films.find({}, { batchSize: 2, readPreference }).toArray()).toHaveLength(3);
          const [find, more] = commands(events);
          expect([find?.['find'], more?.['collection']]).toEqual([readPreference, readPreference]);
          expect(find?.['lsid']).toBeDefined();
          expect(more?.['lsid']).toEqual(find?.['lsid']);
        }
      }),
  );

  test('Driver Sessions, prose test 14: operations that wait for one connection share one session', () =>
    onStage([{ replicaSet: 'rs' }], async ({ open, events }) => {
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

  test('Driver Sessions, prose tests 18, 19: a server without sessions is told none, and an explicit one is an error', async () => {
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

  test('Driver Sessions, prose test 20: heartbeats neither tell nor hear the cluster time', () =>
    onStage([{ replicaSet: 'rs' }], async ({ open, events, sleep }) => {
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
});

describe('causal consistency', () => {
  test('Causal Consistency, prose test 2: a read tells the operation time of what went before, and the first tells none', () =>
    onStage([{ replicaSet: 'rs' }], async ({ open, events }) => {
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
    ['Causal Consistency, prose test 11: a standalone has none', {}, 'mongodb://db1', false],
    ['Causal Consistency, prose test 12: a replica set has one', { replicaSet: 'rs' }, set, true],
  ] as const)('%s: the cluster time of commands', (_, server, uri, has) =>
    onStage([server], async ({ open, events }) => {
      const client = open(uri);
      const films = client.db().collection('films');
      await client.withSession(async session => {
        await films.findOne({}, { session });
        // A standalone tells none: this one is of another deployment.
        if (!has) session.advanceClusterTime(elsewhere);
        await films.findOne({}, { session });
      });
      expect('$clusterTime' in commands(events).at(-1)!).toBe(has);
    }),
  );
});
