import { otherMutants } from './others.js';
import { poolMutants } from './pools.js';
import { topologyMutants } from './topologies.js';
import type { Mutant } from './mutant.js';

export const mutants: readonly Mutant[] = [...poolMutants, ...topologyMutants, ...otherMutants];
