import type { Doc, Value } from '@tessera/mql/engine';

/** A document as findAndModify answered it, kept so that it can answer so again. */
export interface Image {
  readonly when: 'before' | 'after';
  readonly doc: Doc;
}

/** What a statement of a retryable write did: enough to answer it again. What changed nothing is not remembered. */
export type Done =
  | { readonly did: 'insert' }
  /** With the `_id` of what it inserted if there was nothing to update. */
  | { readonly did: 'update'; readonly upserted: Value | undefined; readonly image?: Image | undefined }
  | { readonly did: 'delete'; readonly image?: Image | undefined };

/** The last retryable write or transaction of a session. Rule: Retryable Writes, "Generating Transaction IDs". */
export interface SessionWrites {
  /** The highest that was seen. */
  readonly txnNumber: bigint;
  /** By statement id. */
  readonly statements: ReadonlyMap<number, Done>;
  /** What became of the transaction of that number, if it is one: begun and under way no more, it is aborted. */
  readonly transaction: 'begun' | 'committed' | undefined;
  /** Milliseconds since 1970. */
  readonly writtenAt: number;
}

export const noStatements: ReadonlyMap<number, Done> = new Map();
