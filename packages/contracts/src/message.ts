import type { Millis } from './clock.js';
import type { BodyWriter, Reply, SectionWriter } from './codec.js';
import type { MongoError } from './errors.js';

/**
 * One command on a connection. The connection calls the methods, all synchronously: `body` and `sections` to write the command,
 * `reply` for each reply, and finally `end` or `fail`. After the error ReauthenticationRequired (391), it
 * authenticates again and writes the command a second time. After `end` it calls no method; after `fail` only `late`.
 */
export interface Message {
  /** The database. */
  readonly db: string;
  /** The name of the command. */
  readonly name: string;
  /** The operation's id for command events. The same for all attempts of an operation and for the getMores of its cursor. */
  readonly operationId: number;
  /**
   * The number of replies. `one`: one reply. `none`: the command has the flag moreToCome, and the server sends no reply.
   * `many`: the server sends replies until a reply does not have the flag moreToCome. Rule: OP_MSG.
   */
  readonly answer: 'one' | 'none' | 'many';
  /**
   * For `many`: how long each reply may take after the previous reply, in milliseconds. Undefined: the deadline limits all
   * replies together.
   */
  readonly replyLimit?: Millis | undefined;
  /** Writes the whole command, including `$db`. If it throws, nothing is sent and the message fails. */
  body(writer: BodyWriter): void;
  /** Writes document sequences after the body. */
  sections?(writer: SectionWriter): void;
  /**
   * Called with each reply, including replies with `ok: 0`, except for the reply that triggers the reauthentication. The reply is
   * only valid during the call.
   */
  reply(reply: Reply): void;
  /** Called after the last reply, or after sending a command without a reply. The connection can run the next command. */
  end(): void;
  /**
   * Called instead of `end` when the command fails: the connection closed, the deadline passed or `detach` was called; the message
   * is too large; or `body`, `sections` or `reply` threw.
   */
  fail(error: MongoError): void;
  /**
   * Called after `fail` with the late reply, once the connection has read it and can run the next command. Not called if the
   * connection closes first. Must not throw.
   */
  late?(reply: Reply): void;
}
