/** What stood in the text: enough to tell a number from its wrapper, and to say where it was. */
export interface Item {
  /** The offset of its first character. */
  readonly at: number;
  /** A wrapper is named by its key, for example `$oid`. */
  readonly form: 'string' | 'number' | 'boolean' | 'null' | 'array' | 'document' | `$${string}`;
  readonly value: unknown;
  /** The text of a number. */
  readonly text?: string;
  /** What a document is made of. */
  readonly members?: Members;
}

/** The members of an object in their order; of equal keys the last one counts. */
export type Members = ReadonlyMap<string, Item>;
