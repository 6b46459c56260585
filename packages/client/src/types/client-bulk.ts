import type { Document } from '@tessera/contracts';
import type { DeleteOneModel, InsertOneModel, ReplaceOneModel, UpdateManyModel, UpdateOneModel } from './bulk.js';

/** The collection of a write of `MongoClient.bulkWrite`. */
export interface ClientWriteModel {
  /** `db.collection` */
  namespace: string;
}

/** An insert of `client.bulkWrite`. */
export interface ClientInsertOneModel<Schema = Document> extends ClientWriteModel, InsertOneModel<Schema> {
  /** The kind of the write. */
  name: 'insertOne';
}
/** A replacement of `client.bulkWrite`. */
export interface ClientReplaceOneModel<Schema = Document> extends ClientWriteModel, ReplaceOneModel<Schema> {
  /** The kind of the write. */
  name: 'replaceOne';
}
/** An update of one document of `client.bulkWrite`. */
export interface ClientUpdateOneModel<Schema = Document> extends ClientWriteModel, UpdateOneModel<Schema> {
  /** The kind of the write. */
  name: 'updateOne';
}
/** An update of all matching documents of `client.bulkWrite`. */
export interface ClientUpdateManyModel<Schema = Document> extends ClientWriteModel, UpdateManyModel<Schema> {
  /** The kind of the write. */
  name: 'updateMany';
}
/** A deletion of one document of `client.bulkWrite`. */
export interface ClientDeleteOneModel<Schema = Document> extends ClientWriteModel, DeleteOneModel<Schema> {
  /** The kind of the write. */
  name: 'deleteOne';
}
/** A deletion of all matching documents of `client.bulkWrite`. */
export interface ClientDeleteManyModel<Schema = Document> extends ClientWriteModel, DeleteOneModel<Schema> {
  /** The kind of the write. */
  name: 'deleteMany';
}

/** A write of `MongoClient.bulkWrite`. */
export type AnyClientBulkWriteModel<Schema = Document> =
  | ClientInsertOneModel<Schema>
  | ClientReplaceOneModel<Schema>
  | ClientUpdateOneModel<Schema>
  | ClientUpdateManyModel<Schema>
  | ClientDeleteOneModel<Schema>
  | ClientDeleteManyModel<Schema>;

/** A write with the schema of its namespace: `ClientBulkWriteModel<{ 'shop.films': Film; 'shop.users': User }>`. */
export type ClientBulkWriteModel<SchemaMap extends Record<string, Document> = Record<string, Document>> = {
  [Namespace in keyof SchemaMap]: AnyClientBulkWriteModel<SchemaMap[Namespace]> & {
    /** `db.collection` */
    namespace: Namespace;
  };
}[keyof SchemaMap];

/** The result of one insert of `client.bulkWrite`. */
export interface ClientInsertOneResult {
  /** The `_id` of the document. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: an id without a schema
  insertedId: any;
}
/** The result of one update or replacement of `client.bulkWrite`. */
export interface ClientUpdateResult {
  /** The number of documents that matched the filter. */
  matchedCount: number;
  /** The number of documents that the update changed. */
  modifiedCount: number;
  /** Only present if a document was inserted. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as in the official driver: an id without a schema
  upsertedId?: any;
  /** Whether the upsert inserted a document. */
  didUpsert: boolean;
}
/** The result of one deletion of `client.bulkWrite`. */
export interface ClientDeleteResult {
  /** The number of deleted documents. */
  deletedCount: number;
}

/**
 * The result of `MongoClient.bulkWrite`. The maps exist only with `verboseResults`; their keys are indexes of the given
 * list. Rule: Bulk Write, "Result".
 */
export interface ClientBulkWriteResult {
  /** Whether the server acknowledged the writes. If not, all counts are 0. */
  readonly acknowledged: boolean;
  /** The number of inserted documents. */
  readonly insertedCount: number;
  /** The number of documents that upserts inserted. */
  readonly upsertedCount: number;
  /** The number of documents that updates matched. */
  readonly matchedCount: number;
  /** The number of documents that updates changed. */
  readonly modifiedCount: number;
  /** The number of deleted documents. */
  readonly deletedCount: number;
  /** The result of each insert by its index in the given list. */
  readonly insertResults: ReadonlyMap<number, ClientInsertOneResult> | undefined;
  /** The result of each update and replacement by its index in the given list. */
  readonly updateResults: ReadonlyMap<number, ClientUpdateResult> | undefined;
  /** The result of each deletion by its index in the given list. */
  readonly deleteResults: ReadonlyMap<number, ClientDeleteResult> | undefined;
}
