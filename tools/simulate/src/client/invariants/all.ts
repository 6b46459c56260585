import type { Invariant } from '../../kernel/invariant.js';
import { abortsAtOnce } from '../../kernel/invariants/calls.js';
import { invariantsWith } from '../../kernel/invariants/every-history.js';
import { neverTwice } from '../../kernel/invariants/marks.js';
import { endsWithClient, failsAsItMay } from './calls.js';
import * as retries from './retries.js';
import * as sessions from './sessions.js';
import { acknowledgedIsThere, unsentIsNotThere } from './writes.js';

/** What must hold in every history of the client; the more telling first. */
export const invariants: readonly Invariant[] = invariantsWith(
  [
    ...[acknowledgedIsThere, neverTwice, unsentIsNotThere],
    ...[sessions.oneIdentity, sessions.numbersRise, sessions.neverShared, sessions.dirtyIsGone],
    ...[sessions.tellsClusterTime, sessions.readsAfter],
    ...[retries.retriesWhatPasses, retries.retriesEnd, retries.waitsWhenOverloaded],
    ...[retries.raisesTheRight, retries.attemptsAreTold, retries.oweNothing],
    ...[sessions.sessionsReturn, endsWithClient, failsAsItMay],
  ],
  [abortsAtOnce],
);
