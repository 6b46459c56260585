/** The kinds of deployment, in the order in which they are run. */
export const topologies = ['standalone', 'replicaset:1', 'replicaset', 'sharded', 'load-balanced'] as const;

/** A set has three members, unless its number says otherwise; a sharded cluster has two mongos, before one set. */
export type Topology = (typeof topologies)[number];

/** What is asked of a deployment. */
export interface Shape {
  readonly topology: Topology;
  /** Whoever is not logged in may do nothing. */
  readonly auth: boolean;
  /** It speaks TLS, and nothing else. */
  readonly tls: boolean;
}

/** `replicaset`, or `replicaset, auth, tls`. */
export const nameOf = ({ topology, auth, tls }: Shape): string =>
  [topology, ...(auth ? ['auth'] : []), ...(tls ? ['tls'] : [])].join(', ');

/** The words by which the lists of accepted failures name a deployment. */
export const wordsOf = ({ topology, auth, tls }: Shape): readonly string[] => [
  topology,
  auth ? 'auth' : 'no auth',
  tls ? 'tls' : 'no tls',
];
