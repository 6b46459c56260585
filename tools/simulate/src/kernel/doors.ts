/** Builds parts of the driver that differ from the originals in one respect. Mutants use them. */
import type { InnerParts } from '@tessera/client';
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
import { around } from './around.js';

type PoolOptions = NonNullable<Parameters<InnerParts['pools']>[1]>;

/** Opens pools with changed options. */
export const poolsWith = (change: (options: PoolOptions) => PoolOptions): Partial<InnerParts> => ({
  pools: (deps, options) => createPools(deps, change(options ?? {})),
});

export const poolsAround = (
  change: (pool: ConnectionPool, clock: Clock, options: PoolOptions) => Partial<ConnectionPool>,
): Partial<InnerParts> => ({
  pools: (deps, options) => {
    const open = createPools(deps, options);
    return (address, report) => {
      const pool = open(address, report);
      return around(pool, change(pool, deps.clock, options ?? {}));
    };
  },
});

/** Applies a change to a lease that may still be a promise. */
export const mapLease = (lease: Soon<Lease>, change: (lease: Lease) => Lease): Soon<Lease> =>
  lease instanceof Promise ? lease.then(change) : change(lease);

/** Returns the events to emit in place of one event. */
type Replace = (event: DriverEvent) => readonly DriverEvent[];

const replacingSink = (sink: EventSink, name: EventName, replace: Replace): EventSink =>
  around(sink, {
    emit: event => {
      for (const emitted of event.name === name ? replace(event) : [event]) sink.emit(emitted);
    },
  });

/** Opens pools that emit other events in place of those with this name. */
export const poolsEmitting = (name: EventName, replace: Replace): Partial<InnerParts> => ({
  pools: (deps, options) => createPools({ ...deps, events: replacingSink(deps.events, name, replace) }, options),
});

/** Opens a topology that emits other events in place of those with this name. */
export const topologyEmitting = (name: EventName, replace: Replace): Partial<InnerParts> => ({
  topology: (deps, options) => createTopology({ ...deps, events: replacingSink(deps.events, name, replace) }, options),
});

export const reducing = (reduce: Reduce): Partial<InnerParts> => ({
  topology: (deps, options) => createTopology({ ...deps, reduce }, options),
});

export const deploymentAround = (change: (deployment: Deployment) => Partial<Deployment>): Partial<InnerParts> => ({
  topology: (deps, options) => {
    const deployment = createTopology(deps, options);
    return around(deployment, change(deployment));
  },
});

/** Wraps every connection, of operations and of monitors. */
export const connectionsAround = (
  change: (connection: Connection, use: ConnectOptions['use'], clock: Clock) => Partial<Connection>,
): Partial<InnerParts> => ({
  connect: (deps, options) => {
    const connect = createConnect(deps, options);
    return async (to, how) => {
      const connection = await connect(to, how);
      return around(connection, change(connection, how.use, deps.clock));
    };
  },
});

/** Adds an outermost layer that handles the errors of operations. */
export const catching = (
  handle: (error: unknown, request: Request<unknown>, again: () => Promise<never>) => unknown,
): Partial<InnerParts> => ({
  outerLayers: [
    next => request =>
      next(request).catch((error: unknown) => handle(error, request, () => next(request) as Promise<never>) as never),
  ],
});

export const sessionsAround = (
  change: (sessions: Sessions, clock: Clock) => Partial<Sessions>,
): Partial<InnerParts> => ({
  sessions: (deps, options) => {
    const sessions = createSessions(deps, options);
    return { ...sessions, ...change(sessions, deps.clock) };
  },
});

/** Changes requests between the layer of sessions and the layer of retries. */
export const belowSessions = (
  change: (next: Dispatch, sessions: Sessions, clock: Clock) => Dispatch,
): Partial<InnerParts> =>
  sessionsAround((sessions, clock) => ({ layer: next => sessions.layer(change(next, sessions, clock)) }));

type ChangeExchange = (exchange: Exchange) => Partial<Exchange>;

/** Changes the last exchange of a request, which is the exchange of its session. */
export const withOwnExchange = <T>(request: Request<T>, change: ChangeExchange): Request<T> => {
  const exchanges = [...request.exchanges];
  const own = exchanges.pop();
  return own === undefined ? request : { ...request, exchanges: [...exchanges, around(own, change(own))] };
};

export const sessionExchanges = (change: ChangeExchange): Partial<InnerParts> =>
  belowSessions(next => request => next(withOwnExchange(request, change)));

/** Replaces members of the sessions of requests below the layer of sessions. */
export const requestSessions = (change: Partial<Session>): Partial<InnerParts> =>
  belowSessions(next => request => {
    const { session } = request;
    return next(session === undefined ? request : { ...request, session: around(session, change) });
  });

/** Wraps a writer so that it changes the transaction number. */
const writerNumbering = (writer: BodyWriter, change: (number: bigint) => bigint): BodyWriter =>
  around(writer, {
    int64: (key, value) => writer.int64(key, key === 'txnNumber' ? change(BigInt(value)) : value),
  });

/** Changes the transaction numbers that sessions send. */
export const numbering = (change: (number: bigint, attempt: Attempt) => bigint): Partial<InnerParts> =>
  sessionExchanges(exchange => ({
    append: (writer, attempt, operation) =>
      exchange.append(
        writerNumbering(writer, number => change(number, attempt)),
        attempt,
        operation,
      ),
  }));

/** Wraps the decisions of the driver's retry policy. */
export const deciding = (change: (decide: RetryPolicy['decide']) => RetryPolicy['decide']): Partial<InnerParts> => ({
  retryPolicy: settings => {
    const policy = createRetryPolicy(settings);
    return { decide: change(failed => policy.decide(failed)) };
  },
});
