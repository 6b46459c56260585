import type { Clock, Millis, Signal, Soon } from './clock.js';
import type { Connection } from './connection.js';
import type { Connect } from './connect.js';
import type { MongoError } from './errors.js';
import type { EventSink } from './events.js';
import type { Address } from './transport.js';
import type { ObjectId } from './values.js';

/** The reason why a connection stays checked out after a command. */
export type HeldBy = 'cursor' | 'transaction';

/** A connection that is checked out. Each pooled connection has one such object for its whole life. */
export interface Lease {
  readonly connection: Connection;
  /** The pool's generation when the connection was created. */
  readonly generation: number;
  /**
   * Records that a cursor or transaction keeps the connection. Timeout errors of the pool report the number of each. Lasts until
   * `release`. Rule: Load Balancers, "Connection Pinning".
   */
  hold(by: HeldBy): void;
  /** Returns the connection to the pool. Call it exactly once per checkout. */
  release(): void;
}

/** The limits of one checkout. */
export interface CheckOutOptions {
  /** A point in time on {@link Clock.now}. Infinity: `waitQueueTimeoutMS` applies. */
  readonly deadline: Millis;
  readonly signal?: Signal | undefined;
}

/**
 * The connections of one server, which it lends to operations. It starts paused and is ready after `ready`. `poolSuite` of
 * `@tessera/sim` tests an implementation. Rule: Connection Monitoring and Pooling.
 */
export interface ConnectionPool {
  /** The number of operations that hold or wait for a connection: `operationCount`. Rule: Server Selection. */
  readonly load: number;
  /**
   * Lends a connection: an idle one now, otherwise the next that is returned or opened, in the order of the calls.
   * @throws MongoError with `origin.phase` `checkOut`: `pool` if the pool is closed, was cleared, or after waitQueueTimeoutMS;
   * `timeout` after the deadline; `aborted` if the signal aborts. Or the error of a failed handshake, which the pool has reported.
   */
  checkOut(options: CheckOutOptions): Soon<Lease>;
  /** Makes the pool ready: it lends connections and opens those of minPoolSize. Does nothing if it is ready or closed. */
  ready(): void;
  /**
   * Increments the generation, which makes all connections stale; with `serviceId`, only those to this service. Without
   * `serviceId`, also pauses the pool and fails the waiting checkouts. If the pool is paused already, increments the generation
   * but emits no event. Ignores a cause whose `origin.generation` is older than the current generation.
   */
  clear(options: {
    readonly cause: MongoError;
    readonly serviceId?: ObjectId | undefined;
    /** Also closes stale connections in use or being opened. Their commands fail with kind `pool` and this cause. */
    readonly interruptInUse?: boolean;
  }): void;
  /**
   * Closes the pool for good. Idle connections close immediately, connections in use when they are returned. With a cause,
   * connections in use also close immediately, and their commands and the waiting checkouts fail with the cause.
   */
  close(cause?: MongoError): void;
  /** Closes the connections in use. Their commands and the waiting checkouts fail with the cause. The pool stays usable. */
  interrupt(cause: MongoError): void;
}

/** Creates the pool of one server, paused. The pool calls `report` with the error of each failed handshake, also for minPoolSize. */
export type OpenPool = (at: Address, report: (error: MongoError) => void) => ConnectionPool;

/** The dependencies of a pool. */
export interface PoolDeps {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly connect: Connect;
}

/** Rule: Connection Monitoring and Pooling, "Connection Pool Options". */
export interface PoolOptions {
  /** The maximum number of connections, including those in use and those being opened; 0 means no limit. */
  readonly maxPoolSize: number;
  /** The minimum number of connections, which the pool opens and maintains while it is ready. */
  readonly minPoolSize: number;
  /** How long a connection may be idle before the pool closes it; 0 means no limit. */
  readonly maxIdleTimeMS: Millis;
  /** The maximum number of connections being opened at the same time. */
  readonly maxConnecting: number;
  /**
   * How long an operation without a deadline may wait for a connection; 0 means no limit. A deadline overrides it.
   * Rule: Client Side Operations Timeout, "Validation and Overrides".
   */
  readonly waitQueueTimeoutMS: Millis;
  /** How long a connection may take from opening the socket to the end of its handshake; 0 means no limit. */
  readonly connectTimeoutMS: Millis;
  /**
   * How long each authentication command of a connection in the background may take; 0: only connectTimeoutMS applies.
   * Rule: Client Side Operations Timeout, "Background Connection Pooling".
   */
  readonly timeoutMS: Millis;
}

/**
 * Creates the function that opens the pools of a client.
 * @throws MongoError `usage` for invalid options
 */
export type CreatePools = (deps: PoolDeps, options: Partial<PoolOptions>) => OpenPool;
