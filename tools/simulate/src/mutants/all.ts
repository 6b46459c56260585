import { listenerMutants } from './listeners.js';
import { otherMutants } from './others.js';
import { poolMutants } from './pools.js';
import { topologyMutants } from './topologies.js';
import type { Mutant } from './mutant.js';

/** At least one for each invariant, so that none is believed that cannot fail. */
export const mutants: readonly Mutant[] = [...poolMutants, ...topologyMutants, ...listenerMutants, ...otherMutants];
