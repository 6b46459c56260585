import type { Connection, Message, Millis, MongoError, Origin, Reply } from '@tessera/contracts';
import { unproven } from './connection-errors.js';

/** ReauthenticationRequired. Rule: Authentication, "Reauthentication". */
const REAUTHENTICATE = 391;

/** The connection to authenticate again. */
export interface Reauthenticated extends Pick<Connection, 'start'> {
  origin(sent: boolean): Origin;
}

/**
 * Authenticates a connection again when the server returns code 391, and then sends the command again. In the meantime
 * the command is postponed: it neither completes nor fails.
 */
export class Reauthentication {
  readonly #connection: Reauthenticated;
  readonly #authenticate: (deadline: Millis) => Promise<void>;
  #postponed: Message | undefined;
  /** The command that was sent again. If the server returns code 391 a second time, the command fails. */
  #repeated: Message | undefined;

  constructor(connection: Reauthenticated, authenticate: (deadline: Millis) => Promise<void>) {
    this.#connection = connection;
    this.#authenticate = authenticate;
  }

  get isUnderWay(): boolean {
    return this.#postponed !== undefined;
  }

  /** Returns whether the reply postpones its message. If so, the message does not receive the reply. */
  postpones(message: Message, reply: Reply, deadline: Millis): boolean {
    if (!this.#isDemanded(message, reply)) return false;
    this.#postponed = message;
    this.#authenticate(deadline).then(
      () => {
        if (this.#postponed !== message) return;
        this.#postponed = undefined;
        this.#repeated = message;
        this.#connection.start(message, deadline);
      },
      (cause: unknown) => {
        if (this.#postponed !== message) return;
        this.#postponed = undefined;
        message.fail(unproven(cause, this.#connection.origin(true)));
      },
    );
    return true;
  }

  /** Fails the postponed message when the connection is closed. Returns whether there was one. */
  fail(error: MongoError): boolean {
    const postponed = this.#postponed;
    this.#postponed = undefined;
    postponed?.fail(error);
    return postponed !== undefined;
  }

  #isDemanded(message: Message, reply: Reply): boolean {
    const isRepeated = this.#repeated === message;
    this.#repeated = undefined;
    // The commands of the authentication itself are not postponed: the mechanism reads the replies to them.
    if (this.isUnderWay || isRepeated) return false;
    return !reply.ok && message.answer === 'one' && reply.int('code') === REAUTHENTICATE;
  }
}
