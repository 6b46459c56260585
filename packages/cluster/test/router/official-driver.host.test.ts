import { createNode } from '@tessera/node';
import { MongoClient } from 'mongodb';
import type { CommandStartedEvent } from 'mongodb';
import { afterEach, expect, test } from 'vitest';
import type { Cluster } from '../../src/index.js';
import { createCluster } from '../../src/index.js';

// Tests mongoses and the load balancer with the official driver.

let cluster: Cluster;
let client: MongoClient;

afterEach(async () => {
  await client.close();
  await cluster.close();
});

const start = async (topology: 'sharded' | 'load-balanced'): Promise<void> => {
  cluster = await createCluster(createNode(), { topology, members: 3, testCommands: true });
  client = await MongoClient.connect(cluster.uri, { heartbeatFrequencyMS: 500, monitorCommands: true });
};

/** The internal state of the official driver: the mongos of a transaction. */
interface Pinned {
  readonly transaction: { readonly server?: { readonly description: { readonly address: string } } };
}

test('the official driver commits a transaction through another mongos with the recovery token after its mongos crashed', async () => {
  await start('sharded');
  const films = client.db('shop').collection<{ _id: number }>('films');
  await films.insertOne({ _id: 1 });
  const commits: CommandStartedEvent[] = [];
  client.on('commandStarted', event => {
    if (event.commandName === 'commitTransaction') commits.push(event);
  });
  const session = client.startSession();
  session.startTransaction();
  await films.insertOne({ _id: 2 }, { session });
  const { transaction } = session as unknown as Pinned;
  const pinned = cluster.mongoses.findIndex(({ address }) => address === transaction.server?.description.address);
  const lost = cluster.mongoses[pinned]!.intercept('commitTransaction', {}, { at: 'applied' });
  const committed = session.commitTransaction();
  (await lost).hangUp('rst');
  cluster.mongoses[pinned]!.crash();
  await committed;
  await session.endSession();
  expect(commits).toHaveLength(2);
  expect(commits[1]!.address).toBe(cluster.mongoses[1 - pinned]!.address);
  expect(commits[1]!.command['recoveryToken']).toEqual({ recoveryShardId: 'shard0' });
  expect(await films.find().sort({ _id: 1 }).toArray()).toEqual([{ _id: 1 }, { _id: 2 }]);
});

test('a step-down of a shard causes no errors in the official driver', async () => {
  await start('sharded');
  const films = client.db('shop').collection<{ _id: number }>('films');
  await films.insertMany(Array.from({ length: 10 }, (_, _id) => ({ _id })));
  const cursor = films.find().batchSize(3);
  expect((await cursor.next())?._id).toBe(0);
  await cluster.stepDown();
  expect(await cursor.toArray()).toHaveLength(9);
  await films.insertOne({ _id: 10 });
  expect(await films.countDocuments()).toBe(11);
});

test("behind a load balancer the official driver's cursors and transactions stay on their mongos", async () => {
  await start('load-balanced');
  const films = client.db('shop').collection<{ _id: number }>('films');
  await films.insertMany(Array.from({ length: 30 }, (_, _id) => ({ _id })));
  const services = new Set<string>();
  client.on('commandSucceeded', ({ serviceId }) => services.add(String(serviceId)));
  const seen = await Promise.all(
    Array.from({ length: 6 }, async () => (await films.find().sort({ _id: 1 }).batchSize(4).toArray()).length),
  );
  expect(seen).toEqual([30, 30, 30, 30, 30, 30]);
  expect(services.size).toBe(2);
  await client.withSession(session =>
    session.withTransaction(async () => {
      await films.updateOne({ _id: 1 }, { $set: { year: 1931 } }, { session });
      await films.deleteOne({ _id: 2 }, { session });
    }),
  );
  expect(await films.countDocuments()).toBe(29);
});
