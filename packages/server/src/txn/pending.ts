import type { Claim } from './claims.js';
import type { Transaction } from './transaction.js';

/** What open transactions have written: until they end nobody else may write it. */
export class Pending {
  readonly #owners = new Map<Claim, Transaction>();
  readonly #claims = new Map<Transaction, Set<Claim>>();
  /** Who has written anything in a namespace. */
  readonly #writers = new Map<string, Set<Transaction>>();

  /** Nobody has written anything. */
  get isEmpty(): boolean {
    return this.#claims.size === 0;
  }

  ownerOf(claim: Claim): Transaction | undefined {
    return this.#owners.get(claim);
  }

  /** Somebody else who has written in the namespace. */
  writerIn(ns: string, but?: Transaction): Transaction | undefined {
    return [...(this.#writers.get(ns) ?? [])].find(one => one !== but);
  }

  claim(ns: string, claim: Claim, owner: Transaction): void {
    this.#owners.set(claim, owner);
    this.#claims.set(owner, (this.#claims.get(owner) ?? new Set()).add(claim));
    this.#writers.set(ns, (this.#writers.get(ns) ?? new Set()).add(owner));
  }

  release(owner: Transaction): void {
    for (const claim of this.#claims.get(owner) ?? []) this.#owners.delete(claim);
    this.#claims.delete(owner);
    for (const [ns, writers] of this.#writers) {
      writers.delete(owner);
      if (writers.size === 0) this.#writers.delete(ns);
    }
  }
}
