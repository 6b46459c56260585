/** What the methods of a collection take and answer, under the official driver's names. */
import type { Document } from '@tessera/contracts';
import type { CommandOptions } from './handle.js';
import type { Sort } from './sort.js';
import type { StatementOptions } from './statements.js';
import type { InferIdType, WithId } from './types/documents.js';

export interface InsertOneOptions extends CommandOptions {
  readonly bypassDocumentValidation?: boolean | undefined;
  readonly forceServerObjectId?: boolean | undefined;
}
export interface UpdateOptions extends InsertOneOptions, StatementOptions {
  readonly let?: Document | undefined;
}
export interface ReplaceOptions extends UpdateOptions {
  readonly arrayFilters?: undefined;
}
export interface DeleteOptions extends CommandOptions, Pick<StatementOptions, 'collation' | 'hint'> {
  readonly let?: Document | undefined;
}
export interface FindOneAndDeleteOptions extends CommandOptions {
  readonly projection?: Document | undefined;
  readonly sort?: Sort | undefined;
  readonly collation?: Document | undefined;
  readonly hint?: unknown;
  readonly let?: Document | undefined;
  /** Answers the server's whole reply instead of the document. */
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
export interface CountOptions extends CommandOptions {
  readonly skip?: number | undefined;
  readonly limit?: number | undefined;
  readonly hint?: unknown;
  readonly collation?: Document | undefined;
}
export interface DistinctOptions extends CommandOptions {
  readonly collation?: Document | undefined;
  readonly hint?: unknown;
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
