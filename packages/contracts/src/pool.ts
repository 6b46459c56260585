import type { Clock, Millis, Signal, Soon } from './clock.js';
import type { Connection } from './connection.js';
import type { Connect } from './connect.js';
import type { MongoError } from './errors.js';
import type { EventSink } from './events.js';
import type { Address } from './transport.js';
import type { ObjectId } from './values.js';

/** The reason why a connection stays checked out after a command. */
export type HeldBy = 'cursor' | 'transaction';

/** A connection that is checked out of its pool. A pooled connection has the same lease for every checkout. */
export interface Lease {
  /** The connection that is lent. */
  readonly connection: Connection;
  /** The pool's generation when the connection was created: {@link ConnectionPool.clear}. */
  readonly generation: number;
  /**
   * Records that a cursor or transaction keeps the connection. Timeout errors of the pool report how many connections each of
   * them keeps. The record lasts until `release`. Rule: Load Balancers, "Connection Pinning".
   */
  hold(by: HeldBy): void;
  /** Returns the connection to the pool. Call it exactly once per checkout. */
  release(): void;
}

/** The limits of one checkout. */
export interface CheckOutOptions {
  /** A point in time on {@link Clock.now}. Infinity: the option `waitQueueTimeoutMS` limits the wait instead. */
  readonly deadline: Millis;
  /** Ends the wait. The error has the reason of the signal as its cause. */
  readonly signal?: Signal | undefined;
}

/**
 * The connections to one server, which operations check out and return. A new pool is paused: checkouts fail until `ready` is
 * called. `poolSuite` of `@tessera/sim` tests an implementation. Rule: Connection Monitoring and Pooling.
 */
export interface ConnectionPool {
  /**
   * The number of operations that use or wait for a connection. Server selection prefers the smaller number. Rule: Server
   * Selection, "operationCount".
   */
  readonly load: number;
  /**
   * Checks out a connection. Returns an idle connection immediately. Otherwise waits for the next connection that is returned
   * or opened; waiting calls receive connections in the order in which they were made.
   * @throws MongoError with `origin.phase` `checkOut`: `pool` if the pool is closed or was cleared, or after waitQueueTimeoutMS;
   * `timeout` after the deadline; `aborted` if the signal aborts. If the handshake fails, its error, after a call of `report`
   * ({@link OpenPool}).
   */
  checkOut(options: CheckOutOptions): Soon<Lease>;
  /**
   * Makes the pool ready: checkouts can succeed, and the pool opens minPoolSize connections. Does nothing if it is ready or
   * closed.
   */
  ready(): void;
  /**
   * Increments the generation, a counter. Connections of an older generation are stale: the pool closes them instead of reusing
   * them. With `serviceId`, increments only the generation of this service. Without `serviceId`, also pauses the pool and fails
   * the waiting checkouts. If the pool is already paused, increments the generation but emits no event. Ignores a cause whose
   * `origin.generation` is older than the current generation.
   */
  clear(options: {
    /** The error that led to the call. It is the cause of the errors of checkouts while the pool is paused. */
    readonly cause: MongoError;
    /** Behind a load balancer: the id of the service whose connections become stale. Undefined: all connections. */
    readonly serviceId?: ObjectId | undefined;
    /** Also closes stale connections in use or being opened. Their commands fail with kind `pool` and this cause. */
    readonly interruptInUse?: boolean;
  }): void;
  /**
   * Closes the pool permanently. Closes idle connections and those being opened immediately, and connections in use when they are
   * returned. The waiting checkouts fail with kind `pool`. With a cause, connections in use also close immediately. Then each of their
   * commands and each waiting checkout fails with a new error, which has the kind and message of the cause.
   */
  close(cause?: MongoError): void;
  /**
   * Closes the connections in use. Each of their commands and each waiting checkout fails with a new error, which has the kind and
   * message of the cause. The pool stays usable.
   */
  interrupt(cause: MongoError): void;
}

/**
 * Creates the paused pool of one server. The pool calls `report` with the error of each failed handshake, including those of
 * connections that it opens for minPoolSize.
 */
export type OpenPool = (at: Address, report: (error: MongoError) => void) => ConnectionPool;

/** The dependencies of a pool. */
export interface PoolDeps {
  /** Times the idle connections and the wait for a connection. */
  readonly clock: Clock;
  /** Receives the events of the pool. */
  readonly events: EventSink;
  /** Opens a connection. */
  readonly connect: Connect;
}

/** The options of a pool. Times are in milliseconds. Rule: Connection Monitoring and Pooling, "Connection Pool Options". */
export interface PoolOptions {
  /** The maximum number of connections, including those in use and those being opened; 0 means no limit. Default 100. */
  readonly maxPoolSize: number;
  /** The minimum number of connections, which the pool opens and maintains while it is ready. Default 0. */
  readonly minPoolSize: number;
  /** How long a connection may be idle before the pool closes it; 0 means no limit. Default 0. */
  readonly maxIdleTimeMS: Millis;
  /** The maximum number of connections being opened at the same time. Default 2. */
  readonly maxConnecting: number;
  /**
   * How long an operation without a deadline may wait for a connection; 0 means no limit. Default 0. A deadline overrides it.
   * Rule: Client Side Operations Timeout, "Validation and Overrides".
   */
  readonly waitQueueTimeoutMS: Millis;
  /** How long a connection may take from opening the socket to the end of its handshake; 0 means no limit. Default 30000. */
  readonly connectTimeoutMS: Millis;
  /**
   * How long each authentication command may take on a connection that the pool opens for minPoolSize. Then connectTimeoutMS
   * does not limit the authentication. 0: only connectTimeoutMS applies. Default 0. Rule: Client Side Operations Timeout,
   * "Background Connection Pooling".
   */
  readonly timeoutMS: Millis;
}

/**
 * Creates the function that opens the pools of a client.
 * @throws MongoError `usage` for invalid options
 */
export type CreatePools = (deps: PoolDeps, options: Partial<PoolOptions>) => OpenPool;
