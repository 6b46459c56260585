/** Commands that wait for something: they may be ended before their time. */
export class InFlight {
  readonly #waiting = new Set<(error: Error) => void>();

  /** What was promised, or the error of whoever interrupts it. */
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
