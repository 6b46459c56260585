/**
 * A value as it was written in the text, with enough detail to distinguish a number from its wrapper and to report its
 * position.
 */
export interface Item {
  /** The offset of the first character. */
  readonly at: number;
  /** A wrapper has the name of its key, for example `$oid`. */
  readonly form: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'document' | `$${string}`;
  readonly value: unknown;
  /** The text of a number. */
  readonly text?: string;
  /** The members of a document. */
  readonly members?: Members;
}

/** The members of an object in their order. If a key repeats, the last value counts. */
export type Members = ReadonlyMap<string, Item>;
