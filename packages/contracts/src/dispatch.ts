/** The one verb: a request is dispatched. Layers are dispatches around dispatches. */
import type { BodyWriter, Reply, SectionWriter } from './codec.js';
import type { Connection, HeldBy, Lease, Message } from './connection.js';
import type { Selection, ServerDescription, TopologyType } from './deployment.js';
import type { MongoError } from './errors.js';
import type { Address, Millis, Signal } from './runtime.js';
import type { Document } from './values.js';

/** One try of one operation, on one server, over one connection. */
export interface Attempt {
  readonly connection: Connection;
  readonly server: ServerDescription;
  readonly topology: TopologyType;
  readonly session: Session | undefined;
  /** Of the earlier attempts, oldest first. */
  readonly failures: readonly MongoError[];
  /** Keeps the connection beyond the attempt; whoever is given the lease releases it. */
  hold(by: HeldBy): Lease;
}

/** What a command says and how its reply is read. It may be tried several times, so it keeps nothing of an attempt. */
export interface Operation<T> {
  readonly name: string;
  readonly db: string;
  readonly kind: 'read' | 'write' | 'either';
  /** As Retryable Reads and Retryable Writes list it; for a write: it may carry a txnNumber. */
  readonly retryable: boolean;
  readonly selection: Selection;
  readonly answer: Message['answer'];
  /** The whole command with `$db`, but for what exchanges append. */
  body(writer: BodyWriter, attempt: Attempt): void;
  sections?(writer: SectionWriter, attempt: Attempt): void;
  /** Of a reply that is `ok: 1`; throws MongoError for the errors within. */
  read(reply: Reply, attempt: Attempt): T;
}

/** Appends to every attempt's command and hears every reply, `ok: 0` replies too. */
export interface Exchange {
  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void;
  heard(reply: Reply, attempt: Attempt): void;
}

/** Where a session's next operation must go; read anew before each attempt. */
export type Pin = { readonly address: Address } | { readonly lease: Lease };

/** Rule: Driver Sessions; Causal Consistency. */
export interface Session extends Exchange {
  readonly pin: Pin | undefined;
  /** The read concern to send: the operation's own with what the session adds. */
  readConcern(own: Document | undefined, attempt: Attempt): Document | undefined;
  writeConcern(own: Document | undefined, attempt: Attempt): Document | undefined;
  /** A network error was seen while it was in use. Rule: Driver Sessions, "Dirty sessions". */
  failed(error: MongoError): void;
  /** Gives the server session back. Further calls do nothing. */
  end(): void;
}

/** Immutable. A layer that changes one writes a new literal, never a spread, and never pushes into it. */
export interface Request<T> {
  readonly operation: Operation<T>;
  /** The operation id of events; a cursor's getMores bear their find's. */
  readonly id: number;
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

export type RetryDecision =
  | { readonly retry: false; readonly raise: MongoError }
  | { readonly retry: true; readonly after: Millis; readonly avoid?: Address | undefined };

export interface RetryPolicy {
  /**
   * Pure. The failures are those of all attempts so far, the newest last; `unit` is a fresh chance in [0, 1) for jitter.
   */
  decide(
    request: Request<unknown>,
    failures: readonly MongoError[],
    topology: TopologyType,
    unit: number,
  ): RetryDecision;
  /** Only for policies with a memory: a token bucket, a budget. */
  settled?(request: Request<unknown>, failures: readonly MongoError[], outcome: 'ok' | 'failed'): void;
}
