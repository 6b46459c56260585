import type { Clock, Millis } from '@tessera/contracts';

/** @throws Error that says what was not done in time */
export const within = async <T>(clock: Clock, limit: Millis, what: string, work: Promise<T>): Promise<T> => {
  let late: { cancel(): void } | undefined;
  const over = new Promise<never>((_, reject) => {
    late = clock.startTimer(limit, () => reject(new Error(`${what} took more than ${limit} ms`)));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    late?.cancel();
  }
};

/** Operations one after another, beside those of the test. Rule: "entity_thread". */
export class Thread {
  #last: Promise<unknown> = Promise.resolve();

  run(operation: () => Promise<unknown>): void {
    this.#last = this.#last.then(operation);
    // Whoever waits for the thread hears of it.
    this.#last.catch(() => undefined);
  }

  /** @throws what its operations threw */
  async join(): Promise<void> {
    await this.#last;
  }
}
