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

/** A database or collection, with the parts that all its commands share, encoded once. */
export interface Target {
  /** The name of the database. */
  readonly db: string;
  /** The name of the collection. Empty for a database. */
  readonly collection: string;
  /** Encodes and decodes the documents of the collection. */
  readonly bson: BsonCodec;
  /** The encoded element `$db`. */
  readonly database: Elements;
  /** The read preference. */
  readonly selection: Selection;
  /** The read concern of its reads. Undefined: the default of the server. */
  readonly readConcern: Document | undefined;
  /** The write concern of its writes. Undefined: the default of the server. */
  readonly writeConcern: Document | undefined;
  /** The shape of the collection's documents. */
  readonly documents: Shape;
  /** The shape of filters, updates and options. */
  readonly arguments: Shape;
  /** Returns the encoded first element of a command, such as `find: "users"`. Encoded once per command. */
  head(command: string): Elements;
}

/** The selection of writes, which ignore the read preference. Rule: Server Selection, "Read preference". */
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

/** Returns whether timeoutMS is set, so that the older time limits do not apply. Rule: Client Side Operations Timeout, "Validation and Overrides". */
export const isTimed = ({ deadline }: Attempt): boolean => deadline !== Infinity;

/** Returns false for `w: 0`, which requests no reply. Rule: Read and Write Concern, "Unacknowledged Write Concern". */
export const isAcknowledged = (writeConcern: Document | undefined): boolean => writeConcern?.['w'] !== 0;

/** Writes the options that are set and apply, under their own names. */
export const writeOptions = (
  writer: BodyWriter,
  names: ReadonlySet<string>,
  options: Readonly<Record<string, unknown>>,
  shape: Shape,
  attempt: Attempt,
): void => {
  // Options are few, names are many.
  for (const name in options) {
    const value = options[name];
    if (value === undefined || (value === null && name !== 'comment') || !names.has(name)) continue;
    if (name !== 'maxTimeMS' || !isTimed(attempt)) writer.value(name, value, shape);
  }
};
