import type { Claim } from './claims.js';
import type { Transaction } from './transaction.js';

type ByNamespace = Map<string, Set<Transaction>>;

const add = (all: ByNamespace, ns: string, owner: Transaction): void => {
  const known = all.get(ns);
  if (known === undefined) all.set(ns, new Set([owner]));
  else known.add(owner);
};

const remove = (all: ByNamespace, owner: Transaction): void => {
  for (const [ns, owners] of all) {
    owners.delete(owner);
    if (owners.size === 0) all.delete(ns);
  }
};

/** What open transactions have written, which nobody else may write until they end, and what they have used, which stays what it is. */
export class Pending {
  readonly #owners = new Map<Claim, Transaction>();
  readonly #claims = new Map<Transaction, Set<Claim>>();
  /** Who has written anything in a namespace. */
  readonly #writers: ByNamespace = new Map();
  /** Who has read or written in a namespace, or has tried to. */
  readonly #users: ByNamespace = new Map();

  /** Nobody has used anything. */
  get isEmpty(): boolean {
    return this.#claims.size === 0 && this.#users.size === 0;
  }

  ownerOf(claim: Claim): Transaction | undefined {
    return this.#owners.get(claim);
  }

  /** Somebody else who has written in the namespace. */
  writerIn(ns: string, but?: Transaction): Transaction | undefined {
    for (const one of this.#writers.get(ns) ?? []) if (one !== but) return one;
    return undefined;
  }

  /** Somebody who has used the namespace. */
  userOf(ns: string): Transaction | undefined {
    const [user] = this.#users.get(ns) ?? [];
    return user;
  }

  use(ns: string, user: Transaction): void {
    add(this.#users, ns, user);
  }

  claim(ns: string, claim: Claim, owner: Transaction): void {
    this.#owners.set(claim, owner);
    this.#claims.set(owner, (this.#claims.get(owner) ?? new Set()).add(claim));
    add(this.#writers, ns, owner);
  }

  release(owner: Transaction): void {
    for (const claim of this.#claims.get(owner) ?? []) this.#owners.delete(claim);
    this.#claims.delete(owner);
    remove(this.#writers, owner);
    remove(this.#users, owner);
  }
}
