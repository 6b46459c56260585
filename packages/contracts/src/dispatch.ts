/** The one verb: a request is dispatched. Layers are dispatches around dispatches. */
import type { Millis, Signal } from './clock.js';
import type { MongoError } from './errors.js';
import type { Exchange, Operation, Pin, Session } from './operation.js';
import type { Address } from './transport.js';

/** Immutable. A layer that changes one makes another by {@link withExchange}, {@link forRetry} or a literal of its own, never by a spread or a push. */
export interface Request<T> {
  readonly operation: Operation<T>;
  /** The operation id of events; a cursor's getMores bear their find's. */
  readonly id: number;
  /** Finite under timeoutMS ({@link noLimit} for 0); Infinity without it, when the older time limits apply. */
  readonly deadline: Millis;
  readonly signal: Signal | undefined;
  readonly session: Session | undefined;
  /** For a cursor's getMore; a session's pin goes before it. */
  readonly pin: Pin | undefined;
  readonly exchanges: readonly Exchange[];
  readonly failures: readonly MongoError[];
  /** Servers to pass over while others would do. Rule: Server Selection, "deprioritized servers". */
  readonly avoid: readonly Address[];
}

/** The request with one more exchange, which appends after the others; and in another session, if one is given. */
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

/** The request of the next attempt, after these failures. */
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

export type Dispatch = <T>(request: Request<T>) => Promise<T>;

export type Layer = (next: Dispatch) => Dispatch;

/** The first layer is the outermost. */
export const stack = (layers: readonly Layer[], innermost: Dispatch): Dispatch =>
  layers.reduceRight((next, layer) => layer(next), innermost);
