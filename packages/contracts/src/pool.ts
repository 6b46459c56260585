import type { Clock, Millis, Signal, Soon } from './clock.js';
import type { Connection } from './connection.js';
import type { Connect } from './connect.js';
import type { MongoError } from './errors.js';
import type { EventSink } from './events.js';
import type { Address } from './transport.js';
import type { ObjectId } from './values.js';

export type HeldBy = 'cursor' | 'transaction';

/** A connection checked out; there is one such object per pooled connection. */
export interface Lease {
  readonly connection: Connection;
  readonly generation: number;
  /** Says in the pool's errors who keeps it. Rule: Load Balancers, "Connection Pinning". */
  hold(by: HeldBy): void;
  release(): void;
}

export interface CheckOutOptions {
  readonly deadline: Millis;
  readonly signal?: Signal | undefined;
}

/** Rule: Connection Monitoring and Pooling. */
export interface ConnectionPool {
  /** Operations that hold or wait for a connection: the operationCount of Server Selection. */
  readonly load: number;
  /**
   * @throws MongoError `pool` (closed, cleared, waitQueueTimeoutMS), `timeout` (the deadline), `aborted`, each with
   * `origin.phase` `checkOut`; or what the handshake threw, which was reported.
   */
  checkOut(options: CheckOutOptions): Soon<Lease>;
  ready(): void;
  /**
   * Every clear makes all older connections (those to that service) stale and adds one to the pool's generation, also
   * while it is paused; only the first of them is an event. A cause of an older generation changes nothing.
   */
  clear(options: {
    readonly cause: MongoError;
    readonly serviceId?: ObjectId | undefined;
    readonly interruptInUse?: boolean;
  }): void;
  /**
   * Idle connections are closed at once, others as they are given back. With a cause these are closed at once, too: what
   * is under way on them fails with it, and so does whoever waits for one.
   */
  close(cause?: MongoError): void;
  /** Connections in use are closed: what is under way on them fails with the cause, and so does whoever waits for one. */
  interrupt(cause: MongoError): void;
}

/** Makes the pool of one server, paused. It reports failed handshakes itself, also those of minPoolSize. */
export type OpenPool = (at: Address, report: (error: MongoError) => void) => ConnectionPool;

/** What a pool needs from outside. */
export interface PoolDeps {
  readonly clock: Clock;
  readonly events: EventSink;
  readonly connect: Connect;
}

/** Rule: Connection Monitoring and Pooling, "Connection Pool Options". */
export interface PoolOptions {
  /** Connections at most, whatever they are doing; 0 is no limit. */
  readonly maxPoolSize: number;
  /** Connections that the pool opens by itself while it is ready. */
  readonly minPoolSize: number;
  /** How long a connection may lie unused before it is closed; 0 is for ever. */
  readonly maxIdleTimeMS: Millis;
  /** Connections that may be on their way at the same time. */
  readonly maxConnecting: number;
  /**
   * How long an operation without a deadline may wait for a connection; 0 is for ever. A deadline takes its place.
   * Rule: Client Side Operations Timeout, "Validation and Overrides".
   */
  readonly waitQueueTimeoutMS: Millis;
  /** How long a connection may take from its first packet to the end of its handshake; 0 is for ever. */
  readonly connectTimeoutMS: Millis;
  /**
   * How long each command of an authentication may take that no operation waits for; 0: as long as connectTimeoutMS allows.
   * Rule: Client Side Operations Timeout, "Background Connection Pooling".
   */
  readonly timeoutMS: Millis;
}

/** Makes the pools of a client. @throws MongoError `usage` for options that cannot be used */
export type CreatePools = (deps: PoolDeps, options: Partial<PoolOptions>) => OpenPool;
