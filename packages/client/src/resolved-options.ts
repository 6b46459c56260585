import type { BsonOptions, Clock } from '@tessera/contracts';
import type { Driver } from './assemble.js';
import { ReadConcern, ReadPreference, WriteConcern } from './concerns.js';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcernSettings } from './concerns.js';
import { isGiven } from './operation-options.js';
import { checkTimeoutMS } from './time-limit.js';
import type { UndefinedInFilters } from './undefined-in-filters.js';

/** The members of the client that its handles use. */
export interface Origin {
  /**
   * The assembled driver; the first access opens the client.
   * @throws MongoNotConnectedError if the client was closed
   */
  readonly driver: Driver;
  /** The clock of the client's runtime. Stays usable after the client was closed. */
  readonly clock: Clock;
}

/** Options that client, database, collection and operation inherit from one another. */
export interface InheritedOptions extends BsonOptions {
  /** The servers that reads use. Default: that of the collection, database or client. */
  readPreference?: ReadPreferenceLike | undefined;
  /** The read concern. Default: that of the collection, database or client. */
  readConcern?: ReadConcernLike | undefined;
  /** The write concern. Default: that of the collection, database or client. */
  writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  /**
   * The timeout in milliseconds of a whole operation: server selection, checkout, connection and all attempts. 0 means
   * no limit. Default: the timeoutMS of the collection, database or client.
   */
  timeoutMS?: number | undefined;
  /**
   * The treatment of undefined values in filters: `error` rejects the operation, `null` matches null and missing fields,
   * `ignore` removes the condition. Default: that of the collection, database or client; without any, filters are
   * encoded like documents, by `ignoreUndefined`.
   */
  undefinedInFilters?: UndefinedInFilters | undefined;
}

/** Generates the `_id` of inserted documents that have none. */
export interface PkFactory {
  /** Returns the `_id` of the next inserted document. */
  createPk(): unknown;
}

/** Options of databases and collections. */
export interface HandleOptions extends InheritedOptions {
  /** Lets the server generate the `_id` of inserted documents. Default: that of the database or client. */
  forceServerObjectId?: boolean | undefined;
  /** Generates the `_id` of inserted documents that have none. Default: that of the database or client. */
  pkFactory?: PkFactory | undefined;
}

/** The resolved options that a handle passes to its operations. */
export interface ResolvedOptions {
  /** The servers that reads use. Undefined means `primary`. */
  readonly readPreference: ReadPreference | undefined;
  /** The read concern. Undefined means the server's default. */
  readonly readConcern: ReadConcern | undefined;
  /** The write concern. Undefined means the server's default. */
  readonly writeConcern: WriteConcern | undefined;
  /** The timeout in milliseconds of an operation. Undefined means no limit for the whole operation. */
  readonly timeoutMS: number | undefined;
  /** The treatment of undefined values in filters. Undefined means that filters are encoded like documents. */
  readonly undefinedInFilters: UndefinedInFilters | undefined;
  /** Undefined means the factory of the client. */
  readonly pkFactory: PkFactory | undefined;
  /** The options that convert documents to BSON and back. */
  readonly bson: BsonOptions;
}

export const noOptions: ResolvedOptions = {
  readPreference: undefined,
  readConcern: undefined,
  writeConcern: undefined,
  timeoutMS: undefined,
  undefinedInFilters: undefined,
  pkFactory: undefined,
  bson: {},
};

/** BSON options for replies that the driver itself reads. They replace the options of the collection. */
export const internalBson: BsonOptions = { raw: false, promoteValues: true, promoteLongs: true, useBigInt64: false };

/**
 * The defaults of all BSON options except `checkKeys`, which belongs to an operation: on a handle, it would reject the
 * operators of all updates.
 */
const bsonDefaults = {
  raw: false,
  useBigInt64: false,
  promoteLongs: true,
  promoteValues: true,
  promoteBuffers: false,
  ignoreUndefined: false,
  bsonRegExp: false,
  serializeFunctions: false,
  fieldsAsRaw: {},
  enableUtf8Validation: true,
} as const satisfies BsonOptions;

const bsonNames = Object.keys(bsonDefaults) as (keyof typeof bsonDefaults)[];

/** Returns all BSON options, including defaults. */
export const resolvedBson = ({ bson }: ResolvedOptions): BsonOptions => ({ ...bsonDefaults, ...bson });

const bsonOptions = (own: InheritedOptions, parent: BsonOptions): BsonOptions => {
  let options: Record<string, unknown> | undefined;
  for (const name of bsonNames)
    if ((own[name] ?? undefined) !== undefined) (options ??= { ...parent })[name] = own[name];
  return options ?? parent;
};

/** Returns the BSON options of an operation, including options that only operations have. */
const operationBson = (own: InheritedOptions, parent: BsonOptions): BsonOptions => {
  const options = bsonOptions(own, parent);
  return own.checkKeys === true ? { ...options, checkKeys: true } : options;
};

/** Returns whether an operation's options change how its command is encoded or its reply decoded. */
export const overrides = (options: InheritedOptions): boolean => {
  // Options are few, names are many.
  for (const name in options) {
    if (name === 'checkKeys' ? options.checkKeys === true : inherited.has(name) && isSet(options, name)) return true;
  }
  return false;
};

const inherited: ReadonlySet<string> = new Set([...bsonNames, 'readPreference', 'readConcern', 'writeConcern']);

const isSet = (options: object, name: string): boolean =>
  (options as Readonly<Record<string, unknown>>)[name] !== undefined;

/**
 * Returns the parent's options if nothing differs, else the merged options.
 * @throws MongoInvalidArgumentError for an invalid timeoutMS
 */
export const resolveOptions = (own: HandleOptions, parent: ResolvedOptions): ResolvedOptions => {
  if (own.timeoutMS !== undefined) checkTimeoutMS(own.timeoutMS);
  return overrides(own) ||
    own.timeoutMS !== undefined ||
    own.undefinedInFilters !== undefined ||
    own.pkFactory !== undefined
    ? {
        readPreference: ReadPreference.fromOptions(own) ?? parent.readPreference,
        // An empty concern, `{}`, selects the server's default. Rule: Read and Write Concern, "On the Wire".
        readConcern: ReadConcern.fromOptions(own) ?? (isGiven(own.readConcern) ? undefined : parent.readConcern),
        writeConcern: isGiven(own.writeConcern) ? WriteConcern.fromOptions(own.writeConcern) : parent.writeConcern,
        timeoutMS: own.timeoutMS ?? parent.timeoutMS,
        undefinedInFilters: own.undefinedInFilters ?? parent.undefinedInFilters,
        pkFactory: own.pkFactory ?? parent.pkFactory,
        bson: bsonOptions(own, parent.bson),
      }
    : parent;
};

/** Returns the options of an operation: its own, and those of its handle. */
export const resolveForOperation = (own: InheritedOptions, parent: ResolvedOptions): ResolvedOptions => ({
  ...resolveOptions(own, parent),
  bson: operationBson(own, parent.bson),
});
