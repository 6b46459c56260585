import type { Millis, Signal, Soon } from './clock.js';
import type { Connection } from './connection.js';
import type { MongoError } from './errors.js';
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
