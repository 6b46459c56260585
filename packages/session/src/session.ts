import type {
  Attempt,
  BodyWriter,
  BsonCodec,
  Clock,
  Document,
  Elements,
  Exchange,
  MongoError,
  Operation,
  Pin,
  Reply,
  Session,
} from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { newestIn } from './cluster-time.js';
import type { ClusterTime } from './cluster-time.js';
import type { ServerSession, ServerSessions } from './server-session.js';

/** The state that all sessions of a client share. */
export interface ClientState {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly serverSessions: ServerSessions;
  /** `$db` of the database admin, encoded. */
  readonly admin: Elements;
  /** The newest that any server told. */
  clusterTime: ClusterTime | undefined;
  /**
   * Operations of transactions record where they were called, for the error of two operations at a time. Recording takes a large
   * part of an operation's time: so it is on in development, and after the first such error.
   */
  recordsCallSites: boolean;
  /** True if parallel operations of one transaction wait in line, false if they are rejected. */
  readonly queues: boolean;
  /** Explicit ones, and those of cursors, that have not ended. */
  readonly active: Set<SessionState>;
  /** The client is closed, and every session has ended with it. */
  isClosed: boolean;
}

/** Sends the newest cluster time with each command and reads that of each reply. Alone, it serves a command without a session. */
export class ClusterTimeExchange implements Exchange {
  readonly client: ClientState;

  constructor(client: ClientState) {
    this.client = client;
  }

  append(writer: BodyWriter, attempt: Attempt, _operation: Operation<unknown>): void {
    this.appendClusterTime(writer, attempt);
  }

  /** Rule: Driver Sessions, "Sending the highest seen cluster time". */
  appendClusterTime(writer: BodyWriter, attempt: Attempt): void {
    if (attempt.server.type === 'Standalone') return;
    const clusterTime = this.newestClusterTime();
    if (clusterTime !== undefined) writer.elements(clusterTime.elements);
  }

  received(reply: Reply): void {
    const { client } = this;
    client.clusterTime = newestIn(reply, client.clusterTime, client.bson);
  }

  protected newestClusterTime(): ClusterTime | undefined {
    return this.client.clusterTime;
  }
}

/** An implicit session, and what an explicit one has in common with it. The server takes one command of a session at a time. */
export class SessionState extends ClusterTimeExchange implements Session {
  hasEnded = false;
  protected serverSession: ServerSession | undefined = undefined;

  get isExplicit(): boolean {
    return false;
  }
  get pin(): Pin | undefined {
    return undefined;
  }
  get inTransaction(): boolean {
    return false;
  }

  override append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void {
    this.identify(writer, attempt, operation);
    this.appendClusterTime(writer, attempt);
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
    const { clock, serverSessions } = this.client;
    serverSessions.learnTimeout(
      attempt.topology === 'LoadBalanced' ? undefined : attempt.connection.hello.logicalSessionTimeoutMinutes,
    );
    const session = this.taken();
    session.lastUse = clock.now();
    writer.elements(session.lsid);
    return true;
  }

  /** Causal consistency is for explicit sessions. */
  readConcern({ readConcern }: Operation<unknown>, _attempt: Attempt): Operation<unknown>['readConcern'] {
    return readConcern;
  }

  writeConcern({ writeConcern }: Operation<unknown>): Document | undefined {
    return writeConcern;
  }

  failed(error: MongoError, operation: Operation<unknown>): void {
    // A command that was given up goes on at the server as much as one whose connection broke; of a handshake it knows nothing.
    const { phase = 'command', sent = true } = error.origin ?? {};
    const isUnfinished = error.kind !== 'server' && sent && phase === 'command';
    const { serverSession } = this;
    if (!isUnfinished || serverSession === undefined) return;
    serverSession.isDirty = true;
    if (mayLeaveCursor(operation)) serverSession.mayOwnCursor = true;
  }

  end(): void {
    if (this.hasEnded) return;
    this.hasEnded = true;
    this.client.active.delete(this);
    if (this.serverSession !== undefined) this.client.serverSessions.give(this.serverSession);
  }

  /** The next transaction number of the session's server session. */
  nextTxnNumber(): number {
    return ++this.taken().txnNumber;
  }

  protected taken(): ServerSession {
    return (this.serverSession ??= this.client.serverSessions.take());
  }
}

/**
 * Whether the command continues or ends a cursor. Such a command stays in the snapshot in which the cursor was opened, and has
 * no read concern.
 */
export const followsCursor = ({ role }: Operation<unknown>): boolean =>
  role === 'continuesCursor' || role === 'killsCursor';

/** The server may keep a cursor when the reply is lost. */
const mayLeaveCursor = (operation: Operation<unknown>): boolean =>
  operation.role === 'opensCursor' || followsCursor(operation);

/** Rule: Driver Sessions, "How to Tell Whether a Connection Supports Sessions"; Load Balancers, "Session Support". */
export const supportsSessions = (attempt: Attempt): boolean =>
  attempt.topology === 'LoadBalanced' || attempt.connection.hello.logicalSessionTimeoutMinutes !== undefined;

/** An implicit session ends before the last of its operations only with the client. */
export const hasEnded = (
  { isExplicit, client }: SessionState,
  { name }: Pick<Operation<unknown>, 'name'>,
): MongoError =>
  isExplicit && !client.isClosed
    ? new TesseraError('usage', `${name} was given a session that has ended; start another with startSession().`)
    : new TesseraError('closed', `client is closed; ${name} was not sent.`);

const unsupported = (operation: Operation<unknown>, attempt: Attempt): MongoError =>
  new TesseraError(
    'usage',
    `${operation.name} was given a session, but the server at ${attempt.server.address} does not support sessions; run it without one.`,
  );
