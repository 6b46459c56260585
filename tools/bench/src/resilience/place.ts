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

/** A replica set behind a gate, for a sequence of increments. */
export interface Lane {
  readonly cluster: Cluster;
  readonly gate: Gate;
  readonly clock: Clock;
  newClient(policy: () => RetryPolicy, options: MongoClientOptions): MongoClient;
}

/** Where the strategies are measured: in the simulated world or on local sockets. */
export interface Place {
  readonly name: 'simulated' | 'sockets';
  /** The number of increments that share a replica set and a client. A new client has a full token bucket. */
  readonly perLane: number;
  /** The maximum number of lanes at the same time. */
  readonly mostLanes: number;
  /** Returns the server selection timeout of clients. */
  readonly selectionTimeout: (fault: FaultName) => Millis;
  /**
   * Runs each function with its own lane, whose replica set has as many members as the fault needs. Returns the results
   * in order.
   */
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

/** The default server selection timeout of drivers. */
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

/** A short timeout for outages on sockets, where time is real. */
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
