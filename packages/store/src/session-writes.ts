import type { Doc, Value } from '@tessera/mql/engine';

/** The document that a findAndModify returned, kept for the replies to retries. */
export interface Image {
  readonly when: 'before' | 'after';
  readonly doc: Doc;
}

/**
 * The result of a statement of a retryable write, for the replies to retries. Statements that changed nothing are not
 * recorded.
 */
export type Done =
  | { readonly did: 'insert' }
  /** `upserted` is the `_id` of an upserted document. */
  | { readonly did: 'update'; readonly upserted: Value | undefined; readonly image?: Image | undefined }
  | { readonly did: 'delete'; readonly image?: Image | undefined };

/** The last retryable write or transaction of a session. Rule: Retryable Writes, "Generating Transaction IDs". */
export interface SessionWrites {
  /** The highest transaction number seen. */
  readonly txnNumber: bigint;
  /** Results by statement id. */
  readonly statements: ReadonlyMap<number, Done>;
  /**
   * The state of the transaction with that number. If it is 'begun' but no longer in progress, it was aborted.
   * Undefined for retryable writes.
   */
  readonly transaction: 'begun' | 'committed' | undefined;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

export const noStatements: ReadonlyMap<number, Done> = new Map();
