import type { Socket } from '@tessera/contracts';
import type { UserOption } from '../../../server/src/auth/given-users.js';
import type { SetControl } from '../../src/cluster.js';
import { controlOf } from '../../src/set-control.js';
import type { OpenSet } from '../../src/open-set.js';
import { openSet } from '../../src/open-set.js';
import type { ReplicaSet } from '../../../server/src/repl/replica-set.js';
import { Catalog } from '../../src/router/catalog.js';
import { LoadBalancer } from '../../src/router/load-balancer.js';
import type { MongosServer } from '../../src/router/mongos-process.js';
import { openMongos } from '../../src/router/mongos-process.js';
import { shardOf } from '../../src/router/shard.js';
import { serverDefaults } from '../../../server/src/server-options.js';
import type { ServerProcess } from '../../../server/src/server-process.js';
import type { ManualClock, TestRuntime } from '../../../server/test/client.js';
import { Client, testRuntime } from '../../../server/test/client.js';

export interface HouseOptions {
  readonly shards?: number;
  /** The number of members of each shard. */
  readonly members?: number;
  readonly version?: string;
  readonly users?: readonly UserOption[];
  readonly clock?: ManualClock;
}

/** A sharded cluster with two mongoses, and a connection to the first. */
export interface House {
  readonly clock: ManualClock;
  readonly sets: readonly ReplicaSet[];
  /** The controls of each shard. */
  readonly controls: readonly SetControl[];
  readonly shards: readonly (readonly ServerProcess[])[];
  readonly mongos: readonly [MongosServer, MongosServer];
  readonly client: Client;
  /** A connection to the second mongos. */
  readonly other: Client;
}

const openShard = (
  runtime: TestRuntime,
  name: string,
  { members, version, users }: Required<Omit<HouseOptions, 'clock'>>,
): OpenSet => {
  const hosts = Array.from({ length: members }, (_, i) => `${name}-${i}:27018` as const);
  return openSet(
    runtime,
    { name, members, settings: {} },
    { ...serverDefaults, version, users, testCommands: true },
    hosts,
  );
};

export const house = (options: HouseOptions = {}): House => {
  const given = { shards: 1, members: 1, version: '8.2.1', users: [], ...options };
  const plain = testRuntime();
  const runtime = { ...plain, clock: options.clock ?? plain.clock };
  const opened = Array.from({ length: given.shards }, (_, i) => openShard(runtime, `shard${i}`, given));
  const catalog = new Catalog(opened.map(({ set, processes }) => shardOf(set.name, processes)));
  const open = (): MongosServer =>
    openMongos(runtime, catalog, {
      version: given.version,
      parameters: {},
      testCommands: true,
      maxIncomingConnections: 20,
    });
  const mongos = [open(), open()] as const;
  return {
    clock: runtime.clock,
    sets: opened.map(({ set }) => set),
    controls: opened.map(one => controlOf(runtime.clock, one)),
    shards: opened.map(({ processes }) => processes),
    mongos,
    client: new Client(mongos[0]),
    other: new Client(mongos[1]),
  };
};

/** Accepts connections and assigns them to the mongoses in turn. */
export const balanced = ({ mongos }: House): { accept(socket: Socket): void } => new LoadBalancer(mongos);
