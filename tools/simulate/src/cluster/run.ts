import { createCluster } from '@tessera/cluster';
import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import type { World } from '@tessera/sim';
import type { Swaps } from '../kernel/kind.js';
import { openClient } from '../kernel/open-client.js';
import type { Lived } from '../kernel/record.js';
import { liveThrough } from '../kernel/run.js';
import { createClusterCallers } from './callers.js';
import { createClusterFaults, hostAt } from './faults.js';
import { listenerOf } from './front.js';
import { accounts, leavesMark, markOf, startBalance } from './plan.js';
import type { ClusterCall, ClusterPlan } from './plan.js';

/** Opens a client that no fault reaches. */
const asOperator = async <T>(world: World, uri: string, use: (client: MongoClient) => Promise<T>): Promise<T> => {
  const client = new MongoClient(uri, {}, { runtime: world.at('operator') });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
};

const prepare = async (client: MongoClient): Promise<void> => {
  const bank = client.db('bank', { writeConcern: { w: 'majority' } });
  await bank
    .collection('accounts')
    .insertMany(Array.from({ length: accounts }, (_, _id) => ({ _id, balance: startBalance })) as Document[]);
  await bank.collection('log').insertOne({ _id: 'log', marks: [] } as Document);
  await bank.createCollection('marks');
  await bank.createCollection('counters');
};

/** Counts the marks of these calls. */
const find = async (client: MongoClient, calls: readonly ClusterCall[]): Promise<ReadonlyMap<string, number>> => {
  const found = new Map(calls.filter(leavesMark).map(call => [markOf(call), 0]));
  const count = (mark: string): void => void found.set(mark, (found.get(mark) ?? 0) + 1);
  const bank = client.db('bank', { readConcern: { level: 'majority' } });
  for (const { mark } of await bank.collection('marks').find().toArray()) count(String(mark));
  const log = await bank.collection('log').findOne({});
  for (const mark of log!['marks'] as readonly string[]) count(mark);
  return found;
};

const sumOf = async (client: MongoClient): Promise<number> => {
  const balances = await client.db('bank').collection('accounts').find().toArray();
  return balances.reduce((sum, { balance }) => sum + Number(balance), 0);
};

/** Runs one plan, with these parts in place of the driver's own. */
export const runCluster = (plan: ClusterPlan, { tamper, ...parts }: Swaps = {}): Promise<Lived> => {
  const { version, journalInterval, members, electionTimeoutMillis } = plan.server;
  const hosts = Array.from({ length: members }, (_, member) => `${hostAt(member)}:27017`);
  return liveThrough(plan, { hosts, commands: true, patience: 180_000 }, async (world, record) => {
    const cluster = await createCluster(
      { ...world.at('cluster'), listener: listenerOf(world, tamper) },
      {
        ...{ version, journalInterval, addresses: hosts, members },
        // A transaction whose client cannot reach the set to abort it blocks other transactions for this time.
        parameters: { transactionLifetimeLimitSeconds: 5 },
        settings: { electionTimeoutMillis, heartbeatIntervalMillis: Math.min(2000, electionTimeoutMillis / 2) },
      },
    );
    const uri = `${cluster.uri.split('?')[0]!}bank?replicaSet=rs0`;
    await asOperator(world, uri, prepare);
    const faults = createClusterFaults(world, cluster, plan);
    const client = openClient(world, uri, plan.settings, parts, record);
    return {
      start: world.runtime.clock.now(),
      callers: createClusterCallers(client, world.runtime.clock, record),
      faults,
      last: (number, timeoutMS): ClusterCall => ({ kind: 'insert', w: 'majority', number, timeoutMS }),
      close: () => client.close(),
      end: async calls => {
        await asOperator(world, uri, async operator => {
          record.add({ is: 'found', marks: await find(operator, calls as readonly ClusterCall[]) });
          record.add({ is: 'summed', operation: 0, sum: await sumOf(operator) });
        });
        await cluster.close();
      },
    };
  });
};
