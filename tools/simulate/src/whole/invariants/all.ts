import { balanced, neverStale, neverTooMany, neverTooManyPending, toldAndGiven } from '../../invariants/connections.js';
import { networkErrorClears, noOldError, noOlderVersion, primaryIsReady } from '../../invariants/discovery.js';
import { nothingLeft, nothingThrown, nothingUnhandled } from '../../invariants/end.js';
import {
  chained,
  connectionEvents,
  heartbeatEvents,
  poolEvents,
  selectionEvents,
  serverEvents,
  topologyEvents,
} from '../../invariants/grammar.js';
import type { Invariant } from '../../invariants/invariant.js';
import { abortsAtOnce, endsInTime, recovers } from '../../invariants/operations.js';
import { suitable } from '../../invariants/selection.js';
import { inOrder, noSurvivor } from '../../invariants/waiters.js';
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
export const ownInvariants: readonly Invariant[] = [
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
export const invariants: readonly Invariant[] = [
  nothingThrown,
  nothingUnhandled,
  ...ownInvariants,
  neverTooMany,
  neverTooManyPending,
  neverStale,
  inOrder,
  noSurvivor,
  toldAndGiven,
  suitable,
  noOlderVersion,
  noOldError,
  networkErrorClears,
  primaryIsReady,
  endsInTime,
  abortsAtOnce,
  balanced,
  poolEvents,
  connectionEvents,
  serverEvents,
  heartbeatEvents,
  topologyEvents,
  selectionEvents,
  chained,
  nothingLeft,
  recovers,
];
