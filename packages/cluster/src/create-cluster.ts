import type { Address } from '@tessera/contracts';
import type { Resolved, ServerProcess, ServerRuntime } from '@tessera/server/parts';
import {
  Auth,
  AuthConfig,
  checkOptions,
  openEngine,
  openProcess,
  serverDefaults,
  standalone,
} from '@tessera/server/parts';
import type { Cluster, ClusterOptions, SetControl } from './cluster.js';
import { clusterOptionTypes } from './cluster.js';
import { createSharded } from './create-sharded.js';
import { openSet } from './open-set.js';
import { controlOf, memberOf } from './set-control.js';

const anywhere: Address = '127.0.0.1:0';

/** Rejects an operation that a standalone does not support. */
const rejectOnStandalone = (): never => {
  throw new RangeError(
    'A standalone does not support this operation. Create a replica set with topology: "replicaset".',
  );
};

const standaloneControl = (process: ServerProcess): SetControl => {
  const members = [memberOf(process)];
  return {
    members,
    primary: members[0],
    stepDown: rejectOnStandalone,
    elect: rejectOnStandalone,
    crash: () => process.crash(),
    restart: () => process.restart(),
    shutDown: () => process.shutDown(0),
    partition: rejectOnStandalone,
    heal: () => process.thaw(),
    latency: rejectOnStandalone,
    lag: rejectOnStandalone,
    freeze: () => process.freeze(),
    thaw: () => process.thaw(),
  };
};

/** Makes all processes listen. If one of them fails, all are closed, so that their ports and folders are released. */
const listenAll = async (
  processes: readonly ServerProcess[],
  addresses: readonly Address[] = [],
): Promise<readonly Address[]> => {
  const all = await Promise.allSettled(processes.map((process, place) => process.listen(addresses[place] ?? anywhere)));
  const failed = all.find(one => one.status === 'rejected');
  if (failed !== undefined) {
    await Promise.allSettled(processes.map(process => process.close()));
    throw failed.reason as Error;
  }
  return all.flatMap(one => (one.status === 'fulfilled' ? [one.value.address] : []));
};

const clusterOf = (
  control: SetControl,
  processes: readonly ServerProcess[],
  addresses: readonly Address[],
  query: string,
): Cluster => {
  const close = async (): Promise<void> => {
    await Promise.all(processes.map(process => process.close()));
  };
  return {
    ...control,
    get primary() {
      return control.primary;
    },
    uri: `mongodb://${addresses.join(',')}/${query}`,
    addresses,
    shards: [],
    mongoses: [],
    intercept: (command, subset, options) => {
      const { primary } = control;
      if (primary === undefined)
        throw new RangeError(
          'No request can be intercepted, because there is no primary. Wait for an election, or call elect().',
        );
      return primary.intercept(command, subset, options);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
};

const createStandalone = async (runtime: ServerRuntime, options: ClusterOptions & Resolved): Promise<Cluster> => {
  const engine = openEngine(runtime, options);
  const auth = new Auth(new AuthConfig(runtime, options, () => engine.newUuid()), engine);
  const process = openProcess(runtime, options, { engine, auth, role: standalone });
  const addresses = await listenAll([process], options.addresses);
  return clusterOf(standaloneControl(process), [process], addresses, '');
};

const createReplicaSet = async (runtime: ServerRuntime, options: ClusterOptions & Resolved): Promise<Cluster> => {
  const { members = 3, setName: name = 'rs0', settings = {} } = options;
  const open = openSet(runtime, { name, members, settings }, options);
  const addresses = await listenAll(open.processes, options.addresses);
  return clusterOf(
    controlOf(runtime.clock, open),
    open.processes,
    addresses,
    `?replicaSet=${encodeURIComponent(name)}`,
  );
};

/**
 * Starts a deployment in this process. It is ready when the promise resolves.
 * `await using cluster = await createCluster(…)` closes it at the end of the block.
 * @example
 * ```ts
 * await using cluster = await createCluster(createNode(), { topology: 'replicaset', members: 3 });
 * const client = new MongoClient(cluster.uri);
 * await cluster.stepDown();
 * ```
 * @throws MongoError `network` if an address is not available
 * @throws RangeError for invalid options
 */
export const createCluster = (runtime: ServerRuntime, options: ClusterOptions = {}): Promise<Cluster> => {
  const resolved = { ...serverDefaults, ...checkOptions('createCluster', options, clusterOptionTypes) };
  switch (resolved.topology ?? 'replicaset') {
    case 'standalone':
      return createStandalone(runtime, resolved);
    case 'replicaset':
      return createReplicaSet(runtime, resolved);
    case 'sharded':
    case 'load-balanced':
      return createSharded(runtime, resolved);
  }
};
