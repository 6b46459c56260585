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
import { MongoInvalidArgumentError, MongoUnexpectedServerResponseError } from './errors.js';
import { commandFields, Handle } from './handle.js';
import { resolveOptions, internalBson, noOptions, resolvedBson } from './resolved-options.js';
import type { CommandOptions, OperationOptions } from './handle.js';
import type { HandleOptions, ResolvedOptions, PkFactory } from './resolved-options.js';
import type { Client } from './handles.js';
import { ListCollectionsCursor } from './list-cursors.js';
import type { CollectionInfo, IndexInfo, IndexInformationOptions, ListCollectionsOptions } from './list-cursors.js';
import { argument, checkArgument, checkOptions, createCollectionOptions } from './operation-options.js';
import { ProfilingLevel } from './named-values.js';
import { RunCommandCursor } from './run-command-cursor.js';
import type { RunCursorCommandOptions } from './run-command-cursor.js';
import { asPromise, rethrow } from './stack-trace.js';
import type { CreateIndexesOptions, IndexDescriptionCompact, IndexSpecification } from './types/indexes.js';

export type DbOptions = HandleOptions;

/** Rule: MongoDB manual, "Time Series Collections". */
export interface TimeSeriesCollectionOptions extends Document {
  readonly timeField: string;
  readonly metaField?: string;
  readonly granularity?: 'seconds' | 'minutes' | 'hours' | (string & {});
  readonly bucketMaxSpanSeconds?: number;
  readonly bucketRoundingSeconds?: number;
}

/** Rule: MongoDB manual, "Clustered Collections". */
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
  /** Of the handle that is answered. */
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

const checkName = (what: string, name: string, forbidden: RegExp): void => {
  if (typeof name !== 'string' || name === '' || forbidden.test(name))
    throw new MongoInvalidArgumentError(
      `${typeof name === 'string' ? JSON.stringify(name) : `A value of type ${typeof name}`} cannot be the name of a ${what}.`,
    );
};

/** In the order of their numbers in the command `profile`. */
const profilingLevels: readonly ProfilingLevel[] = Object.values(ProfilingLevel);

/** The database of users whom somebody else knows, by a certificate for example: commands that make them are sent to it. */
const external = '$external';

/** One database, under the official driver's names. */
export class Db {
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
    if (name !== external) checkName('database', name, /[ ."$/\\\0]/);
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
  /** Whether reads may go to secondaries. */
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

  collection<Schema extends object = Document>(name: string, given?: CollectionOptions): Collection<Schema> {
    const options = given ?? {};
    checkOptions(options);
    checkName('collection', name, /^\.|\.\.|\.$|\0|^\$|^$/);
    const force = options.forceServerObjectId ?? this.#handle.forceServerObjectId;
    const handle = this.#client.handles.of(this.databaseName, name).as(resolveOptions(options, this.#resolved), force);
    return new Collection<Schema>(this, handle);
  }

  /** A command as it is; only the read preference given here applies. Rule: Run Command. */
  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
  }

  /** The documents of a command that answers a cursor; it is sent as it is. Rule: Run Command, "runCursorCommand". */
  runCursorCommand(command: Document, options?: RunCursorCommandOptions | null): RunCommandCursor {
    const { forceServerObjectId, resolved: resolved } = this.#handle;
    const bare = this.#handle.as({ ...noOptions, timeoutMS: resolved.timeoutMS }, forceServerObjectId);
    return new RunCommandCursor(bare, command, options ?? {});
  }

  /** An aggregation on the database itself: `$documents`, `$currentOp` and their like. */
  aggregate<T extends Document = Document>(
    pipeline: readonly Document[] = [],
    options?: AggregateOptions,
  ): AggregationCursor<T> {
    return new AggregationCursor<T>(this.#handle, pipeline, options ?? {});
  }

  /** The changes of all its collections but those of the system. */
  watch<Schema extends object = Document, Change extends object = ChangeStreamDocument<Schema>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Schema, Change> {
    return new ChangeStream<Schema, Change>({ parent: this, handle: this.#handle }, pipeline ?? [], options ?? {});
  }

  admin(): Admin {
    return new Admin(this.#client, this.#resolved);
  }

  createCollection<Schema extends object = Document>(
    name: string,
    given?: CreateCollectionOptions,
  ): Promise<Collection<Schema>> {
    return asPromise(() => {
      const options = given ?? {};
      checkOptions(options, createCollectionOptions);
      checkName('collection', name, /^\.|\.\.|\.$|\0|^\$|^$/);
      const handle = new Handle(this.#client, this.databaseName, name, resolveOptions(options, this.#resolved));
      const fields = { ...pick(options, createFields), ...commandFields(options) };
      const operation = createCollection(handle, fields);
      return handle.run(operation, options, () => this.collection<Schema>(name, options));
    });
  }

  listCollections(filter?: Document | null, options?: ListCollectionsOptions | null): ListCollectionsCursor {
    return new ListCollectionsCursor<CollectionInfo>(this.#handle, filter ?? {}, options ?? {});
  }

  collections(options?: ListCollectionsOptions | null): Promise<Collection[]> {
    return asPromise(() => {
      checkOptions(options);
      return this.listCollections({}, { ...options, ...internalBson, nameOnly: true })
        .toArray()
        .then(infos => infos.filter(({ name }) => !name.includes('$')).map(({ name }) => this.collection(name)));
    });
  }

  /** Answers the collection under its new name. */
  renameCollection<Schema extends object = Document>(
    from: string,
    to: string,
    options?: RenameOptions,
  ): Promise<Collection<Schema>> {
    return asPromise(() => this.collection(from).rename<Schema>(to, options));
  }

  /** False if there was no such collection. */
  dropCollection(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => this.collection(name).drop(options));
  }

  dropDatabase(options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      const handle = this.#handle.with(options);
      return handle.run(dropDatabase(handle, commandFields(options)), options, () => true);
    });
  }

  stats(options?: CommandOptions & { readonly scale?: number }): Promise<Document> {
    const scale = options?.scale === undefined ? {} : { scale: options.scale };
    return this.#handle.ownCommand({ dbStats: 1, ...scale, ...commandFields(options) }, options);
  }

  createIndex(name: string, keys: IndexSpecification, options?: CreateIndexesOptions): Promise<string> {
    return asPromise(() => this.collection(name).createIndex(keys, options));
  }

  indexes(name: string, options?: IndexInformationOptions & { readonly full?: true }): Promise<IndexInfo[]> {
    return asPromise(() => this.collection(name).indexes(options));
  }

  /** Keys and directions by the names of the indexes, unless all is wanted. */
  indexInformation(name: string, options: IndexInformationOptions & { readonly full: true }): Promise<IndexInfo[]>;
  indexInformation(
    name: string,
    options?: IndexInformationOptions & { readonly full?: false },
  ): Promise<IndexDescriptionCompact>;
  indexInformation(name: string, options?: IndexInformationOptions): Promise<IndexInfo[] | IndexDescriptionCompact> {
    return asPromise(() => this.collection(name).indexInformation(options));
  }

  removeUser(name: string, options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      checkArgument('name', name, argument.text);
      const handle = this.#handle.with(options);
      return handle.run(dropUser(handle, name, commandFields(options)), options, () => true);
    });
  }

  /** @throws MongoUnexpectedServerResponseError if the server has another level than these. */
  profilingLevel(options?: CommandOptions): Promise<ProfilingLevel> {
    const command = { profile: -1, ...commandFields(options) };
    const levelOf = ({ was }: Document): ProfilingLevel => {
      const level = profilingLevels[Number(was)];
      if (level === undefined)
        throw new MongoUnexpectedServerResponseError(`The server told an unknown profiling level, ${String(was)}.`);
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

  /** Answers the level. */
  setProfilingLevel(level: ProfilingLevel, options?: CommandOptions): Promise<ProfilingLevel> {
    return asPromise(() => {
      checkOptions(options);
      const profile = profilingLevels.indexOf(level);
      if (profile < 0)
        throw new MongoInvalidArgumentError(
          `There is no profiling level ${typeof level === 'string' ? JSON.stringify(level) : typeof level}; use one of ${profilingLevels.join(', ')}.`,
        );
      const command = { profile, ...commandFields(options) };
      return this.#handle.ownCommand(command, { ...options, ...internalBson }).then(() => level);
    });
  }
}
