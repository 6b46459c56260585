import type { Invariant } from '../../kernel/invariant.js';
import { abortsAtOnce } from '../../kernel/invariants/calls.js';
import { invariantsWith } from '../../kernel/invariants/every-history.js';
import { neverTwice } from '../../kernel/invariants/marks.js';
import { endsWithClient, failsAsAllowed } from './calls.js';
import * as retries from './retries.js';
import * as sessions from './sessions.js';
import { acknowledgedIsThere, unsentIsNotThere } from './writes.js';

/** The invariants of every history of the client, with the most specific first. */
export const invariants: readonly Invariant[] = invariantsWith(
  [
    ...[acknowledgedIsThere, neverTwice, unsentIsNotThere],
    ...[sessions.oneIdentity, sessions.numbersRise, sessions.neverShared, sessions.dirtyIsGone],
    ...[sessions.sendsClusterTime, sessions.readsAfter],
    ...[retries.retriesOnlyTransientErrors, retries.retriesEnd, retries.waitsWhenOverloaded],
    ...[retries.raisesTheRightError, retries.attemptsAreListed, retries.noReplyOutstanding],
    ...[sessions.sessionsReturn, endsWithClient, failsAsAllowed],
  ],
  [abortsAtOnce],
);
