import { MongoError } from '@tessera/contracts';
import type { Document, Elements, Selection } from '@tessera/contracts';

/** Options of a transaction, with inherited defaults already applied. */
export interface TransactionOptions {
  /** The read concern of the first command. */
  readonly readConcern?: Document | undefined;
  /** The write concern of commitTransaction and abortTransaction. */
  readonly writeConcern?: Document | undefined;
  /** The read preference of all reads. Only `primary` is valid. */
  readonly readPreference?: Selection | undefined;
  /** The maxTimeMS of commitTransaction. */
  readonly maxCommitTimeMS?: number | undefined;
}

/** The data to end a transaction that has reached a server. */
export interface Reached {
  readonly options: TransactionOptions;
  /** The encoded element `recoveryToken: {…}`, the newest from a mongos. */
  readonly recoveryToken: Elements | undefined;
}

/** The state of a session's transaction. Rule: Transactions, "ClientSession changes". */
export type TransactionState =
  | { readonly is: 'none' }
  /** No command was sent yet. */
  | { readonly is: 'starting'; readonly options: TransactionOptions }
  | ({ readonly is: 'in progress' } & Reached)
  /** `reached` is undefined if no command was sent, so that there was nothing to commit. */
  | {
      readonly is: 'committed';
      readonly options: TransactionOptions;
      readonly reached: Reached | undefined;
      /** Whether the next commit must use a majority write concern, because it is a repetition. Rule: "writeConcern for commitTransaction attempts". */
      readonly needsMajority: boolean;
    }
  | { readonly is: 'aborted'; readonly reached: Reached | undefined };

export const noTransaction: TransactionState = { is: 'none' };

/**
 * Returns the state after startTransaction.
 * @throws MongoError `usage` if a transaction is active or the write concern is unacknowledged
 */
export const starting = (state: TransactionState, options: TransactionOptions): TransactionState => {
  if (isActive(state))
    throw new MongoError('usage', 'Transaction already in progress. Commit or abort it before you start another one.');
  if (options.writeConcern?.['w'] === 0)
    throw new MongoError(
      'usage',
      'Transactions do not support unacknowledged write concerns. Use a writeConcern other than { w: 0 }.',
    );
  return { is: 'starting', options };
};

/** Returns the state after the first command got a reply or may have reached a server. */
export const begun = (state: TransactionState): TransactionState =>
  state.is === 'starting' ? { is: 'in progress', options: state.options, recoveryToken: undefined } : state;

/**
 * Returns the state after commitTransaction.
 * @throws MongoError `usage` if there is no transaction to commit
 */
export const committing = (state: TransactionState): TransactionState & { readonly is: 'committed' } => {
  switch (state.is) {
    case 'none':
      throw new MongoError('usage', 'No transaction started: call startTransaction before commitTransaction.');
    case 'aborted':
      throw new MongoError('usage', 'Cannot call commitTransaction after calling abortTransaction.');
    case 'committed':
      return state;
    case 'starting':
      return { is: 'committed', options: state.options, reached: undefined, needsMajority: false };
    case 'in progress':
      return { is: 'committed', options: state.options, reached: state, needsMajority: false };
  }
};

/**
 * Returns the state after abortTransaction.
 * @throws MongoError `usage` if there is no transaction to abort
 */
export const aborting = (state: TransactionState): TransactionState & { readonly is: 'aborted' } => {
  switch (state.is) {
    case 'none':
      throw new MongoError('usage', 'No transaction started: call startTransaction before abortTransaction.');
    case 'aborted':
      throw new MongoError('usage', 'Cannot call abortTransaction twice.');
    case 'committed':
      throw new MongoError('usage', 'Cannot call abortTransaction after calling commitTransaction.');
    case 'starting':
      return { is: 'aborted', reached: undefined };
    case 'in progress':
      return { is: 'aborted', reached: state };
  }
};

/** Returns the state with the newest recovery token. Rule: Transactions, "recoveryToken field". */
export const recoverableBy = (state: TransactionState, recoveryToken: Elements): TransactionState => {
  switch (state.is) {
    case 'none':
    case 'starting':
    case 'aborted':
      return state;
    case 'in progress':
      return { is: 'in progress', options: state.options, recoveryToken };
    case 'committed':
      return { ...state, reached: { options: state.options, recoveryToken } };
  }
};

/** Returns the state after an attempt to commit. Not called after an overload error, after which the commit is repeated unchanged. */
export const tried = (state: TransactionState): TransactionState =>
  state.is === 'committed' ? { ...state, needsMajority: true } : state;

/** Returns whether a transaction was started and neither committed nor aborted. */
export const isActive = ({ is }: TransactionState): boolean => is === 'starting' || is === 'in progress';
