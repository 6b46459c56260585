/**
 * Requests, and the functions that run them. A `Dispatch` runs one request. A `Layer` wraps a dispatch in another: retries and
 * sessions are layers, and the innermost dispatch runs one attempt.
 */
import type { Millis, Signal } from './clock.js';
import type { MongoError } from './errors.js';
import type { Exchange, Operation, Pin, Session } from './operation.js';
import type { Address } from './transport.js';

/**
 * One call of an operation. It is immutable, because a layer may dispatch it several times. To change it, create a copy with
 * {@link withExchange}, {@link forRetry} or an object literal with all fields; a spread is slower.
 */
export interface Request<T> {
  readonly operation: Operation<T>;
  /** The operation id of events. The getMores of a cursor have the id of the command that opened it. */
  readonly id: number;
  /**
   * A point in time on {@link Clock.now}. Finite if timeoutMS is set, and {@link noLimit} if it is 0. Infinity if it is not set;
   * then the older time limits apply, such as socketTimeoutMS. Rule: Client Side Operations Timeout.
   */
  readonly deadline: Millis;
  /** The caller's signal. */
  readonly signal: Signal | undefined;
  readonly session: Session | undefined;
  /** The pin of a cursor, for getMore and killCursors. The pin of the session overrides it. */
  readonly pin: Pin | undefined;
  /** They append to the command in this order. */
  readonly exchanges: readonly Exchange[];
  /** The errors of the earlier attempts, oldest first. */
  readonly failures: readonly MongoError[];
  /** Servers to avoid if others are suitable. Rule: Server Selection, "deprioritized servers". */
  readonly avoid: readonly Address[];
}

/** Returns a copy of the request with one more exchange, which appends after the others, and optionally another session. */
export const withExchange = <T>(
  request: Request<T>,
  exchange: Exchange,
  session: Session | undefined = request.session,
): Request<T> => ({
  operation: request.operation,
  id: request.id,
  deadline: request.deadline,
  signal: request.signal,
  session,
  pin: request.pin,
  exchanges: request.exchanges.length === 0 ? [exchange] : [...request.exchanges, exchange],
  failures: request.failures,
  avoid: request.avoid,
});

/** Returns a copy of the request for the next attempt, with the failures so far and the servers to avoid. */
export const forRetry = <T>(
  request: Request<T>,
  failures: readonly MongoError[],
  avoid: readonly Address[],
): Request<T> => ({
  operation: request.operation,
  id: request.id,
  deadline: request.deadline,
  signal: request.signal,
  session: request.session,
  pin: request.pin,
  exchanges: request.exchanges,
  failures,
  avoid,
});

/**
 * Runs a request and resolves to the operation's result.
 * @throws MongoError with `origin` set to where the request failed
 */
export type Dispatch = <T>(request: Request<T>) => Promise<T>;

/** Wraps a dispatch. A layer may change the request, dispatch it several times or not at all, and change the result. */
export type Layer = (next: Dispatch) => Dispatch;

/** Wraps the innermost dispatch in these layers. The first layer is the outermost. */
export const stack = (layers: readonly Layer[], innermost: Dispatch): Dispatch =>
  layers.reduceRight((next, layer) => layer(next), innermost);
