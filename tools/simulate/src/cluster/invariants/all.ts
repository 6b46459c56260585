import { invariantsWith } from '../../invariants/all.js';
import type { Invariant } from '../../invariants/invariant.js';
import { neverTwice } from '../../whole/invariants/writes.js';
import { abortedIsNotThere, majorityIsKept, neverBack, neverHalf } from './kept.js';

/** What must hold in every history of a replica set; the more telling first. */
export const invariants: readonly Invariant[] = invariantsWith(
  [majorityIsKept, neverTwice, abortedIsNotThere, neverHalf, neverBack],
  [],
);
