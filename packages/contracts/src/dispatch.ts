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
  /** The command, and how to read its reply. */
  readonly operation: Operation<T>;
  /** The operationId of events. The getMore commands of a cursor have the id of the command that opened the cursor. */
  readonly id: number;
  /**
   * A point in time on {@link Clock.now}. It is {@link noLimit} if timeoutMS is 0. It is Infinity if timeoutMS is not set; then the
   * older time limits apply, such as socketTimeoutMS. Rule: Client Side Operations Timeout.
   */
  readonly deadline: Millis;
  /** The caller's signal. */
  readonly signal: Signal | undefined;
  /** The session that the command carries. Undefined: none, or the session layer has not added one yet. */
  readonly session: Session | undefined;
  /**
   * The server or connection of a cursor, which its getMore and killCursors commands must use. The pin of the session overrides it.
   */
  readonly pin: Pin | undefined;
  /** The exchanges, which append elements to the command in this order. */
  readonly exchanges: readonly Exchange[];
  /** The errors of the earlier attempts, oldest first. */
  readonly failures: readonly MongoError[];
  /** Servers that are only selected if no other server is suitable. Rule: Server Selection, "deprioritized servers". */
  readonly avoid: readonly Address[];
}

/** Returns a copy of the request with other values of the fields that layers change. */
const copyOf = <T>(
  request: Request<T>,
  session: Session | undefined,
  exchanges: readonly Exchange[],
  failures: readonly MongoError[],
  avoid: readonly Address[],
): Request<T> => ({
  operation: request.operation,
  id: request.id,
  deadline: request.deadline,
  signal: request.signal,
  session,
  pin: request.pin,
  exchanges,
  failures,
  avoid,
});

/** Returns a copy of the request with one more exchange at the end, and optionally with another session. */
export const withExchange = <T>(
  request: Request<T>,
  exchange: Exchange,
  session: Session | undefined = request.session,
): Request<T> => {
  const exchanges = request.exchanges.length === 0 ? [exchange] : [...request.exchanges, exchange];
  return copyOf(request, session, exchanges, request.failures, request.avoid);
};

/** Returns a copy of the request for the next attempt, with the failures so far and the servers to avoid. */
export const forRetry = <T>(
  request: Request<T>,
  failures: readonly MongoError[],
  avoid: readonly Address[],
): Request<T> => copyOf(request, request.session, request.exchanges, failures, avoid);

/**
 * Runs a request and resolves to the operation's result.
 * @throws MongoError. If an attempt failed, `origin` is set to where it failed. An error that the application's own code throws, such
 * as a faulty signal, passes unchanged.
 */
export interface Dispatch {
  <T>(request: Request<T>): Promise<T>;
  /**
   * Runs a request like the dispatch itself, but resolves to the promise of `recover` instead of rejecting. A successful
   * operation then needs no further promise. Call it through {@link orElse}. Absent in layers without an own failure path.
   */
  readonly orElse?: (<T>(request: Request<T>, recover: Recover<T>) => Promise<T>) | undefined;
}

/** Handles the error of a dispatch: returns the promise of another result, or rejects. It never throws. */
export type Recover<T> = (error: unknown) => Promise<T>;

/** Runs a request. Resolves to the promise of `recover` if the dispatch rejects. */
export const orElse = <T>(dispatch: Dispatch, request: Request<T>, recover: Recover<T>): Promise<T> =>
  dispatch.orElse === undefined ? dispatch(request).then(undefined, recover) : dispatch.orElse(request, recover);

/** Wraps a dispatch. A layer may pass on a changed request, dispatch it several times or not at all, and return another result. */
export type Layer = (next: Dispatch) => Dispatch;

/** Wraps the innermost dispatch in these layers. The first layer is the outermost: it receives requests first. */
export const stack = (layers: readonly Layer[], innermost: Dispatch): Dispatch =>
  layers.reduceRight((next, layer) => layer(next), innermost);
