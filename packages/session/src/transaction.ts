import { MongoError } from '@tessera/contracts';
import type { Document, Elements, Selection } from '@tessera/contracts';

/** What a transaction was started with; whatever it inherits is settled already. */
export interface TransactionOptions {
  /** Of the first command. */
  readonly readConcern?: Document | undefined;
  /** Of commitTransaction and abortTransaction. */
  readonly writeConcern?: Document | undefined;
  /** Of all reads; only `primary` can be read from. */
  readonly readPreference?: Selection | undefined;
  /** How long the server may work on one commitTransaction, in milliseconds. */
  readonly maxCommitTimeMS?: number | undefined;
}

/** What a transaction that reached a server is ended by. */
export interface Reached {
  readonly options: TransactionOptions;
  /** `recoveryToken: {…}`, the newest that a mongos told. */
  readonly recoveryToken: Elements | undefined;
}

/** Rule: Transactions, "ClientSession changes". */
export type TransactionState =
  | { readonly is: 'none' }
  /** No command was sent yet. */
  | { readonly is: 'starting'; readonly options: TransactionOptions }
  | ({ readonly is: 'in progress' } & Reached)
  /** `reached` is undefined when nothing was sent: there was nothing to commit. */
  | {
      readonly is: 'committed';
      readonly options: TransactionOptions;
      readonly reached: Reached | undefined;
      /** The next attempt is a repetition that must be sure. Rule: "writeConcern for commitTransaction attempts". */
      readonly needsMajority: boolean;
    }
  | { readonly is: 'aborted'; readonly reached: Reached | undefined };

export const noTransaction: TransactionState = { is: 'none' };

/** @throws MongoError `usage` */
export const starting = (state: TransactionState, options: TransactionOptions): TransactionState => {
  if (isActive(state))
    throw new MongoError('usage', 'Transaction already in progress; commit or abort it before another is started.');
  if (options.writeConcern?.['w'] === 0)
    throw new MongoError(
      'usage',
      'transactions do not support unacknowledged write concerns: give the transaction a writeConcern other than { w: 0 }.',
    );
  return { is: 'starting', options };
};

/** The first command was answered, or may have reached the server. */
export const begun = (state: TransactionState): TransactionState =>
  state.is === 'starting' ? { is: 'in progress', options: state.options, recoveryToken: undefined } : state;

/** @throws MongoError `usage` */
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

/** @throws MongoError `usage` */
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

/** Rule: Transactions, "recoveryToken field": the most recent one is sent. */
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

/** A commit was tried: only after an overload error is it repeated as it was. */
export const tried = (state: TransactionState): TransactionState =>
  state.is === 'committed' ? { ...state, needsMajority: true } : state;

export const isActive = ({ is }: TransactionState): boolean => is === 'starting' || is === 'in progress';
