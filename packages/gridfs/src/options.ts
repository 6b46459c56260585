import type { Document } from '@tessera/contracts';
import type { OperationOptions } from './database.js';

/** The options of a bucket. Concerns and the read preference default to those of the database. */
export interface BucketOptions {
  /** The prefix of both collections' names. */
  readonly bucketName?: string | undefined;
  /** The chunk size of new files, in bytes. */
  readonly chunkSizeBytes?: number | undefined;
  readonly writeConcern?: unknown;
  readonly readConcern?: unknown;
  readonly readPreference?: unknown;
  /** The time limit of each call, and of a stream from its creation to its end. Defaults to that of the database. */
  readonly timeoutMS?: number | undefined;
}

/** The defaults. Rule: GridFS, "Configurable GridFSBucket class". 255 KiB. */
export const defaults: { readonly bucketName: string; readonly chunkSizeBytes: number } = {
  bucketName: 'fs',
  chunkSizeBytes: 255 * 1024,
};

export interface UploadStreamOptions extends OperationOptions {
  /** May have any type. By default a new id. */
  readonly id?: unknown;
  readonly chunkSizeBytes?: number | undefined;
  /** Any document to store with the file. */
  readonly metadata?: Document | undefined;
  readonly writeConcern?: unknown;
  /** Deprecated; use `metadata`. */
  readonly contentType?: string | undefined;
  /** Deprecated; use `metadata`. */
  readonly aliases?: readonly string[] | undefined;
}

export interface DownloadStreamOptions extends OperationOptions {
  /** The first byte. Default 0. */
  readonly start?: number | undefined;
  /** The byte after the last one. By default the length of the file. */
  readonly end?: number | undefined;
}

export interface DownloadByNameOptions extends DownloadStreamOptions {
  /** 0 is the oldest file with that name, 1 the next; -1 (the default) the newest, -2 the one before. */
  readonly revision?: number | undefined;
}
