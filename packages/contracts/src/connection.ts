import type { Millis, Soon } from './clock.js';
import type { MongoError } from './errors.js';
import type { Hello } from './hello.js';
import type { Message } from './message.js';
import type { Address } from './transport.js';
import type { Document } from './values.js';

/** Options of a command that the server may answer with many replies. Rule: OP_MSG, "exhaustAllowed". */
export interface ManyReplies {
  /** How long each reply may take after the previous reply, in milliseconds. */
  readonly limit: Millis;
  /** Called with each reply, including the last. */
  received(reply: Document): void;
}

/**
 * A connection to a server, after its handshake. It runs one command at a time. `connectSuite` of `@tessera/sim` tests an
 * implementation.
 */
export interface Connection {
  /** Unique in its pool: {@link ConnectOptions.id}. */
  readonly id: number;
  /** The address of the server. */
  readonly address: Address;
  /** The hello reply of the handshake. */
  readonly hello: Hello;
  /** Whether the connection is closed. A closed connection must not be used. */
  readonly closed: boolean;
  /**
   * Sends a command. The message receives its reply, or an error; `start` itself does not throw. Call it only if no command is
   * running. At the deadline, a point on {@link Clock.now}, the message fails with kind `timeout`. The connection then waits for the
   * late reply, and passes it to `late` of the message. It closes if no reply arrives within {@link ConnectionOptions.drainLimit}.
   * With the deadline `Infinity`, `socketTimeoutMS` limits the wait for the reply, except on connections of monitors.
   */
  start(message: Message, deadline: Millis): void;
  /**
   * Runs a command on a database and resolves to the decoded reply. Handshakes, authenticators and monitors use it; operations use
   * `start`, which is faster. With `many`, resolves to the last reply, and the deadline applies to the first reply.
   * @throws MongoError `server` for a reply with `ok: 0`; otherwise the error with which the message of `start` would fail
   */
  command(db: string, command: Document, deadline: Millis, many?: ManyReplies): Promise<Document>;
  /**
   * Stops waiting for the running command: its message fails with this error, unless it has failed already. Returns whether the
   * connection can be used again: true immediately if no reply is outstanding, true later when the late reply has been read,
   * false when the connection is closed.
   */
  detach(error: MongoError): Soon<boolean>;
  /** Closes the socket. The running command's message fails with the cause. Further calls do nothing. */
  close(cause?: MongoError): void;
}
