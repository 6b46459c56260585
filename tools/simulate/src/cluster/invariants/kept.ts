/** What writes and transactions leave behind, whoever was primary. */
import { MongoError as PublicError } from '@tessera/client';
import { factsOf } from '../../invariants/invariant.js';
import type { Invariant } from '../../invariants/invariant.js';
import type { History } from '../../record.js';
import { foundIn } from '../../whole/invariants/writes.js';
import { accounts, leavesMark, markOf, startBalance } from '../plan.js';
import type { ClusterCall } from '../plan.js';

/** Calls that leave marks, with how they ended. */
function* endsOf(history: History): Generator<{ readonly call: ClusterCall; readonly error: unknown }> {
  const calls = new Map<number, ClusterCall>();
  for (const { fact } of factsOf(history, 'began', 'ended')) {
    if (fact.is === 'began') calls.set(fact.operation, fact.planned as ClusterCall);
    else {
      const call = calls.get(fact.operation)!;
      if (leavesMark(call)) yield { call, error: fact.error };
    }
  }
}

const aborts = (call: ClusterCall): boolean => call.kind === 'transfer' && call.aborts;

/** A majority had it when it was acknowledged. */
const isSafe = (call: ClusterCall): boolean =>
  call.kind === 'transfer' ? !call.aborts : (call.kind === 'insert' || call.kind === 'push') && call.w === 'majority';

export const majorityIsKept: Invariant = {
  name: 'what a majority had when it was acknowledged is there once, whoever is elected',
  broken: history => {
    const found = foundIn(history);
    for (const { call, error } of endsOf(history)) {
      if (error !== undefined || !isSafe(call)) continue;
      const count = found.get(markOf(call)) ?? 0;
      if (count !== 1) return `${call.kind} ${call.number} was acknowledged, and is there ${count} times`;
    }
    return undefined;
  },
};

export const abortedIsNotThere: Invariant = {
  name: 'a transaction that was aborted, or failed before its commit, is not there',
  broken: history => {
    const found = foundIn(history);
    for (const { call, error } of endsOf(history)) {
      if (call.kind !== 'transfer') continue;
      const isUncertain = error instanceof PublicError && error.hasErrorLabel('UnknownTransactionCommitResult');
      if (!aborts(call) && (error === undefined || isUncertain)) continue;
      const count = found.get(markOf(call)) ?? 0;
      if (count !== 0) return `transfer ${call.number} was never committed, and is there ${count} times`;
    }
    return undefined;
  },
};

export const neverHalf: Invariant = {
  name: 'whoever reads all accounts at one moment sees each transfer whole or not at all',
  broken: history => {
    for (const { fact } of factsOf(history, 'summed'))
      if (fact.sum !== accounts * startBalance)
        return `operation ${fact.operation} found ${fact.sum} on all accounts instead of ${accounts * startBalance}`;
    return undefined;
  },
};

export const neverBack: Invariant = {
  name: 'in a causal session no read goes back behind what was written or read in it, and none sees what nobody wrote',
  broken: history => {
    for (const { fact } of factsOf(history, 'looked'))
      if (fact.value < fact.least || fact.value > fact.most)
        return `operation ${fact.operation} saw ${fact.value}, and at least ${fact.least} was known, at most ${fact.most} tried`;
    return undefined;
  },
};
