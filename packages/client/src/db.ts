import type { BsonOptions, Document } from '@tessera/contracts';
import { createCollection, dropDatabase } from '@tessera/operations';
import { Admin } from './admin.js';
import { AggregationCursor } from './aggregation-cursor.js';
import type { AggregateOptions } from './aggregation-cursor.js';
import { ChangeStream } from './change-stream.js';
import type { ChangeStreamOptions } from './change-stream.js';
import type { ChangeStreamDocument } from './change-stream-documents.js';
import { Collection } from './collection.js';
import type { CollectionOptions } from './collection.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import type { AbstractCursorOptions } from './cursor.js';
import { MongoInvalidArgumentError } from './errors.js';
import { attempt, commandFields, Handle, inherit, legible, resolvedBson } from './handle.js';
import type { CommandOptions, Inherited, InheritedOptions, OperationOptions } from './handle.js';
import type { Client } from './handles.js';
import { ListCollectionsCursor } from './list-cursors.js';
import type { CollectionInfo, IndexInfo, ListCollectionsOptions } from './list-cursors.js';
import type { CreateIndexesOptions, IndexSpecification } from './types/indexes.js';

export interface DbOptions extends InheritedOptions {
  readonly forceServerObjectId?: boolean | undefined;
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
  readonly timeseries?: Document | undefined;
  readonly clusteredIndex?: Document | undefined;
  readonly expireAfterSeconds?: number | undefined;
  readonly changeStreamPreAndPostImages?: { readonly enabled: boolean } | undefined;
  readonly storageEngine?: Document | undefined;
  readonly indexOptionDefaults?: Document | undefined;
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
] as const satisfies readonly (keyof CreateCollectionOptions)[];

const pick = <Options extends object>(options: Options, names: readonly (keyof Options & string)[]): Document => {
  const fields: Document = {};
  for (const name of names) if (options[name] !== undefined) fields[name] = options[name];
  return fields;
};

const checkName = (what: string, name: string, forbidden: RegExp): void => {
  if (typeof name !== 'string' || name === '' || forbidden.test(name))
    throw new MongoInvalidArgumentError(`${JSON.stringify(name)} cannot be the name of a ${what}.`);
};

/** The database of users whom somebody else knows, by a certificate for example: commands that make them are sent to it. */
const external = '$external';

/** One database, under the official driver's names. */
export class Db {
  readonly #client: Client;
  readonly #handle: Handle;
  readonly #inherited: Inherited;

  constructor(client: Client, name: string, inherited: Inherited, options: DbOptions = {}) {
    if (name !== external) checkName('database', name, /[ ."$/\\\0]/);
    this.#client = client;
    this.#inherited = inherit(options, inherited);
    this.#handle = client.handles.of(name, '').as(this.#inherited, options.forceServerObjectId ?? false);
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
  get readPreference(): ReadPreference {
    return this.#inherited.readPreference ?? ReadPreference.primary;
  }
  get readConcern(): ReadConcern | undefined {
    return this.#inherited.readConcern;
  }
  get writeConcern(): WriteConcern | undefined {
    return this.#inherited.writeConcern;
  }
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#inherited);
  }
  get timeoutMS(): number | undefined {
    return this.#inherited.timeoutMS;
  }

  collection<Schema extends object = Document>(name: string, options: CollectionOptions = {}): Collection<Schema> {
    checkName('collection', name, /^\.|\.\.|\.$|\0|^\$|^$/);
    const force = options.forceServerObjectId ?? this.#handle.forceServerObjectId;
    const handle = this.#client.handles.of(this.databaseName, name).as(inherit(options, this.#inherited), force);
    return new Collection<Schema>(this, handle);
  }

  /** A command as it is; only the read preference given here applies. Rule: Run Command. */
  command(command: Document, options?: OperationOptions): Promise<Document> {
    return this.#handle.command(command, options);
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
    pipeline: readonly Document[] = [],
    options: ChangeStreamOptions = {},
  ): ChangeStream<Schema, Change> {
    return new ChangeStream<Schema, Change>({ parent: this, handle: this.#handle }, pipeline, options);
  }

  admin(): Admin {
    return new Admin(this.#client, this.#inherited);
  }

  async createCollection<Schema extends object = Document>(
    name: string,
    options: CreateCollectionOptions = {},
  ): Promise<Collection<Schema>> {
    checkName('collection', name, /^\.|\.\.|\.$|\0|^\$|^$/);
    const handle = new Handle(this.#client, this.databaseName, name, inherit(options, this.#inherited));
    const fields = { ...pick(options, createFields), ...commandFields(options) };
    await handle.run(createCollection(handle.target, fields), options);
    return this.collection<Schema>(name, options);
  }

  listCollections(filter: Document = {}, options: ListCollectionsOptions = {}): ListCollectionsCursor {
    return new ListCollectionsCursor<CollectionInfo>(this.#handle, filter, options);
  }

  async collections(options: ListCollectionsOptions = {}): Promise<Collection[]> {
    const infos = await this.listCollections({}, { ...options, ...legible, nameOnly: true }).toArray();
    return infos.filter(({ name }) => !name.includes('$')).map(({ name }) => this.collection(name));
  }

  /** False if there was no such collection. */
  dropCollection(name: string, options?: CommandOptions): Promise<boolean> {
    return attempt(() => this.collection(name).drop(options));
  }

  dropDatabase(options?: CommandOptions): Promise<boolean> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      return handle.run(dropDatabase(handle.target, commandFields(options)), options, () => true);
    });
  }

  stats(options: OperationOptions & { readonly scale?: number } = {}): Promise<Document> {
    return this.#handle.ownCommand(
      { dbStats: 1, ...(options.scale === undefined ? {} : { scale: options.scale }) },
      options,
    );
  }

  createIndex(name: string, keys: IndexSpecification, options?: CreateIndexesOptions): Promise<string> {
    return attempt(() => this.collection(name).createIndex(keys, options));
  }

  indexes(name: string, options?: AbstractCursorOptions): Promise<IndexInfo[]> {
    return attempt(() => this.collection(name).indexes(options));
  }
}
