/** The kinds of deployment, in the order in which they run. */
export const topologies = ['standalone', 'replicaset:1', 'replicaset', 'sharded', 'load-balanced'] as const;

/**
 * A replica set has three members unless its name contains another number. A sharded cluster has two mongos and one
 * shard.
 */
export type Topology = (typeof topologies)[number];

/** The shape of a deployment. */
export interface Shape {
  readonly topology: Topology;
  /** Whether clients must authenticate. */
  readonly auth: boolean;
  /** Whether the servers accept only TLS. */
  readonly tls: boolean;
}

/** Returns a name such as `replicaset` or `replicaset, auth, tls`. */
export const nameOf = ({ topology, auth, tls }: Shape): string =>
  [topology, ...(auth ? ['auth'] : []), ...(tls ? ['tls'] : [])].join(', ');

/** Returns the words by which the lists of accepted failures select a deployment. */
export const wordsOf = ({ topology, auth, tls }: Shape): readonly string[] => [
  topology,
  auth ? 'auth' : 'no auth',
  tls ? 'tls' : 'no tls',
];
