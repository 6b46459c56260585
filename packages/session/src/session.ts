import type {
  Attempt,
  BodyWriter,
  BsonCodec,
  Clock,
  Document,
  Elements,
  Exchange,
  Millis,
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
  /** The encoded element `$db: "admin"`. */
  readonly admin: Elements;
  /** The newest cluster time from any server. */
  clusterTime: ClusterTime | undefined;
  /**
   * Whether operations of transactions record their call sites, for errors of parallel operations. Recording is slow, so it is on only
   * in development and after the first such error.
   */
  recordsCallSites: boolean;
  /** Whether parallel operations of one transaction are queued; otherwise they are rejected. */
  readonly queues: boolean;
  /** The explicit sessions, and those of cursors, that have not ended. */
  readonly active: Set<SessionState>;
  /** Whether the client is closed. Then all sessions have ended. */
  isClosed: boolean;
}

/** Sends the newest cluster time with each command and reads that of each reply. Commands without a session use it directly. */
export class ClusterTimeExchange implements Exchange {
  readonly client: ClientState;

  constructor(client: ClientState) {
    this.client = client;
  }

  append(writer: BodyWriter, attempt: Attempt, _operation: Operation<unknown>): void {
    this.appendClusterTime(writer, attempt);
  }

  /** Appends `$clusterTime`. Rule: Driver Sessions, "Sending the highest seen cluster time". */
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

/** An implicit session, and the base class of explicit ones. */
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

  /**
   * Writes the lsid and returns true; returns false if the server does not support sessions or the write is unacknowledged.
   * @throws MongoError `usage` if the session is explicit and the server does not support sessions
   */
  identify(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): boolean {
    // Without a reply it is unknown when the session is free again.
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
    const now = clock.now();
    const session = this.taken(now);
    session.lastUse = now;
    writer.elements(session.lsid);
    return true;
  }

  /** Returns the operation's read concern: implicit sessions have no causal consistency. */
  readConcern({ readConcern }: Operation<unknown>, _attempt: Attempt): Operation<unknown>['readConcern'] {
    return readConcern;
  }

  writeConcern({ writeConcern }: Operation<unknown>): Document | undefined {
    return writeConcern;
  }

  failed(error: MongoError, operation: Operation<unknown>): void {
    // An aborted or timed out command may still run on the server, as after a broken connection. A handshake has no session.
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

  /** Increments and returns the transaction number of the server session. */
  nextTxnNumber(): number {
    return ++this.taken().txnNumber;
  }

  protected taken(now: Millis = this.client.clock.now()): ServerSession {
    return (this.serverSession ??= this.client.serverSessions.take(now));
  }
}

/**
 * Returns whether the command continues or closes a cursor. Such a command uses the snapshot of its cursor and has no read
 * concern.
 */
export const followsCursor = ({ role }: Operation<unknown>): boolean =>
  role === 'continuesCursor' || role === 'killsCursor';

/** Returns whether the server may keep a cursor if the reply is lost. */
const mayLeaveCursor = (operation: Operation<unknown>): boolean =>
  operation.role === 'opensCursor' || followsCursor(operation);

/** Returns whether the server supports sessions. Rule: Driver Sessions, "How to Tell Whether a Connection Supports Sessions"; Load Balancers, "Session Support". */
export const supportsSessions = (attempt: Attempt): boolean =>
  attempt.topology === 'LoadBalanced' || attempt.connection.hello.logicalSessionTimeoutMinutes !== undefined;

/** Returns the error of an operation in an ended session. An implicit session can only have ended with the client. */
export const hasEnded = (
  { isExplicit, client }: SessionState,
  { name }: Pick<Operation<unknown>, 'name'>,
): MongoError =>
  isExplicit && !client.isClosed
    ? new TesseraError('usage', `${name} cannot use a session that has ended. Start another one with startSession().`)
    : new TesseraError('closed', `The client is closed, so ${name} was not sent.`);

const unsupported = (operation: Operation<unknown>, attempt: Attempt): MongoError =>
  new TesseraError(
    'usage',
    `${operation.name} cannot use a session, because the server at ${attempt.server.address} does not support sessions. Run it without a session.`,
  );
