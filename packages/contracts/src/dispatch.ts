/** The one verb: a request is dispatched. Layers are dispatches around dispatches. */
import type { Millis, Signal } from './clock.js';
import type { MongoError } from './errors.js';
import type { Exchange, Operation, Pin, Session } from './operation.js';
import type { Address } from './transport.js';

/** Immutable. A layer that changes one writes a new literal, never a spread, and never pushes into it. */
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

export type Dispatch = <T>(request: Request<T>) => Promise<T>;

export type Layer = (next: Dispatch) => Dispatch;

/** The first layer is the outermost. */
export const stack = (layers: readonly Layer[], innermost: Dispatch): Dispatch =>
  layers.reduceRight((next, layer) => layer(next), innermost);
