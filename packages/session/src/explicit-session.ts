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

export interface SessionOptions {
  /** Reads see what was read and written before in the same session. Default true, but not beside `snapshot`. */
  readonly causalConsistency?: boolean | undefined;
  /** All reads see the data of one moment: that of the first of them, or `snapshotTime`. Default false. */
  readonly snapshot?: boolean | undefined;
  /** Only with `snapshot`. */
  readonly snapshotTime?: Timestamp | undefined;
}

/** @throws MongoError `usage` for options that contradict each other. Rule: Snapshot Reads, "SessionOptions changes". */
export const checkSessionOptions = ({ causalConsistency, snapshot = false, snapshotTime }: SessionOptions): void => {
  if (snapshot && causalConsistency === true)
    throw new TesseraError(
      'usage',
      'A session has either snapshot or causalConsistency: the two are mutually exclusive; leave one of them out.',
    );
  if (!snapshot && snapshotTime !== undefined)
    throw new TesseraError('usage', 'A snapshotTime needs a snapshot session: { snapshot: true, snapshotTime }.');
};

/** What an application holds. Rules: Driver Sessions, "ClientSession"; Causal Consistency; Snapshot Reads; Transactions. */
export interface ClientSessionState extends Session {
  readonly isExplicit: boolean;
  readonly causalConsistency: boolean;
  readonly snapshot: boolean;
  /** The moment that is read, undefined before the first read, and without `snapshot`. */
  readonly snapshotTime: Timestamp | undefined;
  readonly hasEnded: boolean;
  /** A connection was lost while it was in use; what it did may still be under way on the server. */
  readonly dirty: boolean;
  /** `{ id: UUID }`; taken from the pool at the first use. */
  readonly id: Document;
  /** The last transaction number used, 0 for none. */
  readonly txnNumber: number;
  /** `{ clusterTime, signature }` as the server told it, undefined before. */
  readonly clusterTime: Document | undefined;
  readonly operationTime: Timestamp | undefined;
  readonly transaction: TransactionState;
  /** Only for this session: a time that no server told is never given to others. @throws MongoError `usage` */
  advanceClusterTime(clusterTime: Document): void;
  advanceOperationTime(operationTime: Timestamp): void;
  /** The next transaction number, and there is no way back. */
  nextTxnNumber(): number;
  /** Nothing is sent before the first operation. @throws MongoError `usage` */
  startTransaction(options: TransactionOptions): void;
  /** The transaction is over for this side. Answers what is to be run in this session, if the server has to hear of it. @throws MongoError `usage` */
  commitTransaction(): Operation<void> | undefined;
  /** As `commitTransaction`; wait for `idle` before. What goes wrong with what is to be run is nobody's concern. */
  abortTransaction(): Operation<void> | undefined;
  /** Settles when the operations of a transaction that were called so far have ended; undefined when there are none. */
  idle(): Promise<void> | undefined;
  /**
   * Resolves as `idle` does, before a commit is sent; undefined if parallel operations are rejected instead of queued.
   * Rejects with a MongoError `timeout` at the deadline; the transaction goes on.
   */
  turn(deadline: Millis): Promise<void> | undefined;
}

/** A session of the application's own: with times, snapshots and transactions. */
export class ExplicitSession extends SessionState implements ClientSessionState {
  readonly causalConsistency: boolean;
  readonly snapshot: boolean;
  transaction: TransactionState = transactions.noTransaction;
  /** Settles when every operation that waited for one before it has ended; undefined when none waits. */
  #queue: Promise<void> | undefined = undefined;
  /** The operation of a transaction that is under way: there is only one. */
  underWay: UnderWay | undefined = undefined;
  /** What comes first on the connection that a transaction keeps: the end of a cursor, or an answer that nobody waits for. */
  occupied: Promise<void> | undefined = undefined;
  /** The first command of a transaction may have reached a server. */
  #wasReached = false;
  #pinnedTo: Pin | undefined = undefined;
  #ownClusterTime: ClusterTime | undefined = undefined;
  /** The 64 bits of a timestamp, as the other. */
  #ownOperationTime: bigint | undefined = undefined;
  #ownSnapshotTime: bigint | undefined;

  /** @throws MongoError `usage` for options that contradict each other. */
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
  get id(): Document {
    return this.taken().id;
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
   * Returns the write concern to send. In a transaction only commitTransaction and abortTransaction have one. A commit that is
   * repeated, because an earlier attempt may have succeeded, waits for a majority.
   * Rules: Transactions, "writeConcern", "writeConcern for commitTransaction attempts".
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

  /** Rule: Causal Consistency, "Causally consistent read and write commands". */
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
        'Transactions are not supported in snapshot sessions; start a session without snapshot.',
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

  /** Commits and aborts wait alike, so that they go on in the order of the calls. */
  #waitFor(name: string, deadline: Millis): Promise<void> | undefined {
    const { before } = this;
    if (before === undefined) return undefined;
    return waitForTransaction({ operation: { name }, deadline, signal: undefined }, before, this.client.clock);
  }

  /** Settles when the operations of the transaction that were called so far have ended. */
  get before(): Promise<void> | undefined {
    return this.#queue ?? this.underWay?.ended;
  }

  /** No operation of the transaction is under way or waits, and its connection can take a command. */
  get isFree(): boolean {
    return this.underWay === undefined && this.occupied === undefined && this.#queue === undefined;
  }

  /** @param until settles when the last operation in line and all before it have ended */
  enqueue(until: Promise<void>): void {
    const queue = until.then(() => {
      if (this.#queue === queue) this.#queue = undefined;
    });
    this.#queue = queue;
  }

  /** Until then whoever comes waits for the connection that a transaction keeps. */
  occupy(until: Promise<unknown>): void {
    const occupied = until.then(() => {
      if (this.occupied === occupied) this.occupied = undefined;
    });
    this.occupied = occupied;
  }

  /** The error of whoever comes while another operation of the transaction is under way. */
  inParallel(name: string, underWay: UnderWay): MongoError {
    this.client.recordsCallSites = true;
    return inParallel(name, underWay);
  }

  /** All that follows is outside of it: another operation was begun, or another transaction. */
  leaveTransaction(): void {
    this.#unpin();
    this.#wasReached = false;
    this.transaction = transactions.noTransaction;
  }

  /**
   * An operation of the transaction is done. The first brings it into progress if it left this side: even if it failed. If
   * it did not, the transaction needs no connection yet.
   */
  ended({ role }: Operation<unknown>): void {
    if (this.#wasReached) this.transaction = transactions.begun(this.transaction);
    if (role === 'abortsTransaction' || this.transaction.is === 'starting') this.#unpin();
  }

  /** A command of the transaction is about to be sent. Rules: Transactions, "Mongos Pinning"; Load Balancers. */
  pinTo(attempt: Attempt): void {
    if (this.#pinnedTo !== undefined) return;
    if (attempt.topology === 'Sharded') this.#pinnedTo = { address: attempt.server.address };
    else if (attempt.topology === 'LoadBalanced') this.#pinnedTo = { lease: attempt.hold('transaction') };
  }

  receivedInTransaction(reply: Reply, operation: Operation<unknown>): void {
    this.#wasReached = true;
    if (!reply.ok) return;
    // Already the first answer may tell a token.
    this.transaction = transactions.begun(this.transaction);
    const token = reply.view('recoveryToken') === undefined ? undefined : reply.bytes('recoveryToken');
    if (token !== undefined) {
      const recoveryToken = this.client.bson.element('recoveryToken', token.slice());
      this.transaction = transactions.recoverableBy(this.transaction, recoveryToken);
    }
    if (operation.role === 'commitsTransaction') this.transaction = transactions.tried(this.transaction);
  }

  /** The first read of a snapshot tells its time. Rule: Snapshot Reads, "Server Command Responses". */
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
    else if (error.kind === 'aborted' && error.origin?.sent === true) this.#skipAnswer(error);
  }

  /** The transaction goes on behind it. */
  #skipAnswer(because: MongoError): void {
    const pin = this.#pinnedTo;
    const free = pin !== undefined && 'lease' in pin ? pin.lease.connection.detach(because) : true;
    if (free instanceof Promise) this.occupy(free);
  }

  /** @param because what the connection that is given back failed with */
  #unpin(because?: MongoError): void {
    const pin = this.#pinnedTo;
    const before = this.occupied ?? this.underWay?.ended;
    this.#pinnedTo = undefined;
    // Nobody waits for a connection that is the transaction's no more.
    this.occupied = undefined;
    if (pin === undefined || !('lease' in pin)) return;
    const { lease } = pin;
    const release = (): void => {
      lease.release();
    };
    // It may still owe an answer, or be waiting for one.
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
