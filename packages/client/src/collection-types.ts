/** The options and results of a collection's methods, under the official driver's names. */
import type { Document } from '@tessera/contracts';
import type { AggregateOptions } from './aggregation-cursor.js';
import type { Explainable } from './explain.js';
import type { CommandOptions } from './handle.js';
import type { Sort } from './sort.js';
import type { StatementOptions } from './statements.js';
import type { InferIdType, WithId } from './types/documents.js';

interface RawData {
  /** Works on documents as they are stored, such as the buckets of a time series. Since MongoDB 8.2. */
  readonly rawData?: boolean | undefined;
}

export interface InsertOneOptions extends CommandOptions, RawData {
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly forceServerObjectId?: boolean | undefined;
}
export interface UpdateOptions extends InsertOneOptions, StatementOptions, Explainable {
  readonly let?: Document | undefined;
}
export interface ReplaceOptions extends UpdateOptions {
  readonly arrayFilters?: undefined;
}
export interface DeleteOptions
  extends CommandOptions, RawData, Explainable, Pick<StatementOptions, 'collation' | 'hint'> {
  readonly ordered?: boolean | undefined;
  readonly let?: Document | undefined;
}
export interface FindOneAndDeleteOptions extends CommandOptions, RawData, Explainable {
  readonly projection?: Document | undefined;
  readonly sort?: Sort | undefined;
  readonly collation?: Document | undefined;
  readonly hint?: unknown;
  readonly let?: Document | undefined;
  /** Returns the server's whole reply instead of the document. Default: false. */
  readonly includeResultMetadata?: boolean | undefined;
}
export interface FindOneAndReplaceOptions extends FindOneAndDeleteOptions {
  readonly upsert?: boolean | undefined;
  readonly returnDocument?: 'before' | 'after' | undefined;
  readonly bypassDocumentValidation?: boolean | undefined;
}
export interface FindOneAndUpdateOptions extends FindOneAndReplaceOptions {
  readonly arrayFilters?: readonly Document[] | undefined;
}
export interface EstimatedDocumentCountOptions extends CommandOptions, RawData {}
export interface CountOptions extends CommandOptions, RawData {
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  readonly hint?: unknown;
  readonly collation?: Document | undefined;
}
/** The options of `countDocuments`, which runs an aggregation. */
export interface CountDocumentsOptions extends Omit<AggregateOptions, 'explain' | 'batchSize'> {
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
}
export interface DistinctOptions extends CommandOptions, RawData, Explainable {
  readonly collation?: Document | undefined;
  readonly hint?: unknown;
}

export interface RenameOptions extends CommandOptions {
  /** Drops an existing collection of the new name first. Default: false. */
  readonly dropTarget?: boolean | undefined;
}

export interface InsertOneResult<Schema = Document> {
  readonly acknowledged: boolean;
  readonly insertedId: InferIdType<Schema>;
}
export interface InsertManyResult<Schema = Document> {
  readonly acknowledged: boolean;
  readonly insertedCount: number;
  readonly insertedIds: Record<number, InferIdType<Schema>>;
}
export interface UpdateResult<Schema = Document> {
  readonly acknowledged: boolean;
  readonly matchedCount: number;
  readonly modifiedCount: number;
  readonly upsertedCount: number;
  readonly upsertedId: InferIdType<Schema> | null;
}
export interface DeleteResult {
  readonly acknowledged: boolean;
  readonly deletedCount: number;
}
export interface ModifyResult<Schema = Document> {
  readonly value: WithId<Schema> | null;
  readonly lastErrorObject?: Document;
  readonly ok: 0 | 1;
}
