import type { ServerProcess, ServerRuntime } from '@tessera/server/parts';
import { Catalog } from './catalog.js';
import { LoadBalancer } from './load-balancer.js';
import type { MongosOptions, MongosServer } from './mongos-process.js';
import { openMongos } from './mongos-process.js';
import { shardOf } from './shard.js';

/** The routers of a cluster and its catalog. */
export interface Sharded {
  readonly mongoses: readonly MongosServer[];
  readonly catalog: Catalog;
  /** The load balancer for all mongoses. */
  readonly balancer: LoadBalancer;
}

/**
 * Creates mongoses for shards in this process.
 * @param runtimes one for each mongos
 * @param shards the members of each shard's replica set; the first shard stores users and settings
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
