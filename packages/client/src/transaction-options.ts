import { MongoError as TesseraError } from '@tessera/contracts';
import type { BsonOptions } from '@tessera/contracts';
import type { TransactionOptions as Settled, TransactionState } from '@tessera/session';
import { ReadConcern, ReadPreference, WriteConcern } from './concerns.js';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcernSettings } from './concerns.js';
import { convertError } from './convert-error.js';
import { MongoTransactionError } from './errors.js';
import type { ResolvedOptions, InheritedOptions } from './resolved-options.js';
import { isGiven } from './operation-options.js';

/** Options that belong to the operations of a transaction. They have no effect in the options of the transaction. */
interface UnusedOptions {
  /** Has no effect. For compatibility. */
  session?: object | undefined;
  /** Has no effect. For compatibility. */
  collation?: object | undefined;
  /** Has no effect. For compatibility. */
  maxTimeMS?: number | undefined;
  /** Has no effect. For compatibility. */
  comment?: unknown;
  /** Has no effect. For compatibility. */
  dbName?: string | undefined;
  /** Has no effect. For compatibility. */
  authdb?: string | undefined;
  /** Has no effect. For compatibility. */
  willRetryWrite?: boolean | undefined;
}

/**
 * Options of a transaction. An absent option defaults to that in `defaultTransactionOptions` of the session, else to
 * the option of the client.
 */
export interface TransactionOptions extends BsonOptions, UnusedOptions {
  /** The read concern of all reads in the transaction. If none is set, the server's default applies. */
  readConcern?: ReadConcernLike | undefined;
  /** The write concern of the commit. If none is set, the server's default applies, which is usually `majority`. */
  writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  /**
   * The read preference. Reads in a transaction fail with a MongoTransactionError if this mode, or the mode inherited from the
   * client, is not `primary`.
   */
  readPreference?: ReadPreferenceLike | undefined;
  /** The time in milliseconds that the server may spend on one commit. `timeoutMS` limits the whole call. */
  maxCommitTimeMS?: number | undefined;
}

type Concerns = Pick<ResolvedOptions, 'readConcern' | 'writeConcern' | 'readPreference'>;

/** Returns the options of a transaction; each is inherited separately. Rule: Transactions, "TransactionOptions". */
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
 * Returns whether an operation in a transaction needs other options than its handle has. The concerns of the
 * transaction apply, even to a collection with unacknowledged writes, and reads use the primary.
 */
export const differsInTransaction = ({ writeConcern, readPreference }: Concerns): boolean =>
  writeConcern?.w === 0 || (readPreference !== undefined && readPreference.mode !== 'primary');

/** Returns the options that a handle passes to an operation in a transaction. */
export const inTransaction = (own: InheritedOptions, resolved: ResolvedOptions): ResolvedOptions => ({
  readPreference: ReadPreference.fromOptions(own) ?? ReadPreference.primary,
  readConcern: undefined,
  writeConcern: undefined,
  timeoutMS: resolved.timeoutMS,
  undefinedInFilters: resolved.undefinedInFilters,
  pkFactory: resolved.pkFactory,
  bson: resolved.bson,
});

/** Rule: Transactions: "Users cannot pass readConcern or writeConcern to operations". @throws MongoTransactionError */
export const checkInTransaction = ({ readConcern, writeConcern }: InheritedOptions): void => {
  if (isGiven(readConcern)) throw new MongoTransactionError('Cannot set read concern after starting a transaction.');
  if (isGiven(writeConcern)) throw new MongoTransactionError('Cannot set write concern after starting a transaction.');
};

/** The official driver's names of the states. */
const names = {
  none: 'NO_TRANSACTION',
  starting: 'STARTING_TRANSACTION',
  'in progress': 'TRANSACTION_IN_PROGRESS',
  committed: 'TRANSACTION_COMMITTED',
  aborted: 'TRANSACTION_ABORTED',
} as const;

/** The official driver's name of the state after the commit of a transaction without a command. */
const emptyCommit = 'TRANSACTION_COMMITTED_EMPTY';

/** Returns the options of a transaction as instances of their classes, without absent options. */
const optionsOf = ({ readConcern, writeConcern, readPreference, maxCommitTimeMS }: Settled): TransactionOptions => ({
  ...(readConcern && { readConcern: ReadConcern.fromOptions(readConcern) }),
  ...(writeConcern && { writeConcern: WriteConcern.fromOptions(writeConcern) }),
  ...(readPreference && { readPreference: readPreference as ReadPreference }),
  ...(maxCommitTimeMS !== undefined && { maxCommitTimeMS }),
});

/** The state of a session's transaction, at the time when it was read. */
export class Transaction {
  /** The name of the state, such as `TRANSACTION_IN_PROGRESS`. */
  readonly state: (typeof names)[TransactionState['is']] | typeof emptyCommit;
  /** Whether a transaction has started and is neither committed nor aborted. */
  readonly isActive: boolean;
  /** Whether a transaction has started, but no command was sent yet. */
  readonly isStarting: boolean;
  /** Whether the transaction is committed. */
  readonly isCommitted: boolean;
  /** Whether the transaction must use one particular mongos, or one connection of a load balancer. */
  readonly isPinned: boolean;
  readonly #options: Settled;

  /** Use the property `transaction` of a session instead. */
  constructor(state: TransactionState, isPinned: boolean) {
    const { is } = state;
    this.state = is === 'committed' && state.reached === undefined ? emptyCommit : names[is];
    this.isActive = is === 'starting' || is === 'in progress';
    this.isStarting = is === 'starting';
    this.isCommitted = is === 'committed';
    this.isPinned = isPinned;
    this.#options = 'options' in state ? state.options : {};
  }

  /** The options of the transaction, with inherited defaults. Empty before the first transaction and after an abort. */
  get options(): TransactionOptions {
    return optionsOf(this.#options);
  }
}

/** Converts an error about an invalid transition of the transaction's state. */
export const transactionError = (error: unknown): unknown =>
  TesseraError.is(error) && error.kind === 'usage'
    ? new MongoTransactionError(error.message, { from: error })
    : convertError(error);
