import type { BinaryValue } from '../value/value.js';
import type { Role } from './roles.js';
import { makeCredential, mechanisms } from './scram.js';
import type { Mechanism, ScramDeps } from './scram.js';
import type { User } from './users.js';
import { external, Users } from './users.js';

/** Somebody whom the server knows from the beginning. */
export interface UserOption {
  readonly user: string;
  /** Left out for users of `$external`, who show a certificate; their name is its subject as RFC 2253 writes it. */
  readonly pwd?: string;
  /** Where the user is known. Default `admin`. */
  readonly db?: string;
  /** Names of roles of that database, or `{ role, db }`. Whoever is logged in may do everything. Default `root`. */
  readonly roles?: readonly (string | Role)[];
  /** Default both. */
  readonly mechanisms?: readonly ('SCRAM-SHA-1' | 'SCRAM-SHA-256')[];
}

/** A password's keys for each of the mechanisms. */
export type Credentials = User['credentials'];

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** Who is known, and whether one has to be. */
export class Auth {
  readonly users: Users = new Users();
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

  credentials(user: string, pwd: string, own: readonly Mechanism[]): Credentials {
    return new Map(own.map(mechanism => [mechanism, once(() => makeCredential(this.scram, mechanism, user, pwd))]));
  }

  /** @throws CommandError 51003 if there are two of that name, RangeError for one without a password elsewhere than in `$external` */
  addAll(users: readonly UserOption[], newId: () => BinaryValue): void {
    for (const { user, pwd, db = 'admin', roles, mechanisms: own = mechanisms } of users) {
      if (pwd === undefined && db !== external)
        throw new RangeError(`The user ${user} of ${db} needs a password (pwd); only users of ${external} have none`);
      this.users.add({
        ...{ user, db, id: newId(), customData: undefined },
        roles: roles?.map(role => (typeof role === 'string' ? { role, db } : role)) ?? [{ role: 'root', db: 'admin' }],
        credentials: pwd === undefined ? new Map() : this.credentials(user, pwd, own),
      });
    }
  }
}
