import { MongoError } from '@tessera/contracts';
import type {
  Attempt,
  BodyWriter,
  BsonCodec,
  Clock,
  Dispatch,
  Document,
  Exchange,
  Layer,
  Operation,
  Random,
  Reply,
  Request,
  Session,
} from '@tessera/contracts';
import { heardIn } from './cluster-time.js';
import { createServerSessions } from './server-session.js';
import { SessionState, hasEnded } from './session.js';
import type { ClientSessionState, Household, SessionOptions } from './session.js';
import { NumberedWrite } from './txn-number.js';

export interface SessionsDeps {
  readonly bson: BsonCodec;
  /** For session ids. */
  readonly random: Random;
  readonly clock: Clock;
}

export interface SessionsOptions {
  /** Number the writes that may be repeated. */
  readonly retryWrites?: boolean | undefined;
}

export const sessionsDefaults: { readonly retryWrites: boolean } = { retryWrites: true };

/** How many sessions one endSessions command names. Rule: Driver Sessions, "endSessions". */
const batchSize = 10_000;

/** The sessions of one client. */
export interface Sessions {
  /** Gives every request that comes without a session one for its duration. */
  readonly layer: Layer;
  /** An application's own session. */
  start(options?: SessionOptions): ClientSessionState;
  /** For a cursor: the session of its find goes on in its getMores; whoever asked for it ends it. */
  implicit(): Session;
  /**
   * Ends all sessions. Answers the ids to name in endSessions commands, one list for each command: they go to the
   * primary if there is one, and what the server says to them does not matter.
   */
  close(): readonly (readonly Document[])[];
}

/** Rules: Driver Sessions; Causal Consistency; Retryable Writes, "Generating Transaction IDs". */
export const createSessions = (deps: SessionsDeps, options: SessionsOptions = {}): Sessions => {
  const { retryWrites = sessionsDefaults.retryWrites } = options;
  const { bson, clock } = deps;
  const serverSessions = createServerSessions(deps);
  const household: Household = { bson, clock, serverSessions, clusterTime: undefined, active: new Set() };
  const gossip = new Gossip(household);

  const exchangeOf = (session: SessionState, { kind, retryable }: Operation<unknown>): Exchange =>
    retryWrites && retryable && kind === 'write' ? new NumberedWrite(session) : session;

  const layer: Layer = next => request => {
    const { session, operation } = request;
    if (session !== undefined) return inSession(next, request, session);
    if (operation.answer === 'none') return next(withExchange(request, undefined, gossip));
    const implicit = new PassingSession(household, retryWrites && operation.retryable && operation.kind === 'write');
    return next(withExchange(request, implicit, exchangeOf(implicit, operation))).then(
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
    if (!(session instanceof SessionState)) return next(withExchange(request, session, session));
    const refusal = refusalOf(session, operation);
    if (refusal !== undefined) return Promise.reject(refusal);
    return next(withExchange(request, session, exchangeOf(session, operation)));
  };

  const refusalOf = (session: SessionState, operation: Operation<unknown>): MongoError | undefined => {
    if (session.household !== household)
      return new MongoError(
        'usage',
        `${operation.name} was given a session of another client; start one with this client's startSession().`,
      );
    if (session.hasEnded) return hasEnded(session, operation);
    if (session.isExplicit && operation.answer === 'none')
      return new MongoError(
        'usage',
        `${operation.name} is unacknowledged (w: 0) and cannot be part of a session; acknowledge it or leave out the session.`,
      );
    return undefined;
  };

  return {
    layer,
    start(sessionOptions = {}) {
      const session = new SessionState(household, true, sessionOptions.causalConsistency ?? true);
      household.active.add(session);
      return session;
    },
    implicit() {
      const session = new SessionState(household, false, false);
      household.active.add(session);
      return session;
    },
    close() {
      for (const session of [...household.active]) session.end();
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
class PassingSession extends SessionState {
  private readonly isRepeated: boolean;

  /** A write that is done, but not replicated as asked, may be repeated too. */
  constructor(household: Household, isRepeated: boolean) {
    super(household, false, false);
    this.isRepeated = isRepeated;
  }

  override heard(reply: Reply): void {
    super.heard(reply);
    if (reply.ok && !(this.isRepeated && reply.has('writeConcernError'))) this.end();
  }
}

/** An unacknowledged write has no session, but tells the cluster time. */
class Gossip implements Exchange {
  private readonly household: Household;

  constructor(household: Household) {
    this.household = household;
  }

  append(writer: BodyWriter, attempt: Attempt): void {
    const { clusterTime } = this.household;
    if (clusterTime !== undefined && attempt.server.type !== 'Standalone') writer.elements(clusterTime.elements);
  }

  heard(reply: Reply): void {
    const { household } = this;
    household.clusterTime = heardIn(reply, household.clusterTime, household.bson);
  }
}

const withExchange = <T>(request: Request<T>, session: Session | undefined, exchange: Exchange): Request<T> => ({
  operation: request.operation,
  id: request.id,
  deadline: request.deadline,
  signal: request.signal,
  session,
  pin: request.pin,
  exchanges: request.exchanges.length === 0 ? [exchange] : [...request.exchanges, exchange],
  failures: request.failures,
  avoid: request.avoid,
});
