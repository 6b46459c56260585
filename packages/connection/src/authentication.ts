import { MongoError, noLimit, waitFor } from '@tessera/contracts';
import type { Authenticator, Clock, Conversation, Document, Hello, Millis, Signal } from '@tessera/contracts';
import { unproven } from './connection-errors.js';
import type { SocketConnection } from './socket-connection.js';

/** The authentication of one connection, from the first message of its mechanism. */
export interface Authentication {
  /** The authenticator's conversation. Its first message and user name are sent with hello. */
  readonly conversation: Conversation;
  /** Completes the authentication after hello. `answer` is the server's reply to the conversation's first message. */
  finish(hello: Hello, answer: Document | undefined, deadline: Millis): Promise<void>;
  /** Authenticates again from the beginning, without hello. Rule: Authentication, "Reauthentication". */
  readonly again: (deadline: Millis) => Promise<void>;
}

export interface AuthenticationDeps {
  readonly clock: Clock;
  readonly authenticator: Authenticator;
}

export const beginAuthentication = async (
  { clock, authenticator }: AuthenticationDeps,
  connection: SocketConnection,
  signal: Signal | undefined,
): Promise<Authentication> => {
  const conversation = await authenticator.begin(connection.address);
  return {
    conversation,
    finish: async (hello, answer, deadline) => {
      // Rule: Authentication, "Authentication Handshake": clients must not authenticate to an arbiter.
      if (hello.document['arbiterOnly'] === true) return;
      try {
        // Aborting closes the connection, but does not end a token request that runs outside of the connection.
        await waitFor(
          conversation.finish(connection, answer, deadline),
          { clock, deadline: noLimit, signal },
          () => new MongoError('aborted', 'The authentication was aborted.', { cause: signal?.reason }),
        );
      } catch (cause) {
        throw unproven(cause, connection.origin(true));
      }
    },
    again: async deadline => {
      const another = await authenticator.begin(connection.address);
      await another.finish(connection, undefined, deadline);
    },
  };
};
