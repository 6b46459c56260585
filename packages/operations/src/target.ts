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

/** A database or collection: what all commands on it have in common, encoded once. */
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
  /** `find: "users"` and its like, encoded once per command. */
  head(command: string): Elements;
}

/** Writes want a server that takes them. Rule: Server Selection, "Read preference": writes ignore it. */
export const writable: Selection = { mode: 'primary' };

/** Returns a target, for callers that do not implement {@link Target} themselves. */
export const createTarget = (
  { bson }: { readonly bson: BsonCodec },
  db: string,
  collection: string,
  options: Partial<Pick<Target, 'selection' | 'readConcern' | 'writeConcern'>> & {
    readonly bson?: BsonOptions | undefined;
  } = {},
): Target => {
  const heads: Record<string, Elements> = {};
  return {
    db,
    collection,
    bson,
    database: bson.elements({ $db: db }),
    selection: options.selection ?? writable,
    readConcern: options.readConcern,
    writeConcern: options.writeConcern,
    documents: bson.shape(options.bson),
    arguments: bson.shape(options.bson),
    head: command => (heads[command] ??= bson.elements({ [command]: collection })),
  };
};

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
