import { balanced, neverStale, neverTooMany, neverTooManyPending, toldAndGiven } from './connections.js';
import { networkErrorClears, noOldError, noOlderPrimary, noOlderVersion, primaryIsReady } from './discovery.js';
import { nothingLeft, nothingThrown, nothingUnhandled } from './end.js';
import {
  chained,
  connectionEvents,
  heartbeatEvents,
  poolEvents,
  selectionEvents,
  serverEvents,
  topologyEvents,
} from './grammar.js';
import type { Invariant } from './invariant.js';
import { abortsAtOnce, closesAtOnce, endsInTime, failsAsMongoError, recovers, writesOnce } from './operations.js';
import { suitable } from './selection.js';
import { inOrder, noSurvivor } from './waiters.js';

/**
 * What must hold in every history of whatever kind, and in those of one; the more telling first.
 * @param calls what callers see
 */
export const invariantsWith = (own: readonly Invariant[], calls: readonly Invariant[]): readonly Invariant[] => [
  nothingThrown,
  nothingUnhandled,
  ...own,
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
  ...calls,
  endsInTime,
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

/** What must hold where members of deployments speak as they are told. */
export const invariants: readonly Invariant[] = invariantsWith(
  [noOlderPrimary],
  [writesOnce, abortsAtOnce, closesAtOnce, failsAsMongoError],
);
