import { MongoClient } from '@tessera/client';
import type { MongoClientOptions } from '@tessera/client';
import type { Clock, Millis, RetryPolicy, Runtime } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import { createCluster } from '@tessera/server';
import type { Cluster } from '@tessera/server';
import { createWorld } from '@tessera/sim';
import { createGate } from './gate.js';
import type { Gate } from './gate.js';

/** A replica set and the way to it, for one counter after another. */
export interface Lane {
  readonly cluster: Cluster;
  readonly gate: Gate;
  readonly clock: Clock;
  /** How long the client waits for a server. */
  readonly selectionTimeout: Millis;
  newClient(policy: () => RetryPolicy, options: MongoClientOptions): MongoClient;
}

/** Where it happens: the simulated world, or the ports of this machine. */
export interface Place {
  readonly name: 'simulated' | 'sockets';
  /** So many counters share a server and a client: one that begins anew has a full bucket. */
  readonly perLane: number;
  /** How many lanes there may be at once. */
  readonly mostLanes: number;
  /** Runs each with a lane of its own, of so many members, and answers in their order. */
  readonly inLanes: <T>(members: number, runs: readonly ((lane: Lane) => Promise<T>)[]) => Promise<readonly T[]>;
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
    selectionTimeout,
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
  inLanes: async (members, runs) => {
    const addresses = Array.from({ length: members }, (_, member) => `db:${27_017 + member}`);
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

/** Short, as here time is real; but a server that was lost is looked for twice a second. */
const brief: Millis = 700;

export const onSockets: Place = {
  name: 'sockets',
  perLane: 5,
  mostLanes: 200,
  inLanes: (members, runs) =>
    Promise.all(
      runs.map(async run => {
        const runtime = createNode();
        const { lane, close } = await open(runtime, runtime, Array<string>(members).fill('127.0.0.1:0'), brief);
        try {
          return await run(lane);
        } finally {
          await close();
        }
      }),
    ),
};
