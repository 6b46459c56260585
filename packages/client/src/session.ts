import type { Document, Millis, Session, Timestamp } from '@tessera/contracts';
import { run } from '@tessera/operations';
import type { Call } from '@tessera/operations';
import { checkSessionOptions } from '@tessera/session';
import type { ClientSessionState } from '@tessera/session';
import type { Driver } from './assemble.js';
import { convertError } from './convert-error.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import { MongoExpiredSessionError, MongoInvalidArgumentError, MongoOperationTimeoutError } from './errors.js';
import type { ResolvedOptions, Origin } from './resolved-options.js';
import { argument, checkArgument, checkOptions, checkSession } from './operation-options.js';
import { asPromise, rethrow } from './stack-trace.js';
import { checkTimeoutMS, deadlineOf, timedCall } from './time-limit.js';
import { settleTransaction, transactionError, transactionOf } from './transaction-options.js';
import type { Transaction, TransactionOptions } from './transaction-options.js';
import { runTransaction } from './with-transaction.js';

export interface ClientSessionOptions {
  /** Reads and writes see what was read and written before in the same session. Default true, but not beside `snapshot`. */
  readonly causalConsistency?: boolean | undefined;
  /** All reads see the data of one moment. Needs MongoDB 5.0. Default false. */
  readonly snapshot?: boolean | undefined;
  /** Which moment, such as the `snapshotTime` of another session; without it, that of the first read. */
  readonly snapshotTime?: Timestamp | undefined;
  readonly defaultTransactionOptions?: TransactionOptions | undefined;
  /** `timeoutMS` of commitTransaction, abortTransaction, withTransaction and endSession. By default that of the client. */
  readonly defaultTimeoutMS?: number | undefined;
}

/** What a session's transactions inherit. */
export interface SessionOwner extends Origin, Pick<ResolvedOptions, 'readConcern' | 'writeConcern' | 'readPreference'> {
  readonly timeoutMS: number | undefined;
}

interface TimeLimit {
  /** For the whole, with all its attempts; 0 is no limit. */
  readonly timeoutMS?: number | undefined;
}

export interface ClientSessionEvents {
  /** By `endSession`, once. */
  readonly ended: (session: ClientSession) => void;
}

/** A session of the application's own, under the official driver's names. Not for concurrent use. */
export class ClientSession extends TypedEmitter<ClientSessionEvents> {
  readonly #client: SessionOwner;
  readonly #options: ClientSessionOptions;
  #state: ClientSessionState | undefined;
  #ended = false;
  /** Until when all that is done within withTransaction has time. */
  #until: Millis | undefined;

  /** @throws MongoInvalidArgumentError for options that contradict each other. */
  constructor(client: SessionOwner, options: ClientSessionOptions) {
    super();
    checkSession(options);
    try {
      checkSessionOptions(options);
      if (options.defaultTimeoutMS !== undefined) checkTimeoutMS(options.defaultTimeoutMS);
    } catch (error) {
      throw convertError(error);
    }
    this.#client = client;
    this.#options = options;
  }

  get client(): unknown {
    return this.#client;
  }
  get clientOptions(): unknown {
    return (this.#client as { readonly options?: unknown }).options;
  }
  get explicit(): boolean {
    return true;
  }
  /** Ended by itself, or with its client. */
  get hasEnded(): boolean {
    return this.#ended || this.#state?.hasEnded === true;
  }
  /** `{ id: UUID }` */
  get id(): Document {
    return this.#live().id;
  }
  /** What the server knows it by. */
  get serverSession(): { readonly id: Document; readonly txnNumber: number; readonly isDirty: boolean } {
    const { id, txnNumber, dirty: isDirty } = this.#live();
    return { id, txnNumber, isDirty };
  }
  get clusterTime(): Document | undefined {
    return this.#state?.clusterTime;
  }
  get operationTime(): Timestamp | undefined {
    return this.#state?.operationTime;
  }
  get supports(): { readonly causalConsistency: boolean } {
    return { causalConsistency: this.#options.causalConsistency ?? !this.snapshotEnabled };
  }
  get snapshotEnabled(): boolean {
    return this.#options.snapshot ?? false;
  }
  /**
   * The moment that a snapshot session reads; undefined before its first read.
   * @throws MongoInvalidArgumentError without `snapshot`.
   */
  get snapshotTime(): Timestamp | undefined {
    if (!this.snapshotEnabled)
      throw new MongoInvalidArgumentError(
        'Only a snapshot session has a snapshotTime; start one with { snapshot: true }.',
      );
    return this.#state?.snapshotTime ?? this.#options.snapshotTime;
  }
  get defaultTransactionOptions(): TransactionOptions {
    return { ...this.#options.defaultTransactionOptions };
  }
  get timeoutMS(): number | undefined {
    return this.#options.defaultTimeoutMS ?? this.#client.timeoutMS;
  }
  get transaction(): Transaction {
    return transactionOf(this.#state?.transaction ?? { is: 'none' }, this.isPinned);
  }
  /** A transaction is bound to one mongos, or to one connection of a load balancer. */
  get isPinned(): boolean {
    return this.#state?.pin !== undefined;
  }

  /** A transaction was started and is neither committed nor aborted. */
  inTransaction(): boolean {
    return this.#state?.inTransaction ?? false;
  }

  /** @throws MongoInvalidArgumentError unless it has the form of another session's clusterTime. */
  advanceClusterTime(clusterTime: Document): void {
    try {
      this.#live().advanceClusterTime(clusterTime);
    } catch (error) {
      throw convertError(error);
    }
  }

  /** @throws MongoInvalidArgumentError unless it is a Timestamp. */
  advanceOperationTime(operationTime: Timestamp): void {
    checkArgument('operationTime', operationTime, argument.timestamp);
    this.#live().advanceOperationTime(operationTime);
  }

  /** For what the application numbers itself; operations do it by themselves. */
  incrementTransactionNumber(): void {
    this.#live().nextTxnNumber();
  }

  equals(other: unknown): boolean {
    return other === this;
  }

  /**
   * The operations of this session are now those of one transaction, until it is committed or aborted. Nothing is sent before
   * the first of them. An operation's error may have aborted it on the server: such errors must not be passed over.
   * @throws MongoTransactionError if one is in progress, or the write concern is unacknowledged.
   */
  startTransaction(options?: TransactionOptions | null): void {
    checkOptions(options);
    const state = this.#live();
    try {
      const defaults = this.#options.defaultTransactionOptions ?? {};
      state.startTransaction(settleTransaction(options ?? {}, defaults, this.#client));
    } catch (error) {
      throw transactionError(error);
    }
  }

  /**
   * After an error with the label `UnknownTransactionCommitResult` it may be called again.
   * @throws MongoTransactionError if there is no transaction to commit.
   */
  commitTransaction(limit?: TimeLimit | null): Promise<void> {
    return asPromise(() => {
      checkOptions(limit);
      const timeoutMS = limit?.timeoutMS;
      const state = this.#live();
      const { driver } = this.#client;
      const shared = this.sharedDeadline(timeoutMS);
      const call = timedCall(driver, { session: state }, timeoutMS ?? this.timeoutMS, shared);
      const turn = state.turn(call.deadline ?? Infinity);
      return turn === undefined ? this.#commit(driver, state, call) : this.#commitBehind(turn, driver, state, call);
    });
  }

  /** Operations that are called while it waits are part of the transaction, too. */
  async #commitBehind(turn: Promise<void>, driver: Driver, state: ClientSessionState, call: Call): Promise<void> {
    const { deadline = Infinity, timeoutMS } = call;
    try {
      for (let before: Promise<void> | undefined = turn; before !== undefined; before = state.turn(deadline))
        await before;
    } catch (error) {
      return rethrow(driver.convertError(error, deadline, timeoutMS), this.#commitBehind);
    }
    if (this.#ended) this.#live();
    return asPromise(() => this.#commit(driver, state, call)).catch(rethrow);
  }

  #commit(driver: Driver, state: ClientSessionState, call: Call): Promise<void> {
    return asPromise(() => {
      const operation = decided(() => state.commitTransaction());
      if (operation === undefined) return Promise.resolve();
      const fail = (error: unknown): never => driver.rethrow(error, call.deadline, call.timeoutMS, fail);
      return run(driver, operation, call).then(nothing, fail);
    });
  }

  /**
   * Never fails for what the server says to it. It waits for an operation that is under way.
   * @throws MongoTransactionError if there is no transaction to abort.
   */
  abortTransaction(limit?: TimeLimit | null): Promise<void> {
    return asPromise(() => {
      checkOptions(limit);
      return Promise.resolve(this.#live().idle())
        .then(() => this.#abort(limit?.timeoutMS))
        .then(nothing, rethrow);
    });
  }

  /**
   * Runs the function in a transaction, commits it, and answers what the function answered. The function may be called several
   * times: what it does outside of the transaction must bear that. It must pass the session to all its operations, wait for
   * them one after another, and let their errors through. `timeoutMS` is for the whole and for all operations within, which
   * have none of their own; without it nothing is tried again after 120 seconds.
   */
  withTransaction<T>(callback: (session: this) => Promise<T>, given?: TransactionOptions & TimeLimit): Promise<T> {
    return asPromise(() => {
      checkArgument('callback', callback, argument.callback);
      checkOptions(given);
      const { timeoutMS = this.timeoutMS, ...options } = given ?? {};
      this.#until = timeoutMS === undefined ? undefined : deadlineOf(this.#client.driver, timeoutMS);
      return this.#withTransaction(callback, options, timeoutMS);
    });
  }

  async #withTransaction<T>(
    callback: (session: this) => Promise<T>,
    options: TransactionOptions,
    timeoutMS: number | undefined,
  ): Promise<T> {
    const { driver } = this.#client;
    // Its errors have the stacks of lines of its own.
    let ofCallback: unknown;
    const called = async (): Promise<T> => {
      try {
        return await callback(this);
      } catch (error) {
        ofCallback = error;
        throw error;
      }
    };
    try {
      const transacting = {
        inTransaction: () => this.inTransaction(),
        startTransaction: () => {
          this.startTransaction(options);
        },
        commitTransaction: () => this.commitTransaction(),
        abortTransaction: () => this.abortTransaction({ timeoutMS }),
      };
      return await runTransaction(driver, transacting, () => driver.sessions.within(called), timeoutMS);
    } catch (error) {
      if (error === ofCallback) throw error;
      return rethrow(error, this.#withTransaction);
    } finally {
      this.#until = undefined;
    }
  }

  /** The session as operations of this client use it. @throws MongoExpiredSessionError, MongoInvalidArgumentError. */
  use(client: Origin): Session {
    if (client !== this.#client)
      throw new MongoInvalidArgumentError('The session belongs to another client; start one with this client.');
    return this.#live();
  }

  /** The deadline of the withTransaction that an operation is part of. @throws MongoInvalidArgumentError for one of its own. */
  sharedDeadline(timeoutMS: number | undefined): Millis | undefined {
    if (this.#until !== undefined && timeoutMS !== undefined)
      throw new MongoInvalidArgumentError(
        'timeoutMS cannot be set for an operation within withTransaction: it shares the time of the whole; leave it out.',
      );
    return this.#until;
  }

  /**
   * Aborts a transaction that is in progress. Further calls do nothing.
   * @throws MongoOperationTimeoutError if that took longer than timeoutMS; the session has ended all the same.
   * @throws MongoInvalidArgumentError for a timeoutMS that cannot be; the session has not ended.
   */
  endSession(limit?: TimeLimit | null): Promise<void> {
    return asPromise(() => {
      checkOptions(limit);
      return this.#endSession(limit?.timeoutMS ?? undefined).catch(rethrow);
    });
  }

  async #endSession(timeoutMS: number | undefined): Promise<void> {
    if (timeoutMS !== undefined) checkTimeoutMS(timeoutMS);
    let failure: unknown;
    if (!this.hasEnded && this.inTransaction()) {
      await this.#state?.idle();
      if (this.inTransaction()) failure = await this.#abort(timeoutMS).catch(() => undefined);
    }
    const isFirst = !this.#ended;
    this.#ended = true;
    this.#state?.end();
    if (isFirst) emitSafely(this, this.#client, 'ended', this);
    if (failure instanceof MongoOperationTimeoutError) throw failure;
  }

  /** A session cannot be part of a document. */
  toBSON(): never {
    throw new MongoInvalidArgumentError('A session cannot be stored; pass it as the option { session }.');
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.endSession();
  }

  /** Answers what the server, or the way to it, had against it. */
  async #abort(timeoutMS: number | undefined): Promise<unknown> {
    const state = this.#live();
    const { driver } = this.#client;
    // Before the state changes: what was asked wrong can be asked again.
    const call = timedCall(driver, { session: state }, timeoutMS ?? this.timeoutMS);
    const operation = decided(() => state.abortTransaction());
    if (operation === undefined) return undefined;
    // The server will abort it in any case, sooner or later. Rule: Transactions, "abortTransaction".
    return run(driver, operation, call).catch((error: unknown) =>
      driver.convertError(error, call.deadline, call.timeoutMS),
    );
  }

  #live(): ClientSessionState {
    if (this.hasEnded) throw new MongoExpiredSessionError('The session has ended; start another with startSession().');
    return (this.#state ??= this.#client.driver.sessions.start(this.#options));
  }
}

const nothing = (): void => undefined;

/** What the state of the transaction answers. @throws MongoTransactionError */
const decided = <T>(decide: () => T): T => {
  try {
    return decide();
  } catch (error) {
    throw transactionError(error);
  }
};
