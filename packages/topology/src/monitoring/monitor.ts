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
import { createRoundTripMonitor } from './round-trip-monitor.js';
import { RoundTrips } from './round-trip.js';
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
  /** For its events. */
  readonly topologyId: number;
  readonly heartbeatFrequencyMS: Millis;
  readonly minHeartbeatFrequencyMS: Millis;
  /** Of the connection and of each check; 0 is no limit. */
  readonly connectTimeoutMS: Millis;
  /** Use the streaming protocol with servers that support it. */
  readonly mayStream: boolean;
}

/** Checks one server periodically, over a dedicated connection. */
export interface Monitor {
  /** The first check begins at once. */
  start(): void;
  /**
   * As soon as minHeartbeatFrequencyMS has passed since the last check ended, or at once after a cancelled check if none has failed
   * within that time; nothing while one is under way.
   */
  requestCheck(): void;
  /** Checks at once, unless too many checks followed each other. */
  checkNow(): void;
  /** Cancels the check under way, closes the connection, and waits for the next check. */
  cancelCheck(): void;
  /** Discards the round-trip times, as the server became Unknown. */
  forgetRoundTrips(): void;
  /** Resolves when all connections are closed. */
  close(): Promise<void>;
}

interface Check {
  readonly connectionId: number;
  readonly began: Millis;
  /** The server replies when something changes. */
  readonly awaited: boolean;
  /** All checks that the replies to one command answer share it. */
  readonly cancellation: Cancellation;
}

/** `reporting`: the check has succeeded, and a listener may cancel it or close the monitor. */
type State =
  | { readonly is: 'new' }
  | { readonly is: 'checking'; readonly check: Check }
  | { readonly is: 'reporting'; readonly check: Check }
  | { readonly is: 'resting'; readonly earliest: Millis; readonly until: Millis; readonly timer: Timer }
  | { readonly is: 'closed' };

/** Rule: Server Monitoring, "Multi-threaded or asynchronous monitoring", "Streaming Protocol", "Polling Protocol". */
export const createMonitor = (deps: MonitorDeps, options: MonitorOptions): Monitor => {
  const { clock, events, connect } = deps;
  const { address, topologyId, heartbeatFrequencyMS, minHeartbeatFrequencyMS, connectTimeoutMS, mayStream } = options;
  const roundTrips = new RoundTrips();
  const pace = new Pace(clock, minHeartbeatFrequencyMS);
  const unsettled = new Set<Promise<void>>();
  let state: State = { is: 'new' };
  let connection: Connection | undefined;
  let connections = 0;
  /** The server's id of this connection, or of the last one until another is begun. */
  let serverConnectionId: bigint | undefined;
  /** The last reply over this connection. */
  let latest: Document = {};
  /** When a check last failed; a cancelled one did not. */
  let failedAt: Millis = -Infinity;

  const roundTripMonitor = createRoundTripMonitor(
    {
      clock,
      connect,
      nextConnectionId: () => ++connections,
      measured: roundTrip => {
        roundTrips.add(roundTrip);
      },
    },
    options,
  );

  const begin = (): void => {
    if (connection?.closed === true) connection = undefined;
    const connectionId = connection === undefined ? ++connections : connection.id;
    serverConnectionId = connection?.hello.connectionId;
    const awaited = connection !== undefined && mayStream && canAwait(latest);
    const check = announce({ connectionId, awaited, began: clock.now(), cancellation: new Cancellation() });
    if (!isUnderWay(check)) return;
    const settled: Promise<void> = run(check).finally(() => unsettled.delete(settled));
    unsettled.add(settled);
  };

  /** Before anything is sent, or the next reply is read. */
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

  /** Each reply answers one check. The round-trip monitor measures, as the server delays these replies. */
  const stream = async (check: Check, over: Connection): Promise<void> => {
    const each = limit + heartbeatFrequencyMS;
    const heard = (reply: Document): void => {
      if (state.is === 'checking' && state.check.cancellation === check.cancellation)
        succeed(reply, clock.now() - state.check.began);
    };
    while (isUnderWay(check))
      await over.command('admin', awaitableHello(latest, heartbeatFrequencyMS), clock.now() + each, {
        limit: each,
        received: heard,
      });
  };

  const succeed = (reply: Document, duration: Millis): void => {
    if (state.is !== 'checking') return;
    const { check } = state;
    latest = reply;
    const isStreaming = mayStream && canAwait(reply);
    const reporting: State = { is: 'reporting', check };
    if (isStreaming && pace.allows()) {
      state = reporting;
    } else {
      // Further replies of the stream are not read.
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

  /** Checks again without a rest, as the server replies when something changes. */
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

  /** Emits the failure: each heartbeat that started succeeds or fails. */
  const giveUp = (check: Check, failure: MongoError): void => {
    dropConnection();
    roundTrips.forget();
    if (events.wants('serverHeartbeatFailed'))
      events.emit({
        name: 'serverHeartbeatFailed',
        ...heartbeat(check),
        duration: clock.now() - check.began,
        failure,
      });
  };

  /** @param since the start of minHeartbeatFrequencyMS */
  const rest = (since: Millis = clock.now()): void => {
    const until = clock.now() + heartbeatFrequencyMS;
    const timer = clock.startTimer(heartbeatFrequencyMS, begin);
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
    new MongoError('aborted', `The check of ${address} was given up: ${why}.`, {
      origin: { phase: 'hello', sent: false, address },
    });

  const requestCheck = (): void => {
    if (state.is !== 'resting') return;
    const { earliest, until, timer } = state;
    if (earliest >= until) return;
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
    cancelCheck() {
      if (state.is === 'reporting') rest();
      if (state.is !== 'checking') return dropConnection();
      const { check } = state;
      const error = cancelled('an operation had lost its connection to this server');
      pace.allowOneMore();
      rest(failedAt);
      giveUp(check, error);
      check.cancellation.abort(error);
    },
    forgetRoundTrips() {
      roundTrips.forget();
    },
    async close() {
      const before = state;
      state = { is: 'closed' };
      if (before.is === 'resting') before.timer.cancel();
      if (before.is === 'checking') {
        const error = cancelled('the server is no longer watched');
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
