import type { BinaryValue } from '../value/value.js';
import type { Role } from './roles.js';
import { Roles } from './roles.js';
import { makeCredential, mechanisms } from './scram.js';
import type { Mechanism, ScramDeps } from './scram.js';
import type { User } from './users.js';
import { external, Users } from './users.js';

/** Somebody whom the server knows from the beginning. */
export interface UserOption {
  readonly user: string;
  /**
   * Of a user of `$external` it is for PLAIN; without it that user shows a certificate, and the name is its subject as RFC 2253
   * writes it.
   */
  readonly pwd?: string;
  /** Where the user is known. Default `admin`. */
  readonly db?: string;
  /** Names of roles of that database, or `{ role, db }`. Default `root` of `admin`. */
  readonly roles?: readonly (string | Role)[];
  /** Default both. */
  readonly mechanisms?: readonly ('SCRAM-SHA-1' | 'SCRAM-SHA-256')[];
}

/** A password's keys for each of the mechanisms. */
export type Credentials = User['credentials'];

/** How a password for PLAIN is kept. */
const plainKeys: Mechanism = 'SCRAM-SHA-256';

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** Who is known, and whether one has to be. */
export class Auth {
  readonly users: Users = new Users();
  readonly roles: Roles = new Roles();
  /** Whoever is not logged in may do next to nothing. */
  readonly required: boolean;
  readonly scram: ScramDeps;
  #secret: Uint8Array | undefined;

  constructor(scram: ScramDeps, required: boolean) {
    this.scram = scram;
    this.required = required;
  }

  /** What the salts of those are made from whom nobody knows. */
  get secret(): Uint8Array {
    return (this.#secret ??= this.scram.random.bytes(32));
  }

  /** @param digest whether SCRAM-SHA-1 is to digest the password first; else the client has done so */
  credentials(user: string, pwd: string, own: readonly Mechanism[], digest = true): Credentials {
    const who = { user, digest };
    return new Map(own.map(mechanism => [mechanism, once(() => makeCredential(this.scram, mechanism, who, pwd))]));
  }

  /** Whether PLAIN is offered: somebody could log in by it. */
  get offersPlain(): boolean {
    return this.users.all().some(({ plain }) => plain !== undefined);
  }

  /** @throws CommandError 51003 if there are two of that name, RangeError for one without a password elsewhere than in `$external` */
  addAll(users: readonly UserOption[], newId: () => BinaryValue): void {
    for (const { user, pwd, db = 'admin', roles, mechanisms: own = mechanisms } of users) {
      if (pwd === undefined && db !== external)
        throw new RangeError(`The user ${user} of ${db} needs a password (pwd); only users of ${external} have none`);
      const isExternal = db === external;
      this.users.add({
        ...{ user, db, id: newId(), customData: undefined, restrictions: [] },
        roles: roles?.map(role => (typeof role === 'string' ? { role, db } : role)) ?? [{ role: 'root', db: 'admin' }],
        credentials: pwd === undefined || isExternal ? new Map() : this.credentials(user, pwd, own),
        plain: pwd === undefined || !isExternal ? undefined : this.credentials(user, pwd, [plainKeys]).get(plainKeys),
      });
    }
  }
}
