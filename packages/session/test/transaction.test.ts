import { MongoError } from '@tessera/contracts';
import type { Elements } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import * as transactions from '../src/transaction.js';
import type { TransactionState } from '../src/transaction.js';

const options = { readConcern: { level: 'majority' } };
const token = 'token' as unknown as Elements;
const none = transactions.noTransaction;
const starting: TransactionState = { is: 'starting', options };
const inProgress: TransactionState = { is: 'in progress', options, recoveryToken: token };
const committed: TransactionState = { is: 'committed', options, reached: inProgress, needsMajority: false };
const aborted: TransactionState = { is: 'aborted', reached: inProgress };

/** Returns the new state, or the message of the error. */
const outcome = (move: () => TransactionState): TransactionState | string => {
  try {
    return move();
  } catch (error) {
    if (MongoError.is(error) && error.kind === 'usage') return error.message;
    throw error;
  }
};

describe('Transactions, "ClientSession changes"', () => {
  test('startTransaction starts a transaction unless one is active', () => {
    const start = (state: TransactionState) => outcome(() => transactions.starting(state, options));
    for (const state of [none, committed, aborted]) expect(start(state)).toEqual(starting);
    for (const state of [starting, inProgress]) expect(start(state)).toMatch(/^Transaction already in progress/);
  });

  test('startTransaction rejects an unacknowledged write concern', () => {
    const start = (w: unknown) => outcome(() => transactions.starting(none, { writeConcern: { w } }));
    expect(start(0)).toMatch(/^Transactions do not support unacknowledged write concerns/);
    expect(start(1)).toEqual({ is: 'starting', options: { writeConcern: { w: 1 } } });
  });

  test('the first command changes starting to in progress, and no other state', () => {
    expect(transactions.begun(starting)).toEqual({ is: 'in progress', options, recoveryToken: undefined });
    for (const state of [none, inProgress, committed, aborted]) expect(transactions.begun(state)).toBe(state);
  });

  test('commitTransaction commits an active transaction, and may be called again', () => {
    const commit = (state: TransactionState) => outcome(() => transactions.committing(state));
    expect([none, aborted, committed, starting, inProgress].map(commit)).toEqual([
      'No transaction started: call startTransaction before commitTransaction.',
      'Cannot call commitTransaction after calling abortTransaction.',
      committed,
      { is: 'committed', options, reached: undefined, needsMajority: false },
      committed,
    ]);
  });

  test('abortTransaction aborts an active transaction once', () => {
    const abort = (state: TransactionState) => outcome(() => transactions.aborting(state));
    expect([none, aborted, committed, starting, inProgress].map(abort)).toEqual([
      'No transaction started: call startTransaction before abortTransaction.',
      'Cannot call abortTransaction twice.',
      'Cannot call abortTransaction after calling commitTransaction.',
      { is: 'aborted', reached: undefined },
      aborted,
    ]);
  });

  test('"recoveryToken field": keeps the newest token while the transaction is in progress or committed', () => {
    const newer = 'newer' as unknown as Elements;
    const recover = (state: TransactionState) => transactions.recoverableBy(state, newer);
    expect([none, starting, aborted].map(recover)).toEqual([none, starting, aborted]);
    expect(recover(inProgress)).toEqual({ is: 'in progress', options, recoveryToken: newer });
    expect(recover(committed)).toEqual({ ...committed, reached: { options, recoveryToken: newer } });
  });

  test('only a commit is repeated with a majority write concern', () => {
    expect(transactions.tried(committed)).toEqual({ ...committed, needsMajority: true });
    for (const state of [none, starting, inProgress, aborted]) expect(transactions.tried(state)).toBe(state);
  });

  test('a transaction is active from its start until it is committed or aborted', () => {
    const active = [none, starting, inProgress, committed, aborted].map(transactions.isActive);
    expect(active).toEqual([false, true, true, false, false]);
  });
});
