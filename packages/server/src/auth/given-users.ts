import type { BinaryValue } from '@tessera/mql/engine';
import type { Role } from './roles.js';
import { makeCredential, mechanisms, plainKeys } from './scram.js';
import type { Mechanism, ScramCredential, ScramDeps } from './scram.js';
import type { User } from './user.js';
import { external, keyOf } from './user.js';

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

const once = <T>(make: () => Promise<T>): (() => Promise<T>) => {
  let made: Promise<T> | undefined;
  return () => (made ??= make());
};

/** Whoever was given at the start, in memory alone: the members of a set share them. */
export class GivenUsers {
  readonly #byKey = new Map<string, User>();
  #version = 0;

  /**
   * @param newId makes UUIDs
   * @throws RangeError for two of one name, and for one without a password elsewhere than in `$external`
   */
  constructor(scram: ScramDeps, users: readonly UserOption[], newId: () => BinaryValue) {
    for (const { user, pwd, db = 'admin', roles, mechanisms: own = mechanisms } of users) {
      if (pwd === undefined && db !== external)
        throw new RangeError(`The user ${user} of ${db} needs a password (pwd); only users of ${external} have none`);
      if (this.#byKey.has(keyOf({ user, db })))
        throw new RangeError(`The user ${user} of ${db} is given twice: leave out one of the two`);
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

  /** Another one after every change. */
  get version(): number {
    return this.#version;
  }

  get(key: string): User | undefined {
    return this.#byKey.get(key);
  }

  [Symbol.iterator](): Iterator<User> {
    return this.#byKey.values();
  }

  /** Until the server is started again with the same options. */
  remove(key: string): void {
    if (this.#byKey.delete(key)) this.#version += 1;
  }
}
