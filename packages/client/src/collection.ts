import type { Document, Filter, UpdateFilter } from '@tessera/contracts';
import { drop, renameCollection } from '@tessera/operations';
import type { WriteCommand, WriteReply } from '@tessera/operations';
import { AggregationCursor } from './aggregation-cursor.js';
import type { AggregateOptions } from './aggregation-cursor.js';
import { OrderedBulkOperation, UnorderedBulkOperation } from './bulk-operation.js';
import { bulkWrite, toInserts, toRuns } from './bulk-write.js';
import type { BulkWriteOptions } from './bulk-write.js';
import type { BulkWriteResult } from './bulk-write-result.js';
import { ChangeStream } from './change-stream.js';
import type { ChangeStreamOptions } from './change-stream.js';
import type { ChangeStreamDocument } from './change-stream-documents.js';
import { missing } from './collection-indexes.js';
import type {
  CountDocumentsOptions,
  CountOptions,
  DeleteOptions,
  DeleteResult,
  DistinctOptions,
  EstimatedDocumentCountOptions,
  FindOneAndDeleteOptions,
  FindOneAndReplaceOptions,
  FindOneAndUpdateOptions,
  InsertManyResult,
  InsertOneOptions,
  InsertOneResult,
  ModifyResult,
  RenameOptions,
  ReplaceOptions,
  UpdateOptions,
  UpdateResult,
} from './collection-types.js';
import { countByCommand, countingPipeline, distinctValues } from './counting.js';
import type { Db } from './db.js';
import { MongoAPIError, MongoInvalidArgumentError } from './errors.js';
import { explained } from './explain.js';
import type { Explainable, ExplainCommandOptions, ExplainVerbosityLike } from './explain.js';
import { findFields, FindCursor } from './find-cursor.js';
import type { FindOptions } from './find-cursor.js';
import { findOneAnd } from './find-one-and.js';
import { commandFields, Handle, type CommandOptions, type OperationOptions } from './handle.js';
import { IndexedCollection } from './indexed-collection.js';
import { internalBson, noOptions, type HandleOptions } from './resolved-options.js';
import type { CollectionInfo } from './list-cursors.js';
import { argument, checkArgument, checkOptions, findOptions, isGiven } from './operation-options.js';
import { deleteResult, insertOneResult, updateResult } from './results.js';
import { asPromise, rethrow } from './stack-trace.js';
import {
  checkDocument,
  checkFilter,
  checkReplacement,
  checkUpdate,
  deleteStatement,
  findFilter,
  updateStatement,
} from './statements.js';
import type { AnyBulkWriteOperation } from './types/bulk.js';
import type { Flatten, InferIdType, OptionalUnlessRequiredId, WithId, WithoutId } from './types/documents.js';

export type CollectionOptions = HandleOptions;

/** A collection, with the names, signatures and results of the official driver. `db.collection(name)` returns one. */
export class Collection<Schema extends object = Document> extends IndexedCollection {
  static {
    // Libraries such as mongoose list the own members of `Collection.prototype`.
    const { constructor: _, ...inherited } = Object.getOwnPropertyDescriptors(IndexedCollection.prototype);
    Object.defineProperties(this.prototype, inherited);
  }

  readonly #db: Db;
  readonly #handle: Handle;

  constructor(db: Db, handle: Handle) {
    super(handle);
    this.#db = db;
    this.#handle = handle;
  }

  get db(): Db {
    return this.#db;
  }

  /** Inserts a document. If it has no `_id`, the driver generates one and also sets it in the caller's object. */
  insertOne(document: OptionalUnlessRequiredId<Schema>, options?: InsertOneOptions): Promise<InsertOneResult<Schema>> {
    const result = (reply: WriteReply): InsertOneResult<Schema> => insertOneResult(reply, document);
    return this.#one('insert', () => checkDocument(document), options, result);
  }

  /** Inserts documents. @throws MongoBulkWriteError with the ids of the inserted documents if a write fails */
  insertMany(
    documents: readonly OptionalUnlessRequiredId<Schema>[],
    options?: BulkWriteOptions,
  ): Promise<InsertManyResult<Schema>> {
    return asPromise(() => {
      if (!Array.isArray(documents))
        throw new MongoInvalidArgumentError('The argument of insertMany must be an array of documents.');
      const run = toInserts(documents.map(checkDocument));
      return bulkWrite(this.#handle, run, options ?? {}).then(result => ({
        acknowledged: result.acknowledged,
        insertedCount: result.insertedCount,
        insertedIds: result.insertedIds as Record<number, InferIdType<Schema>>,
      }));
    });
  }

  /** Executes a list of writes in as few commands as possible. @throws MongoBulkWriteError with the partial result */
  bulkWrite(
    operations: readonly AnyBulkWriteOperation<Schema>[],
    options?: BulkWriteOptions,
  ): Promise<BulkWriteResult> {
    return asPromise(() => {
      if (!Array.isArray(operations))
        throw new MongoInvalidArgumentError('The argument of bulkWrite must be an array of operations.');
      const runs = toRuns(operations, options?.ordered !== false, this.#handle.ignoresUndefined(options));
      return bulkWrite(this.#handle, runs, options ?? {});
    });
  }

  /** Returns a bulk operation that is built step by step and stops at the first error. */
  initializeOrderedBulkOp(options?: BulkWriteOptions | null): OrderedBulkOperation {
    return new OrderedBulkOperation(this.#handle, options ?? {});
  }

  /** Returns a bulk operation that is built step by step and continues after errors. */
  initializeUnorderedBulkOp(options?: BulkWriteOptions | null): UnorderedBulkOperation {
    return new UnorderedBulkOperation(this.#handle, options ?? {});
  }

  updateOne(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: UpdateOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(
      ignoring => updateStatement(filter, checkUpdate(update, ignoring), false, options ?? {}),
      options,
    );
  }

  updateMany(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: UpdateOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(
      ignoring => updateStatement(filter, checkUpdate(update, ignoring), true, options ?? {}),
      options,
    );
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
    return asPromise(() => {
      checkOptions(options, findOptions);
      const handle = isGiven(options) ? this.#handle.withChecked(options) : this.#handle;
      const operation = handle.findOne(findFilter(filter), findFields(options));
      if (isGiven(options?.explain)) return explained(handle, operation, options ?? {}) as Promise<never>;
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
    return asPromise(() =>
      findOneAnd<Schema>(this.#handle, { query: checkFilter(filter), remove: true }, options ?? {}),
    );
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
    return asPromise(() => {
      const what = { query: checkFilter(filter), update: checkReplacement(replacement) };
      return findOneAnd<Schema>(this.#handle, what, options ?? {});
    });
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
    return asPromise(() => {
      const ignoring = this.#handle.ignoresUndefined(options);
      const what = { query: checkFilter(filter), update: checkUpdate(update, ignoring) };
      return findOneAnd<Schema>(this.#handle, what, options ?? {});
    });
  }

  aggregate<T extends Document = Document>(
    pipeline: readonly Document[] = [],
    options?: AggregateOptions,
  ): AggregationCursor<T> {
    return new AggregationCursor<T>(this.#handle, pipeline, options ?? {});
  }

  /** Returns a change stream of the collection. It starts now, or at the position in the options. */
  watch<Local extends object = Schema, Change extends object = ChangeStreamDocument<Local>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Local, Change> {
    return new ChangeStream<Local, Change>({ parent: this, handle: this.#handle }, pipeline ?? [], options ?? {});
  }

  /** Counts the matching documents with an aggregation. Rule: CRUD, "countDocuments". */
  countDocuments(filter: Filter<Schema> = {}, options?: CountDocumentsOptions | null): Promise<number> {
    return asPromise(() => {
      checkOptions(options);
      const { skip, limit, ...rest } = options ?? {};
      const pipeline = countingPipeline(checkFilter(filter), { skip, limit });
      const counting = this.aggregate(pipeline, { ...rest, ...internalBson });
      return counting.next().then(counted => (counted?.['n'] as number | undefined) ?? 0);
    });
  }

  /** Counts all documents by the collection's metadata, without a scan. Rule: CRUD, "estimatedDocumentCount". */
  estimatedDocumentCount(options?: EstimatedDocumentCountOptions): Promise<number> {
    return asPromise(() => countByCommand(this.#handle, undefined, options));
  }

  /** @deprecated Use `countDocuments`, or `estimatedDocumentCount` to count all documents. */
  count(filter?: Filter<Schema> | null, options?: CountOptions): Promise<number> {
    return asPromise(() => countByCommand(this.#handle, checkFilter(filter ?? {}), options));
  }

  distinct(
    key: string,
    filter: Filter<Schema>,
    options: DistinctOptions & { readonly explain: ExplainVerbosityLike | ExplainCommandOptions },
  ): Promise<Document>;
  distinct<Key extends keyof WithId<Schema>>(
    key: Key,
    filter?: Filter<Schema>,
    options?: DistinctOptions,
  ): Promise<Flatten<WithId<Schema>[Key]>[]>;
  distinct(key: string, filter?: Filter<Schema>, options?: DistinctOptions): Promise<unknown[]>;
  distinct(key: string, filter?: Filter<Schema> | null, options?: DistinctOptions): Promise<unknown> {
    return asPromise(() => {
      checkArgument('key', key, argument.text);
      return distinctValues(this.#handle, key, checkFilter(filter ?? {}), options);
    });
  }

  /** Renames the collection within its database, and returns it. */
  rename<To extends object = Document>(name: string, options?: RenameOptions): Promise<Collection<To>> {
    return asPromise(() => {
      const renamed = this.#db.collection<To>(name);
      const admin = new Handle(this.#handle.origin, 'admin', '', noOptions).with(options);
      const dropTarget = options?.dropTarget;
      const fields = { ...(dropTarget === undefined ? {} : { dropTarget }), ...commandFields(options) };
      const operation = renameCollection(admin, this.namespace, renamed.namespace, fields);
      return admin.run(operation, options, () => renamed);
    });
  }

  /** Drops the collection. Returns false if it does not exist. */
  drop(options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      const handle = this.#handle.with(options);
      return handle.run(drop(handle, commandFields(options)), options, () => true).catch(missing);
    });
  }

  /** Returns the options with which the collection was created. @throws MongoAPIError if it does not exist */
  options(options?: OperationOptions): Promise<Document> {
    return asPromise(() => {
      checkOptions(options);
      const infos = this.#db.listCollections({ name: this.collectionName }, { ...options, raw: false });
      const optionsOf = (info: CollectionInfo | null): Document => {
        if (info === null) throw new MongoAPIError(`The collection ${this.namespace} does not exist.`);
        return info.options ?? {};
      };
      return infos.next().then(optionsOf).catch(rethrow);
    });
  }

  isCapped(options?: OperationOptions): Promise<boolean> {
    return this.options(options).then(known => Boolean(known['capped']));
  }

  #one<R>(
    command: WriteCommand,
    statement: (ignoresUndefined: boolean) => Document,
    options: (InsertOneOptions & Explainable & { readonly let?: Document | undefined }) | undefined,
    shape: (reply: WriteReply) => R,
  ): Promise<R> {
    return asPromise(() => {
      const handle = this.#handle.with(options, options?.forceServerObjectId);
      const operation = handle.write(command)([statement(handle.ignoresUndefined())], 0, options);
      if (isGiven(options?.explain)) return explained(handle, operation, options ?? {}) as Promise<never>;
      return handle.run(operation, options, shape);
    });
  }

  #update(
    statement: (ignoresUndefined: boolean) => Document,
    options: UpdateOptions | undefined,
  ): Promise<UpdateResult<Schema>> {
    return this.#one('update', statement, options, updateResult<Schema>);
  }

  #delete(statement: () => Document, options: DeleteOptions | undefined): Promise<DeleteResult> {
    return this.#one('delete', statement, options, deleteResult);
  }
}
