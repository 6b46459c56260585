import { fail } from '@tessera/mql/engine';
import type { GivenUsers } from './given-users.js';
import type { OwnDocuments } from '../engine/own-documents.js';
import { userDoc, userIn } from './user-document.js';
import type { KeptUser, User } from './user.js';
import { keyOf } from './user.js';

/**
 * All users by database and name: users created with commands, and users from the options that have not been changed
 * since.
 */
export class Users {
  readonly #given: GivenUsers;
  readonly #made: OwnDocuments;
  #known: ReadonlyMap<string, User> = new Map<string, User>();
  #version = 0;
  #seen: { readonly made: OwnDocuments['records']; readonly given: number } | undefined;

  constructor(given: GivenUsers, made: OwnDocuments) {
    this.#given = given;
    this.#made = made;
  }

  #all(): ReadonlyMap<string, User> {
    const { records: made } = this.#made;
    const { version: given } = this.#given;
    if (this.#seen?.made === made && this.#seen?.given === given) return this.#known;
    const known = new Map([...this.#given].map(user => [keyOf(user), user]));
    for (const doc of this.#made) {
      const user = userIn(doc);
      if (user !== undefined) known.set(keyOf(user), this.#whole(user));
    }
    this.#known = new Map([...known].sort(([a], [b]) => (a < b ? -1 : 1)));
    this.#version += 1;
    this.#seen = { made, given };
    return this.#known;
  }

  #whole(user: KeptUser): User {
    const given = this.#given.get(keyOf(user));
    const own = user.kept && new Map([...user.kept].map(([name, one]) => [name, () => Promise.resolve(one)]));
    return { ...user, credentials: own ?? given?.credentials ?? new Map(), plain: given?.plain };
  }

  /** Increases with every change. */
  get version(): number {
    this.#all();
    return this.#version;
  }

  get size(): number {
    return this.#all().size;
  }

  get(db: string, user: string): User | undefined {
    return this.#all().get(keyOf({ user, db }));
  }

  /** Returns all users, sorted by key. */
  all(): readonly User[] {
    return [...this.#all().values()];
  }

  /** Adds a user. @throws CommandError 51003 */
  add(user: KeptUser): void {
    if (this.get(user.db, user.user) !== undefined) throw fail(51003, `User "${user.user}@${user.db}" already exists`);
    this.replace(user);
  }

  /** Returns a user. @throws CommandError 11 */
  known(db: string, user: string): User {
    const known = this.get(db, user);
    if (known === undefined) throw fail('UserNotFound', `User '${user}@${db}' not found`);
    return known;
  }

  replace(user: KeptUser): void {
    this.#made.put(userDoc(user));
  }

  remove(user: KeptUser): void {
    this.#given.remove(keyOf(user));
    this.#made.remove(keyOf(user));
  }
}
