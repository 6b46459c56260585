import type { BinaryValue } from '@tessera/mql/engine';
import type { Engine } from '../engine/engine.js';
import type { UserOption } from './given-users.js';
import { GivenUsers } from './given-users.js';
import { OwnDocuments } from '../engine/own-documents.js';
import { Roles } from './roles.js';
import type { ScramDeps } from './scram.js';
import { Users } from './users.js';

export interface AuthOptions {
  readonly users: readonly UserOption[];
  /** Default: if there are users. */
  readonly auth?: boolean | undefined;
}

/** What all members of a set have in common: who was given at the start, and whether one has to be known. */
export class AuthConfig {
  /** Whoever is not logged in may do next to nothing. */
  readonly required: boolean;
  readonly scram: ScramDeps;
  readonly given: GivenUsers;
  #secret: Uint8Array | undefined;

  /** @param newId makes UUIDs. @throws RangeError for users that cannot be */
  constructor(scram: ScramDeps, { users, auth }: AuthOptions, newId: () => BinaryValue) {
    this.scram = scram;
    this.required = auth ?? users.length > 0;
    this.given = new GivenUsers(scram, users, newId);
  }

  /** What the salts of those are made from whom nobody knows: the same on every member, as those of the known are. */
  get secret(): Uint8Array {
    return (this.#secret ??= this.scram.random.bytes(32));
  }
}

/** Who is known to one server, by what is in its data. */
export class Auth {
  readonly users: Users;
  readonly roles: Roles;
  readonly #config: AuthConfig;

  constructor(config: AuthConfig, engine: Engine) {
    this.#config = config;
    this.users = new Users(config.given, new OwnDocuments(engine, 'admin.system.users'));
    this.roles = new Roles(new OwnDocuments(engine, 'admin.system.roles'));
  }

  /** Whoever is not logged in may do next to nothing. */
  get required(): boolean {
    return this.#config.required;
  }

  get scram(): ScramDeps {
    return this.#config.scram;
  }

  /** What the salts of those are made from whom nobody knows. */
  get secret(): Uint8Array {
    return this.#config.secret;
  }

  /** Whether PLAIN is offered: somebody could log in by it. */
  get offersPlain(): boolean {
    return this.users.all().some(({ plain }) => plain !== undefined);
  }
}
