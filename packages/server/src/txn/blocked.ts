/** An open transaction, as seen by operations that wait for its end. */
export interface Ending {
  /**
   * Calls `wake` once, when the transaction has been committed or aborted. Returns a function that cancels the
   * callback.
   */
  onceEnded(wake: () => void): () => void;
}

/**
 * Thrown when a write outside of transactions conflicts with an open transaction. Nothing of the write is committed,
 * and it is retried after the transaction ends.
 */
export class Blocked extends Error {
  readonly by: Ending;

  constructor(by: Ending) {
    super('The write conflicts with an open transaction.');
    this.by = by;
  }
}
