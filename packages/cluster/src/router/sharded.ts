import type { ServerProcess, ServerRuntime } from '@tessera/server/parts';
import { Catalog } from './catalog.js';
import { LoadBalancer } from './load-balancer.js';
import type { MongosOptions, MongosServer } from './mongos-process.js';
import { openMongos } from './mongos-process.js';
import { shardOf } from './shard.js';

/** The routers of a cluster whose shards are there. */
export interface Sharded {
  readonly mongoses: readonly MongosServer[];
  readonly catalog: Catalog;
  /** In front of all of them. */
  readonly balancer: LoadBalancer;
}

/**
 * Puts mongoses in front of shards of the same process.
 * @param runtimes one for each mongos
 * @param shards the members of each shard's replica set, the first shard first: it keeps the users and settings
 * @throws RangeError without a shard or a mongos
 */
export const openSharded = (
  runtimes: readonly ServerRuntime[],
  shards: readonly (readonly ServerProcess[])[],
  options: MongosOptions,
): Sharded => {
  const catalog = new Catalog(shards.map((processes, i) => shardOf(`shard${i}`, processes)));
  const mongoses = runtimes.map(runtime => openMongos(runtime, catalog, options));
  return { mongoses, catalog, balancer: new LoadBalancer(mongoses) };
};
