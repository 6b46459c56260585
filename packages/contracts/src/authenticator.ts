import type { Clock, Millis, Soon } from './clock.js';
import type { BsonCodec } from './codec.js';
import type { Connection } from './connection.js';
import type { Host } from './host.js';
import type { Crypto, Random } from './runtime.js';
import type { Address, Transport } from './transport.js';
import type { Document } from './values.js';

/** The authentication of one connection. Rule: Authentication, "Speculative Authentication". */
export interface Conversation {
  /**
   * The first command of the conversation, including the field `db` with the database. The hello command contains it as
   * `speculativeAuthenticate`, which saves a round trip. Undefined: the mechanism has no speculative authentication.
   */
  readonly first?: Document | undefined;
  /**
   * The database and name of the user, such as `admin.alice`. The hello command contains it as `saslSupportedMechs`, and the server
   * returns the mechanisms of this user. Undefined: the mechanism is not negotiated.
   */
  readonly user?: string | undefined;
  /**
   * Completes the authentication after the hello reply. `answer` is the server's reply to `first`, or undefined if the hello reply
   * contains none. Also called, without a new hello, to authenticate again after the error ReauthenticationRequired (391).
   * @throws MongoError `auth` if the server rejects the credentials, or `protocol` if the server's reply is invalid for the
   * mechanism, such as a wrong signature. Error messages must not contain secrets.
   */
  finish(connection: Connection, answer: Document | undefined, deadline: Millis): Promise<void>;
}

/**
 * One authentication mechanism with the credential of one user. `authenticatorSuite` of `@tessera/sim` tests an implementation.
 * Rule: Authentication.
 */
export interface Authenticator {
  /** The name of the mechanism, such as `SCRAM-SHA-256`. */
  readonly mechanism: string;
  /**
   * Starts the authentication of a connection. Called before hello on each new connection, and before each reauthentication. `at`
   * is the server's address.
   */
  begin(at: Address): Soon<Conversation>;
}

/**
 * A user name and the secrets that authenticate the user. The secrets are non-enumerable, so printing a credential does not
 * reveal them.
 */
export interface Credential {
  /** The user name. Undefined: the mechanism learns it elsewhere, such as from a certificate. */
  readonly username: string | undefined;
  /** The password. Non-enumerable, so it is not part of logs and copies. */
  readonly password: string | undefined;
  /** The database that stores the user; `$external` if the server does not store it. */
  readonly source: string;
  /** Undefined: the default mechanism, negotiated with the server. */
  readonly mechanism: string | undefined;
  /** The option authMechanismProperties. The property names are in upper case. */
  readonly properties: Readonly<Record<string, unknown>>;
}

/** The dependencies of a mechanism. Some mechanisms send HTTP requests through `transport`, such as to a cloud's token service. */
export interface MechanismDeps {
  /** Encodes and decodes the payloads of mechanisms that use BSON. */
  readonly bson: BsonCodec;
  /** Dates signatures, and bounds requests for tokens. */
  readonly clock: Clock;
  /** Hashes and keyed hashes. */
  readonly crypto: Crypto;
  /** Environment variables and files with credentials. */
  readonly host: Host;
  /** Creates nonces. */
  readonly random: Random;
  /** Requests credentials and tokens over HTTP. */
  readonly transport: Transport;
}

/**
 * Creates the authenticator of one mechanism.
 * @throws MongoError `usage` if the credential is incomplete or invalid for this mechanism
 */
export type Mechanism = (deps: MechanismDeps, credential: Credential) => Authenticator;

/** Mechanisms by the value of the option authMechanism. `DEFAULT` is the mechanism for credentials without this option. */
export type Mechanisms = Readonly<Record<string, Mechanism>>;
