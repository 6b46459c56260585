import { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { createCluster } from '@tessera/cluster';
import type { World } from '@tessera/sim';
import { liveThrough } from '../live.js';
import { createRecord } from '../record.js';
import type { Lived } from '../record.js';
import type { Swaps } from '../swaps.js';
import { openClient } from '../whole/open-client.js';
import { createClusterCallers } from './caller.js';
import { createClusterFaults, hostAt } from './faults.js';
import { listenerOf } from './front.js';
import { accounts, callsOf, leavesMark, markOf, startBalance } from './plan.js';
import type { ClusterCall, ClusterPlan } from './plan.js';

/** After the faults have ended, so long until every call of before must have ended too. */
const patience = 180_000;
/** After the client was closed: so long may the last late reply be drained, and packets be on their way. */
const aftermath = 3000;

/** A driver that is whole, far from every fault. */
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

/** How often each mark of these calls is there. */
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

/** When all is well again, a call succeeds. */
const last = (number: number, timeoutMS: number): ClusterCall => ({ kind: 'insert', w: 'majority', number, timeoutMS });

/** Lives through one plan, with these parts in place of the driver's own. The same plan gives the same history. */
export const runCluster = async (plan: ClusterPlan, { mishear, ...parts }: Swaps = {}): Promise<Lived<ClusterPlan>> => {
  const { seed, server } = plan;
  const { version, journalInterval, electionTimeoutMillis } = server;
  const addresses = Array.from({ length: server.members }, (_, member) => `${hostAt(member)}:27017`);
  const { record, world, run } = liveThrough({ seed, hosts: addresses, steps: 400_000 }, clock =>
    createRecord(clock, { commands: true }),
  );
  const { clock } = world.runtime;
  const calls = [...callsOf(plan)];

  const live = async (): Promise<void> => {
    const cluster = await createCluster(
      { ...world.at('cluster'), listener: listenerOf(world, mishear) },
      {
        ...{ version, journalInterval, addresses, members: server.members },
        // A transaction whose client cannot reach the set to abort it holds up the others for as long.
        parameters: { transactionLifetimeLimitSeconds: 5 },
        settings: { electionTimeoutMillis, heartbeatIntervalMillis: Math.min(2000, electionTimeoutMillis / 2) },
      },
    );
    const uri = `${cluster.uri.split('?')[0]!}bank?replicaSet=rs0`;
    await asOperator(world, uri, prepare);
    const faults = createClusterFaults(world, cluster, plan);
    const client = openClient(world, uri, plan.settings, parts, record);
    const callers = createClusterCallers(client, clock, record);
    const start = clock.now();
    const at = (time: number): Promise<void> => clock.sleep(Math.max(0, start + time - clock.now()));

    for (const event of plan.events) {
      await at(event.at);
      if (event.what === 'call') void callers.call(event.call);
      else if (event.what === 'converse') void callers.converse(event.calls);
      else {
        record.add({ is: 'happening', happening: event });
        faults.happen(event);
      }
    }
    await at(plan.healAt);
    await faults.heal();
    record.add({ is: 'healed' });
    const limit = clock.now() + patience;
    while (callers.busy > 0 && clock.now() < limit) await clock.sleep(100);
    await clock.sleep(1000);
    for (let tries = plan.settings.retryWrites ? 1 : 3; tries > 0; tries -= 1) {
      const call = last(1000 + tries, plan.settings.serverSelectionTimeoutMS);
      calls.push(call);
      if (await callers.call(call)) break;
    }
    record.add({ is: 'closing' });
    await client.close();
    record.add({ is: 'closed' });
    await clock.sleep(aftermath);
    for (const what of world.leftovers()) if (what.includes('end of client')) record.add({ is: 'leftover', what });
    await asOperator(world, uri, async operator => {
      record.add({ is: 'found', marks: await find(operator, calls) });
      record.add({ is: 'summed', operation: 0, sum: await sumOf(operator) });
    });
    await cluster.close();
    await clock.sleep(1000);
    for (const what of world.leftovers()) record.add({ is: 'leftover', what });
  };

  await run(live);
  return { plan, entries: record.entries, packets: world.history };
};
