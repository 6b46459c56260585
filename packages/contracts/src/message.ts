import type { Millis } from './clock.js';
import type { BodyWriter, Reply, SectionWriter } from './codec.js';
import type { MongoError } from './errors.js';

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
