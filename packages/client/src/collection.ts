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
import { collectionHandle, type Db } from './db.js';
import { MongoAPIError, MongoInvalidArgumentError } from './errors.js';
import { explained } from './explain.js';
import type { Explainable, ExplainCommandOptions, ExplainVerbosityLike } from './explain-verbosity.js';
import { findFields, FindCursor } from './find-cursor.js';
import type { FindOptions } from './find-cursor.js';
import { findOneAnd } from './find-one-and.js';
import { commandFields, Handle, type CommandOptions, type OperationOptions } from './handle.js';
import { IndexedCollection } from './indexed-collection.js';
import { internalBson, noOptions, type HandleOptions } from './resolved-options.js';
import type { CollectionInfo } from './list-cursors.js';
import { MongoDBNamespace } from './namespace.js';
import { argument, checkArgument, checkOptions, findOptions, isGiven } from './operation-options.js';
import { deleteResult, insertOneResult, updateResult } from './results.js';
import type { Sort } from './sort.js';
import type { StrictCollection } from './strict-collection.js';
import { asPromise, rethrow } from './stack-trace.js';
import {
  checkDocument,
  checkFilter,
  checkOneDocument,
  checkReplacement,
  checkUpdate,
  deleteStatement,
  findFilter,
  updateStatement,
} from './statements.js';
import type { AnyBulkWriteOperation } from './types/bulk.js';
import type { Flatten, InferIdType, OptionalUnlessRequiredId, WithId, WithoutId } from './types/documents.js';

/** Options of `db.collection(name)`. Each absent option is inherited from the database. */
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

  /** Use `db.collection(name)` instead. */
  constructor(db: Db, name: string, options?: CollectionOptions | null) {
    const handle = collectionHandle(db, name, options);
    super(handle);
    this.#db = db;
    this.#handle = handle;
  }

  /** The database of the collection. */
  get db(): Db {
    return this.#db;
  }
  /** The database, where libraries look for it. Prefer {@link Collection.db}. */
  get s(): { readonly db: Db; readonly namespace: MongoDBNamespace } {
    return { db: this.db, namespace: new MongoDBNamespace(this.dbName, this.collectionName) };
  }

  /**
   * Returns this collection with types that reject unknown fields, dotted paths, operators and values of another type.
   * @example const films = db.collection<Film>('films').strict();
   */
  strict<Fields extends object = Schema>(): StrictCollection<Fields> {
    // The type of the result is a type parameter of its own, so that a collection is still assignable to `Collection`.
    return this as unknown as StrictCollection<Fields>;
  }

  /**
   * Inserts a document. If it has no `_id`, the driver generates one and also sets it in the caller's object.
   * @example const { insertedId } = await films.insertOne({ title: 'Heat', year: 1995, genres: ['crime'], views: 0 });
   */
  insertOne(document: OptionalUnlessRequiredId<Schema>, options?: InsertOneOptions): Promise<InsertOneResult<Schema>> {
    const result = (reply: WriteReply): InsertOneResult<Schema> => insertOneResult(reply, document);
    return this.#one('insertOne', 'insert', () => checkOneDocument(document), options, result);
  }

  /**
   * Inserts documents. By default it stops at the first error; with `ordered: false`, it continues.
   * @throws MongoBulkWriteError with the ids of the inserted documents if a write or the write concern fails, or the
   * connection is lost
   * @throws MongoInvalidArgumentError for an empty list
   * @example const { insertedCount } = await films.insertMany(newFilms, { ordered: false });
   */
  insertMany(
    documents: readonly OptionalUnlessRequiredId<Schema>[],
    options?: BulkWriteOptions,
  ): Promise<InsertManyResult<Schema>> {
    return asPromise(() => {
      if (!Array.isArray(documents))
        throw new MongoInvalidArgumentError('The argument of insertMany must be an array of documents.');
      const run = toInserts(documents.map(checkDocument));
      return bulkWrite(this.#handle, run, options ?? {}, 'insertMany').then(result => ({
        acknowledged: result.acknowledged,
        insertedCount: result.insertedCount,
        insertedIds: result.insertedIds as Record<number, InferIdType<Schema>>,
      }));
    });
  }

  /**
   * Executes a list of writes in as few commands as possible.
   * @throws MongoBulkWriteError with the partial result if a write or the write concern fails, or the connection is lost
   * @throws MongoInvalidArgumentError for an invalid operation or an empty list
   * @example await films.bulkWrite([{ insertOne: { document: film } }, { deleteMany: { filter: { views: 0 } } }]);
   */
  bulkWrite(
    operations: readonly AnyBulkWriteOperation<Schema>[],
    options?: BulkWriteOptions,
  ): Promise<BulkWriteResult> {
    return asPromise(() => {
      if (!Array.isArray(operations))
        throw new MongoInvalidArgumentError('The argument of bulkWrite must be an array of operations.');
      const runs = toRuns(operations, options?.ordered !== false, this.#handle, options);
      return bulkWrite(this.#handle, runs, options ?? {});
    });
  }

  /**
   * Returns a bulk operation that is built step by step and stops at the first error.
   * @example const bulk = films.initializeOrderedBulkOp();
   */
  initializeOrderedBulkOp(options?: BulkWriteOptions | null): OrderedBulkOperation {
    return new OrderedBulkOperation(this.#handle, options ?? {});
  }

  /**
   * Returns a bulk operation that is built step by step and continues after errors.
   * @example const bulk = films.initializeUnorderedBulkOp();
   */
  initializeUnorderedBulkOp(options?: BulkWriteOptions | null): UnorderedBulkOperation {
    return new UnorderedBulkOperation(this.#handle, options ?? {});
  }

  /**
   * Updates the first document that matches the filter, by update operators or an aggregation pipeline.
   * @example const { modifiedCount } = await films.updateOne({ title: 'Heat' }, { $inc: { views: 1 } });
   */
  updateOne(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: UpdateOptions & { sort?: Sort | undefined },
  ): Promise<UpdateResult<Schema>> {
    return this.#update(
      'updateOne',
      ignoring =>
        updateStatement(this.#handle.filter(filter, options), checkUpdate(update, ignoring), false, options ?? {}),
      options,
    );
  }

  /**
   * Updates all documents that match the filter. The driver retries this command only after an overload error.
   * @example await films.updateMany({ year: { $lt: 1930 } }, { $set: { genres: ['silent'] } });
   */
  updateMany(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options?: UpdateOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(
      'updateMany',
      ignoring =>
        updateStatement(this.#handle.filter(filter, options), checkUpdate(update, ignoring), true, options ?? {}),
      options,
    );
  }

  /**
   * Replaces the first document that matches the filter. Its `_id` stays the same.
   * @example await films.replaceOne({ title: 'Heat' }, { ...film, title: 'Heat' }, { upsert: true });
   */
  replaceOne(
    filter: Filter<Schema>,
    replacement: WithoutId<Schema>,
    options?: ReplaceOptions,
  ): Promise<UpdateResult<Schema>> {
    return this.#update(
      'replaceOne',
      () => updateStatement(this.#handle.filter(filter, options), checkReplacement(replacement), false, options ?? {}),
      options,
    );
  }

  /**
   * Deletes the first document that matches the filter. An empty filter matches every document.
   * @example const { deletedCount } = await films.deleteOne({ title: 'Heat' });
   */
  deleteOne(filter: Filter<Schema> = {}, options?: DeleteOptions): Promise<DeleteResult> {
    const statement = (): Document => deleteStatement(this.#handle.filter(filter, options), 1, options ?? {});
    return this.#one('deleteOne', 'delete', statement, options, deleteResult);
  }

  /**
   * Deletes all documents that match the filter. Without a filter, it deletes every document. The driver retries this
   * command only after an overload error.
   * @example await films.deleteMany({ year: { $lt: 1930 } });
   */
  deleteMany(filter: Filter<Schema> = {}, options?: DeleteOptions): Promise<DeleteResult> {
    const statement = (): Document => deleteStatement(this.#handle.filter(filter, options), 0, options ?? {});
    return this.#one('deleteMany', 'delete', statement, options, deleteResult);
  }

  /**
   * Returns a cursor over the documents that match the filter. The first read sends the command.
   * @example for await (const { title } of films.find({ year: 1995 }).sort({ title: 1 })) console.log(title);
   */
  find<T = WithId<Schema>>(filter: Filter<Schema> = {}, options?: FindOptions): FindCursor<T> {
    return new FindCursor<T>(this.#handle, findFilter(this.#handle.filter(filter, options)), options ?? {});
  }

  /**
   * Returns the first document that matches the filter, or null.
   * @example const heat = await films.findOne({ title: 'Heat' }, { projection: { year: 1 } });
   */
  findOne<T = WithId<Schema>>(filter: Filter<Schema> = {}, options?: FindOptions): Promise<T | null> {
    return asPromise(() => {
      checkOptions(options, findOptions);
      const handle = isGiven(options) ? this.#handle.withChecked(options) : this.#handle;
      const operation = handle.findOne(findFilter(this.#handle.filter(filter, options)), findFields(options));
      if (isGiven(options?.explain)) return explained(handle, operation, options ?? {}) as Promise<never>;
      return handle.run<Document | null, T | null>(operation, options, undefined, 'findOne');
    });
  }

  /** Deletes a document and returns the server's whole reply. */
  findOneAndDelete(
    filter: Filter<Schema>,
    options: FindOneAndDeleteOptions & { includeResultMetadata: true },
  ): Promise<ModifyResult<Schema>>;
  /**
   * Deletes the first document that matches the filter and returns it, or null without a match.
   * @example const deleted = await films.findOneAndDelete({ views: 0 }, { sort: { year: 1 } });
   */
  findOneAndDelete(filter: Filter<Schema>, options?: FindOneAndDeleteOptions): Promise<WithId<Schema> | null>;
  findOneAndDelete(
    filter: Filter<Schema>,
    options?: FindOneAndDeleteOptions,
  ): Promise<ModifyResult<Schema> | WithId<Schema> | null> {
    return asPromise(() =>
      findOneAnd<Schema>(
        this.#handle,
        'findOneAndDelete',
        { query: checkFilter(this.#handle.filter(filter, options)), remove: true },
        options ?? {},
      ),
    );
  }

  /** Replaces a document and returns the server's whole reply. */
  findOneAndReplace(
    filter: Filter<Schema>,
    replacement: WithoutId<Schema>,
    options: FindOneAndReplaceOptions & { includeResultMetadata: true },
  ): Promise<ModifyResult<Schema>>;
  /**
   * Replaces the first document that matches the filter. Returns it as it was before, or with `returnDocument: 'after'`
   * the new one; null without a match.
   * @example const before = await films.findOneAndReplace({ title: 'Heat' }, film);
   */
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
      const what = { query: checkFilter(this.#handle.filter(filter, options)), update: checkReplacement(replacement) };
      return findOneAnd<Schema>(this.#handle, 'findOneAndReplace', what, options ?? {});
    });
  }

  /** Updates a document and returns the server's whole reply. */
  findOneAndUpdate(
    filter: Filter<Schema>,
    update: UpdateFilter<Schema> | readonly Document[],
    options: FindOneAndUpdateOptions & { includeResultMetadata: true },
  ): Promise<ModifyResult<Schema>>;
  /**
   * Updates the first document that matches the filter. Returns it as it was before, or with `returnDocument: 'after'`
   * as it is now; null without a match.
   * @example await films.findOneAndUpdate({ title: 'Heat' }, { $inc: { views: 1 } }, { returnDocument: 'after' });
   */
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
      const what = { query: checkFilter(this.#handle.filter(filter, options)), update: checkUpdate(update, ignoring) };
      return findOneAnd<Schema>(this.#handle, 'findOneAndUpdate', what, options ?? {});
    });
  }

  /**
   * Returns a cursor over the results of an aggregation pipeline. The first read sends the command.
   * @example const top = await films.aggregate([{ $sort: { views: -1 } }, { $limit: 10 }]).toArray();
   */
  aggregate<T extends Document = Document>(
    pipeline: readonly Document[] = [],
    options?: AggregateOptions,
  ): AggregationCursor<T> {
    return new AggregationCursor<T>(this.#handle, pipeline, options ?? {});
  }

  /**
   * Returns a change stream of the collection. The stream starts at its first read, at its first listener for `change`,
   * or at `open()`; it does not report earlier changes. To start elsewhere, set a position in the options. Requires a replica set or a sharded cluster.
   * @example for await (const change of films.watch([{ $match: { operationType: 'insert' } }])) console.log(change);
   */
  watch<Local extends object = Schema, Change extends object = ChangeStreamDocument<Local>>(
    pipeline?: readonly Document[],
    options?: ChangeStreamOptions,
  ): ChangeStream<Local, Change> {
    return new ChangeStream<Local, Change>({ parent: this, handle: this.#handle }, pipeline ?? [], options ?? {});
  }

  /**
   * Counts the matching documents with an aggregation. Rule: CRUD, "countDocuments".
   * @example const count = await films.countDocuments({ year: 1995 });
   */
  countDocuments(filter: Filter<Schema> = {}, options?: CountDocumentsOptions | null): Promise<number> {
    return asPromise(() => {
      checkOptions(options, findOptions);
      const { skip, limit, ...rest } = options ?? {};
      const pipeline = countingPipeline(checkFilter(this.#handle.filter(filter, options)), { skip, limit });
      const counting = this.aggregate(pipeline, { ...rest, ...internalBson });
      return counting.next().then(counted => (counted?.['n'] as number | undefined) ?? 0);
    });
  }

  /**
   * Counts all documents by the collection's metadata, without a scan. Rule: CRUD, "estimatedDocumentCount".
   * @example const count = await films.estimatedDocumentCount();
   */
  estimatedDocumentCount(options?: EstimatedDocumentCountOptions): Promise<number> {
    return asPromise(() => countByCommand(this.#handle, undefined, options));
  }

  /**
   * Counts the matching documents with the command `count`, which may be inaccurate in a sharded cluster.
   * @deprecated Use `countDocuments`, or `estimatedDocumentCount` to count all documents.
   * @example const count = await films.count({ year: 1995 });
   */
  count(filter?: Filter<Schema> | null, options?: CountOptions): Promise<number> {
    return asPromise(() =>
      countByCommand(this.#handle, checkFilter(this.#handle.filter(filter ?? {}, options)), options),
    );
  }

  /** Returns the server's plan for the command. */
  distinct(
    key: string,
    filter: Filter<Schema>,
    options: DistinctOptions & { readonly explain: ExplainVerbosityLike | ExplainCommandOptions },
  ): Promise<Document>;
  /**
   * Returns the distinct values of a field in the matching documents. All values must fit in one reply of 16 MB.
   * @example const years = await films.distinct('year', { genres: 'crime' });
   */
  distinct<Key extends keyof WithId<Schema>>(
    key: Key,
    filter?: Filter<Schema>,
    options?: DistinctOptions,
  ): Promise<Flatten<WithId<Schema>[Key]>[]>;
  /** Returns the distinct values of a field in an embedded document, such as `'maker.name'`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: values without a type
  distinct(key: string, filter?: Filter<Schema>, options?: DistinctOptions): Promise<any[]>;
  distinct(key: string, filter?: Filter<Schema> | null, options?: DistinctOptions): Promise<unknown> {
    return asPromise(() => {
      checkArgument('key', key, argument.text);
      return distinctValues(this.#handle, key, checkFilter(this.#handle.filter(filter ?? {}, options)), options);
    });
  }

  /**
   * Renames the collection within its database, and returns it.
   * @throws MongoServerError if the new name exists, unless `dropTarget` is true
   * @example const movies = await films.rename('movies');
   */
  rename<To extends object = Document>(name: string, options?: RenameOptions): Promise<Collection<To>> {
    return asPromise(() => {
      const renamed = this.#db.collection<To>(name);
      const admin = new Handle(this.#handle.origin, 'admin', '', noOptions).with(options);
      const dropTarget = options?.dropTarget;
      const fields = { ...(dropTarget === undefined ? {} : { dropTarget }), ...commandFields(options) };
      const operation = renameCollection(admin, this.namespace, renamed.namespace, fields);
      return this.#handle.run(operation, options, () => renamed, 'rename');
    });
  }

  /**
   * Drops the collection. Returns true, even if the collection does not exist. Before MongoDB 7.0, the result is then
   * false.
   * @example await films.drop();
   */
  drop(options?: CommandOptions): Promise<boolean> {
    return asPromise(() => {
      const handle = this.#handle.with(options);
      return handle.run(drop(handle, commandFields(options)), options, () => true).catch(missing);
    });
  }

  /**
   * Returns the options with which the collection was created.
   * @throws MongoAPIError if it does not exist
   * @example const { capped, size } = await films.options();
   */
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

  /**
   * Returns whether the collection is capped, which means that it has a fixed size.
   * @example if (await films.isCapped()) console.log('old documents are overwritten');
   */
  isCapped(options?: OperationOptions): Promise<boolean> {
    return this.options(options).then(known => Boolean(known['capped']));
  }

  #one<R>(
    method: string,
    command: WriteCommand,
    statement: (ignoresUndefined: boolean) => Document,
    options: (InsertOneOptions & Explainable & { readonly let?: Document | undefined }) | undefined,
    shape: (reply: WriteReply) => R,
  ): Promise<R> {
    return asPromise(() => {
      const force = options?.forceServerObjectId;
      const isInsert = command === 'insert';
      const handle = isInsert ? this.#handle.with(options, force) : this.#handle.withExplainable(options, force);
      const operation = handle.write(command)([statement(handle.ignoresUndefined())], 0, options);
      if (isGiven(options?.explain)) return explained(handle, operation, options ?? {}) as Promise<never>;
      return handle.run(operation, options, shape, method);
    });
  }

  #update(
    method: string,
    statement: (ignoresUndefined: boolean) => Document,
    options: UpdateOptions | undefined,
  ): Promise<UpdateResult<Schema>> {
    return this.#one(method, 'update', statement, options, updateResult<Schema>);
  }
}
