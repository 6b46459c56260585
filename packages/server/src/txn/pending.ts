import type { Claim } from './claims.js';

type ByNamespace<T> = Map<string, Set<T>>;

const add = <T>(all: ByNamespace<T>, ns: string, owner: T): void => {
  const known = all.get(ns);
  if (known === undefined) all.set(ns, new Set([owner]));
  else known.add(owner);
};

const remove = <T>(all: ByNamespace<T>, owner: T): void => {
  for (const [ns, owners] of all) {
    owners.delete(owner);
    if (owners.size === 0) all.delete(ns);
  }
};

/**
 * What open transactions have written, which nobody else may write until they end, and what they have used, which stays what it is.
 * A transaction `T` is compared by its identity alone.
 */
export class Pending<T> {
  readonly #owners = new Map<Claim, T>();
  readonly #claims = new Map<T, Set<Claim>>();
  /** Who has written anything in a namespace. */
  readonly #writers: ByNamespace<T> = new Map();
  /** Who has read or written in a namespace, or has tried to. */
  readonly #users: ByNamespace<T> = new Map();

  /** Nobody has used anything. */
  get isEmpty(): boolean {
    return this.#claims.size === 0 && this.#users.size === 0;
  }

  ownerOf(claim: Claim): T | undefined {
    return this.#owners.get(claim);
  }

  /** Somebody else who has written in the namespace. */
  writerIn(ns: string, but?: T): T | undefined {
    for (const one of this.#writers.get(ns) ?? []) if (one !== but) return one;
    return undefined;
  }

  /** Somebody who has used the namespace. */
  userOf(ns: string): T | undefined {
    const [user] = this.#users.get(ns) ?? [];
    return user;
  }

  use(ns: string, user: T): void {
    add(this.#users, ns, user);
  }

  claim(ns: string, claim: Claim, owner: T): void {
    this.#owners.set(claim, owner);
    this.#claims.set(owner, (this.#claims.get(owner) ?? new Set()).add(claim));
    add(this.#writers, ns, owner);
  }

  release(owner: T): void {
    for (const claim of this.#claims.get(owner) ?? []) this.#owners.delete(claim);
    this.#claims.delete(owner);
    remove(this.#writers, owner);
    remove(this.#users, owner);
  }
}
