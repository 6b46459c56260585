import type { Address } from '@tessera/contracts';

/** The configuration of a replica set. Each change increments its version. */
export interface Configuration {
  readonly version: number;
  readonly members: readonly Address[];
}

/** The role that a member believes it has. */
export type Role =
  | { readonly is: 'primary'; readonly term: number }
  | { readonly is: 'secondary' }
  | { readonly is: 'arbiter' }
  | { readonly is: 'hidden' }
  | { readonly is: 'recovering' }
  | { readonly is: 'removed' };

/** The state of the set that a member believes to be current. */
export interface Belief {
  role: Role;
  /** The configuration as the member last received it. A deposed primary that has not noticed keeps an old one. */
  configuration: Configuration;
  primary: Address | undefined;
  /** The replication lag in milliseconds. */
  lag: number;
}
