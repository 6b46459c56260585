import type { Address } from '@tessera/contracts';

/** The configuration of a replica set; each change adds one to its version. */
export interface Configuration {
  readonly version: number;
  readonly members: readonly Address[];
}

/** What a member takes itself for. */
export type Role =
  | { readonly is: 'primary'; readonly term: number }
  | { readonly is: 'secondary' }
  | { readonly is: 'arbiter' }
  | { readonly is: 'hidden' }
  | { readonly is: 'recovering' }
  | { readonly is: 'removed' };

/** What a member of a set knows. */
export interface Belief {
  role: Role;
  /** A primary that does not know that it is one no more keeps the configuration of its time. */
  configuration: Configuration;
  primary: Address | undefined;
  /** How far its replication is behind, in milliseconds. */
  lag: number;
}
