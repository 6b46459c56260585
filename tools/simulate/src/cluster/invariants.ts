/** Invariants of the marks that writes and transactions leave, across elections. */
import { MongoError as PublicError } from '@tessera/client';
import { factsOf } from '../kernel/invariant.js';
import type { Invariant } from '../kernel/invariant.js';
import { invariantsWith } from '../kernel/invariants/every-history.js';
import { endsOf, foundIn, neverTwice } from '../kernel/invariants/marks.js';
import { accounts, markOf, startBalance } from './plan.js';
import type { ClusterCall } from './plan.js';

const aborts = (call: ClusterCall): boolean => call.kind === 'transfer' && call.aborts;

/** Returns whether a majority has the write when it is acknowledged. */
const isSafe = (call: ClusterCall): boolean =>
  call.kind === 'transfer' ? !call.aborts : (call.kind === 'insert' || call.kind === 'push') && call.w === 'majority';

export const majorityIsKept: Invariant = {
  name: 'a write that a majority acknowledged exists once, whichever member is elected',
  *breaches(history) {
    const found = foundIn(history);
    for (const { call: planned, error } of endsOf(history)) {
      const call = planned as ClusterCall;
      if (error !== undefined || !isSafe(call)) continue;
      const count = found.get(markOf(call)) ?? 0;
      if (count !== 1) yield `${call.kind} ${call.number} was acknowledged, and exists ${count} times`;
    }
  },
};

export const abortedIsNotThere: Invariant = {
  name: 'a transaction that was aborted, or failed before its commit, leaves no mark',
  *breaches(history) {
    const found = foundIn(history);
    for (const { call: planned, error } of endsOf(history)) {
      const call = planned as ClusterCall;
      if (call.kind !== 'transfer') continue;
      const isUncertain = error instanceof PublicError && error.hasErrorLabel('UnknownTransactionCommitResult');
      if (!aborts(call) && (error === undefined || isUncertain)) continue;
      const count = found.get(markOf(call)) ?? 0;
      if (count !== 0) yield `transfer ${call.number} was never committed, and exists ${count} times`;
    }
  },
};

export const neverHalf: Invariant = {
  name: 'a read of all accounts at one moment sees each transfer as a whole or not at all',
  *breaches(history) {
    for (const { fact } of factsOf(history, 'summed'))
      if (fact.sum !== accounts * startBalance)
        yield `operation ${fact.operation} read a sum of ${fact.sum} instead of ${accounts * startBalance}`;
  },
};

export const neverBack: Invariant = {
  name: 'a read in a causally consistent session includes all earlier reads and writes of the session, and nothing that was not written',
  *breaches(history) {
    for (const { fact } of factsOf(history, 'looked'))
      if (fact.value < fact.least || fact.value > fact.most)
        yield `operation ${fact.operation} read ${fact.value}, expected ${fact.least} to ${fact.most}`;
  },
};

export const invariants: readonly Invariant[] = invariantsWith(
  [majorityIsKept, neverTwice, abortedIsNotThere, neverHalf, neverBack],
  [],
);
