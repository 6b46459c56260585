import type { Address, Clock, Listening } from '@tessera/contracts';
import type { Resolved, ServerRuntime } from '@tessera/server/parts';
import { memoryLimitOf } from '@tessera/server/parts';
import type { MongosServer } from './router/mongos-process.js';
import { openSharded } from './router/sharded.js';
import type { Cluster, ClusterOptions, ClusterRouter, SetControl } from './cluster.js';
import type { OpenSet } from './open-set.js';
import { openSet } from './open-set.js';
import { controlOf } from './set-control.js';

const anywhere: Address = '127.0.0.1:0';

const routerOf = (mongos: MongosServer): ClusterRouter => ({
  get address() {
    return mongos.address;
  },
  get state() {
    return mongos.isRunning ? 'mongos' : 'down';
  },
  isPrimary: false,
  get isRunning() {
    return mongos.isRunning;
  },
  accept: (socket, entrance) => mongos.accept(socket, entrance),
  intercept: (command, subset, options) => mongos.intercept(command, subset, options),
  crash: () => mongos.crash(),
  restart: () => mongos.restart(),
});

/** @throws RangeError if the count is not an integer of 1 or more */
const checkCount = (count: number, what: string): void => {
  if (!Number.isInteger(count) || count < 1)
    throw new RangeError(`A sharded cluster must have at least one ${what}, not ${count}.`);
};

const controlsOf = (clock: Clock, sets: readonly OpenSet[]): readonly SetControl[] =>
  sets.map(open => controlOf(clock, open));

/**
 * Creates the shards, their mongoses and, if the topology has one, a load balancer.
 * @throws RangeError without a shard or a mongos
 */
export const createSharded = async (runtime: ServerRuntime, options: ClusterOptions & Resolved): Promise<Cluster> => {
  const { shards: count = 1, mongoses = 2, members = 1, settings = {}, addresses: wanted = [], version } = options;
  checkCount(count, 'shard');
  checkCount(mongoses, 'mongos');
  const { parameters, testCommands, maxIncomingConnections } = options;
  const memoryLimitMB = Math.max(1, memoryLimitOf(runtime, options.memoryLimitMB) / count);
  const sets = Array.from({ length: count }, (_, i) =>
    openSet(runtime, { name: `shard${i}`, members, settings }, { ...options, memoryLimitMB }),
  );
  const {
    mongoses: routers,
    catalog,
    balancer,
  } = openSharded(
    Array.from({ length: mongoses }, () => runtime),
    sets.map(({ processes }) => processes),
    { version, parameters, testCommands, maxIncomingConnections },
  );
  const left = [...wanted];
  const next = (): Address => left.shift() ?? anywhere;
  const isBalanced = options.topology === 'load-balanced';
  const processes = sets.flatMap(({ processes: some }) => some);
  let balancing: Listening | undefined;
  const close = async (): Promise<void> => {
    await balancing?.close();
    await Promise.all(routers.map(one => one.close()));
    await Promise.all(processes.map(process => process.close()));
  };
  try {
    for (const router of routers) await router.listen(next());
    if (isBalanced) balancing = await balancer.listen(runtime.listener, next(), mongoses * maxIncomingConnections);
    for (const process of processes) await process.listen(next());
    catalog.restore();
  } catch (error) {
    // Closes everything, so that ports and folders are released.
    await close().catch(() => undefined);
    throw error;
  }
  const controls = controlsOf(runtime.clock, sets);
  const entrances = balancing === undefined ? routers.map(({ address }) => address) : [balancing.address];
  const [first] = controls as [SetControl];
  const [router] = routers as [MongosServer];
  return {
    ...first,
    get primary() {
      return first.primary;
    },
    uri: `mongodb://${entrances.join(',')}/${isBalanced ? '?loadBalanced=true' : ''}`,
    addresses: entrances,
    shards: controls,
    mongoses: routers.map(routerOf),
    intercept: (command, subset, interceptOptions) => router.intercept(command, subset, interceptOptions),
    close,
    [Symbol.asyncDispose]: close,
  };
};
