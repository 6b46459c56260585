import { MongoError, orElse, withExchange } from '@tessera/contracts';
import type {
  BsonCodec,
  Clock,
  Dispatch,
  Document,
  Exchange,
  Host,
  Layer,
  Operation,
  Random,
  Reply,
  Request,
  Session,
} from '@tessera/contracts';
import { createServerSessions } from './server-session.js';
import { takeCallSite } from './call-site.js';
import { createForgottenSessionDetector } from './forgotten-session.js';
import type { ForgottenSession } from './forgotten-session.js';
import { InSnapshot } from './in-snapshot.js';
import { InTransaction } from './in-transaction.js';
import { ofAnotherClient, readPreferenceError, tooLate, unacknowledged, queuedWarning } from './usage-errors.js';
import type { UnderWay } from './usage-errors.js';
import { ExplicitSession } from './explicit-session.js';
import type { ClientSessionState, SessionOptions } from './explicit-session.js';
import { ClusterTimeExchange, SessionState, followsCursor, hasEnded } from './session.js';
import type { ClientState } from './session.js';
import { isActive } from './transaction.js';
import { waitForTransaction } from './transaction-wait.js';
import { NumberedWrite } from './txn-number.js';

/** The dependencies of sessions. */
export interface SessionsDeps {
  /** Encodes the elements that sessions add to commands. */
  readonly bson: BsonCodec;
  /** For session ids. */
  readonly random: Random;
  /** Dates the use of server sessions, which expire. */
  readonly clock: Clock;
  /** Detects forgotten sessions and a development environment. */
  readonly host?: Host | undefined;
}

/** Client options that concern sessions. */
export interface SessionsOptions {
  /** Whether retryable writes get a txnNumber, by which the server recognizes a retry. It does not decide about retries. Default true. */
  readonly retryWrites?: boolean | undefined;
  /**
   * The reaction to an operation without a session inside the function of withTransaction: a warning, an error, or nothing.
   * Default `warn` with `NODE_ENV=development`, else `off`.
   */
  readonly detectForgottenSession?: ForgottenSession | undefined;
  /**
   * The reaction to an operation that is called while another one of the same transaction is running. `queue`: it waits, in the order
   * of the calls, and the first such call causes a warning. `fail`: it is rejected. Default `queue`.
   */
  readonly parallelTransactionOperations?: 'queue' | 'fail' | undefined;
}

/** The defaults of {@link SessionsOptions}. */
export const sessionsDefaults = { retryWrites: true, parallelTransactionOperations: 'queue' } as const;

/** The maximum number of sessions in one endSessions command. Rule: Driver Sessions, "endSessions". */
const batchSize = 10_000;

/** The sessions of one client. */
export interface Sessions {
  /** Adds an implicit session to every request without a session, and the exchange of the session to every request. */
  readonly layer: Layer;
  /**
   * Starts an explicit session.
   * @throws MongoError `usage` for options that contradict each other
   */
  start(options?: SessionOptions): ClientSessionState;
  /** Returns an implicit session for a cursor, for its find and its getMores. The caller must end it. */
  implicit(): Session;
  /** Sends and receives the cluster time, for commands without a session that do not pass through the layer. */
  readonly clusterTimeExchange: Exchange;
  /** Runs the function of a transaction, and detects forgotten sessions in it. */
  readonly within: <T>(run: () => Promise<T>) => Promise<T>;
  /**
   * Ends all sessions. Returns the ids for endSessions commands, one list per command. Send them with read preference
   * primaryPreferred and ignore the replies. Rule: Driver Sessions, "endSessions".
   */
  close(): readonly (readonly Document[])[];
}

/**
 * Creates the sessions of a client.
 * Rule: Driver Sessions; Causal Consistency; Retryable Writes, "Generating Transaction IDs".
 */
export const createSessions = (deps: SessionsDeps, options: SessionsOptions = {}): Sessions => {
  const {
    retryWrites = sessionsDefaults.retryWrites,
    parallelTransactionOperations = sessionsDefaults.parallelTransactionOperations,
  } = options;
  const queues = parallelTransactionOperations === 'queue';
  const { bson, clock } = deps;
  const serverSessions = createServerSessions(deps);
  const recordsCallSites = deps.host?.environment('NODE_ENV') === 'development';
  const client: ClientState = {
    bson,
    clock,
    serverSessions,
    admin: bson.elements({ $db: 'admin' }),
    clusterTime: undefined,
    recordsCallSites,
    queues,
    active: new Set(),
    isClosed: false,
  };
  let hasWarned = false;
  const clusterTimeExchange = new ClusterTimeExchange(client);
  const detector = createForgottenSessionDetector(deps.host, options.detectForgottenSession);

  const exchangeOf = (session: SessionState, operation: Operation<unknown>): Exchange => {
    if (session instanceof ExplicitSession && session.snapshot && !followsCursor(operation))
      return new InSnapshot(session);
    const { kind, retryable } = operation;
    return retryWrites && retryable && kind === 'write' ? new NumberedWrite(session) : session;
  };

  const layer: Layer = next => request => {
    const { session, operation } = request;
    if (session !== undefined) return inSession(next, request, session);
    if (operation.answer === 'none') return next(withExchange(request, clusterTimeExchange));
    const implicit = new SingleOperationSession(client);
    return orElse(next, withExchange(request, exchangeOf(implicit, operation), implicit), error => {
      implicit.end();
      return Promise.reject(error);
    });
  };

  const inSession = <T>(next: Dispatch, request: Request<T>, session: Session): Promise<T> => {
    const { operation } = request;
    // Another implementation of Session is its own exchange.
    if (!(session instanceof SessionState)) return next(withExchange(request, session));
    const rejection = rejectionOf(session, operation);
    if (rejection !== undefined) return Promise.reject(rejection);
    if (session instanceof ExplicitSession && session.transaction.is !== 'none') {
      if (operation.role === 'killsCursor') return killInTransaction(next, request, session);
      if (isActive(session.transaction) || endsTransaction(operation))
        return session.isFree ? inTransaction(next, request, session) : runQueued(next, request, session);
      session.leaveTransaction();
    }
    return next(withExchange(request, exchangeOf(session, operation)));
  };

  const inTransaction = <T>(next: Dispatch, request: Request<T>, session: ExplicitSession): Promise<T> => {
    const { operation } = request;
    const mode = nonPrimaryMode(session, operation);
    if (mode !== undefined) return Promise.reject(readPreferenceError(mode));
    const from = client.recordsCallSites ? takeCallSite() : undefined;
    const running = next(withExchange(request, new InTransaction(session))).finally(() => {
      session.underWay = undefined;
      session.ended(operation);
    });
    session.underWay = { name: operation.name, from, ended: settled(running) };
    return running;
  };

  /**
   * Waits for the earlier operations, in the order of the calls, then runs the operation. If parallel operations are rejected, it only
   * waits for the transaction's connection.
   */
  const runQueued = <T>(next: Dispatch, request: Request<T>, session: ExplicitSession): Promise<T> => {
    const { operation } = request;
    const { underWay, txnNumber } = session;
    if (underWay !== undefined && !queues) return Promise.reject(session.inParallel(operation.name, underWay));
    if (underWay !== undefined) warnOnce(operation, underWay);
    const begin = (): Promise<T> => {
      if (session.occupied !== undefined) return runAfter(request, session, session.occupied, begin);
      if (session.underWay !== undefined) return Promise.reject(session.inParallel(operation.name, session.underWay));
      if (session.hasEnded) return Promise.reject(hasEnded(session, operation));
      const isOver = session.txnNumber !== txnNumber || !isActive(session.transaction);
      if (isOver && !endsTransaction(operation)) return Promise.reject(tooLate(operation));
      return inTransaction(next, request, session);
    };
    const { before } = session;
    const running = before === undefined ? begin() : runAfter(request, session, before, begin);
    if (queues) session.enqueue(settled(running).then(() => before));
    return running;
  };

  const warnOnce = (operation: Operation<unknown>, underWay: UnderWay): void => {
    if (hasWarned) return;
    hasWarned = true;
    deps.host?.warn?.(queuedWarning(operation.name, underWay));
  };

  /** Runs a killCursors command, which the driver sends by itself: it neither starts a transaction nor counts as a parallel operation. */
  const killInTransaction = <T>(next: Dispatch, request: Request<T>, session: ExplicitSession): Promise<T> => {
    const send = (): Promise<T> => {
      const isPart = session.transaction.is === 'in progress';
      const exchange = isPart ? new InTransaction(session) : session;
      return next(withExchange(request, exchange));
    };
    if (session.pin === undefined || !('lease' in session.pin)) return send();
    // The transaction's connection takes one command at a time. Queued operations wait for this one, so do not wait for them.
    const before = session.occupied ?? session.underWay?.ended;
    const running = before === undefined ? send() : runAfter(request, session, before, send);
    session.occupy(settled(running));
    return running;
  };

  const runAfter = <T>(
    request: Request<T>,
    session: ExplicitSession,
    free: Promise<void>,
    go: () => Promise<T>,
  ): Promise<T> =>
    waitForTransaction(request, free, clock).then(go, (error: unknown) => {
      if (MongoError.is(error)) session.failed(error, request.operation);
      throw error;
    });

  const rejectionOf = (session: SessionState, operation: Operation<unknown>): MongoError | undefined => {
    if (session.client !== client) return ofAnotherClient(operation);
    if (session.hasEnded) return hasEnded(session, operation);
    return session.isExplicit && operation.answer === 'none' ? unacknowledged(operation) : undefined;
  };

  return {
    layer: detector.layer(layer),
    clusterTimeExchange,
    within: detector.within,
    start(given = {}) {
      const session = new ExplicitSession(client, given);
      client.active.add(session);
      return session;
    },
    implicit() {
      const session = new SessionState(client);
      client.active.add(session);
      return session;
    },
    close() {
      client.isClosed = true;
      for (const session of [...client.active]) session.end();
      const ids = serverSessions.close();
      const batches: (readonly Document[])[] = [];
      for (let from = 0; from < ids.length; from += batchSize) batches.push(ids.slice(from, from + batchSize));
      return batches;
    },
  };
};

/**
 * The implicit session of one operation. It ends with the reply after which no retry follows, before the connection is released, so
 * that the next operation on the connection uses the same server session. Rule: Driver Sessions, "Sending the session ID to the server on all commands".
 */
class SingleOperationSession extends SessionState {
  #hasFailed = false;

  override received(reply: Reply): void {
    super.received(reply);
    if (!reply.ok) return;
    if (!reply.has('writeConcernError')) return this.end();
    // The attempt has failed, and may be retried, unless the operation returns the write concern error as a part of its result.
    this.#hasFailed = false;
    void Promise.resolve().then(() => {
      if (!this.#hasFailed) this.end();
    });
  }

  override failed(error: MongoError, operation: Operation<unknown>): void {
    this.#hasFailed = true;
    super.failed(error, operation);
  }
}

/** Returns the read preference mode of a transaction's read if it is not primary. Rule: Transactions, "readPreference". */
const nonPrimaryMode = ({ transaction }: ExplicitSession, operation: Operation<unknown>): string | undefined => {
  // An aggregation with $out or $merge counts as a read.
  const isRead = operation.kind !== 'write' || operation.selection.writes === true;
  if (!isRead || !isActive(transaction) || !('options' in transaction)) return undefined;
  const modes = [operation.selection.mode, transaction.options.readPreference?.mode];
  return modes.find(mode => mode !== undefined && mode !== 'primary');
};

/** Returns whether the operation is the session's commit or abort, and not a command of the user, which has kind `either`. */
const endsTransaction = ({ kind, role }: Operation<unknown>): boolean =>
  kind === 'write' && (role === 'commitsTransaction' || role === 'abortsTransaction');

const settled = (running: Promise<unknown>): Promise<void> =>
  running.then(
    () => undefined,
    () => undefined,
  );
