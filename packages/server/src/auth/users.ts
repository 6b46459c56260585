import { fail } from '../errors.js';
import type { Doc } from '../value/doc.js';
import type { BinaryValue, Value } from '../value/value.js';
import type { Role } from './roles.js';
import type { Mechanism, ScramCredential } from './scram.js';

export interface User {
  readonly user: string;
  readonly db: string;
  readonly id: BinaryValue;
  readonly roles: readonly Role[];
  readonly customData: Doc | undefined;
  /** As they were given; they are told, and not looked at. */
  readonly restrictions: readonly Value[];
  /** Each is derived from the password when it is first asked for: that is slow on purpose. */
  readonly credentials: ReadonlyMap<Mechanism, () => Promise<ScramCredential>>;
  /** Of a user of `$external` whom PLAIN lets in: this server stands in for the directory that would know the password. */
  readonly plain: (() => Promise<ScramCredential>) | undefined;
}

export const keyOf = ({ user, db }: { readonly user: string; readonly db: string }): string => `${db}.${user}`;

/** The database of those who prove elsewhere who they are. */
export const external = '$external';

/** A user of `$external` proves it by what that place knows. */
export const mechanismsOf = ({ db, credentials }: User): readonly string[] =>
  db === external ? ['external'] : [...credentials.keys()];

/** Everybody who is known, by database and name. */
export class Users {
  readonly #byKey = new Map<string, User>();

  #version = 0;

  /** Another one after every change. */
  get version(): number {
    return this.#version;
  }

  get size(): number {
    return this.#byKey.size;
  }

  get(db: string, user: string): User | undefined {
    return this.#byKey.get(keyOf({ user, db }));
  }

  /** In the order of their keys. */
  all(): readonly User[] {
    return [...this.#byKey].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, user]) => user);
  }

  /** @throws CommandError 51003 */
  add(user: User): void {
    if (this.#byKey.has(keyOf(user))) throw fail(51003, `User "${user.user}@${user.db}" already exists`);
    this.replace(user);
  }

  /** @throws CommandError 11 */
  known(db: string, user: string): User {
    const known = this.get(db, user);
    if (known === undefined) throw fail('UserNotFound', `User '${user}@${db}' not found`);
    return known;
  }

  replace(user: User): void {
    this.#version += 1;
    this.#byKey.set(keyOf(user), user);
  }

  remove(user: User): void {
    this.#version += 1;
    this.#byKey.delete(keyOf(user));
  }
}
