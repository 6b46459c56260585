import { MongoError as TesseraError } from '@tessera/contracts';
import type { TransactionOptions as Settled, TransactionState } from '@tessera/session';
import { ReadConcern, ReadPreference, WriteConcern } from './concerns.js';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcernSettings } from './concerns.js';
import { convertError } from './convert-error.js';
import { MongoTransactionError } from './errors.js';
import type { ResolvedOptions, InheritedOptions } from './resolved-options.js';
import { isGiven } from './operation-options.js';

/** What is left out here counts as in `defaultTransactionOptions` of the session, else as of the client. */
export interface TransactionOptions {
  readonly readConcern?: ReadConcernLike | undefined;
  readonly writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  /** Transactions read from the primary only. */
  readonly readPreference?: ReadPreferenceLike | undefined;
  /** How long the server may work on one commit, in milliseconds; `timeoutMS` is the limit of the whole. */
  readonly maxCommitTimeMS?: number | undefined;
}

type Concerns = Pick<ResolvedOptions, 'readConcern' | 'writeConcern' | 'readPreference'>;

/** Rule: Transactions, "TransactionOptions": each is inherited for itself. */
export const settleTransaction = (
  own: TransactionOptions,
  defaults: TransactionOptions,
  client: Concerns,
): Settled => ({
  readConcern: (ReadConcern.fromOptions(own) ?? ReadConcern.fromOptions(defaults) ?? client.readConcern)?.toJSON(),
  writeConcern: (
    WriteConcern.fromOptions(own.writeConcern) ??
    WriteConcern.fromOptions(defaults.writeConcern) ??
    client.writeConcern
  )?.toDocument(),
  readPreference: ReadPreference.fromOptions(own) ?? ReadPreference.fromOptions(defaults) ?? client.readPreference,
  maxCommitTimeMS: own.maxCommitTimeMS ?? defaults.maxCommitTimeMS,
});

/**
 * Whether an operation in a transaction needs anything else than its handle gives: the transaction's own concerns count,
 * even for a collection whose writes are unacknowledged, and it reads from the primary.
 */
export const differsInTransaction = ({ writeConcern, readPreference }: Concerns): boolean =>
  writeConcern?.w === 0 || (readPreference !== undefined && readPreference.mode !== 'primary');

/** What a handle gives to an operation in a transaction. */
export const inTransaction = (own: InheritedOptions, resolved: ResolvedOptions): ResolvedOptions => ({
  readPreference: ReadPreference.fromOptions(own) ?? ReadPreference.primary,
  readConcern: undefined,
  writeConcern: undefined,
  timeoutMS: resolved.timeoutMS,
  pkFactory: resolved.pkFactory,
  bson: resolved.bson,
});

/** @throws MongoTransactionError Rule: Transactions: "Users cannot pass readConcern or writeConcern to operations". */
export const checkInTransaction = ({ readConcern, writeConcern }: InheritedOptions): void => {
  if (isGiven(readConcern)) throw new MongoTransactionError('Cannot set read concern after starting a transaction.');
  if (isGiven(writeConcern)) throw new MongoTransactionError('Cannot set write concern after starting a transaction.');
};

/** Under the official driver's names. */
const names = {
  none: 'NO_TRANSACTION',
  starting: 'STARTING_TRANSACTION',
  'in progress': 'TRANSACTION_IN_PROGRESS',
  committed: 'TRANSACTION_COMMITTED',
  aborted: 'TRANSACTION_ABORTED',
} as const;

/** How far a session's transaction is. */
export interface Transaction {
  readonly state: (typeof names)[TransactionState['is']];
  readonly isActive: boolean;
  readonly isStarting: boolean;
  readonly isCommitted: boolean;
  readonly isPinned: boolean;
}

export const transactionOf = ({ is }: TransactionState, isPinned: boolean): Transaction => ({
  state: names[is],
  isActive: is === 'starting' || is === 'in progress',
  isStarting: is === 'starting',
  isCommitted: is === 'committed',
  isPinned,
});

/** What cannot be done with a transaction as it is. */
export const transactionError = (error: unknown): unknown =>
  TesseraError.is(error) && error.kind === 'usage'
    ? new MongoTransactionError(error.message, { from: error })
    : convertError(error);
