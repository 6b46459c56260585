/** The part of a database that GridFS uses. */
import type { Document, Signal } from '@tessera/contracts';

/** The options of every operation. */
export interface OperationOptions {
  /** The remaining time in milliseconds; 0 means no limit. */
  timeoutMS?: number | undefined;
  /** Aborts the operation at once with the signal's reason. */
  signal?: Signal | undefined;
}

export interface FindOptions extends OperationOptions {
  /** The fields to return. */
  readonly projection?: Document | undefined;
  /** The order of the documents. */
  readonly sort?: { readonly [field: string]: 1 | -1 } | undefined;
  /** The number of documents to skip. */
  readonly skip?: number | undefined;
  /** The greatest number of documents. 0: all. */
  readonly limit?: number | undefined;
  /** The number of documents of a batch. */
  readonly batchSize?: number | undefined;
  readonly readPreference?: 'primary' | undefined;
}

/** A cursor over documents. */
export interface GridFSCursor {
  /** Returns the next document. Null: there is no other. */
  next(): Promise<Document | null>;
  /** Returns all documents. */
  toArray(): Promise<Document[]>;
  /** Closes the cursor on the server. */
  close(): Promise<void>;
}

/** A collection. Its errors have code 26 if the collection does not exist. */
export interface GridFSCollection {
  find(filter: Document, options: FindOptions): GridFSCursor;
  findOne(filter: Document, options: FindOptions): Promise<Document | null>;
  insertOne(document: Document, options: OperationOptions): Promise<unknown>;
  /** The caller may reuse the bytes of the documents once the result has settled. */
  insertMany(documents: readonly Document[], options: OperationOptions): Promise<unknown>;
  updateOne(filter: Document, update: Document, options: OperationOptions): Promise<Updated>;
  updateMany(filter: Document, update: Document, options: OperationOptions): Promise<Updated>;
  deleteOne(filter: Document, options: OperationOptions): Promise<Deleted>;
  deleteMany(filter: Document, options: OperationOptions): Promise<Deleted>;
  createIndex(
    keys: { readonly [field: string]: 1 },
    options: OperationOptions & { readonly unique?: boolean | undefined },
  ): Promise<unknown>;
  listIndexes(options: OperationOptions): Pick<GridFSCursor, 'toArray'>;
  drop(options: OperationOptions): Promise<unknown>;
}

/** The result of an update. An unacknowledged update has no counts. */
export interface Updated {
  readonly acknowledged: boolean;
  readonly matchedCount: number;
}
export interface Deleted {
  readonly acknowledged: boolean;
  readonly deletedCount: number;
}

/** The options for opening the collections of a bucket. */
export interface CollectionOptions {
  readonly writeConcern?: unknown;
  readonly readConcern?: unknown;
  readonly readPreference?: unknown;
  readonly timeoutMS?: number | undefined;
  readonly raw?: boolean | undefined;
  readonly promoteValues?: boolean | undefined;
  readonly promoteLongs?: boolean | undefined;
  readonly promoteBuffers?: boolean | undefined;
  readonly useBigInt64?: boolean | undefined;
}

export interface GridFSDatabase {
  /** The default time limit of an operation in milliseconds. */
  readonly timeoutMS?: number | undefined;
  /** Returns a collection of the database. */
  collection(name: string, options: CollectionOptions): GridFSCollection;
}
