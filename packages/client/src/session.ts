import type { Millis, Session, Timestamp } from '@tessera/contracts';
import { run } from '@tessera/operations';
import type { Call } from '@tessera/operations';
import { checkSessionOptions } from '@tessera/session';
import type { ClientSessionState } from '@tessera/session';
import type { Driver } from './assemble.js';
import { convertError } from './convert-error.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import {
  MongoCompatibilityError,
  MongoExpiredSessionError,
  MongoInvalidArgumentError,
  MongoOperationTimeoutError,
  MongoRuntimeError,
} from './errors.js';
import type { ResolvedOptions, Origin } from './resolved-options.js';
import { argument, checkArgument, checkOptions, checkSession } from './operation-options.js';
import { ServerSession } from './server-session.js';
import { asPromise, rethrow } from './stack-trace.js';
import { checkTimeoutMS, deadlineOf, timedCall } from './time-limit.js';
import { settleTransaction, Transaction, transactionError } from './transaction-options.js';
import type { TransactionOptions } from './transaction-options.js';
import type { ClusterTime, ServerSessionId } from './types/documents.js';
import { runTransaction } from './with-transaction.js';

/** Options of `startSession`. */
export interface ClientSessionOptions {
  /** Makes reads reflect earlier reads and writes of the same session. Default: true, but false with `snapshot`. */
  causalConsistency?: boolean | undefined;
  /** Makes all reads return the data of one point in time. Requires MongoDB 5.0. Default: false. */
  snapshot?: boolean | undefined;
  /**
   * The point in time that a snapshot session reads, such as the `snapshotTime` of another session. Default: the time of
   * the first read.
   */
  snapshotTime?: Timestamp | undefined;
  /** The default options of the session's transactions. */
  defaultTransactionOptions?: TransactionOptions | undefined;
  /**
   * The timeout in milliseconds of commitTransaction, abortTransaction, withTransaction and endSession. Default:
   * `timeoutMS` of the client.
   */
  defaultTimeoutMS?: number | undefined;
}

/** The client, with the options that transactions inherit. */
export interface SessionOwner extends Origin, Pick<ResolvedOptions, 'readConcern' | 'writeConcern' | 'readPreference'> {
  /** The timeout of the client's operations in milliseconds. */
  readonly timeoutMS: number | undefined;
}

interface TimeLimit {
  /** The timeout in milliseconds of the whole call with all its attempts. 0 means no limit. */
  readonly timeoutMS?: number | undefined;
}

/** Options of `endSession`. */
export interface EndSessionOptions {
  /** The timeout of the abort of a running transaction in milliseconds. */
  timeoutMS?: number | undefined;
  /** Has no effect. For compatibility. */
  force?: boolean | undefined;
  /** Has no effect. For compatibility. */
  forceClear?: boolean | undefined;
}

/** The events of a session. */
export type ClientSessionEvents = {
  /** `endSession` has ended the session. Emitted once. */
  ended(session: ClientSession): void;
};

/**
 * A session that the application started, with the members of the official driver's `ClientSession`. Do not run
 * operations of one session concurrently. In a transaction, `parallelTransactionOperations` determines whether the driver
 * queues or rejects such operations.
 */
export class ClientSession extends TypedEmitter<ClientSessionEvents> {
  readonly #client: SessionOwner;
  readonly #options: ClientSessionOptions;
  #state: ClientSessionState | undefined;
  /** The driver of the state. The client may have opened another one since. */
  #driver: Driver | undefined;
  #ended = false;
  /** The transaction when the session ended. */
  #last: Transaction | undefined;
  /** The deadline of all operations in withTransaction. */
  #until: Millis | undefined;

  /** Use `client.startSession()` instead. @throws MongoInvalidArgumentError for contradictory options */
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

  /** The client that started the session. */
  // oxlint-disable-next-line typescript/no-explicit-any -- a `MongoClient`; most files of this package import this one, so its type would tie them all into one import cycle
  get client(): any {
    return this.#client;
  }
  /** The options of the client. */
  get clientOptions(): unknown {
    return (this.#client as { readonly options?: unknown }).options;
  }
  /** True, because the application started the session. */
  get explicit(): boolean {
    return true;
  }
  /** Whether the session has ended, by `endSession` or with its client. */
  get hasEnded(): boolean {
    return this.#ended || this.#state?.hasEnded === true;
  }
  /** The session id that commands send: `{ id: UUID }`. @throws MongoExpiredSessionError if the session ended unused */
  get id(): ServerSessionId {
    return this.#identified().id as ServerSessionId;
  }
  /** The session on the server. @throws MongoExpiredSessionError if the session ended unused */
  get serverSession(): ServerSession {
    const { id, txnNumber, lastUse, dirty } = this.#identified();
    return new ServerSession(id as ServerSessionId, txnNumber, lastUse, dirty, this.#client.clock);
  }
  /** Whether the client is connected to a load balancer. */
  get loadBalanced(): boolean {
    return (this.clientOptions as { readonly loadBalanced?: boolean } | undefined)?.loadBalanced === true;
  }
  /** The highest cluster time in replies to the session's operations. Undefined before the first reply. */
  get clusterTime(): ClusterTime | undefined {
    return this.#state?.clusterTime as ClusterTime | undefined;
  }
  /** The `operationTime` in replies to the session's operations. Undefined before the first reply. */
  get operationTime(): Timestamp | undefined {
    return this.#state?.operationTime;
  }
  /** Whether reads reflect earlier operations of the session. */
  get supports(): { readonly causalConsistency: boolean } {
    return { causalConsistency: this.#options.causalConsistency ?? !this.snapshotEnabled };
  }
  /** Whether all reads return the data of one point in time. */
  get snapshotEnabled(): boolean {
    return this.#options.snapshot ?? false;
  }
  /**
   * The point in time that a snapshot session reads; undefined before its first read.
   * @throws MongoInvalidArgumentError without `snapshot`
   */
  get snapshotTime(): Timestamp | undefined {
    if (!this.snapshotEnabled)
      throw new MongoInvalidArgumentError(
        'Only a snapshot session has a snapshotTime. Start one with { snapshot: true }.',
      );
    return this.#state?.snapshotTime ?? this.#options.snapshotTime;
  }
  /** The default options of the session's transactions. */
  get defaultTransactionOptions(): TransactionOptions {
    return { ...this.#options.defaultTransactionOptions };
  }
  /** The timeout in milliseconds of commit, abort, withTransaction and endSession. */
  get timeoutMS(): number | undefined {
    return this.#options.defaultTimeoutMS ?? this.#client.timeoutMS;
  }
  /** The state of the current or last transaction. */
  get transaction(): Transaction {
    return this.#last ?? new Transaction(this.#state?.transaction ?? { is: 'none' }, this.isPinned);
  }
  /** Whether the transaction must use one particular mongos, or one connection of a load balancer. */
  get isPinned(): boolean {
    return this.#state?.pin !== undefined;
  }

  /**
   * Returns whether a transaction has started and is neither committed nor aborted.
   * @example if (session.inTransaction()) await session.commitTransaction();
   */
  inTransaction(): boolean {
    return this.#state?.inTransaction ?? false;
  }

  /**
   * Advances the cluster time to that of another session.
   * @throws MongoInvalidArgumentError for an invalid cluster time
   * @example if (other.clusterTime !== undefined) session.advanceClusterTime(other.clusterTime);
   */
  advanceClusterTime(clusterTime: ClusterTime): void {
    try {
      this.#live().advanceClusterTime(clusterTime);
    } catch (error) {
      throw convertError(error);
    }
  }

  /**
   * Advances the operation time to that of another session.
   * @throws MongoInvalidArgumentError unless it is a Timestamp
   * @example if (other.operationTime !== undefined) session.advanceOperationTime(other.operationTime);
   */
  advanceOperationTime(operationTime: Timestamp): void {
    checkArgument('operationTime', operationTime, argument.timestamp);
    this.#live().advanceOperationTime(operationTime);
  }

  /** Increments the transaction number. Operations increment it automatically. */
  incrementTransactionNumber(): void {
    this.#live().nextTxnNumber();
  }

  /** Returns whether the other value is this session. */
  equals(other: unknown): boolean {
    return other === this;
  }

  /**
   * Starts a transaction, which contains all operations of this session until it is committed or aborted. Sends nothing
   * before the first operation. Do not ignore an error of an operation: the server may have aborted the transaction.
   * @throws MongoTransactionError if a transaction is in progress, or the write concern is unacknowledged
   * @throws MongoExpiredSessionError if the session has ended
   * @throws MongoCompatibilityError in a snapshot session
   * @example session.startTransaction({ writeConcern: { w: 'majority' } });
   */
  startTransaction(options?: TransactionOptions | null): void {
    checkOptions(options);
    const state = this.#live();
    if (this.snapshotEnabled)
      throw new MongoCompatibilityError(
        'Transactions are not supported in snapshot sessions. Start a session without snapshot.',
      );
    try {
      const defaults = this.#options.defaultTransactionOptions ?? {};
      state.startTransaction(settleTransaction(options ?? {}, defaults, this.#client));
    } catch (error) {
      throw transactionError(error);
    }
  }

  /**
   * Commits the transaction. After an error with the label `UnknownTransactionCommitResult`, call this method again.
   * @throws MongoTransactionError if there is no transaction to commit
   * @throws MongoExpiredSessionError if the session has ended
   * @example await session.commitTransaction();
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

  /**
   * Waits for running operations, then commits. Operations that are called during the wait are part of the transaction,
   * too.
   */
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
      const called = { method: operation.name, namespace: 'admin', call };
      const fail = (error: unknown): never => driver.rethrow(error, called, fail);
      return run(driver, operation, call).then(nothing, fail);
    });
  }

  /**
   * Waits for the transaction's running operations, then aborts the transaction. Ignores every error of the command, also
   * a timeout or a lost connection: the server aborts an unfinished transaction by itself.
   * @throws MongoTransactionError if there is no transaction to abort
   * @throws MongoExpiredSessionError if the session has ended
   * @example await session.abortTransaction();
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
   * Runs the callback in a transaction, commits it, and returns the callback's value. The callback may be called
   * several times, so its effects outside of the transaction must be idempotent. The callback must pass the session to
   * all its operations, await them one after another, and not catch their errors. If the callback commits or aborts the
   * transaction itself, this method does not commit.
   *
   * `timeoutMS` limits the whole call in milliseconds; then the operations must not set their own. Default: `timeoutMS` of
   * the session. Without any, retries stop after 120 seconds.
   * @throws MongoOperationTimeoutError after the time limit; its cause is the error of the last attempt
   * @throws MongoTransactionError if a transaction is in progress already
   * @throws MongoExpiredSessionError if the session has ended
   * @example await session.withTransaction(() => films.insertOne(film, { session }));
   */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: a result without a type
  withTransaction<T = any>(
    callback: (session: this) => Promise<T>,
    given?: TransactionOptions & TimeLimit,
  ): Promise<T> {
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
    // Errors of the callback keep their own stack.
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

  /**
   * Returns the session's state for an operation of this client.
   * @throws MongoExpiredSessionError, MongoInvalidArgumentError
   * @internal
   */
  use(client: Origin): Session {
    if (client !== this.#client)
      throw new MongoInvalidArgumentError('The session belongs to another client. Start one with this client.');
    return this.#live();
  }

  /**
   * Returns the deadline of the surrounding withTransaction.
   * @throws MongoInvalidArgumentError if the operation sets timeoutMS
   * @internal
   */
  sharedDeadline(timeoutMS: number | undefined): Millis | undefined {
    if (this.#until !== undefined && timeoutMS !== undefined)
      throw new MongoInvalidArgumentError(
        '"timeoutMS" cannot be set for an operation in withTransaction, because all its operations share one timeout. Remove the option.',
      );
    return this.#until;
  }

  /**
   * Ends the session, and aborts a transaction that is in progress. Further calls do nothing.
   * @throws MongoOperationTimeoutError if the abort took longer than timeoutMS; the session has ended nevertheless
   * @throws MongoInvalidArgumentError for an invalid timeoutMS; the session has not ended
   * @example await session.endSession();
   */
  endSession(options?: EndSessionOptions | null): Promise<void> {
    return asPromise(() => {
      checkOptions(options);
      return this.#endSession(options?.timeoutMS ?? undefined).catch(rethrow);
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
    this.#last ??= this.transaction;
    this.#ended = true;
    this.#state?.end();
    this.#driver?.started.delete(this);
    if (isFirst) emitSafely(this, this.#client, 'ended', this);
    if (failure instanceof MongoOperationTimeoutError) throw failure;
  }

  /** Always throws: a session cannot be part of a document. @throws MongoRuntimeError */
  toBSON(): never {
    throw new MongoRuntimeError('A session cannot be stored in a document. Pass it as the option { session }.');
  }

  /**
   * Ends the session at the end of an `await using` block.
   * @example await using session = client.startSession();
   */
  [Symbol.asyncDispose](): Promise<void> {
    return this.endSession();
  }

  /** Aborts the transaction and returns the error of the command, if there is one. */
  async #abort(timeoutMS: number | undefined): Promise<unknown> {
    const state = this.#live();
    const { driver } = this.#client;
    // Before the state changes, so that a call with an invalid option can be repeated.
    const call = timedCall(driver, { session: state }, timeoutMS ?? this.timeoutMS);
    const operation = decided(() => state.abortTransaction());
    if (operation === undefined) return undefined;
    // The server aborts the transaction eventually. Rule: Transactions, "abortTransaction".
    return run(driver, operation, call).catch((error: unknown) =>
      driver.convertError(error, call.deadline, call.timeoutMS),
    );
  }

  /** Returns the state, also of a session that ended after it was used. */
  #identified(): ClientSessionState {
    return this.#state?.hasId === true ? this.#state : this.#live();
  }

  #live(): ClientSessionState {
    if (this.hasEnded)
      throw new MongoExpiredSessionError('The session has ended. Start another one with startSession().');
    return (this.#state ??= this.#start(this.#client.driver));
  }

  #start(driver: Driver): ClientSessionState {
    const state = driver.sessions.start(this.#options);
    driver.started.add(this);
    this.#driver = driver;
    return state;
  }
}

const nothing = (): void => undefined;

/** Runs a transition of the transaction's state. @throws MongoTransactionError if it is invalid */
const decided = <T>(decide: () => T): T => {
  try {
    return decide();
  } catch (error) {
    throw transactionError(error);
  }
};
