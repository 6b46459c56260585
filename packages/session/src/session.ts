import type {
  Attempt,
  BodyWriter,
  BsonCodec,
  Clock,
  Document,
  MongoError,
  Operation,
  Pin,
  Reply,
  Session,
  Timestamp,
} from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { givenBy, heardIn, newer, timeOf, unsigned } from './cluster-time.js';
import type { ClusterTime } from './cluster-time.js';
import { EndTransaction } from './end-transaction.js';
import { inParallel } from './misuse.js';
import type { UnderWay } from './misuse.js';
import type { ServerSession, ServerSessions } from './server-session.js';
import * as transactions from './transaction.js';
import type { TransactionOptions, TransactionState } from './transaction.js';
import { isRetryableOverload, labelOf, transient, unknownResult } from './transaction-labels.js';

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
  /** When the operation of a transaction that is under way has ended; undefined when there is none. */
  idle(): Promise<void> | undefined;
}

/** What all sessions of a client have in common. */
export interface Household {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly serverSessions: ServerSessions;
  /** The newest that any server told. */
  clusterTime: ClusterTime | undefined;
  /** Explicit ones, and those of cursors, that have not ended. */
  readonly active: Set<ClientSessionState>;
}

/** Explicit and implicit sessions alike. Not for concurrent use: the server takes one command of a session at a time. */
export class SessionState implements ClientSessionState {
  readonly isExplicit: boolean;
  readonly causalConsistency: boolean;
  readonly household: Household;
  readonly snapshot: boolean;
  hasEnded = false;
  transaction: TransactionState = transactions.noTransaction;
  /** The operation of a transaction that is under way: there must be only one. */
  underWay: UnderWay | undefined = undefined;
  /** The end of a cursor's life, on the connection that a transaction keeps. */
  killing: Promise<void> | undefined = undefined;
  /** The first command of a transaction may have reached a server. */
  private wasReached = false;
  private pinnedTo: Pin | undefined = undefined;
  /** The 64 bits of a timestamp. */
  private ownSnapshotTime: bigint | undefined = undefined;
  private serverSession: ServerSession | undefined = undefined;
  private ownClusterTime: ClusterTime | undefined = undefined;
  /** The 64 bits of a timestamp. */
  private ownOperationTime: bigint | undefined = undefined;

  constructor(household: Household, isExplicit: boolean, causalConsistency: boolean, snapshot = false) {
    this.household = household;
    this.isExplicit = isExplicit;
    this.causalConsistency = causalConsistency;
    this.snapshot = snapshot;
  }

  get pin(): Pin | undefined {
    return this.pinnedTo;
  }
  get inTransaction(): boolean {
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
    return this.ownClusterTime?.document();
  }
  get operationTime(): Timestamp | undefined {
    return this.timestamp(this.ownOperationTime);
  }
  get snapshotTime(): Timestamp | undefined {
    return this.timestamp(this.ownSnapshotTime);
  }

  advanceClusterTime(clusterTime: Document): void {
    this.ownClusterTime = newer(this.ownClusterTime, givenBy(clusterTime, this.household.bson));
  }

  advanceOperationTime(operationTime: Timestamp): void {
    this.advanceTo(timeOf(operationTime));
  }

  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void {
    this.identify(writer, attempt, operation);
    this.gossip(writer, attempt);
  }

  /** Writes the lsid, unless the server knows none. @throws MongoError `usage` for an explicit session. */
  identify(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): boolean {
    // Nobody would hear when the session may be used again.
    if (operation.answer === 'none') return false;
    if (this.hasEnded) throw hasEnded(this, operation);
    if (!supportsSessions(attempt)) {
      if (this.isExplicit) throw unsupported(operation, attempt);
      return false;
    }
    const { clock, serverSessions } = this.household;
    serverSessions.learnTimeout(
      attempt.topology === 'LoadBalanced' ? undefined : attempt.connection.hello.logicalSessionTimeoutMinutes,
    );
    const session = this.taken();
    session.lastUse = clock.now();
    writer.elements(session.lsid);
    return true;
  }

  /** Rule: Driver Sessions, "Sending the highest seen cluster time". */
  gossip(writer: BodyWriter, attempt: Attempt): void {
    if (attempt.server.type === 'Standalone') return;
    const clusterTime = newer(this.household.clusterTime, this.ownClusterTime);
    if (clusterTime !== undefined) writer.elements(clusterTime.elements);
  }

  heard(reply: Reply): void {
    const { household } = this;
    const known = household.clusterTime;
    const newest = heardIn(reply, known, household.bson);
    household.clusterTime = newest;
    // The times of an implicit session would serve nobody.
    if (!this.isExplicit) return;
    this.ownClusterTime =
      newest === known ? heardIn(reply, this.ownClusterTime, household.bson) : newer(this.ownClusterTime, newest);
    const operationTime = reply.long('operationTime');
    if (operationTime !== undefined) this.advanceTo(unsigned(operationTime));
  }

  /** In a transaction and in a snapshot, one is written to the command by whoever knows which. */
  readConcern(own: Document | undefined, attempt: Attempt): Document | undefined {
    return this.snapshot || this.transaction.is !== 'none' ? undefined : this.causal(own, attempt);
  }

  /** Only the command that ends a transaction bears one. */
  writeConcern(own: Document | undefined): Document | undefined {
    return this.transaction.is === 'none' ? own : undefined;
  }

  /** Rule: Causal Consistency, "Causally consistent read and write commands". */
  causal(own: Document | undefined, attempt: Attempt): Document | undefined {
    if (!this.causalConsistency || attempt.server.type === 'Standalone') return own;
    const afterClusterTime = this.operationTime;
    return afterClusterTime === undefined ? own : { ...own, afterClusterTime };
  }

  failed(error: MongoError, operation: Operation<unknown>): void {
    // A command that was given up goes on at the server as much as one whose connection broke.
    const isUnfinished = error.kind !== 'server' && error.origin?.sent !== false;
    if (isUnfinished && this.serverSession !== undefined) this.serverSession.isDirty = true;
    if (this.transaction.is !== 'none') this.failedInTransaction(error, operation);
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.household.active.delete(this);
    this.leaveTransaction();
    if (this.serverSession !== undefined) this.household.serverSessions.give(this.serverSession);
  }

  nextTxnNumber(): number {
    return ++this.taken().txnNumber;
  }

  startTransaction(options: TransactionOptions): void {
    if (this.snapshot)
      throw new TesseraError(
        'usage',
        'Transactions are not supported in snapshot sessions; start a session without snapshot.',
      );
    if (this.underWay !== undefined) throw inParallel('startTransaction', this.underWay);
    const state = transactions.starting(this.transaction, options);
    this.leaveTransaction();
    this.transaction = state;
    this.nextTxnNumber();
  }

  commitTransaction(): Operation<void> | undefined {
    if (this.underWay !== undefined) throw inParallel('commitTransaction', this.underWay);
    const state = transactions.committing(this.transaction);
    this.transaction = state;
    const { reached, needsMajority } = state;
    return reached === undefined ? undefined : new EndTransaction('commitTransaction', reached, needsMajority);
  }

  abortTransaction(): Operation<void> | undefined {
    const state = transactions.aborting(this.transaction);
    this.transaction = state;
    if (state.reached !== undefined) return new EndTransaction('abortTransaction', state.reached, false);
    this.unpin();
    return undefined;
  }

  idle(): Promise<void> | undefined {
    return this.underWay?.ended;
  }

  /** All that follows is outside of it: another operation was begun, or another transaction. */
  leaveTransaction(): void {
    this.unpin();
    this.wasReached = false;
    this.transaction = transactions.noTransaction;
  }

  /** The first command of a transaction is done, if it left this side: even if it failed. */
  firstCommandEnded(): void {
    if (this.wasReached) this.transaction = transactions.begun(this.transaction);
  }

  /** A command of the transaction is about to be sent. Rules: Transactions, "Mongos Pinning"; Load Balancers. */
  pinTo(attempt: Attempt): void {
    if (this.pinnedTo !== undefined) return;
    if (attempt.topology === 'Sharded') this.pinnedTo = { address: attempt.server.address };
    else if (attempt.topology === 'LoadBalanced') this.pinnedTo = { lease: attempt.hold('transaction') };
  }

  heardInTransaction(reply: Reply, operation: Operation<unknown>): void {
    this.wasReached = true;
    if (!reply.ok) return;
    const token = reply.bytes('recoveryToken');
    if (token !== undefined) {
      const recoveryToken = this.household.bson.element('recoveryToken', token.slice());
      this.transaction = transactions.recoverableBy(this.transaction, recoveryToken);
    }
    if (operation.name === 'commitTransaction') this.transaction = transactions.tried(this.transaction);
  }

  /** The first read of a snapshot tells its time. Rule: Snapshot Reads, "Server Command Responses". */
  heardInSnapshot(reply: Reply): void {
    if (this.ownSnapshotTime !== undefined || !reply.ok) return;
    const time = reply.view('cursor')?.long('atClusterTime') ?? reply.long('atClusterTime');
    if (time !== undefined) this.ownSnapshotTime = unsigned(time);
  }

  readAt(snapshotTime: Timestamp): void {
    this.ownSnapshotTime = timeOf(snapshotTime);
  }

  /** Rule: Transactions, "Error Labels" and "When to unpin". */
  private failedInTransaction(error: MongoError, operation: Operation<unknown>): void {
    if (operation.name === 'killCursors') return;
    if (error.origin?.sent === true && error.kind !== 'usage') this.wasReached = true;
    const label = labelOf(error, operation.name);
    if (label !== undefined) error.addLabel(label);
    const isCommit = operation.name === 'commitTransaction';
    if (isCommit && !isRetryableOverload(error)) this.transaction = transactions.tried(this.transaction);
    if (
      operation.name === 'abortTransaction' ||
      error.labels.includes(transient) ||
      (isCommit && error.labels.includes(unknownResult))
    )
      this.unpin(error);
  }

  /** @param because what the connection that is given back failed with */
  private unpin(because?: MongoError): void {
    const pin = this.pinnedTo;
    this.pinnedTo = undefined;
    if (pin === undefined || !('lease' in pin)) return;
    const { lease } = pin;
    const release = (): void => {
      lease.release();
    };
    // It may still owe an answer.
    const free = because === undefined ? true : lease.connection.detach(because);
    if (free instanceof Promise) void free.then(release);
    else release();
  }

  private timestamp(bits: bigint | undefined): Timestamp | undefined {
    return bits === undefined ? undefined : new this.household.bson.values.Timestamp(bits);
  }

  private taken(): ServerSession {
    return (this.serverSession ??= this.household.serverSessions.take());
  }

  private advanceTo(time: bigint): void {
    if (this.ownOperationTime === undefined || time > this.ownOperationTime) this.ownOperationTime = time;
  }
}

/** Rule: Driver Sessions, "How to Tell Whether a Connection Supports Sessions"; Load Balancers, "Session Support". */
export const supportsSessions = (attempt: Attempt): boolean =>
  attempt.topology === 'LoadBalanced' || attempt.connection.hello.logicalSessionTimeoutMinutes !== undefined;

/** An implicit session ends before the last of its operations only with the client. */
export const hasEnded = ({ isExplicit }: ClientSessionState, { name }: Operation<unknown>): MongoError =>
  isExplicit
    ? new TesseraError('usage', `${name} was given a session that has ended; start another with startSession().`)
    : new TesseraError('closed', `client is closed; ${name} was not sent.`);

const unsupported = (operation: Operation<unknown>, attempt: Attempt): MongoError =>
  new TesseraError(
    'usage',
    `${operation.name} was given a session, but the server at ${attempt.server.address} does not support sessions; run it without one.`,
  );
