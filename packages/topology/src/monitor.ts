import { MongoError } from '@tessera/contracts';
import type {
  Address,
  Clock,
  Connect,
  Connection,
  Document,
  EventSink,
  Millis,
  ServerDescription,
  Timer,
} from '@tessera/contracts';
import { Cancellation } from './cancellation.js';
import { RoundTrips } from './round-trip.js';
import { serverFromHello } from './server-description.js';

export interface MonitorDeps {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly connect: Connect;
  readonly checked: (server: ServerDescription) => void;
  readonly failed: (error: MongoError) => void;
}

export interface MonitorOptions {
  readonly address: Address;
  readonly heartbeatFrequencyMS: Millis;
  readonly minHeartbeatFrequencyMS: Millis;
  /** Of the connection and of each check; 0 is no limit. */
  readonly connectTimeoutMS: Millis;
}

/** Checks one server again and again, over a connection of its own. */
export interface Monitor {
  /** The first check begins at once. */
  start(): void;
  /** As soon as minHeartbeatFrequencyMS has passed since the last check; nothing while one is under way. */
  requestCheck(): void;
  /** Without that rest. */
  checkNow(): void;
  /** Gives up the check under way and the connection, and rests. */
  cancelCheck(): void;
  /** The server became Unknown: what was measured of it says nothing any more. */
  forgetRoundTrips(): void;
  /** Resolves when nothing is left open. */
  close(): Promise<void>;
}

interface Check {
  readonly connectionId: number;
  readonly began: Millis;
  readonly cancellation: Cancellation;
}

interface Answer {
  readonly reply: Document;
  readonly duration: Millis;
}

type State =
  | { readonly is: 'new' }
  | { readonly is: 'checking'; readonly check: Check }
  | { readonly is: 'resting'; readonly since: Millis; readonly until: Millis; readonly timer: Timer }
  | { readonly is: 'closed' };

/** Rule: Server Monitoring, "Multi-threaded or asynchronous monitoring", "Polling Protocol". */
export const createMonitor = (deps: MonitorDeps, options: MonitorOptions): Monitor => {
  const { clock, events, connect } = deps;
  const { address, heartbeatFrequencyMS, minHeartbeatFrequencyMS, connectTimeoutMS } = options;
  const roundTrips = new RoundTrips();
  const unsettled = new Set<Promise<void>>();
  let state: State = { is: 'new' };
  let connection: Connection | undefined;
  let connections = 0;

  const begin = (): void => {
    if (connection?.closed === true) connection = undefined;
    const connectionId = connection === undefined ? ++connections : connection.id;
    const check: Check = { connectionId, began: clock.now(), cancellation: new Cancellation() };
    state = { is: 'checking', check };
    if (events.wants('serverHeartbeatStarted')) events.emit({ name: 'serverHeartbeatStarted', ...heartbeat(check) });
    if (!isCurrent(check)) return;
    const settled: Promise<void> = run(check).finally(() => unsettled.delete(settled));
    unsettled.add(settled);
  };

  const run = async (check: Check): Promise<void> => {
    let answer: Answer;
    try {
      const deadline = connectTimeoutMS === 0 ? Infinity : check.began + connectTimeoutMS;
      answer = connection === undefined ? await greet(check, deadline) : await ask(check, connection, deadline);
    } catch (error) {
      if (isCurrent(check)) fail(check, asMongoError(error));
      return;
    }
    if (isCurrent(check)) succeed(check, answer);
  };

  /** The handshake of a new connection is a check. */
  const greet = async (check: Check, deadline: Millis): Promise<Answer> => {
    const { connectionId: id, cancellation: signal } = check;
    const opened = await connect(address, { use: 'monitor', id, deadline, signal });
    if (isCurrent(check)) connection = opened;
    else opened.close();
    return { reply: opened.hello.document, duration: opened.hello.roundTrip };
  };

  const ask = async (check: Check, over: Connection, deadline: Millis): Promise<Answer> => {
    const reply = await over.command('admin', helloCommand(over.hello.document), deadline);
    return { reply, duration: clock.now() - check.began };
  };

  const succeed = (check: Check, { reply, duration }: Answer): void => {
    roundTrips.add(duration);
    const server = serverFromHello(address, reply, {
      lastUpdateTime: clock.now(),
      roundTripTime: roundTrips.average(),
      minRoundTripTime: roundTrips.least(),
    });
    rest(heartbeatFrequencyMS);
    if (events.wants('serverHeartbeatSucceeded'))
      events.emit({ name: 'serverHeartbeatSucceeded', ...heartbeat(check), duration, reply });
    deps.checked(server);
  };

  const fail = (check: Check, error: MongoError): void => {
    rest(heartbeatFrequencyMS);
    giveUp(check, error);
    deps.failed(error);
  };

  /** Every heartbeat that started is heard to succeed or fail. */
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

  const rest = (duration: Millis): void => {
    const since = clock.now();
    state = { is: 'resting', since, until: since + duration, timer: clock.startTimer(duration, begin) };
  };

  const dropConnection = (): void => {
    connection?.close();
    connection = undefined;
  };

  const isCurrent = (check: Check): boolean => state.is === 'checking' && state.check === check;

  const heartbeat = (check: Check): { connectionId: string; awaited: boolean } => ({
    connectionId: `${address}#${check.connectionId}`,
    awaited: false,
  });

  const cancelled = (why: string): MongoError =>
    new MongoError('aborted', `The check of ${address} was given up: ${why}.`, {
      origin: { phase: 'hello', sent: false, address },
    });

  return {
    start() {
      if (state.is === 'new') begin();
    },
    requestCheck() {
      if (state.is !== 'resting') return;
      const { since, until, timer } = state;
      const earliest = since + minHeartbeatFrequencyMS;
      if (earliest >= until) return;
      timer.cancel();
      const wait = earliest - clock.now();
      if (wait <= 0) return begin();
      state = { is: 'resting', since, until: earliest, timer: clock.startTimer(wait, begin) };
    },
    checkNow() {
      if (state.is !== 'resting') return;
      state.timer.cancel();
      begin();
    },
    cancelCheck() {
      if (state.is !== 'checking') return dropConnection();
      const { check } = state;
      const error = cancelled('an operation had lost its connection to this server');
      rest(heartbeatFrequencyMS);
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
      await Promise.all(unsettled);
    },
  };
};

/** A server that has said that it knows `hello`, or was greeted with it, is asked so. Rule: Server Monitoring. */
const helloCommand = (last: Document): Document =>
  last['helloOk'] === true || last['isWritablePrimary'] !== undefined
    ? { hello: 1, helloOk: true }
    : { isMaster: 1, helloOk: true };

const asMongoError = (error: unknown): MongoError =>
  MongoError.is(error) ? error : new MongoError('network', `The check failed: ${String(error)}`, { cause: error });
