import type { BsonOptions, Clock } from '@tessera/contracts';
import type { Driver } from './assemble.js';
import { ReadConcern, ReadPreference, WriteConcern } from './concerns.js';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcernSettings } from './concerns.js';
import { isGiven } from './operation-options.js';
import { checkTimeoutMS } from './time-limit.js';

/** The client as its handles see it: one driver while it is open. */
export interface Origin {
  /** Assembled at the first use. @throws MongoNotConnectedError once the client was closed. */
  readonly driver: Driver;
  /** The clock of the client's runtime, also after the client was closed. */
  readonly clock: Clock;
}

/** Options that handles inherit from one another: client, database, collection, operation. */
export interface InheritedOptions extends BsonOptions {
  readonly readPreference?: ReadPreferenceLike | undefined;
  readonly readConcern?: ReadConcernLike | undefined;
  readonly writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  /** For the whole operation: selection, checkout, connect, all attempts. */
  readonly timeoutMS?: number | undefined;
}

/** Makes the `_id` of documents that are inserted without one. */
export interface PkFactory {
  createPk(): unknown;
}

/** Options of databases and collections. */
export interface HandleOptions extends InheritedOptions {
  readonly forceServerObjectId?: boolean | undefined;
  readonly pkFactory?: PkFactory | undefined;
}

/** What a handle gives to its operations, resolved once. */
export interface ResolvedOptions {
  readonly readPreference: ReadPreference | undefined;
  readonly readConcern: ReadConcern | undefined;
  readonly writeConcern: WriteConcern | undefined;
  readonly timeoutMS: number | undefined;
  /** Where none is said, the client's. */
  readonly pkFactory: PkFactory | undefined;
  readonly bson: BsonOptions;
}

export const noOptions: ResolvedOptions = {
  readPreference: undefined,
  readConcern: undefined,
  writeConcern: undefined,
  timeoutMS: undefined,
  pkFactory: undefined,
  bson: {},
};

/** All but `checkKeys`, which is an operation's own: from a handle, it would refuse the operators of all updates. */
const bsonNames = [
  'ignoreUndefined',
  'serializeFunctions',
  'promoteLongs',
  'useBigInt64',
  'promoteValues',
  'promoteBuffers',
  'bsonRegExp',
  'raw',
  'fieldsAsRaw',
  'enableUtf8Validation',
] as const satisfies readonly (keyof BsonOptions)[];

/** For what the driver itself reads in an answer, whatever the documents of the collection are to become. */
export const internalBson: BsonOptions = { raw: false, promoteValues: true, promoteLongs: true, useBigInt64: false };

/** What applies where nothing is said, at any level. */
const bsonDefaults: BsonOptions = {
  ignoreUndefined: false,
  serializeFunctions: false,
  promoteLongs: true,
  useBigInt64: false,
  promoteValues: true,
  promoteBuffers: false,
  bsonRegExp: false,
  raw: false,
  fieldsAsRaw: {},
  enableUtf8Validation: true,
};

/** As a handle shows its options: all of them. */
export const resolvedBson = ({ bson }: ResolvedOptions): BsonOptions => ({ ...bsonDefaults, ...bson });

const bsonOptions = (own: InheritedOptions, parent: BsonOptions): BsonOptions => {
  let options: Record<string, unknown> | undefined;
  for (const name of bsonNames)
    if ((own[name] ?? undefined) !== undefined) (options ??= { ...parent })[name] = own[name];
  return options ?? parent;
};

/** The same with what only an operation takes. */
const operationBson = (own: InheritedOptions, parent: BsonOptions): BsonOptions => {
  const options = bsonOptions(own, parent);
  return own.checkKeys === true ? { ...options, checkKeys: true } : options;
};

/** Whether an operation's own options change what its commands say or how its replies are read. */
export const overrides = (options: InheritedOptions): boolean =>
  options.readPreference !== undefined ||
  options.readConcern !== undefined ||
  options.writeConcern !== undefined ||
  options.checkKeys === true ||
  bsonNames.some(name => options[name] !== undefined);

/** The parent's own value if there is nothing else to say. @throws MongoInvalidArgumentError for a timeoutMS that cannot be. */
export const resolveOptions = (own: HandleOptions, parent: ResolvedOptions): ResolvedOptions => {
  if (own.timeoutMS !== undefined) checkTimeoutMS(own.timeoutMS);
  return overrides(own) || own.timeoutMS !== undefined || own.pkFactory !== undefined
    ? {
        readPreference: ReadPreference.fromOptions(own) ?? parent.readPreference,
        // One that says nothing, `{}`, asks for the server's default. Rule: Read and Write Concern, "On the Wire".
        readConcern: ReadConcern.fromOptions(own) ?? (isGiven(own.readConcern) ? undefined : parent.readConcern),
        writeConcern: isGiven(own.writeConcern) ? WriteConcern.fromOptions(own.writeConcern) : parent.writeConcern,
        timeoutMS: own.timeoutMS ?? parent.timeoutMS,
        pkFactory: own.pkFactory ?? parent.pkFactory,
        bson: bsonOptions(own, parent.bson),
      }
    : parent;
};

/** What an operation of a handle has, with its own options. */
export const resolveForOperation = (own: InheritedOptions, parent: ResolvedOptions): ResolvedOptions => ({
  ...resolveOptions(own, parent),
  bson: operationBson(own, parent.bson),
});
