import type { BinaryValue } from '@tessera/mql/engine';
import type { Role } from './roles.js';
import { makeCredential, mechanisms, plainKeys } from './scram.js';
import type { Mechanism, ScramCredential, ScramDeps } from './scram.js';
import type { User } from './user.js';
import { external, keyOf } from './user.js';

/** A user that exists when the server starts. */
export interface UserOption {
  /** The name. For a user that authenticates with a certificate: the certificate's subject in RFC 2253 form. */
  readonly user: string;
  /**
   * The password. Only users of the database `$external` can omit it. They authenticate with PLAIN if they have a
   * password, and otherwise with a certificate (MONGODB-X509).
   */
  readonly pwd?: string;
  /** The user's authentication database. Default: `admin`. */
  readonly db?: string;
  /** Names of roles of the user's database, or `{ role, db }`. Default: `root` of `admin`. */
  readonly roles?: readonly (string | Role)[];
  /** The SCRAM mechanisms with which the user can authenticate. Default: both. Ignored for users of `$external`. */
  readonly mechanisms?: readonly ('SCRAM-SHA-1' | 'SCRAM-SHA-256')[];
}

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** The users from the options. They are kept in memory only, and the members of a set share them. */
export class GivenUsers {
  readonly #byKey = new Map<string, User>();
  #version = 0;

  /**
   * @param newId creates UUIDs
   * @throws RangeError for two users with the same name, and for a user without a password outside of `$external`
   */
  constructor(scram: ScramDeps, users: readonly UserOption[], newId: () => BinaryValue) {
    for (const { user, pwd, db = 'admin', roles, mechanisms: own = mechanisms } of users) {
      if (pwd === undefined && db !== external)
        throw new RangeError(
          `The user "${user}" of the database "${db}" requires a password: set "pwd". Only users of "${external}" can omit it.`,
        );
      if (this.#byKey.has(keyOf({ user, db })))
        throw new RangeError(
          `The option "users" contains the user "${user}" of the database "${db}" twice. Remove one of them.`,
        );
      const isExternal = db === external;
      const keys = (mechanism: Mechanism): (() => Promise<ScramCredential>) =>
        once(() => makeCredential(scram, mechanism, { user, digest: true }, pwd!));
      this.#byKey.set(keyOf({ user, db }), {
        ...{ user, db, id: newId(), customData: undefined, restrictions: [], kept: undefined },
        roles: roles?.map(role => (typeof role === 'string' ? { role, db } : role)) ?? [{ role: 'root', db: 'admin' }],
        credentials: new Map(isExternal ? [] : own.map(mechanism => [mechanism, keys(mechanism)])),
        plain: pwd === undefined || !isExternal ? undefined : keys(plainKeys),
      });
    }
  }

  /** Increases with every change. */
  get version(): number {
    return this.#version;
  }

  get(key: string): User | undefined {
    return this.#byKey.get(key);
  }

  [Symbol.iterator](): Iterator<User> {
    return this.#byKey.values();
  }

  /** Removes a user until the server is started again with the same options. */
  remove(key: string): void {
    if (this.#byKey.delete(key)) this.#version += 1;
  }
}
