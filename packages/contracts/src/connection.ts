import type { BodyWriter, Reply, SectionWriter } from './codec.js';
import type { MongoError } from './errors.js';
import type { Address, Millis, Signal, Soon } from './runtime.js';
import type { Document, ObjectId } from './values.js';

/** What the server said in the handshake of this very connection. */
export interface Hello {
  readonly document: Document;
  readonly serviceId: ObjectId | undefined;
  /** The server's own number for the connection. */
  readonly connectionId: bigint | undefined;
  readonly maxWireVersion: number;
  readonly logicalSessionTimeoutMinutes: number | undefined;
  readonly maxBsonObjectSize: number;
  readonly maxMessageSizeBytes: number;
  readonly maxWriteBatchSize: number;
  /** How long the handshake's hello took. */
  readonly roundTrip: Millis;
}

/**
 * One command on its way: it writes itself when the connection is known and reads its reply where that lies. All calls
 * are synchronous. `body` may be called again (reauthentication, code 391). After `end` nothing more is called, after `fail` only `late`.
 */
export interface Message {
  readonly db: string;
  readonly name: string;
  /** The same for all attempts of one operation, and for its getMores. */
  readonly operationId: number;
  /** `none`: sent with moreToCome, never answered. `many`: replies come until one says that no more will. */
  readonly answer: 'one' | 'none' | 'many';
  /** How long each of many replies may take after the one before; without it the deadline is for all of them. */
  readonly replyLimit?: Millis | undefined;
  /** Writes the whole command, `$db` included. */
  body(writer: BodyWriter): void;
  sections?(writer: SectionWriter): void;
  /** Also for `ok: 0`. */
  reply(reply: Reply): void;
  /** All replies were read, or the command was sent and wants none. The connection is free. */
  end(): void;
  /** No reply was or will be read. */
  fail(error: MongoError): void;
  /**
   * Called after `fail` with the late reply, once the connection has read it and is free again. It must not throw. It is never
   * called if the connection closes first.
   */
  late?(reply: Reply): void;
}

/** For a command that the server may answer again and again. Rule: OP_MSG, "exhaustAllowed". */
export interface ManyReplies {
  /** How long each may take after the one before. */
  readonly limit: Millis;
  /** Called with each as it comes, the last too. */
  heard(reply: Document): void;
}

/** One socket, one command at a time. */
export interface Connection {
  readonly id: number;
  readonly address: Address;
  readonly hello: Hello;
  readonly closed: boolean;
  /** Only on a connection that is free. When the deadline passes the message fails at once, as by `detach`. */
  start(message: Message, deadline: Millis): void;
  /**
   * The slow, easy way: for handshakes, authenticators, monitors. Of many replies the last is the answer, and the deadline
   * is that of the first. @throws MongoError `server` for `ok: 0`.
   */
  command(db: string, command: Document, deadline: Millis, many?: ManyReplies): Promise<Document>;
  /**
   * Gives up the message under way, which fails with this error unless it has already. Answers whether the connection
   * can be used again: at once if nothing is owed, or when the late reply has been drained; false once it is closed.
   */
  detach(error: MongoError): Soon<boolean>;
  /** Fails the message under way with the cause. */
  close(cause?: MongoError): void;
}

/** Proves once, to one server, who is there. */
export interface Conversation {
  /** Goes with hello as `speculativeAuthenticate`: that saves a round trip. */
  readonly first?: Document | undefined;
  /** Goes with hello as `saslSupportedMechs`: `db.user`, whose mechanisms the server is to tell. */
  readonly user?: string | undefined;
  /**
   * Goes on where hello ended; `answer` is what it said to `first`, if anything. On a connection that was authenticated
   * before, it is so again (code 391), and there was no hello.
   * @throws MongoError `auth` if the server refuses, `protocol` if it does not do its own part; neither holds a secret
   */
  finish(connection: Connection, answer: Document | undefined, deadline: Millis): Promise<void>;
}

/** One mechanism with one user's credential. Rule: Authentication. */
export interface Authenticator {
  readonly mechanism: string;
  begin(at: Address): Soon<Conversation>;
}

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
  interrupt?(cause: MongoError): void;
}

/** Makes the pool of one server, paused. It reports failed handshakes itself, also those of minPoolSize. */
export type OpenPool = (at: Address, report: (error: MongoError) => void) => ConnectionPool;
