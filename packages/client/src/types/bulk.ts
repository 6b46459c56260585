import type { Document, Filter, UpdateFilter } from '@tessera/contracts';
import type { Sort } from '../sort.js';
import type { OptionalId, WithoutId } from './documents.js';

/** An insert of a bulk write. */
export interface InsertOneModel<Schema = Document> {
  /** The document. If it has no `_id`, the driver generates one. */
  readonly document: OptionalId<Schema>;
}
/** A replacement of a bulk write. */
export interface ReplaceOneModel<Schema = Document> {
  /** The filter that selects the document. The first match is replaced. */
  readonly filter: Filter<Schema>;
  /** The new document. The `_id` stays the same. */
  readonly replacement: WithoutId<Schema>;
  /** The language's rules that compare strings. Default: that of the collection. */
  readonly collation?: Document;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  readonly hint?: unknown;
  /** Inserts the document if none matches. Default: false. */
  readonly upsert?: boolean;
  /** The order that decides which of several matching documents is replaced. Since MongoDB 8.0. */
  readonly sort?: Sort;
}
/** An update of one document in a bulk write. */
export interface UpdateOneModel<Schema = Document> {
  /** The filter that selects the document. The first match is updated. */
  readonly filter: Filter<Schema>;
  /** The update operators, or an aggregation pipeline. */
  readonly update: UpdateFilter<Schema> | readonly Document[];
  /** Filters that select the array elements to update. */
  readonly arrayFilters?: readonly Document[];
  /** The language's rules that compare strings. Default: that of the collection. */
  readonly collation?: Document;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  readonly hint?: unknown;
  /** Inserts a document if none matches. Default: false. */
  readonly upsert?: boolean;
  /** The order that decides which of several matching documents is updated. Since MongoDB 8.0. */
  readonly sort?: Sort;
}
/** An update of all matching documents in a bulk write. */
export type UpdateManyModel<Schema = Document> = Omit<UpdateOneModel<Schema>, 'sort'>;
/** A deletion of one document in a bulk write. */
export interface DeleteOneModel<Schema = Document> {
  /** The filter that selects the document. The first match is deleted. */
  readonly filter: Filter<Schema>;
  /** The language's rules that compare strings. Default: that of the collection. */
  readonly collation?: Document;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  readonly hint?: unknown;
}
/** A deletion of all matching documents in a bulk write. */
export type DeleteManyModel<Schema = Document> = DeleteOneModel<Schema>;

/** An operation of `Collection.bulkWrite`. */
export type AnyBulkWriteOperation<Schema = Document> =
  | { readonly insertOne: InsertOneModel<Schema> }
  | { readonly replaceOne: ReplaceOneModel<Schema> }
  | { readonly updateOne: UpdateOneModel<Schema> }
  | { readonly updateMany: UpdateManyModel<Schema> }
  | { readonly deleteOne: DeleteOneModel<Schema> }
  | { readonly deleteMany: DeleteManyModel<Schema> };
