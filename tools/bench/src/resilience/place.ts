import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Clock, Millis, RetryPolicy, Runtime } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createCluster } from '@tessera/cluster';
import type { Cluster } from '@tessera/cluster';
import { createWorld } from '@tessera/sim';
import { membersFor } from './faults.js';
import type { FaultName } from './faults.js';
import { createGate } from './gate.js';
import type { Gate } from './gate.js';

/** A replica set and the way to it, for one counter after another. */
export interface Lane {
  readonly cluster: Cluster;
  readonly gate: Gate;
  readonly clock: Clock;
  newClient(policy: () => RetryPolicy, options: MongoClientOptions): MongoClient;
}

/** Where it happens: the simulated world, or the ports of this machine. */
export interface Place {
  readonly name: 'simulated' | 'sockets';
  /** So many counters share a server and a client: one that begins anew has a full bucket. */
  readonly perLane: number;
  /** How many lanes there may be at once. */
  readonly mostLanes: number;
  /** How long a client waits for a server. */
  readonly selectionTimeout: (fault: FaultName) => Millis;
  /** Runs each with a lane of its own, of as many members as the fault needs, and answers in their order. */
  readonly inLanes: <T>(fault: FaultName, runs: readonly ((lane: Lane) => Promise<T>)[]) => Promise<readonly T[]>;
}

const open = async (
  serverRuntime: Runtime,
  clientRuntime: Runtime,
  addresses: readonly string[],
  selectionTimeout: Millis,
): Promise<{ readonly lane: Lane; readonly close: () => Promise<void> }> => {
  const gate = createGate(serverRuntime.listener);
  const cluster = await createCluster(
    { ...serverRuntime, listener: gate.listener },
    { members: addresses.length, addresses, testCommands: true, journalInterval: 1 },
  );
  const lane: Lane = {
    cluster,
    gate,
    clock: serverRuntime.clock,
    newClient: (policy, options) =>
      new MongoClient(
        cluster.uri,
        { serverSelectionTimeoutMS: selectionTimeout, maxIdleTimeMS: 0, ...options },
        { runtime: clientRuntime, parts: { retryPolicy: policy } },
      ),
  };
  return {
    lane,
    close: () => cluster.close(),
  };
};

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

/** As drivers wait by default. */
const usual: Millis = 30_000;

export const simulated = (seed: number): Place => ({
  name: 'simulated',
  perLane: 40,
  mostLanes: 1,
  selectionTimeout: () => usual,
  inLanes: async (fault, runs) => {
    const addresses = Array.from({ length: membersFor(fault) }, (_, member) => `db:${27_017 + member}`);
    const results = [];
    for (const [number, run] of runs.entries()) {
      const world = createWorld({ turn }, { seed: seed + number, historyLimit: 1000, steps: 100_000_000 });
      results.push(
        await world.run(async () => {
          const { lane, close } = await open(world.at('db'), world.runtime, addresses, usual);
          const result = await run(lane);
          await close();
          return result;
        }),
      );
    }
    return results;
  },
});

/** Where nobody will come: here time is real. */
const brief: Millis = 700;

const selectionTimeout = (fault: FaultName): Millis => (fault === 'outage' ? brief : usual);

export const onSockets: Place = {
  name: 'sockets',
  perLane: 5,
  mostLanes: 200,
  selectionTimeout,
  inLanes: (fault, runs) =>
    Promise.all(
      runs.map(async run => {
        const runtime = createNode();
        const addresses = Array<string>(membersFor(fault)).fill('127.0.0.1:0');
        const { lane, close } = await open(runtime, runtime, addresses, selectionTimeout(fault));
        try {
          return await run(lane);
        } finally {
          await close();
        }
      }),
    ),
};
