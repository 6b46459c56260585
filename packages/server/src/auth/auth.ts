import type { BinaryValue } from '@tessera/mql/engine';
import type { Engine } from '../engine/engine.js';
import type { UserOption } from './given-users.js';
import { GivenUsers } from './given-users.js';
import { TimeProof } from './time-proof.js';
import { OwnDocuments } from '../engine/own-documents.js';
import { Roles } from './roles.js';
import type { ScramDeps } from './scram.js';
import { Users } from './users.js';

export interface AuthOptions {
  readonly users: readonly UserOption[];
  /** Whether clients must authenticate. Default: true if there are users. */
  readonly auth?: boolean | undefined;
}

/**
 * The configuration that all members of a set share: the users from the options, and whether clients must authenticate.
 */
export class AuthConfig {
  /** Whether clients must authenticate. */
  readonly required: boolean;
  readonly scram: ScramDeps;
  readonly given: GivenUsers;
  /** The signatures of cluster times. */
  readonly timeProof: TimeProof;
  #secret: Uint8Array | undefined;

  /**
   * @param newId creates UUIDs
   * @throws RangeError for invalid users
   */
  constructor(scram: ScramDeps, { users, auth }: AuthOptions, newId: () => BinaryValue) {
    this.scram = scram;
    this.timeProof = new TimeProof(scram, () => this.secret);
    this.required = auth ?? users.length > 0;
    this.given = new GivenUsers(scram, users, newId);
  }

  /**
   * The secret from which salts of unknown users are derived. All members share it, as they share the salts of existing
   * users.
   */
  get secret(): Uint8Array {
    return (this.#secret ??= this.scram.random.bytes(32));
  }
}

/** The users and roles of one server, from its options and its data. */
export class Auth {
  readonly users: Users;
  readonly roles: Roles;
  readonly #config: AuthConfig;

  constructor(config: AuthConfig, engine: Engine) {
    this.#config = config;
    this.users = new Users(config.given, new OwnDocuments(engine, 'admin.system.users'));
    this.roles = new Roles(new OwnDocuments(engine, 'admin.system.roles'));
  }

  /** Whether clients must authenticate. */
  get required(): boolean {
    return this.#config.required;
  }

  get scram(): ScramDeps {
    return this.#config.scram;
  }

  /** The signatures of cluster times, which all members of a set share. */
  get timeProof(): TimeProof {
    return this.#config.timeProof;
  }

  /** The secret from which salts of unknown users are derived. */
  get secret(): Uint8Array {
    return this.#config.secret;
  }

  /** Whether the server offers PLAIN: at least one user can authenticate with it. */
  get offersPlain(): boolean {
    return this.users.all().some(({ plain }) => plain !== undefined);
  }
}
