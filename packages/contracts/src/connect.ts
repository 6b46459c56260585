import type { Millis, Signal } from './clock.js';
import type { Connection } from './connection.js';
import type { Address } from './transport.js';

export interface ConnectOptions {
  /** Monitors neither authenticate nor compress, and their commands are no events. */
  readonly use: 'operations' | 'monitor';
  /** Unique in its pool, from 1. Rule: CMAP, "Connection". */
  readonly id: number;
  readonly deadline: Millis;
  /**
   * How long each command of the authentication may take; the deadline is then that of the socket and of hello.
   * Rule: Client Side Operations Timeout, "Background Connection Pooling"; its test `command-execution` for hello.
   */
  readonly commandLimit?: Millis | undefined;
  readonly signal?: Signal | undefined;
  /** Called once if a connection whose handshake is done is closed, by whomever, while nothing was asked of it. */
  readonly ended?: (() => void) | undefined;
}

/** A connection, its handshake done. @throws MongoError with `origin.phase` from `resolve` to `auth`. */
export type Connect = (to: Address, options: ConnectOptions) => Promise<Connection>;
