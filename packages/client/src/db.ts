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
import { ListCollectionsCursor } from './list-cursors.js';
import type {
  CollectionInfo,
  IndexInformationOptions,
  ListCollectionsOptions,
  NamedCollection,
} from './list-cursors.js';
import { argument, checkArgument, checkOptions, createCollectionOptions, isGiven, shown } from './operation-options.js';
import type { MongoClient } from './mongo-client.js';
import { databaseOptions } from './mongo-options.js';
import { ProfilingLevel } from './named-values.js';
import { RunCommandCursor } from './run-command-cursor.js';
import type { RunCursorCommandOptions } from './run-command-cursor.js';
import { asPromise, rethrow } from './stack-trace.js';
import type { CreateIndexesOptions, IndexDescriptionCompact, IndexInfo, IndexSpecification } from './types/indexes.js';
import type { CollationOptions } from './types/documents.js';

/** Options of `client.db(name)`. Each absent option is inherited from the client. */
export interface DbOptions extends HandleOptions {
  /** Has no effect: the client authenticates its connections. For compatibility. */
  authSource?: string | undefined;
  /** Has no effect: the option of the client decides. For compatibility. */
  retryWrites?: boolean | undefined;
}

/** Options of a time series. See "Time Series Collections" in the MongoDB manual. */
export interface TimeSeriesCollectionOptions extends Document {
  /** The field with the date of each document. Required in every document. */
  timeField: string;
  /** The field with the source of a measurement, such as a sensor. It rarely changes. */
  metaField?: string;
  /** The usual time between two measurements of one source. Default: `seconds`. */
  granularity?: 'seconds' | 'minutes' | 'hours' | (string & {});
  /** The longest time span of one bucket, in seconds. Replaces `granularity`. Since MongoDB 6.3. */
  bucketMaxSpanSeconds?: number;
  /** The interval in seconds at which buckets begin. Must equal `bucketMaxSpanSeconds`. Since MongoDB 6.3. */
  bucketRoundingSeconds?: number;
}

/** Options of a clustered index. See "Clustered Collections" in the MongoDB manual. */
export interface ClusteredCollectionOptions extends Document {
  /** The name of the clustered index. */
  name?: string;
  /** The key of the index: `{ _id: 1 }`. */
  key: Document;
  /** Must be true. */
  unique: boolean;
}

/** Options of `db.createCollection`. */
export interface CreateCollectionOptions extends CommandOptions {
  /** Gives the collection a fixed size: new documents overwrite the oldest ones. Requires `size`. Default: false. */
  capped?: boolean | undefined;
  /** The size of a capped collection in bytes. */
  size?: number | undefined;
  /** The maximum number of documents of a capped collection. Default: no limit. */
  max?: number | undefined;
  /** A filter that every document must match, for instance with `$jsonSchema`. Default: none. */
  validator?: Document | undefined;
  /**
   * The writes to validate: `strict` (all), `moderate` (not updates of invalid documents) or `off`. Default: `strict`.
   */
  validationLevel?: string | undefined;
  /** The result for an invalid document: `error` rejects the write, `warn` only logs it. Default: `error`. */
  validationAction?: string | undefined;
  /** Creates a view on this collection or view instead of a collection. */
  viewOn?: string | undefined;
  /** The aggregation of a view. Default: none, which returns the documents of `viewOn`. */
  pipeline?: Document[] | undefined;
  /** The default rules that compare strings in the collection or view. Default: binary comparison. */
  collation?: CollationOptions | undefined;
  /** Creates a time series collection. Since MongoDB 5.0. */
  timeseries?: TimeSeriesCollectionOptions | undefined;
  /** Stores the documents in the order of their `_id`. Since MongoDB 5.3. */
  clusteredIndex?: ClusteredCollectionOptions | undefined;
  /** The age in seconds at which documents of a time series or clustered collection are deleted. Default: never. */
  expireAfterSeconds?: number | undefined;
  /** Stores documents before and after each change, for change streams. Default: disabled. Since MongoDB 6.0. */
  changeStreamPreAndPostImages?: { enabled: boolean } | undefined;
  /** Options of the storage engine, by its name. */
  storageEngine?: Document | undefined;
  /** The default options of the collection's indexes. */
  indexOptionDefaults?: Document | undefined;
  /** The options of the index on `_id`. */
  idIndex?: Document | undefined;
  /** Flags of the former storage engine MMAPv1. */
  flags?: number | undefined;
  /** The encrypted fields of the collection, for Queryable Encryption. Sent to the server unchanged. */
  encryptedFields?: Document | undefined;
  /** Generates the `_id` of documents that are inserted with the returned collection. */
  pkFactory?: PkFactory | undefined;
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

/** Returns the handle of a collection with these options. Collections use it; a database does not show its handles. */
export let collectionHandle: (db: Db, name: string, options: CollectionOptions | null | undefined) => Handle;

/** A database, with the members of the official driver's `Db`. `client.db(name)` returns one. */
export class Db extends Described {
  static {
    collectionHandle = (db, name, options) => db.#collectionHandle(name, options);
  }

  /** The collection in which servers before MongoDB 3.0 list the collections. */
  static readonly SYSTEM_NAMESPACE_COLLECTION: string = 'system.namespaces';
  /** The collection in which servers before MongoDB 3.0 list the indexes. */
  static readonly SYSTEM_INDEX_COLLECTION: string = 'system.indexes';
  /** The collection of the database profiler. */
  static readonly SYSTEM_PROFILE_COLLECTION: string = 'system.profile';
  /** The collection with the users. */
  static readonly SYSTEM_USER_COLLECTION: string = 'system.users';
  /** The name that the old protocol uses in place of a collection for commands. */
  static readonly SYSTEM_COMMAND_COLLECTION: string = '$cmd';
  /** The collection with stored JavaScript functions. */
  static readonly SYSTEM_JS_COLLECTION: string = 'system.js';
  readonly #client: MongoClient;
  readonly #handle: Handle;
  readonly #resolved: ResolvedOptions;
  readonly #options: DbOptions;

  /** Use `client.db(name)` instead. */
  constructor(client: MongoClient, name: string, options: DbOptions = {}) {
    super();
    if (name !== external) checkName('database', name, databaseRules);
    checkOptions(options);
    this.#client = client;
    this.#options = { ...options };
    this.#resolved = resolveOptions(options, client.handles.resolved);
    this.#handle = client.handles.of(name, '').as(this.#resolved, options.forceServerObjectId ?? false);
  }

  /** The client of the database. */
  get client(): MongoClient {
    return this.#client;
  }
  /** The name of the database. */
  get databaseName(): string {
    return this.#handle.db;
  }
  /** The options of the database, including those of its client. */
  get options(): DbOptions | undefined {
    return databaseOptions(this.#client.options, this.#options);
  }
  /** The name of the database, because a database's namespace has no collection. */
  get namespace(): string {
    return this.#handle.db;
  }
  /** Whether secondaries may serve reads. */
  get secondaryOk(): boolean {
    return this.readPreference.mode !== 'primary';
  }
  /** The servers that reads use. Default: that of the client. */
  get readPreference(): ReadPreference {
    return this.#resolved.readPreference ?? ReadPreference.primary;
  }
  /** The read concern of operations that set none. Undefined means the server's default. */
  get readConcern(): ReadConcern | undefined {
    return this.#resolved.readConcern;
  }
  /** The write concern of operations that set none. Undefined means the server's default. */
  get writeConcern(): WriteConcern | undefined {
    return this.#resolved.writeConcern;
  }
  /** The options that convert documents to BSON and back, including defaults. */
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#resolved);
  }
  /** The timeout in milliseconds of each operation. Undefined means no limit for the whole operation. */
  get timeoutMS(): number | undefined {
    return this.#resolved.timeoutMS;
  }

  /**
   * Returns a collection. Sends nothing: the first insert creates a missing collection.
   * @throws MongoInvalidArgumentError for an invalid name or option
   * @example const films = db.collection<Film>('films');
   */
  collection<Schema extends object = Document>(name: string, options?: CollectionOptions): Collection<Schema> {
    return new Collection<Schema>(this, name, options);
  }

  #collectionHandle(name: string, options: CollectionOptions | null | undefined): Handle {
    checkOptions(options);
    checkName('collection', name, collectionRules);
    const { forceServerObjectId: force } = this.#handle;
    const base = this.#client.handles.of(this.databaseName, name);
    return isGiven(options)
      ? base.as(resolveOptions(options, this.#resolved), options.forceServerObjectId ?? force)
      : base.as(this.#resolved, force);
  }

  /**
   * Runs a command unchanged and returns the reply. The read preference is that of `options`, else `primary`; that of
   * the database does not apply. Rule: Run Command.
   * @example const { uptime } = await db.command({ serverStatus: 1 });
   */
  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /**
   * Returns a cursor over the documents of a command that opens one. The command is sent unchanged. The read preference
   * is that of `options`, else `primary`; that of the database does not apply. Rule: Run Command, "runCursorCommand".
   * @example for await (const each of db.runCursorCommand({ checkMetadataConsistency: 1 })) console.log(each);
   */
  runCursorCommand(command: Document, options?: RunCursorCommandOptions | null): RunCommandCursor {
    const { forceServerObjectId, resolved } = this.#handle;
    const bare = this.#handle.as({ ...noOptions, timeoutMS: resolved.timeoutMS }, forceServerObjectId);
    return new RunCommandCursor(bare, command, options ?? {});
  }

  /**
   * Runs an aggregation without a collection, which begins with a stage such as `$documents` or `$currentOp`.
   * @example const [one] = await db.aggregate([{ $documents: [{ a: 1 }] }]).toArray();
   */
  aggregate<T extends Document = Document>(
    pipeline: readonly Document[] = [],
    options?: AggregateOptions,
  ): AggregationCursor<T> {
    return new AggregationCursor<T>(this.#handle, pipeline, options ?? {});
  }

  /**
   * Returns a change stream of all collections except system collections. It starts at its first read, at its first
   * listener for `change`, or at `open()`; it does not report earlier changes. Requires a replica set or a sharded cluster.
   * @example for await (const change of db.watch()) console.log(change);
   */
  watch<Schema extends object = Document, Change extends object = ChangeStreamDocument<Schema>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Schema, Change> {
    return new ChangeStream<Schema, Change>({ parent: this, handle: this.#handle }, pipeline ?? [], options ?? {});
  }

  /**
   * Returns an object with methods for the commands of the `admin` database.
   * @example const { version } = await db.admin().buildInfo();
   */
  admin(): Admin {
    return new Admin(this.#client, this.#resolved, this.databaseName);
  }

  /**
   * Creates a collection or a view and returns it. Only needed for options: the first insert creates a missing
   * collection.
   * @throws MongoServerError if it exists with other options; before MongoDB 7.0, also with the same options
   * @example const log = await db.createCollection('log', { capped: true, size: 1_000_000 });
   */
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

  /**
   * Returns a cursor over the descriptions of collections that match the filter.
   * @example for await (const { name, type } of db.listCollections()) console.log(name, type);
   */
  listCollections(
    filter: Document | null | undefined,
    options: ListCollectionsOptions & { nameOnly: true },
  ): ListCollectionsCursor<NamedCollection>;
  /** Returns a cursor over full descriptions. */
  listCollections(
    filter: Document | null | undefined,
    options: ListCollectionsOptions & { nameOnly: false },
  ): ListCollectionsCursor<CollectionInfo>;
  /** Returns a cursor over descriptions whose type depends on `nameOnly`. */
  listCollections<Info extends NamedCollection | CollectionInfo = NamedCollection | CollectionInfo>(
    filter?: Document | null,
    options?: ListCollectionsOptions | null,
  ): ListCollectionsCursor<Info>;
  listCollections(filter?: Document | null, options?: ListCollectionsOptions | null): ListCollectionsCursor {
    return new ListCollectionsCursor(this.#handle, filter ?? {}, options ?? {}, this);
  }

  /**
   * Returns all collections of the database.
   * @example for (const collection of await db.collections()) console.log(collection.collectionName);
   */
  collections(options?: ListCollectionsOptions | null): Promise<Collection[]> {
    return asPromise(() => {
      checkOptions(options);
      return this.listCollections({}, { ...options, ...internalBson, nameOnly: true })
        .toArray()
        .then(infos => infos.filter(({ name }) => !name.includes('$')).map(({ name }) => this.collection(name)));
    });
  }

  /**
   * Renames a collection and returns it.
   * @example const movies = await db.renameCollection('films', 'movies');
   */
  renameCollection<Schema extends object = Document>(
    from: string,
    to: string,
    options?: RenameOptions,
  ): Promise<Collection<Schema>> {
    return asPromise(() => this.collection(from).rename<Schema>(to, options));
  }

  /**
   * Drops a collection. Returns true, even if the collection does not exist. Before MongoDB 7.0, the result is then
   * false.
   * @example await db.dropCollection('films');
   */
  dropCollection(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => this.collection(name).drop(options));
  }

  /**
   * Drops the database. Returns true, also if it does not exist.
   * @example await db.dropDatabase();
   */
  dropDatabase(options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      const handle = this.#handle.with(options);
      return handle.run(dropDatabase(handle, commandFields(options)), options, () => true);
    });
  }

  /**
   * Returns the statistics of the database: numbers of collections, documents and indexes, and their sizes.
   * @param options `scale` divides the sizes in bytes
   * @example const { dataSize } = await db.stats({ scale: 1024 });
   */
  stats(options?: CommandOptions & { readonly scale?: number }): Promise<Document> {
    const scale = options?.scale === undefined ? {} : { scale: options.scale };
    return this.#handle.ownCommand({ dbStats: 1, ...scale, ...commandFields(options) }, options);
  }

  /**
   * Creates an index of a collection and returns its name.
   * @example await db.createIndex('films', { title: 1 }, { unique: true });
   */
  createIndex(name: string, keys: IndexSpecification, options?: CreateIndexesOptions): Promise<string> {
    return asPromise(() => this.collection(name).createIndex(keys, options));
  }

  /**
   * Returns the descriptions of a collection's indexes.
   * @example const indexes = await db.indexes('films');
   */
  indexes(name: string, options?: IndexInformationOptions & { readonly full?: true }): Promise<IndexInfo[]> {
    return asPromise(() => this.collection(name).indexes(options));
  }

  /**
   * Returns the full descriptions of a collection's indexes.
   * @example const indexes = await db.indexInformation('films', { full: true });
   */
  indexInformation(name: string, options: IndexInformationOptions & { full: true }): Promise<IndexInfo[]>;
  /** Returns the keys and directions of a collection's indexes by name. */
  indexInformation(
    name: string,
    options?: IndexInformationOptions & { full?: false },
  ): Promise<IndexDescriptionCompact>;
  /**
   * Returns descriptions of a collection's indexes, in the form that the option `full` selects. Default: keys by name.
   */
  indexInformation(name: string, options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact>;
  indexInformation(name: string, options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact> {
    return asPromise(() => this.collection(name).indexInformation(options));
  }

  /**
   * Removes a user of the database. Returns true.
   * @example await db.removeUser('reporter');
   */
  removeUser(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      const handle = this.#handle.with(options);
      return handle.run(dropUser(handle, name, commandFields(options)), options, () => true);
    });
  }

  /**
   * Returns the profiling level: the operations that the server records in `system.profile`.
   * @throws MongoUnexpectedServerResponseError if the server returns an unknown level
   * @example const level = await db.profilingLevel();
   */
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

  /**
   * Sets the profiling level and returns it.
   * @example await db.setProfilingLevel('slow_only');
   */
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
