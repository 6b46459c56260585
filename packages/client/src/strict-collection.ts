import type { Document, SortDirection } from '@tessera/contracts';
import type { BulkWriteOptions } from './bulk-write.js';
import type { BulkWriteResult } from './bulk-write-result.js';
import type { Collection } from './collection.js';
import type {
  CountDocumentsOptions,
  CountOptions,
  DeleteOptions,
  DeleteResult,
  DistinctOptions,
  FindOneAndDeleteOptions,
  FindOneAndReplaceOptions,
  FindOneAndUpdateOptions,
  ModifyResult,
  ReplaceOptions,
  UpdateOptions,
  UpdateResult,
} from './collection-types.js';
import type { FindCursor, FindOptions } from './find-cursor.js';
import type { Flatten, WithId, WithoutId } from './types/documents.js';
import type { CreateIndexesOptions } from './types/indexes.js';
import type { FieldPath, FieldValues } from './types/strict-paths.js';
import type {
  CheckedArrayFilter,
  CheckedBulkWrite,
  CheckedFilter,
  CheckedIndex,
  CheckedIndexKeys,
  CheckedProjection,
  CheckedSort,
  CheckedUpdate,
} from './types/strict.js';

/** Options whose sort, projection and array filters name fields of the schema. */
type Checked<Options, Schema> = Omit<Options, 'sort' | 'projection' | 'arrayFilters' | 'partialFilterExpression'> &
  ('sort' extends keyof Options ? { sort?: CheckedSort<WithId<Schema>> | undefined } : unknown) &
  ('projection' extends keyof Options ? { projection?: CheckedProjection<WithId<Schema>> | undefined } : unknown) &
  ('arrayFilters' extends keyof Options ? { arrayFilters?: CheckedArrayFilter[] | undefined } : unknown) &
  ('partialFilterExpression' extends keyof Options
    ? { partialFilterExpression?: CheckedFilter<WithId<Schema>> | undefined }
    : unknown);

/** The result of `findOneAnd…`: the document or null, or with `includeResultMetadata` the whole reply. */
type Modified<Schema, IsWhole> = IsWhole extends true ? ModifyResult<Schema> : WithId<Schema> | null;

/** Options of `findOneAnd…`. `IsWhole` is the type of `includeResultMetadata`. */
type ModifyOptions<Options, Schema, IsWhole> = Checked<Omit<Options, 'includeResultMetadata'>, Schema> & {
  /** Returns the server's whole reply instead of the document. Default: false. */
  includeResultMetadata?: IsWhole | undefined;
};

type CheckedSetters = 'filter' | 'sort' | 'project' | 'map';

/** The members of a cursor. Its setters return the strict cursor. */
type Chained<Cursor, Strict> = {
  [Key in Exclude<keyof Cursor, CheckedSetters>]: Cursor[Key] extends (...given: infer Given) => Cursor
    ? (...given: Given) => Strict
    : Cursor[Key];
};

/** A cursor whose filter, sort and projection name fields of the schema. */
export interface StrictFindCursor<in out Schema extends object, in out Result = WithId<Schema>>
  extends Pick<FindCursor<Result>, 'map'>, Chained<FindCursor<Result>, StrictFindCursor<Schema, Result>> {
  /** Replaces the filter. See {@link FindCursor.filter}. */
  filter(filter: CheckedFilter<WithId<Schema>>): this;
  /** Sets the sort. See {@link FindCursor.sort}. */
  sort(sort: CheckedSort<WithId<Schema>>, direction?: SortDirection): this;
  /** Sets the fields of the documents. See {@link FindCursor.project}. */

  project<T extends Document = Document>(projection: CheckedProjection<WithId<Schema>>): FindCursor<T>;
}

type CheckedMethods =
  | ('bulkWrite' | 'updateOne' | 'updateMany' | 'replaceOne' | 'deleteOne' | 'deleteMany')
  | ('find' | 'findOne' | 'findOneAndDelete' | 'findOneAndReplace' | 'findOneAndUpdate')
  | ('countDocuments' | 'count' | 'distinct' | 'createIndex' | 'createIndexes' | 'strict');

/**
 * A collection whose types reject unknown fields, dotted paths, operators and values of another type. At run time it is
 * an ordinary collection. `collection.strict()` returns one.
 */
export interface StrictCollection<in out Schema extends object> extends Omit<Collection<Schema>, CheckedMethods> {
  /** Executes a list of writes in as few commands as possible. See {@link Collection.bulkWrite}. */
  bulkWrite(operations: readonly CheckedBulkWrite<Schema>[], options?: BulkWriteOptions): Promise<BulkWriteResult>;
  /** Updates the first document that matches the filter. See {@link Collection.updateOne}. */
  updateOne(
    filter: CheckedFilter<WithId<Schema>>,
    update: CheckedUpdate<Schema> | readonly Document[],
    options?: Checked<UpdateOptions & { sort?: unknown }, Schema>,
  ): Promise<UpdateResult<Schema>>;
  /** Updates all documents that match the filter. See {@link Collection.updateMany}. */
  updateMany(
    filter: CheckedFilter<WithId<Schema>>,
    update: CheckedUpdate<Schema> | readonly Document[],
    options?: Checked<UpdateOptions, Schema>,
  ): Promise<UpdateResult<Schema>>;
  /** Replaces the first document that matches the filter. See {@link Collection.replaceOne}. */
  replaceOne(
    filter: CheckedFilter<WithId<Schema>>,
    replacement: WithoutId<Schema>,
    options?: Checked<ReplaceOptions, Schema>,
  ): Promise<UpdateResult<Schema>>;
  /** Deletes the first document that matches the filter. See {@link Collection.deleteOne}. */
  deleteOne(filter?: CheckedFilter<WithId<Schema>>, options?: DeleteOptions): Promise<DeleteResult>;
  /** Deletes all documents that match the filter. See {@link Collection.deleteMany}. */
  deleteMany(filter?: CheckedFilter<WithId<Schema>>, options?: DeleteOptions): Promise<DeleteResult>;
  /** Returns a cursor over the documents that match the filter. See {@link Collection.find}. */
  find<T = WithId<Schema>>(
    filter?: CheckedFilter<WithId<Schema>>,
    options?: Checked<FindOptions, Schema>,
  ): StrictFindCursor<Schema, T>;
  /** Returns the first document that matches the filter, or null. See {@link Collection.findOne}. */
  findOne<T = WithId<Schema>>(
    filter?: CheckedFilter<WithId<Schema>>,
    options?: Checked<FindOptions, Schema>,
  ): Promise<T | null>;
  /** Deletes a document and returns it. See {@link Collection.findOneAndDelete}. */
  findOneAndDelete<IsWhole extends boolean = false>(
    filter: CheckedFilter<WithId<Schema>>,
    options?: ModifyOptions<FindOneAndDeleteOptions, Schema, IsWhole>,
  ): Promise<Modified<Schema, IsWhole>>;
  /** Replaces a document and returns it. See {@link Collection.findOneAndReplace}. */
  findOneAndReplace<IsWhole extends boolean = false>(
    filter: CheckedFilter<WithId<Schema>>,
    replacement: WithoutId<Schema>,
    options?: ModifyOptions<FindOneAndReplaceOptions, Schema, IsWhole>,
  ): Promise<Modified<Schema, IsWhole>>;
  /** Updates a document and returns it. See {@link Collection.findOneAndUpdate}. */
  findOneAndUpdate<IsWhole extends boolean = false>(
    filter: CheckedFilter<WithId<Schema>>,
    update: CheckedUpdate<Schema> | readonly Document[],
    options?: ModifyOptions<FindOneAndUpdateOptions, Schema, IsWhole>,
  ): Promise<Modified<Schema, IsWhole>>;
  /** Counts the matching documents with an aggregation. See {@link Collection.countDocuments}. */
  countDocuments(filter?: CheckedFilter<WithId<Schema>>, options?: CountDocumentsOptions | null): Promise<number>;
  /**
   * Counts the matching documents with the command `count`.
   * @deprecated Use `countDocuments`, or `estimatedDocumentCount` to count all documents.
   */
  count(filter?: CheckedFilter<WithId<Schema>> | null, options?: CountOptions): Promise<number>;
  /** Returns the distinct values at a path. See {@link Collection.distinct}. */
  distinct<Path extends FieldPath<WithId<Schema>>>(
    key: Path,
    filter?: CheckedFilter<WithId<Schema>>,
    options?: DistinctOptions,
  ): Promise<Flatten<FieldValues<WithId<Schema>>[Path]>[]>;
  /** Creates an index and returns its name. See {@link Collection.createIndex}. */
  createIndex(
    keys: FieldPath<Schema> | CheckedIndexKeys<Schema>,
    options?: Checked<CreateIndexesOptions, Schema>,
  ): Promise<string>;
  /** Creates indexes with one command and returns their names. See {@link Collection.createIndexes}. */
  createIndexes(
    indexes: readonly CheckedIndex<Schema>[],
    options?: CreateIndexesOptions,
    sendsUnknown?: boolean,
  ): Promise<string[]>;
}
