import { Cancellation, MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Connect,
  Connection,
  Document,
  EventMap,
  EventSink,
  Millis,
  ServerDescription,
  Timer,
} from '@tessera/contracts';
import { awaitableHello, canAwait, helloCommand } from './hello-command.js';
import { Pace } from './pace.js';
import { createRoundTripMonitor, RoundTrips } from './round-trip.js';
import { serverFromHello } from '../description/server-description.js';

export interface MonitorDeps {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly connect: Connect;
  readonly checked: (server: ServerDescription) => void;
  readonly failed: (error: MongoError) => void;
}

export interface MonitorOptions {
  readonly address: Address;
  /** Included in the monitor's events. */
  readonly topologyId: number;
  readonly heartbeatFrequencyMS: Millis;
  readonly minHeartbeatFrequencyMS: Millis;
  /** The time limit of opening the connection and of each check. 0 means no limit. */
  readonly connectTimeoutMS: Millis;
  /** Use the streaming protocol with servers that support it. */
  readonly mayStream: boolean;
}

/** Checks one server periodically, over a dedicated connection. */
export interface Monitor {
  /** Starts the first check at once. */
  start(): void;
  /**
   * Starts a check as soon as minHeartbeatFrequencyMS has passed since the last check ended. After a cancelled check,
   * it starts at once if no check has failed within that time. Does nothing while a check is in progress.
   */
  requestCheck(): void;
  /** Starts a check at once, unless too many checks have followed each other without a pause. */
  checkNow(): void;
  /**
   * Requests a check. A check that waits for a change of the server is cancelled and starts again at once, unless too
   * many checks have followed each other without a pause.
   */
  recheck(): void;
  /** Cancels the check in progress, closes its connection, and waits until the next check is due. */
  cancelCheck(): void;
  /** Discards the round-trip times because the server became Unknown. */
  forgetRoundTrips(): void;
  /** Stops monitoring. Resolves when all connections are closed. */
  close(): Promise<void>;
}

interface Check {
  readonly connectionId: number;
  readonly began: Millis;
  /** Whether the server delays its reply until its state changes. */
  readonly awaited: boolean;
  /** One cancellation for all checks that the replies to one exhaust command answer. */
  readonly cancellation: Cancellation;
}

/** `reporting`: the check has succeeded and is being reported. A listener may cancel it or close the monitor. */
type State =
  | { readonly is: 'new' }
  | { readonly is: 'checking'; readonly check: Check }
  | { readonly is: 'reporting'; readonly check: Check }
  | { readonly is: 'resting'; readonly earliest: Millis; readonly until: Millis; readonly timer: Timer }
  | { readonly is: 'closed' };

/**
 * Returns a monitor of one server. Rule: Server Monitoring, "Multi-threaded or asynchronous monitoring", "Streaming
 * Protocol", "Polling Protocol".
 */
export const createMonitor = (deps: MonitorDeps, options: MonitorOptions): Monitor => {
  const { clock, events, connect } = deps;
  const { address, topologyId, heartbeatFrequencyMS, minHeartbeatFrequencyMS, connectTimeoutMS, mayStream } = options;
  const roundTrips = new RoundTrips();
  const pace = new Pace(clock, minHeartbeatFrequencyMS);
  const unsettled = new Set<Promise<void>>();
  let state: State = { is: 'new' };
  let connection: Connection | undefined;
  let connections = 0;
  /** The server's id of the current connection, or of the previous one until the next is open. */
  let serverConnectionId: bigint | undefined;
  /** The last hello reply on this connection. */
  let latest: Document = {};
  /** The time of the last failed check. A cancelled check does not count as failed. */
  let failedAt: Millis = -Infinity;
  /** Whether a check has succeeded. The pause before the next check keeps the process alive only then. */
  let reached = false;

  const nextConnectionId = (): number => ++connections;
  const roundTripMonitor = createRoundTripMonitor({ clock, connect, nextConnectionId, roundTrips }, options);

  const begin = (): void => {
    if (connection?.closed === true) connection = undefined;
    const connectionId = connection?.id ?? nextConnectionId();
    serverConnectionId = connection?.hello.connectionId;
    const awaited = connection !== undefined && mayStream && canAwait(latest);
    const check = announce({ connectionId, awaited, began: clock.now(), cancellation: new Cancellation() });
    if (!isUnderWay(check)) return;
    const settled: Promise<void> = run(check).finally(() => unsettled.delete(settled));
    unsettled.add(settled);
  };

  /** Emits serverHeartbeatStarted before a hello is sent or the next reply of a stream is read. */
  const announce = (check: Check): Check => {
    state = { is: 'checking', check };
    if (events.wants('serverHeartbeatStarted')) events.emit({ name: 'serverHeartbeatStarted', ...heartbeat(check) });
    return check;
  };

  const run = async (check: Check): Promise<void> => {
    try {
      if (connection === undefined) await handshake(check);
      else if (check.awaited) await stream(check, connection);
      else await poll(check, connection);
    } catch (error) {
      if (isUnderWay(check)) fail(asMongoError(error));
    }
  };

  const limit = connectTimeoutMS === 0 ? Infinity : connectTimeoutMS;

  /** The handshake of a new connection is a check. */
  const handshake = async (check: Check): Promise<void> => {
    const { connectionId: id, cancellation: signal, began } = check;
    const opened = await connect(address, { use: 'monitor', id, deadline: began + limit, signal });
    if (!isUnderWay(check)) return opened.close();
    connection = opened;
    serverConnectionId = opened.hello.connectionId;
    roundTrips.add(opened.hello.roundTrip);
    succeed(opened.hello.document, opened.hello.roundTrip);
  };

  const poll = async (check: Check, over: Connection): Promise<void> => {
    const reply = await over.command('admin', helloCommand(latest), check.began + limit);
    if (!isUnderWay(check)) return;
    const duration = clock.now() - check.began;
    roundTrips.add(duration);
    succeed(reply, duration);
  };

  /**
   * Streams hello replies; each counts as one check. The round-trip monitor measures instead, because the server delays
   * these replies.
   */
  const stream = async (check: Check, over: Connection): Promise<void> => {
    const each = limit + heartbeatFrequencyMS;
    const received = (reply: Document): void => {
      if (isUnderWay(check)) succeed(reply);
    };
    while (isUnderWay(check)) {
      const hello = awaitableHello(latest, heartbeatFrequencyMS);
      await over.command('admin', hello, clock.now() + each, { limit: each, received });
    }
  };

  /** @param roundTrip by default the time since the check began */
  const succeed = (reply: Document, roundTrip?: Millis): void => {
    if (state.is !== 'checking') return;
    const { check } = state;
    const duration = roundTrip ?? clock.now() - check.began;
    latest = reply;
    reached = true;
    const isStreaming = mayStream && canAwait(reply);
    const reporting: State = { is: 'reporting', check };
    if (isStreaming && pace.allows()) {
      state = reporting;
    } else {
      // The connection cannot be reused: further replies of the stream would arrive on it.
      if (isStreaming || check.awaited) dropConnection();
      rest();
    }
    report(check, reply, duration);
    if (isIn(reporting)) checkAgain(check);
  };

  const report = (check: Check, reply: Document, duration: Millis): void => {
    const server = serverFromHello(address, reply, {
      lastUpdateTime: clock.now(),
      roundTripTime: roundTrips.average(),
      minRoundTripTime: roundTrips.least(),
    });
    if (events.wants('serverHeartbeatSucceeded'))
      events.emit({ name: 'serverHeartbeatSucceeded', ...heartbeat(check), duration, reply });
    deps.checked(server);
  };

  /** Starts the next check without a pause, because the server delays its reply until its state changes. */
  const checkAgain = (before: Check): void => {
    roundTripMonitor.start();
    if (before.awaited) announce({ ...before, began: clock.now() });
    else begin();
  };

  const fail = (error: MongoError): void => {
    if (state.is !== 'checking') return;
    const { check } = state;
    failedAt = clock.now();
    rest();
    giveUp(check, error);
    deps.failed(error);
  };

  /** Emits serverHeartbeatFailed: each heartbeat that started must succeed or fail. */
  const giveUp = (check: Check, failure: MongoError): void => {
    dropConnection();
    roundTrips.forget();
    const duration = clock.now() - check.began;
    if (events.wants('serverHeartbeatFailed'))
      events.emit({ name: 'serverHeartbeatFailed', ...heartbeat(check), duration, failure });
  };

  /** @param since the time from which minHeartbeatFrequencyMS is counted */
  const rest = (since: Millis = clock.now()): void => {
    const until = clock.now() + heartbeatFrequencyMS;
    const timer = clock.startTimer(heartbeatFrequencyMS, begin, { background: !reached });
    state = { is: 'resting', earliest: since + minHeartbeatFrequencyMS, until, timer };
  };

  const dropConnection = (): void => {
    roundTripMonitor.stop();
    connection?.close();
    connection = undefined;
  };

  const isUnderWay = ({ cancellation }: Check): boolean =>
    state.is === 'checking' && state.check.cancellation === cancellation;

  const isIn = (other: State): boolean => state === other;

  const heartbeat = ({ connectionId, awaited }: Check): EventMap['serverHeartbeatStarted'] => ({
    topologyId,
    address,
    connectionId: `${address}#${connectionId}`,
    driverConnectionId: connectionId,
    serverConnectionId,
    awaited,
  });

  const cancelled = (why: string): MongoError =>
    new MongoError('aborted', `The check of ${address} was cancelled: ${why}.`, {
      origin: { phase: 'hello', sent: false, address },
    });

  /** @param since the time from which minHeartbeatFrequencyMS is counted */
  const cancel = (check: Check, why: string, since: Millis): void => {
    const error = cancelled(why);
    rest(since);
    giveUp(check, error);
    check.cancellation.abort(error);
  };

  const requestCheck = (): void => {
    if (state.is !== 'resting') return;
    const { earliest, until, timer } = state;
    // The timer of a server that was never reached does not keep the process alive, but the caller waits.
    if (earliest >= until && reached) return;
    timer.cancel();
    const wait = earliest - clock.now();
    if (wait <= 0) return begin();
    state = { is: 'resting', earliest, until: earliest, timer: clock.startTimer(wait, begin) };
  };

  return {
    start() {
      if (state.is === 'new') begin();
    },
    requestCheck,
    checkNow() {
      if (state.is !== 'resting') return;
      if (!pace.allows()) return requestCheck();
      state.timer.cancel();
      begin();
    },
    recheck() {
      if (state.is === 'checking' && state.check.awaited) {
        const since = pace.allows() ? failedAt : clock.now();
        cancel(state.check, 'the server reported a change of its state to an operation', since);
      }
      requestCheck();
    },
    cancelCheck() {
      if (state.is === 'reporting') rest();
      if (state.is !== 'checking') return dropConnection();
      pace.allowOneMore();
      cancel(state.check, 'an operation lost its connection to this server', failedAt);
    },
    forgetRoundTrips() {
      roundTrips.forget();
    },
    async close() {
      const before = state;
      state = { is: 'closed' };
      if (before.is === 'resting') before.timer.cancel();
      if (before.is === 'checking') {
        const error = cancelled('the server is no longer monitored');
        giveUp(before.check, error);
        before.check.cancellation.abort(error);
      }
      dropConnection();
      await Promise.all([...unsettled, roundTripMonitor.close()]);
    },
  };
};

const asMongoError = (error: unknown): MongoError =>
  MongoError.is(error) ? error : new MongoError('network', `The check failed: ${String(error)}`, { cause: error });
