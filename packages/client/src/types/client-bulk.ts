import type { Document } from '@tessera/contracts';
import type { DeleteOneModel, InsertOneModel, ReplaceOneModel, UpdateManyModel, UpdateOneModel } from './bulk.js';

/** The collection of a write of `MongoClient.bulkWrite`. */
export interface ClientWriteModel {
  /** `db.collection` */
  readonly namespace: string;
}

export interface ClientInsertOneModel<Schema = Document> extends ClientWriteModel, InsertOneModel<Schema> {
  readonly name: 'insertOne';
}
export interface ClientReplaceOneModel<Schema = Document> extends ClientWriteModel, ReplaceOneModel<Schema> {
  readonly name: 'replaceOne';
}
export interface ClientUpdateOneModel<Schema = Document> extends ClientWriteModel, UpdateOneModel<Schema> {
  readonly name: 'updateOne';
}
export interface ClientUpdateManyModel<Schema = Document> extends ClientWriteModel, UpdateManyModel<Schema> {
  readonly name: 'updateMany';
}
export interface ClientDeleteOneModel<Schema = Document> extends ClientWriteModel, DeleteOneModel<Schema> {
  readonly name: 'deleteOne';
}
export interface ClientDeleteManyModel<Schema = Document> extends ClientWriteModel, DeleteOneModel<Schema> {
  readonly name: 'deleteMany';
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
  [Namespace in keyof SchemaMap]: AnyClientBulkWriteModel<SchemaMap[Namespace]> & { readonly namespace: Namespace };
}[keyof SchemaMap];

export interface ClientInsertOneResult {
  readonly insertedId: unknown;
}
export interface ClientUpdateResult {
  readonly matchedCount: number;
  readonly modifiedCount: number;
  /** Only present if a document was inserted. */
  readonly upsertedId?: unknown;
  readonly didUpsert: boolean;
}
export interface ClientDeleteResult {
  readonly deletedCount: number;
}

/**
 * The result of `MongoClient.bulkWrite`. The maps exist only with `verboseResults`; their keys are indexes of the given
 * list. Rule: Bulk Write, "Result".
 */
export interface ClientBulkWriteResult {
  readonly acknowledged: boolean;
  readonly insertedCount: number;
  readonly upsertedCount: number;
  readonly matchedCount: number;
  readonly modifiedCount: number;
  readonly deletedCount: number;
  readonly insertResults: ReadonlyMap<number, ClientInsertOneResult> | undefined;
  readonly updateResults: ReadonlyMap<number, ClientUpdateResult> | undefined;
  readonly deleteResults: ReadonlyMap<number, ClientDeleteResult> | undefined;
}
