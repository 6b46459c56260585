/** Whoever is to be called back once, after the next change. */
export class Watchers {
  readonly #waiting = new Set<() => void>();

  /** Returns the way to take that back. */
  once(wake: () => void): () => void {
    this.#waiting.add(wake);
    return () => this.#waiting.delete(wake);
  }

  wake(): void {
    if (this.#waiting.size === 0) return;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const wake of waiting) wake();
  }
}
