import { MongoError, withExchange } from '@tessera/contracts';
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
import { ofAnotherClient, readsElsewhere, tooLate, unacknowledged, queuedWarning } from './usage-errors.js';
import type { UnderWay } from './usage-errors.js';
import { ExplicitSession } from './explicit-session.js';
import type { ClientSessionState, SessionOptions } from './explicit-session.js';
import { ClusterTimeExchange, SessionState, followsCursor, hasEnded } from './session.js';
import type { ClientState } from './session.js';
import { isActive } from './transaction.js';
import { waitForTransaction } from './transaction-wait.js';
import { NumberedWrite } from './txn-number.js';

export interface SessionsDeps {
  readonly bson: BsonCodec;
  /** For session ids. */
  readonly random: Random;
  readonly clock: Clock;
  /** Only to detect forgotten sessions, and whether the program runs in development. */
  readonly host?: Host | undefined;
}

export interface SessionsOptions {
  /** Number the writes that may be repeated. */
  readonly retryWrites?: boolean | undefined;
  /**
   * What becomes of an operation without a session within the function of withTransaction: a warning, an error, or nothing.
   * By default a warning where the environment says `NODE_ENV=development`, else nothing.
   */
  readonly detectForgottenSession?: ForgottenSession | undefined;
  /**
   * What happens to an operation that is called while another one of the same transaction is under way: it waits in line, in
   * the order of the calls, and the first such call is reported as a warning; or it fails. Default `queue`.
   */
  readonly parallelTransactionOperations?: 'queue' | 'fail' | undefined;
}

export const sessionsDefaults = { retryWrites: true, parallelTransactionOperations: 'queue' } as const;

/** How many sessions one endSessions command names. Rule: Driver Sessions, "endSessions". */
const batchSize = 10_000;

/** The sessions of one client. */
export interface Sessions {
  /** Gives every request that comes without a session one for its duration. */
  readonly layer: Layer;
  /** An application's own session. @throws MongoError `usage` for options that contradict each other. */
  start(options?: SessionOptions): ClientSessionState;
  /** For a cursor: the session of its find goes on in its getMores; whoever asked for it ends it. */
  implicit(): Session;
  /** Sends and hears the cluster time, for a command without a session that is sent past the layer. */
  readonly clusterTimeExchange: Exchange;
  /** Runs the function of a transaction, and detects forgotten sessions in it. */
  readonly within: <T>(run: () => Promise<T>) => Promise<T>;
  /**
   * Ends all sessions. Answers the ids to name in endSessions commands, one list for each command: they go to the
   * primary if there is one, and what the server says to them does not matter.
   */
  close(): readonly (readonly Document[])[];
}

/** Rules: Driver Sessions; Causal Consistency; Retryable Writes, "Generating Transaction IDs". */
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
    return next(withExchange(request, exchangeOf(implicit, operation), implicit)).then(
      value => {
        implicit.end();
        return value;
      },
      (error: unknown) => {
        implicit.end();
        throw error;
      },
    );
  };

  const inSession = <T>(next: Dispatch, request: Request<T>, session: Session): Promise<T> => {
    const { operation } = request;
    // A session of another make says for itself what it appends.
    if (!(session instanceof SessionState)) return next(withExchange(request, session));
    const refusal = refusalOf(session, operation);
    if (refusal !== undefined) return Promise.reject(refusal);
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
    const elsewhere = modeElsewhere(session, operation);
    if (elsewhere !== undefined) return Promise.reject(readsElsewhere(elsewhere));
    const from = client.recordsCallSites ? takeCallSite() : undefined;
    const running = next(withExchange(request, new InTransaction(session))).finally(() => {
      session.underWay = undefined;
      session.ended(operation);
    });
    session.underWay = { name: operation.name, from, ended: settled(running) };
    return running;
  };

  /**
   * Waits until the operations before it have ended, in the order of the calls, then runs the operation. Only the wait for the
   * connection that the transaction keeps is left where operations in parallel are refused.
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

  /** Cursors are ended behind the program's back: that neither begins a transaction nor is in the way of its operations. */
  const killInTransaction = <T>(next: Dispatch, request: Request<T>, session: ExplicitSession): Promise<T> => {
    const send = (): Promise<T> => {
      const isPart = session.transaction.is === 'in progress';
      const exchange = isPart ? new InTransaction(session) : session;
      return next(withExchange(request, exchange));
    };
    if (session.pin === undefined || !('lease' in session.pin)) return send();
    // A connection that is kept for the transaction takes one command at a time.
    // Not for operations in line: they wait for this one.
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

  const refusalOf = (session: SessionState, operation: Operation<unknown>): MongoError | undefined => {
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
 * The session of one operation. It ends with the reply behind which nothing is repeated, before the connection goes back:
 * whoever waited for that takes the same session. Rule: Driver Sessions, "Sending the session ID to the server on all commands".
 */
class SingleOperationSession extends SessionState {
  override received(reply: Reply): void {
    super.received(reply);
    // A write that is done, but not replicated as asked, may be repeated too.
    if (reply.ok && !reply.has('writeConcernError')) this.end();
  }
}

/** The read preference that a read of a transaction cannot have. Rule: Transactions, "readPreference". */
const modeElsewhere = ({ transaction }: ExplicitSession, operation: Operation<unknown>): string | undefined => {
  // An aggregation that writes is a read, too.
  const isRead = operation.kind !== 'write' || operation.selection.writes === true;
  if (!isRead || !isActive(transaction) || !('options' in transaction)) return undefined;
  const modes = [operation.selection.mode, transaction.options.readPreference?.mode];
  return modes.find(mode => mode !== undefined && mode !== 'primary');
};

/** Whether the operation is the session's commit or abort. A user's own command is neither: it has the kind `either`. */
const endsTransaction = ({ kind, role }: Operation<unknown>): boolean =>
  kind === 'write' && (role === 'commitsTransaction' || role === 'abortsTransaction');

const settled = (running: Promise<unknown>): Promise<void> =>
  running.then(
    () => undefined,
    () => undefined,
  );
