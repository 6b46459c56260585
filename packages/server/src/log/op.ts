import type { BinaryValue, Change, Doc, Value } from '@tessera/mql/engine';

/** How a document was changed. It determines the event of a change stream. */
export type RowChange =
  | { readonly by: 'replacement' }
  | { readonly by: 'pipeline' }
  /** The changed fields, in the order in which the modifiers changed them. */
  | { readonly by: 'modifiers'; readonly changes: readonly Change[] };

/** The definition of a collection or view at the time of the operation. */
export interface Described {
  readonly ns: string;
  /** Undefined for a view. */
  readonly uuid: BinaryValue | undefined;
  /** The options as listCollections shows them. */
  readonly options: Doc;
  /** The indexes as listIndexes shows them. */
  readonly indexes: readonly Doc[];
}

interface OnCollection {
  /** `db.name` */
  readonly ns: string;
  readonly uuid: BinaryValue;
}

interface OnDocument extends OnCollection {
  /** Whether the collection has `changeStreamPreAndPostImages` enabled. */
  readonly imaged: boolean;
}

/** One operation on the data. */
export type Op =
  | (OnCollection & { readonly kind: 'insert'; readonly doc: Doc })
  | (OnDocument & {
      readonly kind: 'update';
      readonly id: Value;
      readonly before: Doc;
      readonly after: Doc;
      readonly change: RowChange;
    })
  | (OnDocument & { readonly kind: 'delete'; readonly before: Doc })
  /** A collection or a view was created. */
  | { readonly kind: 'create'; readonly ns: string; readonly made: Described }
  | { readonly kind: 'drop'; readonly ns: string; readonly dropped: Described }
  | {
      readonly kind: 'rename';
      readonly ns: string;
      readonly to: string;
      readonly renamed: Described;
      /** The namespace that had the new name before. */
      readonly dropped: Described | undefined;
    }
  /** A database was dropped. The drops of its collections precede this operation. */
  | { readonly kind: 'dropDatabase'; readonly db: string }
  | (OnCollection & { readonly kind: 'createIndexes' | 'dropIndexes'; readonly specs: readonly Doc[] })
  /** A collection was sharded. */
  | (OnCollection & { readonly kind: 'shardCollection'; readonly description: Doc })
  /** A namespace was modified with `collMod`. */
  | {
      readonly kind: 'modify';
      readonly ns: string;
      readonly before: Described;
      readonly after: Described;
      /** The options that the command changed. */
      readonly change: Doc;
    }
  | { readonly kind: 'noop'; readonly message: string };
