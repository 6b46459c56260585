import type { Invariant } from '../invariant.js';
import { endsInTime, recovers } from './calls.js';
import { balanced, neverStale, neverTooMany, neverTooManyPending, toldAndGiven } from './connections.js';
import { networkErrorClears, noOldError, noOlderVersion, primaryIsReady } from './discovery.js';
import { nothingLeft, nothingThrown, nothingUnhandled } from './end.js';
import { chained, grammars } from './grammar.js';
import { suitable } from './selection.js';
import { inOrder, noSurvivor } from './waiters.js';

/**
 * What must hold in every history of whatever kind, and in those of one; the more telling first.
 * @param calls what callers see
 */
export const invariantsWith = (own: readonly Invariant[], calls: readonly Invariant[]): readonly Invariant[] => [
  ...[nothingThrown, nothingUnhandled, ...own],
  ...[neverTooMany, neverTooManyPending, neverStale, inOrder, noSurvivor, toldAndGiven],
  ...[suitable, noOlderVersion, noOldError, networkErrorClears, primaryIsReady],
  ...[...calls, endsInTime, balanced, ...grammars, chained, nothingLeft, recovers],
];
