import type { BsonOptions, Document } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { count, createIndexes, distinct, drop, dropIndexes, FindAndModify, indexName } from '@tessera/operations';
import type { FindAndModifyOptions, FindAndModifyReply, WriteCommand, WriteReply } from '@tessera/operations';
import { AggregationCursor } from './aggregation-cursor.js';
import type { AggregateOptions } from './aggregation-cursor.js';
import { bulkWrite, toInserts, toRuns } from './bulk-write.js';
import type { BulkWriteOptions, BulkWriteResult } from './bulk-write.js';
import { ReadPreference } from './concerns.js';
import type { ReadConcern, WriteConcern } from './concerns.js';
import type {
  CountOptions,
  DeleteOptions,
  DeleteResult,
  DistinctOptions,
  FindOneAndDeleteOptions,
  FindOneAndReplaceOptions,
  FindOneAndUpdateOptions,
  InsertManyResult,
  InsertOneOptions,
  InsertOneResult,
  ModifyResult,
  ReplaceOptions,
  UpdateOptions,
  UpdateResult,
} from './collection-types.js';
import type { Db } from './db.js';
import { MongoAPIError, MongoInvalidArgumentError } from './errors.js';
import { findCommandOptions, FindCursor } from './find-cursor.js';
import type { FindOptions } from './find-cursor.js';
import { attempt, commandFields, legible, resolvedBson } from './handle.js';
import type { CommandOptions, Handle, InheritedOptions, OperationOptions } from './handle.js';
import { indexFields, indexKeys } from './index-keys.js';
import { ListIndexesCursor } from './list-cursors.js';
import type { IndexInfo } from './list-cursors.js';
import type { AbstractCursorOptions } from './cursor.js';
import { deleteResult, insertOneResult, modifiedDocument, modifyResult, updateResult } from './results.js';
import { sortDocument } from './sort.js';
import {
  checkFilter,
  checkReplacement,
  checkUpdate,
  deleteStatement,
  findFilter,
  updateStatement,
} from './statements.js';
import type { AnyBulkWriteOperation } from './types/bulk.js';
import type { Flatten, InferIdType, OptionalUnlessRequiredId, WithId, WithoutId } from './types/documents.js';
import type { Filter } from './types/filter.js';
import type { CreateIndexesOptions, IndexDescription, IndexSpecification } from './types/indexes.js';
import type { UpdateFilter } from './types/update.js';

export interface CollectionOptions extends InheritedOptions {
  readonly forceServerObjectId?: boolean | undefined;
}

const defined = (fields: Readonly<Record<string, unknown>>): Document =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

/** False for the error of a collection that is not there; servers of old tell it by words alone. */
const missing = (error: unknown): false => {
  if (TesseraError.is(error) && (error.code === 26 || error.message === 'ns not found')) return false;
  throw error;
};

/** One collection, under the official driver's names, signatures and results. */
export class Collection<Schema extends object = Document> {
  readonly #db: Db;
  readonly #handle: Handle;

  constructor(db: Db, handle: Handle) {
    this.#db = db;
    this.#handle = handle;
  }

  get db(): Db {
    return this.#db;
  }
  get dbName(): string {
    return this.#handle.db;
  }
  get collectionName(): string {
    return this.#handle.collection;
  }
  get namespace(): string {
    return `${this.dbName}.${this.collectionName}`;
  }
  get readPreference(): ReadPreference {
    return this.#handle.inherited.readPreference ?? ReadPreference.primary;
  }
  get readConcern(): ReadConcern | undefined {
    return this.#handle.inherited.readConcern;
  }
  get writeConcern(): WriteConcern | undefined {
    return this.#handle.inherited.writeConcern;
  }
  get bsonOptions(): BsonOptions {
    return resolvedBson(this.#handle.inherited);
  }
  get timeoutMS(): number | undefined {
    return this.#handle.inherited.timeoutMS;
  }

  /** Inserts the document; without an `_id` it is given one, in the caller's own object too. */
  insertOne(document: OptionalUnlessRequiredId<Schema>, options?: InsertOneOptions): Promise<InsertOneResult<Schema>> {
    const result = (reply: WriteReply | undefined): InsertOneResult<Schema> => insertOneResult(reply, document);
    return this.#one('insert', () => checkDocument(document), options, result);
  }

  /** @throws MongoBulkWriteError with what was inserted, when a document was refused. */
  insertMany(
    documents: readonly OptionalUnlessRequiredId<Schema>[],
    options?: BulkWriteOptions,
  ): Promise<InsertManyResult<Schema>> {
    return attempt(() => {
      if (!Array.isArray(documents)) throw new MongoInvalidArgumentError('insertMany takes an array of documents.');
      const run = toInserts(documents.map(checkDocument));
      return bulkWrite(this.#handle, run, options ?? {}).then(result => ({
        acknowledged: result.acknowledged,
        insertedCount: result.insertedCount,
        insertedIds: result.insertedIds as Record<number, InferIdType<Schema>>,
      }));
    });
  }

  /** Many writes of all kinds in as few commands as can be. @throws MongoBulkWriteError. */
  bulkWrite(
    operations: readonly AnyBulkWriteOperation<Schema>[],
    options?: BulkWriteOptions,
  ): Promise<BulkWriteResult> {
    return attempt(() => {
      if (!Array.isArray(operations)) throw new MongoInvalidArgumentError('bulkWrite takes an array of operations.');
      return bulkWrite(this.#handle, toRuns(operations, options?.ordered !== false), options ?? {});
    });
  }

  updateOne(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: UpdateOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(() => updateStatement(filter, checkUpdate(update), false, options ?? {}), options);
  }

  updateMany(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: UpdateOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(() => updateStatement(filter, checkUpdate(update), true, options ?? {}), options);
  }

  replaceOne(
    filter: Filter<Schema>,
    replacement: WithoutId<Schema>,
    options?: ReplaceOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(() => updateStatement(filter, checkReplacement(replacement), false, options ?? {}), options);
  }

  deleteOne(filter: Filter<Schema> = {}, options?: DeleteOptions): Promise<DeleteResult> {
    return this.#delete(() => deleteStatement(filter, 1, options ?? {}), options);
  }

  deleteMany(filter: Filter<Schema> = {}, options?: DeleteOptions): Promise<DeleteResult> {
    return this.#delete(() => deleteStatement(filter, 0, options ?? {}), options);
  }

  find<T = WithId<Schema>>(filter: Filter<Schema> = {}, options?: FindOptions): FindCursor<T> {
    return new FindCursor<T>(this.#handle, findFilter(filter), options ?? {});
  }

  findOne<T = WithId<Schema>>(filter: Filter<Schema> = {}, options?: FindOptions): Promise<T | null> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      const operation = handle.findOne(findFilter(filter), findCommandOptions(options));
      return handle.run<Document | null, T | null>(operation, options);
    });
  }

  findOneAndDelete(
    filter: Filter<Schema>,
    options: FindOneAndDeleteOptions & { includeResultMetadata: true },
  ): Promise<ModifyResult<Schema>>;
  findOneAndDelete(filter: Filter<Schema>, options?: FindOneAndDeleteOptions): Promise<WithId<Schema> | null>;
  findOneAndDelete(
    filter: Filter<Schema>,
    options?: FindOneAndDeleteOptions,
  ): Promise<ModifyResult<Schema> | WithId<Schema> | null> {
    return this.#modify(() => ({ query: checkFilter(filter), remove: true }), options);
  }

  findOneAndReplace(
    filter: Filter<Schema>,
    replacement: WithoutId<Schema>,
    options: FindOneAndReplaceOptions & { includeResultMetadata: true },
  ): Promise<ModifyResult<Schema>>;
  findOneAndReplace(
    filter: Filter<Schema>,
    replacement: WithoutId<Schema>,
    options?: FindOneAndReplaceOptions,
  ): Promise<WithId<Schema> | null>;
  findOneAndReplace(
    filter: Filter<Schema>,
    replacement: WithoutId<Schema>,
    options?: FindOneAndReplaceOptions,
  ): Promise<ModifyResult<Schema> | WithId<Schema> | null> {
    return this.#modify(() => ({ query: checkFilter(filter), update: checkReplacement(replacement) }), options);
  }

  findOneAndUpdate(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options: FindOneAndUpdateOptions & { includeResultMetadata: true },
  ): Promise<ModifyResult<Schema>>;
  findOneAndUpdate(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: FindOneAndUpdateOptions,
  ): Promise<WithId<Schema> | null>;
  findOneAndUpdate(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: FindOneAndUpdateOptions,
  ): Promise<ModifyResult<Schema> | WithId<Schema> | null> {
    return this.#modify(() => ({ query: checkFilter(filter), update: checkUpdate(update) }), options);
  }

  aggregate<T extends Document = Document>(
    pipeline: readonly Document[] = [],
    options?: AggregateOptions,
  ): AggregationCursor<T> {
    return new AggregationCursor<T>(this.#handle, pipeline, options ?? {});
  }

  /** Counts the documents that match, by an aggregation. Rule: CRUD, "countDocuments". */
  async countDocuments(filter: Filter<Schema> = {}, options: CountOptions = {}): Promise<number> {
    const { skip, limit, ...rest } = options;
    const pipeline: Document[] = [{ $match: checkFilter(filter) }];
    if (typeof skip === 'number') pipeline.push({ $skip: skip });
    if (typeof limit === 'number') pipeline.push({ $limit: limit });
    pipeline.push({ $group: { _id: 1, n: { $sum: 1 } } });
    const counted = await this.aggregate(pipeline, { ...rest, ...legible }).next();
    return (counted?.['n'] as number | undefined) ?? 0;
  }

  /** From the collection's metadata. Rule: CRUD, "estimatedDocumentCount". */
  estimatedDocumentCount(options?: CommandOptions): Promise<number> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      return handle.run(count(handle.target, commandFields(options)), options);
    });
  }

  /** @deprecated Use `countDocuments`, or `estimatedDocumentCount` for all. */
  count(filter: Filter<Schema> = {}, options: CountOptions = {}): Promise<number> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      const { skip, limit, hint, collation } = options;
      const fields = defined({ query: checkFilter(filter), skip, limit, hint, collation });
      return handle.run(count(handle.target, { ...fields, ...commandFields(options) }), options);
    });
  }

  distinct<Key extends keyof WithId<Schema>>(
    key: Key,
    filter?: Filter<Schema>,
    options?: DistinctOptions,
  ): Promise<Flatten<WithId<Schema>[Key]>[]>;
  distinct(key: string, filter?: Filter<Schema>, options?: DistinctOptions): Promise<unknown[]>;
  distinct(key: string, filter: Filter<Schema> = {}, options: DistinctOptions = {}): Promise<unknown[]> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      const fields = { ...defined({ collation: options.collation, hint: options.hint }), ...commandFields(options) };
      return handle.run(distinct(handle.target, key, checkFilter(filter), fields), options);
    });
  }

  /** Answers the index's name. */
  createIndex(keys: IndexSpecification, options: CreateIndexesOptions = {}): Promise<string> {
    return this.createIndexes([{ ...options, key: keys }], options).then(([name]) => name!);
  }

  createIndexes(
    indexes: readonly (Omit<IndexDescription, 'key'> & { readonly key: IndexSpecification })[],
    options: CreateIndexesOptions = {},
  ): Promise<string[]> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      const described = indexes.map(({ key, ...index }) => {
        const keys = indexKeys(key);
        return { ...indexFields(index), key: keys, name: index.name ?? indexName(keys) };
      });
      const fields = { ...defined({ commitQuorum: options.commitQuorum }), ...commandFields(options) };
      const operation = createIndexes(handle.target, described, fields);
      return handle.run(operation, options, () => described.map(index => index.name));
    });
  }

  dropIndex(name: string, options?: CommandOptions): Promise<Document> {
    return attempt(() => {
      if (name === '*')
        throw new MongoInvalidArgumentError("'*' stands for all indexes; use dropIndexes to drop them.");
      return this.#dropIndexes(name, options);
    });
  }

  /** All but the one on `_id`. False if there was no such collection. */
  dropIndexes(options?: CommandOptions): Promise<boolean> {
    return attempt(() => this.#dropIndexes('*', options).then(() => true, missing));
  }

  listIndexes(options?: AbstractCursorOptions): ListIndexesCursor {
    return new ListIndexesCursor(this.#handle, options ?? {});
  }

  indexes(options?: AbstractCursorOptions): Promise<IndexInfo[]> {
    return this.listIndexes(options).toArray();
  }

  async indexExists(names: string | readonly string[], options?: AbstractCursorOptions): Promise<boolean> {
    const wanted = typeof names === 'string' ? [names] : names;
    const known = new Set((await this.indexes({ ...options, ...legible })).map(index => index.name));
    return wanted.every(name => known.has(name));
  }

  /** False if there was no such collection. */
  drop(options?: CommandOptions): Promise<boolean> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      return handle.run(drop(handle.target, commandFields(options)), options, () => true).catch(missing);
    });
  }

  /** The options that the collection was created with. @throws MongoAPIError if there is no such collection. */
  async options(options?: OperationOptions): Promise<Document> {
    const info = await this.#db.listCollections({ name: this.collectionName }, { ...options, raw: false }).next();
    if (info === null) throw new MongoAPIError(`There is no collection ${this.namespace}.`);
    return info.options ?? {};
  }

  async isCapped(options?: OperationOptions): Promise<boolean> {
    return Boolean((await this.options(options))['capped']);
  }

  #dropIndexes(index: string, options: CommandOptions | undefined): Promise<Document> {
    const handle = this.#handle.with(options);
    return handle.run(dropIndexes(handle.target, index, commandFields(options)), options);
  }

  #one<R>(
    command: WriteCommand,
    statement: () => Document,
    options: (InsertOneOptions & { readonly let?: Document | undefined }) | undefined,
    shape: (reply: WriteReply | undefined) => R,
  ): Promise<R> {
    return attempt(() => {
      const handle = this.#handle.with(options, options?.forceServerObjectId);
      return handle.run(handle.write(command)([statement()], 0, options), options, shape);
    });
  }

  #update(statement: () => Document, options: UpdateOptions | undefined): Promise<UpdateResult<Schema>> {
    return this.#one('update', statement, options, updateResult<Schema>);
  }

  #delete(statement: () => Document, options: DeleteOptions | undefined): Promise<DeleteResult> {
    return this.#one('delete', statement, options, deleteResult);
  }

  #modify(
    what: () => FindAndModifyOptions,
    options: FindOneAndUpdateOptions = {},
  ): Promise<ModifyResult<Schema> | WithId<Schema> | null> {
    return attempt(() => {
      const handle = this.#handle.with(options);
      const { sort, projection, upsert, bypassDocumentValidation, collation, arrayFilters, hint, comment, maxTimeMS } =
        options;
      const command = new FindAndModify(handle.target, {
        ...what(),
        sort: sortDocument(sort),
        new: options.returnDocument === 'after' ? true : undefined,
        fields: projection,
        upsert: upsert === true ? true : undefined,
        bypassDocumentValidation,
        collation,
        arrayFilters,
        hint,
        comment,
        let: options.let,
        maxTimeMS,
      });
      const shape = options.includeResultMetadata === true ? modifyResult<Schema> : modifiedDocument<Schema>;
      return handle.run<FindAndModifyReply | undefined, ReturnType<typeof shape>>(command, options, shape);
    });
  }
}

const checkDocument = (document: unknown): Document => {
  if (typeof document !== 'object' || document === null || Array.isArray(document))
    throw new MongoInvalidArgumentError('A document to insert must be an object.');
  return document;
};
