import type { BsonOptions, Document } from '@tessera/contracts';
import { createCollection, dropDatabase, dropUser } from '@tessera/operations';
import { Admin } from './admin.js';
import { AggregationCursor } from './aggregation-cursor.js';
import type { AggregateOptions } from './aggregation-cursor.js';
import { ChangeStream } from './change-stream.js';
import type { ChangeStreamOptions } from './change-stream.js';
import type { ChangeStreamDocument } from './change-stream-documents.js';
import { Collection } from './collection.js';
import type { CollectionOptions } from './collection.js';
import type { RenameOptions } from './collection-types.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import { Described } from './described.js';
import { MongoInvalidArgumentError, MongoUnexpectedServerResponseError } from './errors.js';
import { commandFields, Handle } from './handle.js';
import { resolveOptions, internalBson, noOptions, resolvedBson } from './resolved-options.js';
import type { CommandOptions, OperationOptions } from './handle.js';
import type { HandleOptions, ResolvedOptions, PkFactory } from './resolved-options.js';
import type { Client } from './handles.js';
import { ListCollectionsCursor } from './list-cursors.js';
import type { CollectionInfo, IndexInfo, IndexInformationOptions, ListCollectionsOptions } from './list-cursors.js';
import { argument, checkArgument, checkOptions, createCollectionOptions, isGiven, shown } from './operation-options.js';
import { ProfilingLevel } from './named-values.js';
import { RunCommandCursor } from './run-command-cursor.js';
import type { RunCursorCommandOptions } from './run-command-cursor.js';
import { asPromise, rethrow } from './stack-trace.js';
import type { CreateIndexesOptions, IndexDescriptionCompact, IndexSpecification } from './types/indexes.js';

export type DbOptions = HandleOptions;

/** Options of a time series. Rule: MongoDB manual, "Time Series Collections". */
export interface TimeSeriesCollectionOptions extends Document {
  readonly timeField: string;
  readonly metaField?: string;
  readonly granularity?: 'seconds' | 'minutes' | 'hours' | (string & {});
  readonly bucketMaxSpanSeconds?: number;
  readonly bucketRoundingSeconds?: number;
}

/** Options of a clustered index. Rule: MongoDB manual, "Clustered Collections". */
export interface ClusteredCollectionOptions extends Document {
  readonly name?: string;
  readonly key: Document;
  readonly unique: boolean;
}

export interface CreateCollectionOptions extends CommandOptions {
  readonly capped?: boolean | undefined;
  readonly size?: number | undefined;
  readonly max?: number | undefined;
  readonly validator?: Document | undefined;
  readonly validationLevel?: string | undefined;
  readonly validationAction?: string | undefined;
  readonly viewOn?: string | undefined;
  readonly pipeline?: readonly Document[] | undefined;
  readonly collation?: Document | undefined;
  readonly timeseries?: TimeSeriesCollectionOptions | undefined;
  readonly clusteredIndex?: ClusteredCollectionOptions | undefined;
  readonly expireAfterSeconds?: number | undefined;
  readonly changeStreamPreAndPostImages?: { readonly enabled: boolean } | undefined;
  readonly storageEngine?: Document | undefined;
  readonly indexOptionDefaults?: Document | undefined;
  readonly idIndex?: Document | undefined;
  readonly flags?: number | undefined;
  readonly encryptedFields?: Document | undefined;
  /** Generates the `_id` of documents that are inserted with the returned collection. */
  readonly pkFactory?: PkFactory | undefined;
}

const createFields = [
  'capped',
  'size',
  'max',
  'validator',
  'validationLevel',
  'validationAction',
  'viewOn',
  'pipeline',
  'collation',
  'timeseries',
  'clusteredIndex',
  'expireAfterSeconds',
  'changeStreamPreAndPostImages',
  'storageEngine',
  'indexOptionDefaults',
  'idIndex',
  'flags',
  'encryptedFields',
] as const satisfies readonly (keyof CreateCollectionOptions)[];

const pick = <Options extends object>(options: Options, names: readonly (keyof Options & string)[]): Document => {
  const fields: Document = {};
  for (const name of names) if (options[name] !== undefined) fields[name] = options[name];
  return fields;
};

type NameRule = readonly [forbidden: RegExp, verb: string];
const databaseRules: readonly NameRule[] = [[/[ ."$/\\\0]/, 'contains']];
const collectionRules: readonly NameRule[] = [
  [/^[.$]/, 'starts with'],
  [/\.$/, 'ends with'],
  [/\.\.|\0/, 'contains'],
];

const checkName = (what: string, name: string, rules: readonly NameRule[]): void => {
  if (typeof name !== 'string')
    throw new MongoInvalidArgumentError(`The name of a ${what} must be a string, but is ${shown(name)}.`);
  const fail = (why: string): never => {
    throw new MongoInvalidArgumentError(`${JSON.stringify(name)} cannot be the name of a ${what}, because it ${why}.`);
  };
  if (name === '') fail('is empty');
  for (const [forbidden, verb] of rules) {
    const found = forbidden.exec(name);
    if (found !== null) fail(`${verb} ${JSON.stringify(found[0])}`);
  }
};

/** Profiling levels in the order of their numbers in the command `profile`. */
const profilingLevels: readonly ProfilingLevel[] = Object.values(ProfilingLevel);

/**
 * The database of users that are authenticated outside of MongoDB, for example by a certificate. Commands that create
 * such users use it.
 */
const external = '$external';

/** A database, with the members of the official driver's `Db`. `client.db(name)` returns one. */
export class Db extends Described {
  static readonly SYSTEM_NAMESPACE_COLLECTION: string = 'system.namespaces';
  static readonly SYSTEM_INDEX_COLLECTION: string = 'system.indexes';
  static readonly SYSTEM_PROFILE_COLLECTION: string = 'system.profile';
  static readonly SYSTEM_USER_COLLECTION: string = 'system.users';
  static readonly SYSTEM_COMMAND_COLLECTION: string = '$cmd';
  static readonly SYSTEM_JS_COLLECTION: string = 'system.js';
  readonly #client: Client;
  readonly #handle: Handle;
  readonly #resolved: ResolvedOptions;

  constructor(client: Client, name: string, resolved: ResolvedOptions, options: DbOptions = {}) {
    super();
    if (name !== external) checkName('database', name, databaseRules);
    checkOptions(options);
    this.#client = client;
    this.#resolved = resolveOptions(options, resolved);
    this.#handle = client.handles.of(name, '').as(this.#resolved, options.forceServerObjectId ?? false);
  }

  get client(): unknown {
    return this.#client;
  }
  get databaseName(): string {
    return this.#handle.db;
  }
  get namespace(): string {
    return this.#handle.db;
  }
  /** Whether secondaries may serve reads. */
  get secondaryOk(): boolean {
    return this.readPreference.mode !== 'primary';
  }
  get readPreference(): ReadPreference {
    return this.#resolved.readPreference ?? ReadPreference.primary;
  }
  get readConcern(): ReadConcern | undefined {
    return this.#resolved.readConcern;
  }
  get writeConcern(): WriteConcern | undefined {
    return this.#resolved.writeConcern;
  }
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#resolved);
  }
  get timeoutMS(): number | undefined {
    return this.#resolved.timeoutMS;
  }

  /** Returns a collection. Sends nothing. @throws MongoInvalidArgumentError for an invalid name or option */
  collection<Schema extends object = Document>(name: string, options?: CollectionOptions): Collection<Schema> {
    checkOptions(options);
    checkName('collection', name, collectionRules);
    const { forceServerObjectId: force } = this.#handle;
    const base = this.#client.handles.of(this.databaseName, name);
    const handle = isGiven(options)
      ? base.as(resolveOptions(options, this.#resolved), options.forceServerObjectId ?? force)
      : base.as(this.#resolved, force);
    return new Collection<Schema>(this, handle);
  }

  /**
   * Runs a command unchanged and returns the reply. The read preference is that of `options`, else `primary`; that of
   * the database does not apply. Rule: Run Command.
   */
  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /**
   * Returns a cursor over the documents of a command that opens one. The command is sent unchanged. Rule: Run Command,
   * "runCursorCommand".
   */
  runCursorCommand(command: Document, options?: RunCursorCommandOptions | null): RunCommandCursor {
    const { forceServerObjectId, resolved } = this.#handle;
    const bare = this.#handle.as({ ...noOptions, timeoutMS: resolved.timeoutMS }, forceServerObjectId);
    return new RunCommandCursor(bare, command, options ?? {});
  }

  /** Runs an aggregation without a collection, which begins with a stage such as `$documents` or `$currentOp`. */
  aggregate<T extends Document = Document>(
    pipeline: readonly Document[] = [],
    options?: AggregateOptions,
  ): AggregationCursor<T> {
    return new AggregationCursor<T>(this.#handle, pipeline, options ?? {});
  }

  /** Returns a change stream of all collections except system collections. */
  watch<Schema extends object = Document, Change extends object = ChangeStreamDocument<Schema>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Schema, Change> {
    return new ChangeStream<Schema, Change>({ parent: this, handle: this.#handle }, pipeline ?? [], options ?? {});
  }

  /** Returns an object with methods for the commands of the `admin` database. */
  admin(): Admin {
    return new Admin(this.#client, this.#resolved);
  }

  /** Creates a collection and returns it. @throws MongoServerError if it exists with other options */
  createCollection<Schema extends object = Document>(
    name: string,
    given?: CreateCollectionOptions,
  ): Promise<Collection<Schema>> {
    return asPromise(() => {
      const options = given ?? {};
      checkOptions(options, createCollectionOptions);
      checkName('collection', name, collectionRules);
      const handle = new Handle(this.#client, this.databaseName, name, resolveOptions(options, this.#resolved));
      const fields = { ...pick(options, createFields), ...commandFields(options) };
      const operation = createCollection(handle, fields);
      return handle.run(operation, options, () => this.collection<Schema>(name, options));
    });
  }

  /** Returns a cursor over the descriptions of collections that match the filter. */
  listCollections(filter?: Document | null, options?: ListCollectionsOptions | null): ListCollectionsCursor {
    return new ListCollectionsCursor<CollectionInfo>(this.#handle, filter ?? {}, options ?? {});
  }

  /** Returns all collections of the database. */
  collections(options?: ListCollectionsOptions | null): Promise<Collection[]> {
    return asPromise(() => {
      checkOptions(options);
      return this.listCollections({}, { ...options, ...internalBson, nameOnly: true })
        .toArray()
        .then(infos => infos.filter(({ name }) => !name.includes('$')).map(({ name }) => this.collection(name)));
    });
  }

  /** Renames a collection and returns it. */
  renameCollection<Schema extends object = Document>(
    from: string,
    to: string,
    options?: RenameOptions,
  ): Promise<Collection<Schema>> {
    return asPromise(() => this.collection(from).rename<Schema>(to, options));
  }

  /** Drops a collection. Returns false if it does not exist. */
  dropCollection(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => this.collection(name).drop(options));
  }

  /** Drops the database. Returns true, also if it does not exist. */
  dropDatabase(options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      const handle = this.#handle.with(options);
      return handle.run(dropDatabase(handle, commandFields(options)), options, () => true);
    });
  }

  /** Returns the statistics of the database. @param options `scale` divides the sizes in bytes */
  stats(options?: CommandOptions & { readonly scale?: number }): Promise<Document> {
    const scale = options?.scale === undefined ? {} : { scale: options.scale };
    return this.#handle.ownCommand({ dbStats: 1, ...scale, ...commandFields(options) }, options);
  }

  /** Creates an index of a collection and returns its name. */
  createIndex(name: string, keys: IndexSpecification, options?: CreateIndexesOptions): Promise<string> {
    return asPromise(() => this.collection(name).createIndex(keys, options));
  }

  /** Returns the descriptions of a collection's indexes. */
  indexes(name: string, options?: IndexInformationOptions & { readonly full?: true }): Promise<IndexInfo[]> {
    return asPromise(() => this.collection(name).indexes(options));
  }

  /** Returns the keys and directions of the indexes by name, or full descriptions with `full: true`. */
  indexInformation(name: string, options: IndexInformationOptions & { readonly full: true }): Promise<IndexInfo[]>;
  indexInformation(
    name: string,
    options?: IndexInformationOptions & { readonly full?: false },
  ): Promise<IndexDescriptionCompact>;
  indexInformation(name: string, options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact> {
    return asPromise(() => this.collection(name).indexInformation(options));
  }

  /** Removes a user of the database. Returns true. */
  removeUser(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      const handle = this.#handle.with(options);
      return handle.run(dropUser(handle, name, commandFields(options)), options, () => true);
    });
  }

  /** Returns the profiling level. @throws MongoUnexpectedServerResponseError if the server returns an unknown level */
  profilingLevel(options?: CommandOptions): Promise<ProfilingLevel> {
    const command = { profile: -1, ...commandFields(options) };
    const levelOf = ({ was }: Document): ProfilingLevel => {
      const level = profilingLevels[Number(was)];
      if (level === undefined)
        throw new MongoUnexpectedServerResponseError(`The server returned an unknown profiling level: ${String(was)}.`);
      return level;
    };
    return asPromise(() => {
      checkOptions(options);
      return this.#handle
        .ownCommand(command, { ...options, ...internalBson })
        .then(levelOf)
        .catch(rethrow);
    });
  }

  /** Sets the profiling level and returns it. */
  setProfilingLevel(level: ProfilingLevel, options?: CommandOptions): Promise<ProfilingLevel> {
    return asPromise(() => {
      checkOptions(options);
      const profile = profilingLevels.indexOf(level);
      if (profile < 0)
        throw new MongoInvalidArgumentError(
          `Unknown profiling level ${typeof level === 'string' ? JSON.stringify(level) : typeof level}. Use one of ${profilingLevels.join(', ')}.`,
        );
      const command = { profile, ...commandFields(options) };
      return this.#handle.ownCommand(command, { ...options, ...internalBson }).then(() => level);
    });
  }
}
