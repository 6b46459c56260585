import type {
  Attempt,
  BodyWriter,
  BsonCodec,
  BsonOptions,
  Document,
  Elements,
  Selection,
  Shape,
} from '@tessera/contracts';

/** What the handle of a database or collection lends to every operation on it. Made once per handle. */
export interface Target {
  readonly db: string;
  /** Empty for a database. */
  readonly collection: string;
  readonly bson: BsonCodec;
  /** `$db`, encoded. */
  readonly database: Elements;
  /** Where reads go. */
  readonly selection: Selection;
  readonly readConcern: Document | undefined;
  readonly writeConcern: Document | undefined;
  /** The documents of the collection. */
  readonly documents: Shape;
  /** Filters, updates and options. */
  readonly arguments: Shape;
}

export interface TargetOptions {
  readonly selection?: Selection | undefined;
  readonly readConcern?: Document | undefined;
  readonly writeConcern?: Document | undefined;
  readonly bson?: BsonOptions | undefined;
}

/** Writes want a server that takes them. Rule: Server Selection, "Read preference": writes ignore it. */
export const writable: Selection = { mode: 'primary' };

/** @param like another target of the same collection and BSON options: what is known of the documents' shape is shared */
export const createTarget = (
  { bson }: { readonly bson: BsonCodec },
  db: string,
  collection: string,
  options: TargetOptions,
  like?: Target,
): Target => ({
  db,
  collection,
  bson,
  database: bson.elements({ $db: db }),
  selection: options.selection ?? writable,
  readConcern: options.readConcern,
  writeConcern: options.writeConcern,
  documents: like?.documents ?? bson.shape(options.bson),
  arguments: like?.arguments ?? bson.shape(options.bson),
});

/** `find: "users"` and its like, encoded once per handle and command. */
export const createHead = (target: Target, command: string): Elements =>
  target.bson.elements({ [command]: target.collection });

/** Under timeoutMS the older options for time limits do not apply. Rule: CSOT, "Validation and Overrides". */
export const isTimed = ({ deadline }: Attempt): boolean => deadline !== Infinity;

/** `w: 0` asks for no answer. Rule: Read and Write Concern, "Unacknowledged Write Concern". */
export const isAcknowledged = (writeConcern: Document | undefined): boolean => writeConcern?.['w'] !== 0;

/** Writes those of the options that are set and apply, under their own names. */
export const writeOptions = (
  writer: BodyWriter,
  names: readonly string[],
  options: Readonly<Record<string, unknown>>,
  shape: Shape,
  attempt: Attempt,
): void => {
  for (const name of names) {
    const value = options[name];
    if (value === undefined || (value === null && name !== 'comment')) continue;
    if (name !== 'maxTimeMS' || !isTimed(attempt)) writer.value(name, value, shape);
  }
};
