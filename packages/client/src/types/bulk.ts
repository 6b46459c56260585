import type { Document, Filter, UpdateFilter } from '@tessera/contracts';
import type { Sort } from '../sort.js';
import type { CollationOptions, Hint, OptionalId, WithoutId } from './documents.js';

/** An insert of a bulk write. */
export interface InsertOneModel<Schema = Document> {
  /** The document. If it has no `_id`, the driver generates one. */
  document: OptionalId<Schema>;
}
/** A replacement of a bulk write. */
export interface ReplaceOneModel<Schema = Document> {
  /** The filter that selects the document. The first match is replaced. */
  filter: Filter<Schema>;
  /** The new document. The `_id` stays the same. */
  replacement: WithoutId<Schema>;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /** Inserts the document if none matches. Default: false. */
  upsert?: boolean;
  /** The order that decides which of several matching documents is replaced. Since MongoDB 8.0. */
  sort?: Sort;
}
/** An update of one document in a bulk write. */
export interface UpdateOneModel<Schema = Document> {
  /** The filter that selects the document. The first match is updated. */
  filter: Filter<Schema>;
  /** The update operators, or an aggregation pipeline. */
  update: UpdateFilter<Schema> | Document[];
  /** Filters that select the array elements to update. */
  arrayFilters?: Document[];
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
  /** Inserts a document if none matches. Default: false. */
  upsert?: boolean;
  /** The order that decides which of several matching documents is updated. Since MongoDB 8.0. */
  sort?: Sort;
}
/** An update of all matching documents in a bulk write. */
export type UpdateManyModel<Schema = Document> = Omit<UpdateOneModel<Schema>, 'sort'>;
/** A deletion of one document in a bulk write. */
export interface DeleteOneModel<Schema = Document> {
  /** The filter that selects the document. The first match is deleted. */
  filter: Filter<Schema>;
  /** The collation: language-specific rules for comparing strings. Default: the collection's collation. */
  collation?: CollationOptions | undefined;
  /** The index to use, by its name or keys. Default: chosen by the server. */
  hint?: Hint | undefined;
}
/** A deletion of all matching documents in a bulk write. */
export type DeleteManyModel<Schema = Document> = DeleteOneModel<Schema>;

/** An operation of `Collection.bulkWrite`. */
export type AnyBulkWriteOperation<Schema = Document> =
  | { insertOne: InsertOneModel<Schema> }
  | { replaceOne: ReplaceOneModel<Schema> }
  | { updateOne: UpdateOneModel<Schema> }
  | { updateMany: UpdateManyModel<Schema> }
  | { deleteOne: DeleteOneModel<Schema> }
  | { deleteMany: DeleteManyModel<Schema> };
