import type { Parts } from '@tessera/client';
import type { Mishear } from './cluster/front.js';

/** Parts in place of the driver's own, and, in histories of a replica set, what its servers hear in place of a command. */
export type Swaps = Partial<Parts> & { readonly mishear?: Mishear };
