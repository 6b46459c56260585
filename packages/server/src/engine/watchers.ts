/** Callbacks for the next change. */
export class Watchers {
  readonly #waiting = new Set<() => void>();

  /** Calls `wake` once. Returns a function that cancels the callback. */
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
