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

/** One try of one operation, on one server, over one connection. */
export interface Attempt {
  readonly connection: Connection;
  readonly server: ServerDescription;
  readonly topology: TopologyType;
  readonly session: Session | undefined;
  /** That of the request: finite under timeoutMS, which then takes the place of every older time limit. */
  readonly deadline: Millis;
  /** How many bytes the operation's own body takes in the command; 0 before it is written. */
  readonly bodyLength: number;
  /** How many statements the command holds, as `sections` answered; 0 before they are written. */
  readonly statements: number;
  /** Of the earlier attempts, oldest first. */
  readonly failures: readonly MongoError[];
  /** Keeps the connection beyond the attempt; whoever is given the lease releases it. */
  hold(by: HeldBy): Lease;
}

/** What a command does to a cursor or a transaction of the server. */
export type OperationRole =
  'opensCursor' | 'continuesCursor' | 'killsCursor' | 'commitsTransaction' | 'abortsTransaction';

/** What a command says and how its reply is read. It may be tried several times, so it keeps nothing of an attempt. */
export interface Operation<T> {
  readonly name: string;
  readonly db: string;
  readonly kind: 'read' | 'write' | 'either';
  /**
   * As Retryable Reads and Retryable Writes list it; for a write: it may carry a txnNumber. `'always'`, whatever
   * retryWrites says: commitTransaction and abortTransaction, whose number is that of their transaction.
   */
  readonly retryable: boolean | 'always';
  readonly selection: Selection;
  readonly answer: Message['answer'];
  /**
   * What it wants of the maxTimeMS that is made of timeoutMS: at most so much, or, for a cursor that is to live longer than
   * its command, none; all that is left if nothing is said. Rule: Client Side Operations Timeout, "Cursors".
   */
  readonly maxTime?: Millis | 'none' | undefined;
  /** Undefined for a command whose reply holds all documents of its cursor: the server keeps no cursor, even if the reply is lost. */
  readonly role?: OperationRole | undefined;
  /**
   * The read concern of the handle, or of a user's own command (kind `'either'`). Undefined is the server's default, to which a
   * session may add; `'none'` is for a command that takes no read concern.
   */
  readonly readConcern: Document | 'none' | undefined;
  /** Undefined is the server's default, or a command that takes no write concern. */
  readonly writeConcern?: Document | undefined;
  /** `$db`, encoded. */
  readonly database: Elements;
  /**
   * The command without its concerns and `$db`. The attempt writes these: first the body, then the concerns as the session
   * wants them, what the exchanges append, `$readPreference` and `$db`.
   */
  body(writer: BodyWriter, attempt: Attempt): void;
  /** Returns the number of statements that it wrote. The attempt keeps it for `read`. */
  sections?(writer: SectionWriter, attempt: Attempt): number;
  /** Of a reply that is `ok: 1`; throws MongoError for the errors within. */
  read(reply: Reply, attempt: Attempt): T;
  /** The value of a command that was sent and wants no answer; undefined without this. */
  unanswered?(attempt: Attempt): T;
}

/** Appends to every attempt's command and hears every reply, `ok: 0` replies too. */
export interface Exchange {
  append(writer: BodyWriter, attempt: Attempt, operation: Operation<unknown>): void;
  received(reply: Reply, attempt: Attempt, operation: Operation<unknown>): void;
}

/** Where a session's next operation must go; read anew before each attempt. */
export type Pin = { readonly address: Address } | { readonly lease: Lease };

/** Rule: Driver Sessions; Causal Consistency; Transactions. */
export interface Session extends Exchange {
  readonly pin: Pin | undefined;
  /** A transaction was started and is neither committed nor aborted. */
  readonly inTransaction: boolean;
  /** The read concern to send: the operation's with what the session adds, or the session's in its place. */
  readConcern(operation: Operation<unknown>, attempt: Attempt): Operation<unknown>['readConcern'];
  writeConcern(operation: Operation<unknown>, attempt: Attempt): Document | undefined;
  /**
   * Hears of every attempt that failed, wherever it did, before anyone decides about another one: so that the error bears
   * the labels of a transaction, and the pin is dropped that must be. Rules: Driver Sessions, "Dirty sessions"; Transactions.
   */
  failed(error: MongoError, operation: Operation<unknown>): void;
  /** Gives the server session back. Further calls do nothing. */
  end(): void;
}
