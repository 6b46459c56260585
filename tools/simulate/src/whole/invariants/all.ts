import { invariantsWith } from '../../invariants/all.js';
import type { Invariant } from '../../invariants/invariant.js';
import { abortsAtOnce } from '../../invariants/operations.js';
import { endsWithClient } from './closing.js';
import {
  attemptsAreTold,
  failsAsItMay,
  oweNothing,
  raisesTheRight,
  retriesEnd,
  retriesWhatPasses,
  waitsWhenOverloaded,
} from './retries.js';
import {
  dirtyIsGone,
  neverShared,
  numbersRise,
  oneIdentity,
  readsAfter,
  sessionsReturn,
  tellsClusterTime,
} from './sessions.js';
import { acknowledgedIsThere, neverTwice, unsentIsNotThere } from './writes.js';

/** What holds of the whole alone. */
const ownInvariants: readonly Invariant[] = [
  acknowledgedIsThere,
  neverTwice,
  unsentIsNotThere,
  oneIdentity,
  numbersRise,
  neverShared,
  dirtyIsGone,
  tellsClusterTime,
  readsAfter,
  retriesWhatPasses,
  retriesEnd,
  waitsWhenOverloaded,
  raisesTheRight,
  attemptsAreTold,
  oweNothing,
  sessionsReturn,
  endsWithClient,
  failsAsItMay,
];

/** What must hold in every history of the whole; the more telling first. */
export const invariants: readonly Invariant[] = invariantsWith(ownInvariants, [abortsAtOnce]);
