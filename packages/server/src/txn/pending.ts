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
 * The claims of open transactions. They cover everything written, which no other operation may write, and the
 * namespaces in use, whose definitions must not change. Transactions `T` are compared by identity.
 */
export class Pending<T> {
  /** Increases with every claim and use. */
  version = 0;
  readonly #owners = new Map<Claim, T>();
  readonly #claims = new Map<T, Set<Claim>>();
  /** The transactions that have written to each namespace. */
  readonly #writers: ByNamespace<T> = new Map();
  /** The transactions that have read or written each namespace, or have tried to. */
  readonly #users: ByNamespace<T> = new Map();

  /** Whether there are no claims and no used namespaces. */
  get isEmpty(): boolean {
    return this.#claims.size === 0 && this.#users.size === 0;
  }

  ownerOf(claim: Claim): T | undefined {
    return this.#owners.get(claim);
  }

  /** Returns another transaction that has written to the namespace, if any. */
  writerIn(ns: string, but?: T): T | undefined {
    for (const one of this.#writers.get(ns) ?? []) if (one !== but) return one;
    return undefined;
  }

  /** Returns a transaction that has used the namespace, if any. */
  userOf(ns: string): T | undefined {
    const [user] = this.#users.get(ns) ?? [];
    return user;
  }

  use(ns: string, user: T): void {
    add(this.#users, ns, user);
    this.version += 1;
  }

  claim(ns: string, claim: Claim, owner: T): void {
    this.#owners.set(claim, owner);
    this.#claims.set(owner, (this.#claims.get(owner) ?? new Set()).add(claim));
    add(this.#writers, ns, owner);
    this.version += 1;
  }

  release(owner: T): void {
    for (const claim of this.#claims.get(owner) ?? []) this.#owners.delete(claim);
    this.#claims.delete(owner);
    remove(this.#writers, owner);
    remove(this.#users, owner);
  }
}
