/** What writes and transactions leave behind, whoever was primary. */
import { MongoError as PublicError } from '@tessera/client';
import { factsOf } from '../kernel/invariant.js';
import type { Invariant } from '../kernel/invariant.js';
import { invariantsWith } from '../kernel/invariants/every-history.js';
import { endsOf, foundIn, neverTwice } from '../kernel/invariants/marks.js';
import { accounts, markOf, startBalance } from './plan.js';
import type { ClusterCall } from './plan.js';

const aborts = (call: ClusterCall): boolean => call.kind === 'transfer' && call.aborts;

/** A majority had it when it was acknowledged. */
const isSafe = (call: ClusterCall): boolean =>
  call.kind === 'transfer' ? !call.aborts : (call.kind === 'insert' || call.kind === 'push') && call.w === 'majority';

export const majorityIsKept: Invariant = {
  name: 'what a majority had when it was acknowledged is there once, whoever is elected',
  *breaches(history) {
    const found = foundIn(history);
    for (const { call: planned, error } of endsOf(history)) {
      const call = planned as ClusterCall;
      if (error !== undefined || !isSafe(call)) continue;
      const count = found.get(markOf(call)) ?? 0;
      if (count !== 1) yield `${call.kind} ${call.number} was acknowledged, and is there ${count} times`;
    }
  },
};

export const abortedIsNotThere: Invariant = {
  name: 'a transaction that was aborted, or failed before its commit, is not there',
  *breaches(history) {
    const found = foundIn(history);
    for (const { call: planned, error } of endsOf(history)) {
      const call = planned as ClusterCall;
      if (call.kind !== 'transfer') continue;
      const isUncertain = error instanceof PublicError && error.hasErrorLabel('UnknownTransactionCommitResult');
      if (!aborts(call) && (error === undefined || isUncertain)) continue;
      const count = found.get(markOf(call)) ?? 0;
      if (count !== 0) yield `transfer ${call.number} was never committed, and is there ${count} times`;
    }
  },
};

export const neverHalf: Invariant = {
  name: 'whoever reads all accounts at one moment sees each transfer whole or not at all',
  *breaches(history) {
    for (const { fact } of factsOf(history, 'summed'))
      if (fact.sum !== accounts * startBalance)
        yield `operation ${fact.operation} found ${fact.sum} on all accounts instead of ${accounts * startBalance}`;
  },
};

export const neverBack: Invariant = {
  name: 'in a causal session no read goes back behind what was written or read in it, and none sees what nobody wrote',
  *breaches(history) {
    for (const { fact } of factsOf(history, 'looked'))
      if (fact.value < fact.least || fact.value > fact.most)
        yield `operation ${fact.operation} saw ${fact.value}, and at least ${fact.least} was known, at most ${fact.most} tried`;
  },
};

export const invariants: readonly Invariant[] = invariantsWith(
  [majorityIsKept, neverTwice, abortedIsNotThere, neverHalf, neverBack],
  [],
);
