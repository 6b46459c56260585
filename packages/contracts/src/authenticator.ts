import type { Clock, Millis, Soon } from './clock.js';
import type { BsonCodec } from './codec.js';
import type { Connection } from './connection.js';
import type { Host } from './host.js';
import type { Crypto, Random } from './runtime.js';
import type { Address, Transport } from './transport.js';
import type { Document } from './values.js';

/** The authentication of one connection. */
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

/** A user and the secrets that prove it. The secrets are non-enumerable, so printing a credential does not reveal them. */
export interface Credential {
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The database that stores the user; `$external` if the server does not store it. */
  readonly source: string;
  /** Undefined: negotiated with the server. */
  readonly mechanism: string | undefined;
  /** The option authMechanismProperties; names in upper case. */
  readonly properties: Readonly<Record<string, unknown>>;
}

export interface MechanismDeps {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly host: Host;
  readonly random: Random;
  readonly transport: Transport;
}

/** Makes the authenticator of one mechanism. @throws MongoError `usage` for a credential that it cannot use */
export type Mechanism = (deps: MechanismDeps, credential: Credential) => Authenticator;

/** Mechanisms by the names of authMechanism; `DEFAULT` is used if the options name none. */
export type Mechanisms = Readonly<Record<string, Mechanism>>;
