import type { Millis } from './clock.js';
import type { BodyWriter, Elements, Reply, SectionWriter } from './codec.js';
import type { Connection } from './connection.js';
import type { ServerDescription } from './description.js';
import type { MongoError } from './errors.js';
import type { Message } from './message.js';
import type { HeldBy, Lease } from './pool.js';
import type { Selection } from './selection.js';
import type { TopologyType } from './server-type.js';
import type { Address } from './transport.js';
import type { Document } from './values.js';

/** One attempt of an operation, on one server and connection. */
export interface Attempt {
  /** The connection that carries the command. */
  readonly connection: Connection;
  /** The state of the selected server. */
  readonly server: ServerDescription;
  /** The type of the deployment when the connection was checked out. */
  readonly topology: TopologyType;
  /** The session of the request. Undefined: the command carries no lsid. */
  readonly session: Session | undefined;
  /** {@link Request.deadline}. If it is finite, timeoutMS is set and the older time limits do not apply. */
  readonly deadline: Millis;
  /** The length in bytes of what the operation's `body` wrote; 0 before `body` is called. */
  readonly bodyLength: number;
  /** The number of statements in the command, as returned by `sections`; 0 before `sections` is called. */
  readonly statements: number;
  /** The errors of the earlier attempts, oldest first. */
  readonly failures: readonly MongoError[];
  /**
   * Keeps the connection checked out after the attempt, for a cursor or transaction. The caller must release the lease that
   * this returns.
   */
  hold(by: HeldBy): Lease;
}

/** How a command affects a cursor or transaction on the server. */
export type OperationRole =
  | 'opensCursor'
  | 'continuesCursor'
  | 'killsCursor'
  | 'commitsTransaction'
  | 'abortsTransaction';

/**
 * A command and how to read its reply. It may be attempted several times, so it must not keep state of an attempt.
 */
export interface Operation<T> {
  /** The name of the command. */
  readonly name: string;
  /** The database. */
  readonly db: string;
  /** Whether the command reads or writes. `either`: a command that the user wrote, which the driver does not classify. */
  readonly kind: 'read' | 'write' | 'either';
  /**
   * Whether the specification Retryable Reads or Retryable Writes supports the command. A retryable write gets a txnNumber.
   * `'always'`: commitTransaction and abortTransaction. They are retried even if the option retryWrites is false.
   */
  readonly retryable: boolean | 'always';
  /** The servers that the operation may use. */
  readonly selection: Selection;
  /** The number of replies: {@link Message.answer}. */
  readonly answer: Message['answer'];
  /**
   * The upper limit of maxTimeMS with timeoutMS. Only the exchange `createMaxTime` of `@tessera/operations` reads it: it sends the smaller
   * of this limit and the remaining time minus the server's minRoundTripTime. Without timeoutMS, `body` writes maxTimeMS if the user gave
   * it. Undefined: no upper limit. `'none'`: the command gets no maxTimeMS, because its cursor stays open after the command. Rule: Client Side Operations Timeout, "Cursors".
   */
  readonly maxTime?: Millis | 'none' | undefined;
  /**
   * The command's effect on a cursor or transaction. Undefined: no effect, or the command opens a cursor that is exhausted with its
   * first reply.
   */
  readonly role?: OperationRole | undefined;
  /**
   * The read concern of the handle; for kind `'either'`, that of the user's command. Undefined: the server's default, to which a
   * session may add fields such as `afterClusterTime`. `'none'`: the command accepts no read concern.
   */
  readonly readConcern: Document | 'none' | undefined;
  /** The write concern. Undefined: the server's default, or the command accepts no write concern. */
  readonly writeConcern?: Document | undefined;
  /** The encoded element `$db`, which names the database. */
  readonly database: Elements;
  /**
   * Writes the command without read concern, write concern and `$db`. Then the attempt appends the read and write concern, the
   * elements of the exchanges, `$readPreference` and `$db`.
   * @throws MongoError `usage` for values that cannot be encoded; then the command is not sent
   */
  body(writer: BodyWriter, attempt: Attempt): void;
  /** Writes document sequences. Returns the number of statements written, which is {@link Attempt.statements} afterwards. */
  sections?(writer: SectionWriter, attempt: Attempt): number;
  /**
   * Returns the result from a reply with `ok: 1`. The reply is only valid during the call.
   * @throws MongoError for errors inside the reply, such as write errors
   */
  read(reply: Reply, attempt: Attempt): T;
  /** Returns the result of a command that was sent without a reply. If absent, the result is undefined. */
  unanswered?(attempt: Attempt): T;
}

/** Adds elements to the command of every attempt and receives every reply. A layer adds one with {@link withExchange}. */
export interface Exchange {
  /**
   * Appends elements to the command, after the body and the concerns. The attempt already has its connection. Must be
   * synchronous.
   */
  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void;
  /** Called with every reply, including replies with `ok: 0`, before the operation reads it. */
  received(reply: Reply, attempt: Attempt, operation: Operation<unknown>): void;
}

/** The server or the connection that an operation must use. Read it before each attempt, because an error can change it. */
export type Pin = { readonly address: Address } | { readonly lease: Lease };

/**
 * The part of a session that layers and attempts use. As an exchange, it adds lsid and `$clusterTime` to commands. The
 * layer of `@tessera/session` adds txnNumber and the fields of a transaction with exchanges of its own. Rule: Driver Sessions; Causal Consistency; Transactions.
 */
export interface Session extends Exchange {
  /** The server or connection that the session's transaction is pinned to. Rule: Transactions, "Pinning". */
  readonly pin: Pin | undefined;
  /** Whether a transaction has started and is neither committed nor aborted. */
  readonly inTransaction: boolean;
  /** Returns the read concern to send: that of the transaction, or that of the operation with the fields of the session. */
  readConcern(operation: Operation<unknown>, attempt: Attempt): Operation<unknown>['readConcern'];
  /** Returns the write concern to send; undefined in a transaction, except for commitTransaction and abortTransaction. */
  writeConcern(operation: Operation<unknown>, attempt: Attempt): Document | undefined;
  /**
   * Called with the error of every failed attempt, in any phase, before the retry decision. Adds the labels of a transaction to
   * the error, unpins the session and marks it dirty as the error requires. Rule: Driver Sessions, "Dirty sessions"; Transactions.
   */
  failed(error: MongoError, operation: Operation<unknown>): void;
  /** Returns the server session to its pool. Further calls do nothing. */
  end(): void;
}
