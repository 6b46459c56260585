/** The doors through which broken parts go in. What a mutant does not name is the driver's own. */
import type { Parts } from '@tessera/client';
import { createConnect } from '@tessera/connection';
import type {
  Attempt,
  BodyWriter,
  Clock,
  Connection,
  ConnectionPool,
  ConnectOptions,
  Deployment,
  Dispatch,
  DriverEvent,
  EventName,
  EventSink,
  Exchange,
  Lease,
  Request,
  RetryPolicy,
  Session,
  Soon,
} from '@tessera/contracts';
import { createPools } from '@tessera/pool';
import { createRetryPolicy } from '@tessera/retry';
import { createSessions } from '@tessera/session';
import type { Sessions } from '@tessera/session';
import { createTopology } from '@tessera/topology';
import type { Reduce } from '@tessera/topology';
import { around, requestWith } from './around.js';

type PoolOptions = NonNullable<Parameters<Parts['pools']>[1]>;

/** Pools with other options. */
export const poolsWith = (change: (options: PoolOptions) => PoolOptions): Partial<Parts> => ({
  pools: (deps, options) => createPools(deps, change(options ?? {})),
});

export const poolsAround = (
  change: (pool: ConnectionPool, clock: Clock, options: PoolOptions) => Partial<ConnectionPool>,
): Partial<Parts> => ({
  pools: (deps, options) => {
    const open = createPools(deps, options);
    return (address, report) => {
      const pool = open(address, report);
      return around(pool, change(pool, deps.clock, options ?? {}));
    };
  },
});

/** The lease at once if it is there, or when it comes. */
export const mapLease = (lease: Soon<Lease>, change: (lease: Lease) => Lease): Soon<Lease> =>
  lease instanceof Promise ? lease.then(change) : change(lease);

/** What is told in place of each event of one name; the others pass. */
type Tell = (event: DriverEvent) => readonly DriverEvent[];

const sinkTelling = (sink: EventSink, name: EventName, tell: Tell): EventSink =>
  around(sink, {
    emit: event => {
      for (const told of event.name === name ? tell(event) : [event]) sink.emit(told);
    },
  });

export const poolsTelling = (name: EventName, tell: Tell): Partial<Parts> => ({
  pools: (deps, options) => createPools({ ...deps, events: sinkTelling(deps.events, name, tell) }, options),
});

export const topologyTelling = (name: EventName, tell: Tell): Partial<Parts> => ({
  topology: (deps, options) => createTopology({ ...deps, events: sinkTelling(deps.events, name, tell) }, options),
});

export const reducing = (reduce: Reduce): Partial<Parts> => ({
  topology: (deps, options) => createTopology({ ...deps, reduce }, options),
});

export const deploymentAround = (change: (deployment: Deployment) => Partial<Deployment>): Partial<Parts> => ({
  topology: (deps, options) => {
    const deployment = createTopology(deps, options);
    return around(deployment, change(deployment));
  },
});

/** Connections of operations and of monitors. */
export const connectionsAround = (
  change: (connection: Connection, use: ConnectOptions['use'], clock: Clock) => Partial<Connection>,
): Partial<Parts> => ({
  connect: (deps, options) => {
    const connect = createConnect(deps, options);
    return async (to, how) => {
      const connection = await connect(to, how);
      return around(connection, change(connection, how.use, deps.clock));
    };
  },
});

/** A layer around all others that handles what an operation fails with. */
export const catching = (
  handle: (error: unknown, request: Request<unknown>, again: () => Promise<never>) => unknown,
): Partial<Parts> => ({
  outerLayers: [
    next => request =>
      next(request).catch((error: unknown) => handle(error, request, () => next(request) as Promise<never>) as never),
  ],
});

export const sessionsAround = (change: (sessions: Sessions, clock: Clock) => Partial<Sessions>): Partial<Parts> => ({
  sessions: (deps, options) => {
    const sessions = createSessions(deps, options);
    return { ...sessions, ...change(sessions, deps.clock) };
  },
});

/** What the layer of sessions hands to that of retries is changed on the way. */
export const belowSessions = (change: (next: Dispatch, clock: Clock) => Dispatch): Partial<Parts> =>
  sessionsAround(({ layer }, clock) => ({ layer: next => layer(change(next, clock)) }));

/** The last exchange of a request is that of its session. */
export const sessionExchanges = (change: (exchange: Exchange) => Partial<Exchange>): Partial<Parts> =>
  belowSessions(next => request => {
    const exchanges = [...request.exchanges];
    const own = exchanges.pop();
    return next(requestWith(request, { exchanges: own === undefined ? [] : [...exchanges, around(own, change(own))] }));
  });

/** The session of a request below the layer of sessions. */
export const requestSessions = (change: Partial<Session>): Partial<Parts> =>
  belowSessions(next => request => {
    const { session } = request;
    return next(session === undefined ? request : requestWith(request, { session: around(session, change) }));
  });

/** A writer that writes another transaction number. */
const writerNumbering = (writer: BodyWriter, change: (number: bigint) => bigint): BodyWriter =>
  around(writer, {
    int64: (key, value) => writer.int64(key, key === 'txnNumber' ? change(BigInt(value)) : value),
  });

/** Writes bear another transaction number than that of their session. */
export const numbering = (change: (number: bigint, attempt: Attempt) => bigint): Partial<Parts> =>
  sessionExchanges(exchange => ({
    append: (writer, attempt, operation) =>
      exchange.append(
        writerNumbering(writer, number => change(number, attempt)),
        attempt,
        operation,
      ),
  }));

/** The driver's own policy, asked in another way. */
export const deciding = (change: (decide: RetryPolicy['decide']) => RetryPolicy['decide']): Partial<Parts> => ({
  retryPolicy: settings => {
    const policy = createRetryPolicy(settings);
    return { decide: change((...asked) => policy.decide(...asked)) };
  },
});
