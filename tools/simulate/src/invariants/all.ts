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

/** What must hold in every history; the more telling first. */
export const invariants: readonly Invariant[] = [
  nothingThrown,
  nothingUnhandled,
  neverTooMany,
  neverTooManyPending,
  neverStale,
  inOrder,
  noSurvivor,
  toldAndGiven,
  suitable,
  noOlderPrimary,
  noOlderVersion,
  noOldError,
  networkErrorClears,
  primaryIsReady,
  writesOnce,
  endsInTime,
  abortsAtOnce,
  closesAtOnce,
  failsAsMongoError,
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
