import type { BinaryValue, Change, Doc, Value } from '@tessera/mql/engine';

/** How a document was changed: what a change stream tells of it depends on it. */
export type RowChange =
  | { readonly by: 'replacement' }
  | { readonly by: 'pipeline' }
  /** In the order in which modifiers changed the fields. */
  | { readonly by: 'modifiers'; readonly changes: readonly Change[] };

/** A collection or view as it was then, without its documents. */
export interface Described {
  readonly ns: string;
  /** Undefined: it is a view. */
  readonly uuid: BinaryValue | undefined;
  /** As listCollections shows them. */
  readonly options: Doc;
  /** As listIndexes shows them. */
  readonly indexes: readonly Doc[];
}

interface OnCollection {
  /** `db.name` */
  readonly ns: string;
  readonly uuid: BinaryValue;
}

interface OnDocument extends OnCollection {
  /** The collection keeps images: a change stream may tell what was there before and after. */
  readonly imaged: boolean;
}

/** One thing that was done to the data. */
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
  /** A collection or a view. */
  | { readonly kind: 'create'; readonly ns: string; readonly made: Described }
  | { readonly kind: 'drop'; readonly ns: string; readonly dropped: Described }
  | {
      readonly kind: 'rename';
      readonly ns: string;
      readonly to: string;
      readonly renamed: Described;
      /** What had the name before. */
      readonly dropped: Described | undefined;
    }
  /** After the drops of its collections. */
  | { readonly kind: 'dropDatabase'; readonly db: string }
  | (OnCollection & { readonly kind: 'createIndexes' | 'dropIndexes'; readonly specs: readonly Doc[] })
  /** It is spread over shards from now on. */
  | (OnCollection & { readonly kind: 'shardCollection'; readonly description: Doc })
  /** By `collMod`. */
  | { readonly kind: 'modify'; readonly ns: string; readonly before: Described; readonly after: Described }
  | { readonly kind: 'noop'; readonly message: string };
