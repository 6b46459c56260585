import type { Millis, Soon } from './clock.js';
import type { Connection } from './connection.js';
import type { Address } from './transport.js';
import type { Document } from './values.js';

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
