import type { Mutant } from '../../mutants/mutant.js';
import { retryMutants } from './retries.js';
import { sessionMutants } from './sessions.js';

/** At least one for each invariant that holds of the whole alone. */
export const mutants: readonly Mutant[] = [...sessionMutants, ...retryMutants];
