/** The options and results of a collection's methods, under the official driver's names. */
import type { Document } from '@tessera/contracts';
import type { AggregateOptions } from './aggregation-cursor.js';
import type { Explainable } from './explain-verbosity.js';
import type { CommandOptions } from './handle.js';
import type { Sort } from './sort.js';
import type { StatementOptions } from './statements.js';
import type { CollationOptions, Hint, InferIdType, WithId } from './types/documents.js';

interface RawData {
  /** Works on documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. */
  rawData?: boolean | undefined;
}

/** Options of `insertOne`. */
export interface InsertOneOptions extends CommandOptions, RawData {
  /** Writes documents that the collection's validator rejects. Default: false. */
  bypassDocumentValidation?: boolean | undefined;
  /** Lets the server generate the `_id`. Default: that of the collection. */
  forceServerObjectId?: boolean | undefined;
}
/** Options of `updateOne` and `updateMany`. */
export interface UpdateOptions extends InsertOneOptions, Omit<StatementOptions, 'sort'>, Explainable {
  /** Variables that expressions in the filter and the update read as `$$name`. Since MongoDB 5.0. */
  let?: Document | undefined;
}
/** Options of `replaceOne`. */
export interface ReplaceOptions extends UpdateOptions {
  /** Not allowed, because a replacement has no update operators. */
  arrayFilters?: undefined;
  /** The order that decides which of several matching documents is replaced. Since MongoDB 8.0. */
  sort?: Sort | undefined;
}
/** Options of `deleteOne` and `deleteMany`. */
export interface DeleteOptions
  extends CommandOptions, RawData, Explainable, Pick<StatementOptions, 'collation' | 'hint'> {
  /** Has no effect, because the command contains only one delete. For compatibility. */
  ordered?: boolean | undefined;
  /** Variables that expressions in the filter read as `$$name`. Since MongoDB 5.0. */
  let?: Document | undefined;
}
/** Options of `findOneAndDelete`. */
export interface FindOneAndDeleteOptions extends CommandOptions, RawData, Explainable {
  /** The fields of the returned document. Default: all. */
  projection?: Document | undefined;
  /** The order that decides which of several matching documents is the first. Default: no defined order. */
  sort?: Sort | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /** Variables that expressions in the filter and the update read as `$$name`. Since MongoDB 5.0. */
  let?: Document | undefined;
  /** Returns the server's whole reply instead of the document. Default: false. */
  includeResultMetadata?: boolean | undefined;
}
/** Options of `findOneAndReplace`. */
export interface FindOneAndReplaceOptions extends FindOneAndDeleteOptions {
  /** Inserts the document if none matches. Default: false. */
  upsert?: boolean | undefined;
  /** Returns the document as it was `before` the change, or as it is `after`. Default: `before`. */
  returnDocument?: 'before' | 'after' | undefined;
  /** Writes documents that the collection's validator rejects. Default: false. */
  bypassDocumentValidation?: boolean | undefined;
}
/** Options of `findOneAndUpdate`. */
export interface FindOneAndUpdateOptions extends FindOneAndReplaceOptions {
  /** Filters that select the array elements to update, such as `[{ 'grade.score': { $lt: 50 } }]` for `$[grade]`. */
  arrayFilters?: Document[] | undefined;
}
/** Options of `estimatedDocumentCount`. */
export interface EstimatedDocumentCountOptions extends CommandOptions, RawData {}
/** Options of the deprecated method `count`. */
export interface CountOptions extends CommandOptions, RawData {
  /** The number of documents to skip before counting. Default: 0. */
  skip?: number | undefined;
  /** The number at which counting stops. Default: no limit. */
  limit?: number | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
}
/** The options of `countDocuments`, which runs an aggregation. */
export interface CountDocumentsOptions extends AggregateOptions {
  /** The number of documents to skip before counting. Default: 0. */
  skip?: number | undefined;
  /** The number at which counting stops. Default: no limit. */
  limit?: number | undefined;
}
/** Options of `distinct`. */
export interface DistinctOptions extends CommandOptions, RawData, Explainable {
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. Since MongoDB 7.1. */
  hint?: Hint | undefined;
}

/** Options of `rename`. */
export interface RenameOptions extends CommandOptions {
  /** Drops an existing collection of the new name first. Default: false. */
  dropTarget?: boolean | undefined;
  /** @deprecated It has no effect. */
  new_collection?: boolean | undefined;
}

/** The result of `insertOne`. */
export interface InsertOneResult<Schema = Document> {
  /** Whether the server acknowledged the write. It does not with `w: 0`. */
  acknowledged: boolean;
  /** The `_id` of the document. Undefined if the server generated it, because of `forceServerObjectId`. */
  insertedId: InferIdType<Schema>;
}
/** The result of `insertMany`. */
export interface InsertManyResult<Schema = Document> {
  /** Whether the server acknowledged the writes. It does not with `w: 0`. */
  acknowledged: boolean;
  /** The number of inserted documents. */
  insertedCount: number;
  /** The `_id` of each document by its index in the given list. Undefined if the server generated it. */
  insertedIds: Record<number, InferIdType<Schema>>;
}
/** The result of `updateOne`, `updateMany` and `replaceOne`. */
export interface UpdateResult<Schema = Document> {
  /** Whether the server acknowledged the write. It does not with `w: 0`. Then `matchedCount` and `modifiedCount` are undefined. */
  acknowledged: boolean;
  /** The number of documents that matched the filter. */
  matchedCount: number;
  /** The number of documents that the update changed. */
  modifiedCount: number;
  /** 1 if the upsert inserted a document, otherwise 0. */
  upsertedCount: number;
  /** The `_id` of the document that the upsert inserted, otherwise null. */
  upsertedId: InferIdType<Schema> | null;
}
/** The result of `deleteOne` and `deleteMany`. */
export interface DeleteResult {
  /** Whether the server acknowledged the write. It does not with `w: 0`. Then the count is undefined. */
  acknowledged: boolean;
  /** The number of deleted documents. */
  deletedCount: number;
}
/** The server's whole reply to `findOneAndUpdate` and its siblings, with `includeResultMetadata: true`. */
export interface ModifyResult<Schema = Document> {
  /** The document, or null if none matched. */
  value: WithId<Schema> | null;
  /** Details: `n`, `updatedExisting`, and `upserted` with the `_id` of an inserted document. */
  lastErrorObject?: Document;
  /** 1, because errors are thrown. */
  ok: 0 | 1;
}
