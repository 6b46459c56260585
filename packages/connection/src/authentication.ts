import { MongoError } from '@tessera/contracts';
import type { Authenticator, Connection, Conversation, Document, Hello, Millis, Signal } from '@tessera/contracts';
import { originAt, unproven } from './connection-errors.js';

/** The authentication of one connection. */
export interface Authentication {
  /** What of it goes with hello. */
  readonly conversation: Conversation;
  /** Behind hello, whose answer to the conversation is `answer`. */
  finish(hello: Hello, answer: Document | undefined, deadline: Millis): Promise<void>;
  /** From the beginning, without hello. Rule: Authentication, "Reauthentication". */
  readonly again: (deadline: Millis) => Promise<void>;
}

/** Rejects when the signal aborts: whoever is asked for a token outside of the connection does not hear that it is closed. */
const until = async (work: Promise<void>, signal: Signal | undefined): Promise<void> => {
  if (signal === undefined) return work;
  let stop = (): void => {};
  const aborted = new Promise<never>((_, reject) => {
    stop = () => {
      reject(new MongoError('aborted', 'The authentication was aborted', { cause: signal.reason }));
    };
    signal.addEventListener('abort', stop);
  });
  try {
    await Promise.race([work, aborted]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

export const beginAuthentication = async (
  authenticator: Authenticator,
  connection: Connection,
  signal: Signal | undefined,
): Promise<Authentication> => {
  const conversation = await authenticator.begin(connection.address);
  return {
    conversation,
    finish: async (hello, answer, deadline) => {
      // Rule: Authentication, "Authentication Handshake": nobody can log in to an arbiter.
      if (hello.document['arbiterOnly'] === true) return;
      try {
        await until(conversation.finish(connection, answer, deadline), signal);
      } catch (cause) {
        throw unproven(cause, originAt('auth', true, connection.address, hello));
      }
    },
    again: async deadline => {
      const another = await authenticator.begin(connection.address);
      await another.finish(connection, undefined, deadline);
    },
  };
};
