/** Commands that are waiting, and can be interrupted. */
export class InFlight {
  readonly #waiting = new Set<(error: Error) => void>();

  /** Returns the promise's result, or rejects when {@link interrupt} is called. */
  guard<T>(promised: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      promised.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  interrupt(error: Error): void {
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const reject of waiting) reject(error);
  }
}
