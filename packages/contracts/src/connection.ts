import type { Millis, Soon } from './clock.js';
import type { MongoError } from './errors.js';
import type { Hello } from './hello.js';
import type { Message } from './message.js';
import type { Address } from './transport.js';
import type { Document } from './values.js';

/** For a command that the server may answer again and again. Rule: OP_MSG, "exhaustAllowed". */
export interface ManyReplies {
  /** How long each may take after the one before. */
  readonly limit: Millis;
  /** Called with each as it comes, the last too. */
  received(reply: Document): void;
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
