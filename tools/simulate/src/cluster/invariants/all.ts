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
import { endsInTime, recovers } from '../../invariants/operations.js';
import { suitable } from '../../invariants/selection.js';
import { inOrder, noSurvivor } from '../../invariants/waiters.js';
import { neverTwice } from '../../whole/invariants/writes.js';
import { abortedIsNotThere, majorityIsKept, neverBack, neverHalf } from './kept.js';

/** What must hold in every history of a replica set; the more telling first. */
export const invariants: readonly Invariant[] = [
  nothingThrown,
  nothingUnhandled,
  majorityIsKept,
  neverTwice,
  abortedIsNotThere,
  neverHalf,
  neverBack,
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
