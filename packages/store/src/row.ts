import type { Doc } from '@tessera/mql/engine';

/** A stored document with its position. */
export interface Row {
  readonly record: string;
  readonly doc: Doc;
  /** The index entry through which the document was found. */
  readonly entry: string | undefined;
}
