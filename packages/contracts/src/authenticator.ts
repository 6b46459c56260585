import type { Clock, Millis, Soon } from './clock.js';
import type { BsonCodec } from './codec.js';
import type { Connection } from './connection.js';
import type { Host } from './host.js';
import type { Crypto, Random } from './runtime.js';
import type { Address, Transport } from './transport.js';
import type { Document } from './values.js';

/** The authentication of one connection. Rule: Authentication, "Speculative Authentication". */
export interface Conversation {
  /** The first command of the conversation. Hello sends it as `speculativeAuthenticate`, which saves a round trip. */
  readonly first?: Document | undefined;
  /** `db.user`. Hello sends it as `saslSupportedMechs`, so that the server returns the mechanisms of this user. */
  readonly user?: string | undefined;
  /**
   * Completes the authentication after hello. `answer` is the server's reply to `first`, if hello returned one. Also called to
   * reauthenticate (code 391), without a new hello.
   * @throws MongoError `auth` if the server rejects the credentials, `protocol` if the server violates the mechanism, such as with
   * a wrong signature. Messages must not contain secrets.
   */
  finish(connection: Connection, answer: Document | undefined, deadline: Millis): Promise<void>;
}

/**
 * One authentication mechanism with the credential of one user. `authenticatorSuite` of `@tessera/sim` tests an implementation.
 * Rule: Authentication.
 */
export interface Authenticator {
  readonly mechanism: string;
  /** Called before hello on each new connection, and before each reauthentication. `at` is the server's address. */
  begin(at: Address): Soon<Conversation>;
}

/** A user and the secrets that prove it. The secrets are non-enumerable, so printing a credential does not reveal them. */
export interface Credential {
  readonly username: string | undefined;
  readonly password: string | undefined;
  /** The database that stores the user; `$external` if the server does not store it. */
  readonly source: string;
  /** Undefined: the default mechanism, negotiated with the server. */
  readonly mechanism: string | undefined;
  /** The option authMechanismProperties. Names are in upper case. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The dependencies of a mechanism. */
export interface MechanismDeps {
  readonly bson: BsonCodec;
  readonly clock: Clock;
  readonly crypto: Crypto;
  readonly host: Host;
  readonly random: Random;
  readonly transport: Transport;
}

/**
 * Creates the authenticator of one mechanism.
 * @throws MongoError `usage` if the credential is incomplete or invalid for this mechanism
 */
export type Mechanism = (deps: MechanismDeps, credential: Credential) => Authenticator;

/** Mechanisms by the value of the option authMechanism. `DEFAULT` is the mechanism for credentials without this option. */
export type Mechanisms = Readonly<Record<string, Mechanism>>;
