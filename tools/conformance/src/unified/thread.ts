import type { Clock, Millis } from '@tessera/contracts';

/** Waits for the work at most `limit` milliseconds. @throws Error that names the work if the limit is exceeded */
export const within = async <T>(clock: Clock, limit: Millis, what: string, work: Promise<T>): Promise<T> => {
  let late: { cancel(): void } | undefined;
  const over = new Promise<never>((_, reject) => {
    late = clock.startTimer(limit, () => reject(new Error(`Timed out after ${limit} ms: ${what}.`)));
  });
  try {
    return await Promise.race([work, over]);
  } finally {
    late?.cancel();
  }
};

/** Runs operations in order, concurrently with those of the test. Rule: "entity_thread". */
export class Thread {
  #last: Promise<unknown> = Promise.resolve();

  run(operation: () => Promise<unknown>): void {
    this.#last = this.#last.then(operation);
    // `join` reports the error.
    this.#last.catch(() => undefined);
  }

  /** Waits for all operations. @throws the error of a failed operation */
  async join(): Promise<void> {
    await this.#last;
  }
}
