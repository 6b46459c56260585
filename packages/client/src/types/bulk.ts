import type { Document, Filter, UpdateFilter } from '@tessera/contracts';
import type { Sort } from '../sort.js';
import type { OptionalId, WithoutId } from './documents.js';

export interface InsertOneModel<Schema = Document> {
  readonly document: OptionalId<Schema>;
}
export interface ReplaceOneModel<Schema = Document> {
  readonly filter: Filter<Schema>;
  readonly replacement: WithoutId<Schema>;
  readonly collation?: Document;
  readonly hint?: unknown;
  readonly upsert?: boolean;
  readonly sort?: Sort;
}
export interface UpdateOneModel<Schema = Document> {
  readonly filter: Filter<Schema>;
  readonly update: UpdateFilter<Schema> | readonly Document[];
  readonly arrayFilters?: readonly Document[];
  readonly collation?: Document;
  readonly hint?: unknown;
  readonly upsert?: boolean;
  readonly sort?: Sort;
}
export type UpdateManyModel<Schema = Document> = Omit<UpdateOneModel<Schema>, 'sort'>;
export interface DeleteOneModel<Schema = Document> {
  readonly filter: Filter<Schema>;
  readonly collation?: Document;
  readonly hint?: unknown;
}
export type DeleteManyModel<Schema = Document> = DeleteOneModel<Schema>;

/** An operation of `Collection.bulkWrite`. */
export type AnyBulkWriteOperation<Schema = Document> =
  | { readonly insertOne: InsertOneModel<Schema> }
  | { readonly replaceOne: ReplaceOneModel<Schema> }
  | { readonly updateOne: UpdateOneModel<Schema> }
  | { readonly updateMany: UpdateManyModel<Schema> }
  | { readonly deleteOne: DeleteOneModel<Schema> }
  | { readonly deleteMany: DeleteManyModel<Schema> };
