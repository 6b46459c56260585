import type {
  Attempt,
  Document,
  Millis,
  MongoError,
  Operation,
  Pin,
  Reply,
  Session,
  Timestamp,
} from '@tessera/contracts';
import { isRetryableOverload, MongoError as TesseraError } from '@tessera/contracts';
import { givenBy, newestIn, newer, timeOf, timestampIn } from './cluster-time.js';
import type { ClusterTime } from './cluster-time.js';
import { EndTransaction, ofRepeatedCommit } from './end-transaction.js';
import { inParallel } from './usage-errors.js';
import type { UnderWay } from './usage-errors.js';
import { SessionState, followsCursor, hasEnded } from './session.js';
import type { ClientState } from './session.js';
import * as transactions from './transaction.js';
import type { TransactionOptions, TransactionState } from './transaction.js';
import { labelOf, transient, unknownResult } from './transaction-labels.js';
import { waitForTransaction } from './transaction-wait.js';

/** Options of a session. Rule: Driver Sessions, "SessionOptions"; Snapshot Reads. */
export interface SessionOptions {
  /** Reads reflect the earlier reads and writes of the session. Default true, but false with `snapshot`. */
  readonly causalConsistency?: boolean | undefined;
  /** All reads see the data of one point in time: that of the first read, or `snapshotTime`. Default false. */
  readonly snapshot?: boolean | undefined;
  /** The point in time to read, only with `snapshot`. */
  readonly snapshotTime?: Timestamp | undefined;
}

/**
 * Checks the options of a session. Rule: Snapshot Reads, "SessionOptions changes".
 * @throws MongoError `usage` for options that contradict each other
 */
export const checkSessionOptions = ({ causalConsistency, snapshot = false, snapshotTime }: SessionOptions): void => {
  if (snapshot && causalConsistency === true)
    throw new TesseraError(
      'usage',
      'The options "snapshot" and "causalConsistency" are mutually exclusive. Leave one of them out.',
    );
  if (!snapshot && snapshotTime !== undefined)
    throw new TesseraError('usage', '"snapshotTime" requires a snapshot session: { snapshot: true, snapshotTime }.');
};

/** An explicit session, which the application starts and ends. Rule: Driver Sessions, "ClientSession"; Causal Consistency; Snapshot Reads; Transactions. */
export interface ClientSessionState extends Session {
  /** Whether the application started the session. */
  readonly isExplicit: boolean;
  /** Whether reads see the earlier writes and reads of the session. */
  readonly causalConsistency: boolean;
  /** Whether all reads use the same point in time. */
  readonly snapshot: boolean;
  /** The point in time of all reads. Undefined before the first read, and without `snapshot`. */
  readonly snapshotTime: Timestamp | undefined;
  /** Whether the session has ended. */
  readonly hasEnded: boolean;
  /** Whether a connection failed during a command of the session, which may still run on the server. Rule: "Dirty sessions". */
  readonly dirty: boolean;
  /** Whether the first use has assigned the id. */
  readonly hasId: boolean;
  /** `{ id: UUID }`. Taken from the pool of server sessions at the first use. */
  readonly id: Document;
  /** When the session was last used, on {@link Clock.now}. */
  readonly lastUse: Millis;
  /** The last transaction number; 0 before the first. */
  readonly txnNumber: number;
  /** `{ clusterTime, signature }` as received from a server; undefined before the first reply. */
  readonly clusterTime: Document | undefined;
  /** The time of the latest operation; undefined before the first reply. Rule: Causal Consistency, "operationTime". */
  readonly operationTime: Timestamp | undefined;
  /** The state of the current or last transaction. */
  readonly transaction: TransactionState;
  /**
   * Advances the cluster time of this session only; other sessions use only times from servers.
   * @throws MongoError `usage` if it does not have the required form
   */
  advanceClusterTime(clusterTime: Document): void;
  /** Advances the operation time. Ignores an older time. */
  advanceOperationTime(operationTime: Timestamp): void;
  /** Increments and returns the transaction number. */
  nextTxnNumber(): number;
  /**
   * Starts a transaction. Nothing is sent before its first operation.
   * @throws MongoError `usage` if a transaction is in progress or the session does not support one
   */
  startTransaction(options: TransactionOptions): void;
  /**
   * Commits the transaction. Returns the operation to dispatch in this session; undefined if no command of the transaction was sent.
   * @throws MongoError `usage` if there is no transaction to commit
   */
  commitTransaction(): Operation<void> | undefined;
  /** Aborts the transaction, like `commitTransaction`. Wait for `idle` before, and ignore errors of the returned operation. */
  abortTransaction(): Operation<void> | undefined;
  /** Settles when the running and queued operations of the transaction have ended; undefined if there are none. */
  idle(): Promise<void> | undefined;
  /**
   * Resolves like `idle`; call it before a commit. Undefined if parallel operations are rejected instead of queued.
   * @throws MongoError `timeout` at the deadline; the transaction continues
   */
  turn(deadline: Millis): Promise<void> | undefined;
}

/** An explicit session, with times, snapshots and transactions. */
export class ExplicitSession extends SessionState implements ClientSessionState {
  readonly causalConsistency: boolean;
  readonly snapshot: boolean;
  transaction: TransactionState = transactions.noTransaction;
  /** Settles when all queued operations have ended; undefined if none is queued. */
  #queue: Promise<void> | undefined = undefined;
  /** The running operation of the transaction. There is at most one. */
  underWay: UnderWay | undefined = undefined;
  /** Settles when the transaction's own connection is free: after a killCursors, or after the late reply of an aborted command. */
  occupied: Promise<void> | undefined = undefined;
  /** Whether the first command of the transaction may have reached a server. */
  #wasReached = false;
  #pinnedTo: Pin | undefined = undefined;
  #ownClusterTime: ClusterTime | undefined = undefined;
  /** The 64 bits of a timestamp, like `#ownSnapshotTime`. */
  #ownOperationTime: bigint | undefined = undefined;
  #ownSnapshotTime: bigint | undefined;

  /** @throws MongoError `usage` for options that contradict each other */
  constructor(client: ClientState, options: SessionOptions) {
    super(client);
    checkSessionOptions(options);
    const { snapshot = false, causalConsistency = !snapshot, snapshotTime } = options;
    this.causalConsistency = causalConsistency;
    this.snapshot = snapshot;
    this.#ownSnapshotTime = snapshotTime === undefined ? undefined : timeOf(snapshotTime);
  }

  override get isExplicit(): boolean {
    return true;
  }
  override get pin(): Pin | undefined {
    return this.#pinnedTo;
  }
  override get inTransaction(): boolean {
    return transactions.isActive(this.transaction);
  }
  get dirty(): boolean {
    return this.serverSession?.isDirty ?? false;
  }
  get hasId(): boolean {
    return this.serverSession !== undefined;
  }
  get id(): Document {
    return this.taken().id;
  }
  get lastUse(): Millis {
    return this.taken().lastUse;
  }
  get txnNumber(): number {
    return this.serverSession?.txnNumber ?? 0;
  }
  get clusterTime(): Document | undefined {
    return this.#ownClusterTime?.document();
  }
  get operationTime(): Timestamp | undefined {
    return this.#timestamp(this.#ownOperationTime);
  }
  get snapshotTime(): Timestamp | undefined {
    return this.#timestamp(this.#ownSnapshotTime);
  }

  advanceClusterTime(clusterTime: Document): void {
    this.#ownClusterTime = newer(this.#ownClusterTime, givenBy(clusterTime, this.client.bson));
  }

  advanceOperationTime(operationTime: Timestamp): void {
    this.#advanceTo(timeOf(operationTime));
  }

  override received(reply: Reply): void {
    const { client } = this;
    const known = client.clusterTime;
    super.received(reply);
    const newest = client.clusterTime;
    this.#ownClusterTime =
      newest === known ? newestIn(reply, this.#ownClusterTime, client.bson) : newer(this.#ownClusterTime, newest);
    const operationTime = timestampIn(reply, 'operationTime');
    if (operationTime !== undefined) this.#advanceTo(operationTime);
  }

  /**
   * Returns the read concern to send:
   *
   * - In a snapshot session: that of the session, on every command except getMore and killCursors. Fields of a user's own read
   *   concern are kept, except `atClusterTime`.
   * - In a transaction: on its first command that of the transaction, else a user's own, with `afterClusterTime` under causal
   *   consistency. Later commands have none, except a user's own command, which keeps its own.
   * - Otherwise: that of the operation, with `afterClusterTime` under causal consistency. A user's own command keeps its own.
   *
   * Rules: Snapshot Reads, "Sending readConcern to the server on all commands"; Transactions, "readConcern".
   */
  override readConcern(operation: Operation<unknown>, attempt: Attempt): Operation<unknown>['readConcern'] {
    const { kind, readConcern } = operation;
    const own = kind === 'either' && readConcern !== 'none' ? readConcern : undefined;
    if (this.snapshot) return followsCursor(operation) ? undefined : this.#ofSnapshot(own);
    const { transaction } = this;
    switch (transaction.is) {
      case 'none':
        return kind === 'either' || readConcern === 'none' ? readConcern : this.#causal(readConcern, attempt);
      case 'starting': {
        if (operation.role === 'killsCursor') return undefined;
        const first = this.#causal(transaction.options.readConcern ?? own, attempt);
        return first === undefined || Object.keys(first).length === 0 ? undefined : first;
      }
      case 'in progress':
        return own;
      case 'committed':
      case 'aborted':
        return undefined;
    }
  }

  /**
   * Returns the write concern to send. In a transaction, only commitTransaction and abortTransaction have one. A repeated commit waits
   * for a majority, because an earlier attempt may have succeeded.
   * Rule: Transactions, "writeConcern", "writeConcern for commitTransaction attempts".
   */
  override writeConcern({ kind, role, writeConcern }: Operation<unknown>): Document | undefined {
    const { transaction } = this;
    if (transaction.is === 'none' || kind === 'either') return writeConcern;
    if (role === 'abortsTransaction') return writeConcern;
    if (role !== 'commitsTransaction') return undefined;
    return transaction.is === 'committed' && transaction.needsMajority ? ofRepeatedCommit(writeConcern) : writeConcern;
  }

  #ofSnapshot(own: Document | undefined): Document {
    const { snapshotTime } = this;
    const time = snapshotTime === undefined ? {} : { atClusterTime: snapshotTime };
    return { level: 'snapshot', ...own, ...time };
  }

  /** Adds afterClusterTime to a read concern. Rule: Causal Consistency, "Causally consistent read and write commands". */
  #causal(own: Document | undefined, attempt: Attempt): Document | undefined {
    if (!this.causalConsistency || attempt.server.type === 'Standalone') return own;
    const afterClusterTime = this.operationTime;
    return afterClusterTime === undefined ? own : { ...own, afterClusterTime };
  }

  override failed(error: MongoError, operation: Operation<unknown>): void {
    super.failed(error, operation);
    if (this.transaction.is !== 'none') this.#failedInTransaction(error, operation);
  }

  override end(): void {
    if (this.hasEnded) return;
    this.leaveTransaction();
    super.end();
  }

  startTransaction(options: TransactionOptions): void {
    if (this.snapshot)
      throw new TesseraError(
        'usage',
        'Transactions are not supported in snapshot sessions. Start a session without snapshot.',
      );
    if (this.underWay !== undefined) throw this.inParallel('startTransaction', this.underWay);
    const state = transactions.starting(this.transaction, options);
    this.leaveTransaction();
    this.transaction = state;
    this.nextTxnNumber();
  }

  commitTransaction(): Operation<void> | undefined {
    if (this.hasEnded) throw hasEnded(this, { name: 'commitTransaction' });
    if (this.underWay !== undefined) throw this.inParallel('commitTransaction', this.underWay);
    const state = transactions.committing(this.transaction);
    this.transaction = state;
    const { reached } = state;
    return reached === undefined ? undefined : new EndTransaction('commitTransaction', reached, this.client.admin);
  }

  abortTransaction(): Operation<void> | undefined {
    const state = transactions.aborting(this.transaction);
    this.transaction = state;
    if (state.reached !== undefined) return new EndTransaction('abortTransaction', state.reached, this.client.admin);
    this.#unpin();
    return undefined;
  }

  idle(): Promise<void> | undefined {
    return this.#waitFor('abortTransaction', Infinity);
  }

  turn(deadline: Millis): Promise<void> | undefined {
    return this.client.queues ? this.#waitFor('commitTransaction', deadline) : undefined;
  }

  /** Commits and aborts wait in the same queue as operations, so that the order of the calls is kept. */
  #waitFor(name: string, deadline: Millis): Promise<void> | undefined {
    const { before } = this;
    if (before === undefined) return undefined;
    return waitForTransaction({ operation: { name }, deadline, signal: undefined }, before, this.client.clock);
  }

  /** Settles when the running and queued operations of the transaction have ended. */
  get before(): Promise<void> | undefined {
    return this.#queue ?? this.underWay?.ended;
  }

  /** Whether no operation of the transaction runs or waits, and its connection is free. */
  get isFree(): boolean {
    return this.underWay === undefined && this.occupied === undefined && this.#queue === undefined;
  }

  /**
   * Adds an operation to the queue.
   * @param until settles when this operation and all earlier ones have ended
   */
  enqueue(until: Promise<void>): void {
    const queue = until.then(() => {
      if (this.#queue === queue) this.#queue = undefined;
    });
    this.#queue = queue;
  }

  /** Makes later operations wait for the transaction's connection until the promise has settled. */
  occupy(until: Promise<unknown>): void {
    const occupied = until.then(() => {
      if (this.occupied === occupied) this.occupied = undefined;
    });
    this.occupied = occupied;
  }

  /** Returns the error of an operation that is called while another one of the transaction is running. */
  inParallel(name: string, underWay: UnderWay): MongoError {
    this.client.recordsCallSites = true;
    return inParallel(name, underWay);
  }

  /** Ends the transaction's state: later operations are outside of it. Called at the next operation or transaction. */
  leaveTransaction(): void {
    this.#unpin();
    this.#wasReached = false;
    this.transaction = transactions.noTransaction;
  }

  /**
   * Called after each operation of the transaction. If the first one was sent, the transaction is in progress, even if the operation
   * failed. If it was not sent, the transaction is unpinned and keeps starting.
   */
  ended({ role }: Operation<unknown>): void {
    if (this.#wasReached) this.transaction = transactions.begun(this.transaction);
    if (role === 'abortsTransaction' || this.transaction.is === 'starting') this.#unpin();
  }

  /** Pins the transaction to the server or connection of its first command. Rule: Transactions, "Mongos Pinning"; Load Balancers. */
  pinTo(attempt: Attempt): void {
    if (this.#pinnedTo !== undefined) return;
    if (attempt.topology === 'Sharded') this.#pinnedTo = { address: attempt.server.address };
    else if (attempt.topology === 'LoadBalanced') this.#pinnedTo = { lease: attempt.hold('transaction') };
  }

  receivedInTransaction(reply: Reply, operation: Operation<unknown>): void {
    this.#wasReached = true;
    if (!reply.ok) return;
    // The first reply may already contain a recovery token.
    this.transaction = transactions.begun(this.transaction);
    const token = reply.view('recoveryToken') === undefined ? undefined : reply.bytes('recoveryToken');
    if (token !== undefined) {
      const recoveryToken = this.client.bson.element('recoveryToken', token.slice());
      this.transaction = transactions.recoverableBy(this.transaction, recoveryToken);
    }
    if (operation.role === 'commitsTransaction') this.transaction = transactions.tried(this.transaction);
  }

  /** Reads the snapshot's time from the reply to its first read. Rule: Snapshot Reads, "Server Command Responses". */
  receivedInSnapshot(reply: Reply): void {
    if (this.#ownSnapshotTime !== undefined || !reply.ok) return;
    const time = timestampIn(reply.view('cursor'), 'atClusterTime') ?? timestampIn(reply, 'atClusterTime');
    if (time !== undefined) this.#ownSnapshotTime = time;
  }

  /** Rule: Transactions, "Error Labels" and "When to unpin". */
  #failedInTransaction(error: MongoError, { role }: Operation<unknown>): void {
    if (role === 'killsCursor') return;
    if (error.origin?.sent === true && error.kind !== 'usage') this.#wasReached = true;
    const label = labelOf(error, role);
    if (label !== undefined) error.addLabel(label);
    const isCommit = role === 'commitsTransaction';
    if (isCommit && !isRetryableOverload(error)) this.transaction = transactions.tried(this.transaction);
    if (
      role === 'abortsTransaction' ||
      error.labels.includes(transient) ||
      (isCommit && error.labels.includes(unknownResult))
    )
      this.#unpin(error);
    else if (error.kind === 'aborted' && error.origin?.sent === true) this.#discardReply(error);
  }

  /** Discards the outstanding reply of an aborted command. The next operation waits for it. */
  #discardReply(because: MongoError): void {
    const pin = this.#pinnedTo;
    const free = pin !== undefined && 'lease' in pin ? pin.lease.connection.detach(because) : true;
    if (free instanceof Promise) this.occupy(free);
  }

  /**
   * Unpins the session, and releases the connection if it was pinned to one.
   * @param because the error with which the pinned connection failed
   */
  #unpin(because?: MongoError): void {
    const pin = this.#pinnedTo;
    const before = this.occupied ?? this.underWay?.ended;
    this.#pinnedTo = undefined;
    // Later operations do not use this connection any more.
    this.occupied = undefined;
    if (pin === undefined || !('lease' in pin)) return;
    const { lease } = pin;
    const release = (): void => {
      lease.release();
    };
    // A reply may still be outstanding, or another command running.
    const free = because === undefined ? before : lease.connection.detach(because);
    if (free instanceof Promise) void free.then(release);
    else release();
  }

  #timestamp(bits: bigint | undefined): Timestamp | undefined {
    return bits === undefined ? undefined : new this.client.bson.values.Timestamp(bits);
  }

  protected override newestClusterTime(): ClusterTime | undefined {
    return newer(this.client.clusterTime, this.#ownClusterTime);
  }

  #advanceTo(time: bigint): void {
    if (this.#ownOperationTime === undefined || time > this.#ownOperationTime) this.#ownOperationTime = time;
  }
}
