import { MongoClient as Tessera } from '@tessera/mongodb';
import { MongoClient as Official } from 'mongodb';
import { startCluster } from 'tessera-server';
import { describe, expect, test } from 'vitest';

interface Row {
  readonly _id: number;
}

/** The operations that the test runs with both drivers. */
interface Driver {
  insert(row: Row): Promise<unknown>;
  ids(): Promise<readonly number[]>;
  close(): Promise<void>;
}

const rows = (found: readonly Row[]): readonly number[] => found.map(({ _id }) => _id);

const drivers: Readonly<Record<string, (uri: string) => Driver>> = {
  'this driver': uri => {
    const client = new Tessera(uri);
    const collection = client.db('d').collection<Row>('c');
    return {
      insert: row => collection.insertOne(row),
      ids: async () => rows(await collection.find().sort({ _id: 1 }).toArray()),
      close: () => client.close(),
    };
  },
  'the official driver': uri => {
    const client = new Official(uri);
    const collection = client.db('d').collection<Row>('c');
    return {
      insert: row => collection.insertOne({ ...row }),
      ids: async () => rows(await collection.find().sort({ _id: 1 }).toArray()),
      close: () => client.close(),
    };
  },
};

describe.each(Object.keys(drivers))('%s with a replica set of three members on real sockets', name => {
  test('executes each acknowledged insert exactly once across a step-down, a crash, a restart and a partition', async () => {
    await using cluster = await startCluster({ members: 3, settings: { electionTimeoutMillis: 300 } });
    expect(cluster.uri).toMatch(/^mongodb:\/\/(127\.0\.0\.1:\d+,){2}127\.0\.0\.1:\d+\/\?replicaSet=rs0$/);
    const driver = drivers[name]!(cluster.uri);
    try {
      await driver.insert({ _id: 0 });
      await cluster.stepDown();
      await driver.insert({ _id: 1 });
      const crashed = cluster.members.indexOf(cluster.primary!);
      const applied = cluster.intercept('insert', {}, { at: 'applied' });
      const interrupted = driver.insert({ _id: 2 });
      (await applied).hangUp('rst');
      cluster.crash(crashed);
      await interrupted;
      await cluster.restart(crashed);
      const parted = cluster.members.indexOf(cluster.primary!);
      const others = [0, 1, 2].filter(place => place !== parted);
      cluster.partition([parted], others);
      await cluster.elect(others[0]!);
      await driver.insert({ _id: 3 });
      cluster.heal();
      await driver.insert({ _id: 4 });
      expect(await driver.ids()).toEqual([0, 1, 2, 3, 4]);
    } finally {
      await driver.close();
    }
  }, 30_000);
});

test('startCluster: "topology" selects a standalone or a sharded cluster', async () => {
  for (const topology of ['standalone', 'sharded'] as const) {
    await using cluster = await startCluster({ topology });
    const client = await Official.connect(cluster.uri);
    try {
      const hello = await client.db('admin').command({ hello: 1 });
      expect(hello['msg']).toBe(topology === 'sharded' ? 'isdbgrid' : undefined);
      await client.db('d').collection<Row>('c').insertOne({ _id: 1 });
      expect(await client.db('d').collection('c').countDocuments()).toBe(1);
    } finally {
      await client.close();
    }
  }
});
