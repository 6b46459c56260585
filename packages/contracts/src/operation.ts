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
  readonly connection: Connection;
  readonly server: ServerDescription;
  readonly topology: TopologyType;
  readonly session: Session | undefined;
  /** {@link Request.deadline}: finite if timeoutMS is set, which then replaces the older time limits. */
  readonly deadline: Millis;
  /** The length in bytes of what the operation's `body` wrote; 0 before. */
  readonly bodyLength: number;
  /** The number of statements in the command, as returned by `sections`; 0 before. */
  readonly statements: number;
  /** The errors of the earlier attempts, oldest first. */
  readonly failures: readonly MongoError[];
  /** Keeps the connection checked out after the attempt, for a cursor or transaction. The caller must release the lease. */
  hold(by: HeldBy): Lease;
}

/** How a command affects a cursor or transaction on the server. */
export type OperationRole =
  'opensCursor' | 'continuesCursor' | 'killsCursor' | 'commitsTransaction' | 'abortsTransaction';

/**
 * A command and how to read its reply. It may be attempted several times, so it must not keep state of an attempt.
 */
export interface Operation<T> {
  /** The name of the command. */
  readonly name: string;
  /** The database. */
  readonly db: string;
  /** `either`: a command of the user, which the driver does not classify. */
  readonly kind: 'read' | 'write' | 'either';
  /**
   * Whether the command is supported by Retryable Reads or Retryable Writes. A retryable write gets a txnNumber. `'always'`:
   * commitTransaction and abortTransaction, which have the txnNumber of their transaction and ignore the option retryWrites.
   */
  readonly retryable: boolean | 'always';
  /** The servers that the operation may use. */
  readonly selection: Selection;
  /** The number of replies: {@link Message.answer}. */
  readonly answer: Message['answer'];
  /**
   * The maximum of the maxTimeMS that the driver derives from timeoutMS. Undefined: all of the remaining time. `'none'`: the command
   * gets no maxTimeMS, because its cursor outlives it. Rule: Client Side Operations Timeout, "Cursors".
   */
  readonly maxTime?: Millis | 'none' | undefined;
  /** Undefined for other commands, and for a command whose reply always contains all documents, so that no cursor stays open. */
  readonly role?: OperationRole | undefined;
  /**
   * The read concern of the handle, or of the user's command for kind `'either'`. Undefined: the server's default, to which a
   * session may add fields. `'none'`: the command accepts no read concern.
   */
  readonly readConcern: Document | 'none' | undefined;
  /** Undefined: the server's default, or the command accepts no write concern. */
  readonly writeConcern?: Document | undefined;
  /** The encoded element `$db`. */
  readonly database: Elements;
  /**
   * Writes the command without concerns and `$db`. After it, the attempt writes the read and write concern, the elements of the
   * exchanges, `$readPreference` and `$db`.
   * @throws MongoError `usage` for values that cannot be encoded; then nothing is sent
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
  /** Appends elements to the command, after the body and the concerns. The connection and its hello are known. Synchronous. */
  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void;
  /** Called with every reply, also with `ok: 0`, before the operation reads it. */
  received(reply: Reply, attempt: Attempt, operation: Operation<unknown>): void;
}

/** The server, or the connection, that an operation must use. Read before each attempt, because it may change in between. */
export type Pin = { readonly address: Address } | { readonly lease: Lease };

/**
 * A session, as the layers and the attempt see it. As an exchange it adds lsid, txnNumber and the fields of a transaction.
 * Rule: Driver Sessions; Causal Consistency; Transactions.
 */
export interface Session extends Exchange {
  /** The server or connection that the session's transaction is pinned to. Rule: Transactions, "Pinning". */
  readonly pin: Pin | undefined;
  /** Whether a transaction was started and is neither committed nor aborted. */
  readonly inTransaction: boolean;
  /** Returns the read concern to send: the operation's with the fields of the session, or the transaction's. */
  readConcern(operation: Operation<unknown>, attempt: Attempt): Operation<unknown>['readConcern'];
  /** Returns the write concern to send; undefined inside of a transaction, except for its commit and abort. */
  writeConcern(operation: Operation<unknown>, attempt: Attempt): Document | undefined;
  /**
   * Called with the error of every failed attempt, in any phase, before the retry decision. Adds the labels of a transaction to
   * the error, unpins the session and marks it dirty as the error requires. Rule: Driver Sessions, "Dirty sessions"; Transactions.
   */
  failed(error: MongoError, operation: Operation<unknown>): void;
  /** Returns the server session to its pool. Further calls do nothing. */
  end(): void;
}
