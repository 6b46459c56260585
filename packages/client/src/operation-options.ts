/** The options and arguments of operations. Each row has a type that is validated before a command is sent. */
import { MongoInvalidArgumentError } from './errors.js';

/** Returns whether an option or argument has a value. Both null and undefined mean none. */
export const isGiven = <T>(value: T): value is NonNullable<T> => value !== undefined && value !== null;

/** The values that an option accepts. null and undefined mean that the option is absent. */
interface OptionType {
  /** Completes the sentence "The option must be …". */
  readonly expects: string;
  readonly accepts: (value: unknown) => boolean;
  /** The types of the fields of a document. Fields that are not listed are not checked. */
  readonly fields?: OptionTable;
}

/** Option names with their types. Options without a row are not checked. */
export type OptionTable = ReadonlyMap<string, OptionType>;

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;

const hasMethod = (value: unknown, name: string): boolean =>
  isObject(value) && typeof (value as Readonly<Record<string, unknown>>)[name] === 'function';

const whole: OptionType = { expects: 'a whole number', accepts: Number.isSafeInteger };
const count: OptionType = {
  expects: 'a whole number of at least 0',
  accepts: value => Number.isSafeInteger(value) && (value as number) >= 0,
};
const milliseconds: OptionType = { ...count, expects: 'a whole number of milliseconds of at least 0' };
/** A number in any of its BSON forms, which the driver sends unchanged. */
const number: OptionType = {
  expects: 'a number',
  accepts: value =>
    Number.isFinite(value) ||
    typeof value === 'bigint' ||
    (isObject(value) && ['Int32', 'Double', 'Long', 'Decimal128'].includes((value as Bson)._bsontype ?? '')),
};
const flag: OptionType = { expects: 'true or false', accepts: value => typeof value === 'boolean' };
/** A flag that only the server reads, which also accepts numbers. */
const serverFlag: OptionType = { ...flag, accepts: value => flag.accepts(value) || value === 0 || value === 1 };
const text: OptionType = { expects: 'a string', accepts: value => typeof value === 'string' };
const isDocument = (value: unknown): boolean => isObject(value) && !Array.isArray(value);
const document: OptionType = { expects: 'a document', accepts: isDocument };
const list: OptionType = { expects: 'an array', accepts: Array.isArray };
const textOrDocument: OptionType = {
  expects: 'a string or a document',
  accepts: value => typeof value === 'string' || isDocument(value),
};
const numberOrText: OptionType = {
  expects: 'a number or a string',
  accepts: value => Number.isFinite(value) || typeof value === 'string',
};
const wholeOrText: OptionType = {
  expects: 'a whole number of at least 0 or a string',
  accepts: value => count.accepts(value) || typeof value === 'string',
};
const bytes: OptionType = {
  expects: 'a whole number of bytes of at least 1',
  accepts: value => Number.isSafeInteger(value) && (value as number) > 0,
};
const projection: OptionType = { expects: 'a document or an array of field names', accepts: isObject };
const explain: OptionType = {
  expects: 'true, false, a verbosity or a document with a verbosity',
  accepts: value => typeof value === 'boolean' || textOrDocument.accepts(value),
};
/** Without this check, the operation would run although the caller expects only its plan. */
const unexplained: OptionType = {
  expects: 'absent, because the driver does not explain this operation',
  accepts: () => false,
};
const value: OptionType = {
  expects: 'a value that BSON can represent',
  accepts: given => typeof given !== 'function' && typeof given !== 'symbol',
};
const returnDocument: OptionType = {
  expects: "'before' or 'after'",
  accepts: given => given === 'before' || given === 'after',
};
const session: OptionType = {
  expects: 'a session that client.startSession() returned',
  accepts: given => hasMethod(given, 'inTransaction') && hasMethod(given, 'use'),
};
const signal: OptionType = {
  expects: 'an AbortSignal, such as the property signal of an AbortController',
  accepts: given =>
    hasMethod(given, 'addEventListener') && typeof (given as { aborted?: unknown }).aborted === 'boolean',
};
const pkFactory: OptionType = {
  expects: 'an object with a method createPk',
  accepts: given => hasMethod(given, 'createPk'),
};

interface Bson {
  readonly _bsontype?: string;
}

const rows = (type: OptionType, ...names: readonly string[]): readonly (readonly [string, OptionType])[] =>
  names.map(name => [name, type]);

const writeConcern: OptionType = {
  expects: 'a write concern: a document, a number or a string',
  accepts: value => count.accepts(value) || textOrDocument.accepts(value),
  fields: new Map([
    ...rows(wholeOrText, 'w'),
    ...rows(flag, 'j', 'journal'),
    ...rows(milliseconds, 'wtimeout', 'wtimeoutMS'),
  ]),
};
const readConcern: OptionType = { ...textOrDocument, fields: new Map(rows(text, 'level')) };
const readPreference: OptionType = {
  ...textOrDocument,
  fields: new Map([
    ...rows(text, 'mode'),
    ...rows(list, 'tags'),
    ...rows(number, 'maxStalenessSeconds'),
    ...rows(document, 'hedge'),
  ]),
};
const collation: OptionType = {
  ...document,
  fields: new Map([
    ...rows(text, 'locale', 'caseFirst', 'alternate', 'maxVariable'),
    ...rows(whole, 'strength'),
    ...rows(flag, 'caseLevel', 'numericOrdering', 'backwards', 'normalization'),
  ]),
};

const undefinedRules = ['error', 'null', 'ignore'];
const undefinedRule: OptionType = {
  expects: `one of ${undefinedRules.join(', ')}`,
  accepts: given => undefinedRules.includes(given as string),
};

/** Options with the same meaning in every operation. */
export const operationOptions: OptionTable = new Map([
  ...rows(whole, 'limit', 'batchSize'),
  ...rows(count, 'skip'),
  ...rows(milliseconds, 'maxTimeMS', 'maxAwaitTimeMS', 'maxCommitTimeMS'),
  ...rows(number, 'scale', 'expireAfterSeconds'),
  ...rows(flag, 'singleBatch', 'allowPartialResults', 'oplogReplay'),
  ...rows(serverFlag, 'returnKey', 'showRecordId', 'allowDiskUse', 'capped', 'background'),
  ...rows(flag, 'tailable', 'awaitData', 'noCursorTimeout', 'prefetch', 'rawData', 'nameOnly', 'full'),
  ...rows(flag, 'ordered', 'upsert', 'bypassDocumentValidation', 'forceServerObjectId', 'includeResultMetadata'),
  ...rows(flag, 'authorizedCollections', 'authorizedDatabases', 'dropTarget', 'verboseResults', 'showExpandedEvents'),
  ...rows(flag, 'ignoreUndefined', 'serializeFunctions', 'promoteLongs', 'useBigInt64', 'promoteValues'),
  ...rows(flag, 'promoteBuffers', 'bsonRegExp', 'raw', 'checkKeys'),
  ...rows(text, 'out', 'fullDocument', 'fullDocumentBeforeChange', 'timeoutMode'),
  ...rows(undefinedRule, 'undefinedInFilters'),
  ...rows(document, 'let', 'fieldsAsRaw'),
  ...rows(collation, 'collation'),
  ...rows(textOrDocument, 'hint'),
  ...rows(readPreference, 'readPreference'),
  ...rows(readConcern, 'readConcern'),
  ...rows(numberOrText, 'commitQuorum'),
  ...rows(list, 'arrayFilters'),
  ...rows(projection, 'projection'),
  ...rows(writeConcern, 'writeConcern'),
  ...rows(unexplained, 'explain'),
  ...rows(value, 'comment'),
  ...rows(returnDocument, 'returnDocument'),
  ...rows(session, 'session'),
  ...rows(signal, 'signal'),
  ...rows(pkFactory, 'pkFactory'),
]);

/** Options of operations that can be explained. */
export const explainableOptions: OptionTable = new Map([...operationOptions, ...rows(explain, 'explain')]);

/** Options of `find` and `findOne`. */
export const findOptions: OptionTable = new Map([...explainableOptions, ...rows(document, 'max', 'min')]);

/** Options of `createCollection`. */
export const createCollectionOptions: OptionTable = new Map([
  ...operationOptions,
  ...rows(number, 'size', 'max', 'flags'),
  ...rows(document, 'validator', 'timeseries', 'clusteredIndex', 'changeStreamPreAndPostImages', 'storageEngine'),
  ...rows(document, 'indexOptionDefaults', 'idIndex', 'encryptedFields'),
  ...rows(text, 'validationLevel', 'validationAction', 'viewOn'),
  ...rows(list, 'pipeline'),
]);

/** Options of one index. */
export const indexOptions: OptionTable = new Map([
  ...rows(text, 'name', 'default_language', 'language_override'),
  ...rows(serverFlag, 'background', 'unique', 'sparse', 'hidden'),
  ...rows(document, 'partialFilterExpression', 'wildcardProjection', 'storageEngine', 'weights'),
  ...rows(collation, 'collation'),
  ...rows(number, 'expireAfterSeconds', 'version', 'textIndexVersion', '2dsphereIndexVersion'),
  ...rows(number, 'bits', 'min', 'max', 'bucketSize'),
]);

/** Options of GridFS: of a bucket, its uploads and its downloads. */
export const bucketOptions: OptionTable = new Map([
  ...explainableOptions,
  ...rows(text, 'bucketName', 'contentType'),
  ...rows(bytes, 'chunkSizeBytes'),
  ...rows(document, 'metadata'),
  ...rows(list, 'aliases'),
  ...rows(whole, 'start', 'end', 'revision'),
]);

/** Options of `startSession`. */
const sessionOptions: OptionTable = new Map([
  ...rows(flag, 'causalConsistency', 'snapshot'),
  ...rows(document, 'defaultTransactionOptions'),
]);

/** Types of arguments. */
export const argument: Readonly<
  Record<'text' | 'list' | 'count' | 'flag' | 'document' | 'callback' | 'timestamp', OptionType>
> = {
  text,
  flag,
  list,
  count,
  document,
  callback: { expects: 'a function', accepts: given => typeof given === 'function' },
  timestamp: {
    expects: 'a Timestamp',
    accepts: given => (given as Bson | null | undefined)?._bsontype === 'Timestamp',
  },
};

/** @throws MongoInvalidArgumentError if the argument has another type. Unlike an option, it is required. */
export const checkArgument = (name: string, given: unknown, type: OptionType): void => {
  if (!type.accepts(given))
    throw new MongoInvalidArgumentError(`The argument "${name}" must be ${type.expects}, but is ${shown(given)}.`);
};

/** @throws MongoInvalidArgumentError if the pipeline is not an array of documents */
export const checkPipeline = (pipeline: unknown): void => {
  if (!Array.isArray(pipeline)) throw new MongoInvalidArgumentError('A pipeline must be an array of stages.');
  for (const stage of pipeline as readonly unknown[]) checkArgument('stage', stage, document);
};

/** @throws MongoInvalidArgumentError if an option of a session or of its transactions has a wrong type. */
export const checkSession = (options: { readonly defaultTransactionOptions?: object | undefined }): void => {
  checkOptions(options, sessionOptions);
  checkOptions(options.defaultTransactionOptions);
};

/** @throws MongoInvalidArgumentError if the options are not an object, or if one of them has a wrong type or range */
export const checkOptions = (options: object | null | undefined, table: OptionTable = operationOptions): void => {
  if (options === undefined || options === null) return;
  // An array has a member sort, and is an argument in the wrong place.
  if (typeof options !== 'object' || Array.isArray(options))
    throw new MongoInvalidArgumentError(
      `The options of an operation must be an object, but are ${shown(options)}.${typeof options === 'function' ? ' Callbacks were removed: use the returned promise.' : ''}`,
    );
  for (const name in options) checkOption(name, (options as Readonly<Record<string, unknown>>)[name], table);
};

/** @throws MongoInvalidArgumentError if the option has a wrong type or range. */
export const checkOption = (name: string, given: unknown, table: OptionTable): void => {
  if (given === undefined || given === null) return;
  const type = table.get(name);
  if (type !== undefined) checkValue(name, given, type);
};

const checkValue = (name: string, given: unknown, { expects, accepts, fields }: OptionType): void => {
  if (!accepts(given))
    throw new MongoInvalidArgumentError(`The option "${name}" must be ${expects}, but is ${shown(given)}.`);
  if (fields === undefined || !isObject(given)) return;
  for (const [field, type] of fields) {
    const value = (given as Readonly<Record<string, unknown>>)[field];
    if (isGiven(value)) checkValue(`${name}.${field}`, value, type);
  }
};

const longest = 40;

/** Returns the value for an error message: long strings are shortened, and contents of objects are omitted. */
export const shown = (given: unknown): string => {
  switch (typeof given) {
    case 'string':
      return JSON.stringify(given.length > longest ? `${given.slice(0, longest)}…` : given);
    case 'bigint':
      return `${given}n`;
    case 'number':
    case 'boolean':
      return String(given);
    case 'object':
      if (given === null) return 'null';
      return Array.isArray(given) ? 'an array' : 'an object';
    case 'undefined':
      return 'undefined';
    default:
      return `a ${typeof given}`;
  }
};
