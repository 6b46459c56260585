import type { Invariant } from '../invariant.js';
import { endsInTime, recovers } from './calls.js';
import { balanced, neverStale, neverTooMany, neverTooManyPending, announcedAndGiven } from './connections.js';
import { checksKeepTheirPace, networkErrorClears, noOldError, noOlderVersion, primaryIsReady } from './discovery.js';
import { nothingLeft, nothingThrown, nothingUnhandled } from './end.js';
import { chained, grammars } from './grammar.js';
import { suitable } from './selection.js';
import { inOrder, noSurvivor } from './waiters.js';

/**
 * Returns the invariants that hold in every history, and those of one kind, with the most specific first.
 * @param calls the invariants of calls
 */
export const invariantsWith = (own: readonly Invariant[], calls: readonly Invariant[]): readonly Invariant[] => [
  ...[nothingThrown, nothingUnhandled, ...own],
  ...[neverTooMany, neverTooManyPending, neverStale, inOrder, noSurvivor, announcedAndGiven],
  ...[suitable, noOlderVersion, noOldError, networkErrorClears, primaryIsReady, checksKeepTheirPace],
  ...[...calls, endsInTime, balanced, ...grammars, chained, nothingLeft, recovers],
];
