/** An open transaction, as those that wait for it see it. */
export interface Ending {
  /** Calls back once, when the transaction has been committed or aborted. Returns the way to take that back. */
  onceEnded(wake: () => void): () => void;
}

/** A write outside of transactions has met one that is not decided: it begins anew when that is over. Nothing of it is committed. */
export class Blocked extends Error {
  readonly by: Ending;

  constructor(by: Ending) {
    super('A transaction that is under way has written the same');
    this.by = by;
  }
}
