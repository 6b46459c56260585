import type { Document, Sort } from '@tessera/contracts';
import type { OperationOptions } from './database.js';

/** The options of a bucket. Concerns and the read preference default to those of the database. */
export interface BucketOptions {
  /** The prefix of both collections' names. */
  bucketName?: string | undefined;
  /** The chunk size of new files, in bytes. */
  chunkSizeBytes?: number | undefined;
  /** The write concern of uploads and deletions. Default: that of the database. */
  readonly writeConcern?: unknown;
  /** The read concern of downloads. Default: that of the database. */
  readonly readConcern?: unknown;
  /** The read preference of downloads. Default: that of the database. */
  readonly readPreference?: unknown;
  /** The time limit of each call, and of a stream from its creation to its end. Defaults to that of the database. */
  timeoutMS?: number | undefined;
}

/** The defaults. Rule: GridFS, "Configurable GridFSBucket class". 255 KiB. */
export const defaults: { readonly bucketName: string; readonly chunkSizeBytes: number } = {
  bucketName: 'fs',
  chunkSizeBytes: 255 * 1024,
};

export interface UploadStreamOptions extends OperationOptions {
  /** May have any type. By default a new id. */
  id?: unknown;
  /** The size of every chunk except the last, in bytes. Default: that of the bucket, 255 KB. */
  chunkSizeBytes?: number | undefined;
  /** Any document to store with the file. */
  metadata?: Document | undefined;
  /** The write concern of the file. Default: that of the bucket. */
  readonly writeConcern?: unknown;
  /** Deprecated; use `metadata`. */
  contentType?: string | undefined;
  /** Deprecated; use `metadata`. */
  aliases?: readonly string[] | undefined;
}

/** Options of downloads. */
export interface DownloadStreamOptions extends OperationOptions {
  /** The first byte. Default 0. */
  start?: number | undefined;
  /** The byte after the last one. By default the length of the file. */
  end?: number | undefined;
  /** Has no effect, because the id or the revision selects one file. For compatibility. */
  sort?: Sort | undefined;
  /** Has no effect, because the id or the revision selects one file. For compatibility. */
  skip?: number | undefined;
}

/** Options of downloads by name. */
export interface DownloadByNameOptions extends DownloadStreamOptions {
  /** 0 is the oldest file with that name, 1 the next; -1 (the default) the newest, -2 the one before. */
  revision?: number | undefined;
}
