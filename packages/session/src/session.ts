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
import type { ServerSession, ServerSessions } from './server-session.js';

export interface SessionOptions {
  /** Reads see what was read and written before in the same session. Default true. */
  readonly causalConsistency?: boolean | undefined;
}

/** What an application holds. Rules: Driver Sessions, "ClientSession"; Causal Consistency, "ClientSession changes". */
export interface ClientSessionState extends Session {
  readonly isExplicit: boolean;
  readonly causalConsistency: boolean;
  readonly hasEnded: boolean;
  /** A connection was lost while it was in use; what it did may still be under way on the server. */
  readonly dirty: boolean;
  /** `{ id: UUID }`; taken from the pool at the first use. */
  readonly id: Document;
  /** `{ clusterTime, signature }` as the server told it, undefined before. */
  readonly clusterTime: Document | undefined;
  readonly operationTime: Timestamp | undefined;
  /** Only for this session: a time that no server told is never given to others. @throws MongoError `usage` */
  advanceClusterTime(clusterTime: Document): void;
  advanceOperationTime(operationTime: Timestamp): void;
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
  hasEnded = false;
  private serverSession: ServerSession | undefined = undefined;
  private ownClusterTime: ClusterTime | undefined = undefined;
  /** The 64 bits of a timestamp. */
  private ownOperationTime: bigint | undefined = undefined;

  constructor(household: Household, isExplicit: boolean, causalConsistency: boolean) {
    this.household = household;
    this.isExplicit = isExplicit;
    this.causalConsistency = causalConsistency;
  }

  get pin(): Pin | undefined {
    return undefined;
  }
  get inTransaction(): boolean {
    return false;
  }
  get dirty(): boolean {
    return this.serverSession?.isDirty ?? false;
  }
  get id(): Document {
    return this.taken().id;
  }
  get clusterTime(): Document | undefined {
    return this.ownClusterTime?.document();
  }
  get operationTime(): Timestamp | undefined {
    const { Timestamp } = this.household.bson.values;
    return this.ownOperationTime === undefined ? undefined : new Timestamp(this.ownOperationTime);
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

  /** Rule: Causal Consistency, "Causally consistent read and write commands". */
  readConcern(own: Document | undefined, attempt: Attempt): Document | undefined {
    if (!this.causalConsistency || attempt.server.type === 'Standalone') return own;
    const afterClusterTime = this.operationTime;
    return afterClusterTime === undefined ? own : { ...own, afterClusterTime };
  }

  writeConcern(own: Document | undefined): Document | undefined {
    return own;
  }

  failed(error: MongoError): void {
    // A command that was given up goes on at the server as much as one whose connection broke.
    const isUnfinished = error.kind !== 'server' && error.origin?.sent !== false;
    if (isUnfinished && this.serverSession !== undefined) this.serverSession.isDirty = true;
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.household.active.delete(this);
    if (this.serverSession !== undefined) this.household.serverSessions.give(this.serverSession);
  }

  /** The next transaction number of the session's server session. */
  nextTxnNumber(): number {
    return ++this.taken().txnNumber;
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
