import type { Document } from '@tessera/contracts';
import type { OperationOptions } from './database.js';

/** Concerns and the read preference are the database's where nothing else is said. */
export interface BucketOptions {
  /** What the names of both collections begin with. */
  readonly bucketName?: string | undefined;
  /** Of the files that are written, in bytes. */
  readonly chunkSizeBytes?: number | undefined;
  readonly writeConcern?: unknown;
  readonly readConcern?: unknown;
  readonly readPreference?: unknown;
  /** For each call, and for a stream from its making to its end; by default the database's. */
  readonly timeoutMS?: number | undefined;
}

/** Rule: GridFS, "Configurable GridFSBucket class". 255 KiB. */
export const defaults: { readonly bucketName: string; readonly chunkSizeBytes: number } = {
  bucketName: 'fs',
  chunkSizeBytes: 255 * 1024,
};

export interface UploadStreamOptions extends OperationOptions {
  /** Of any type; by default a new one. */
  readonly id?: unknown;
  readonly chunkSizeBytes?: number | undefined;
  /** Whatever is to be kept with the file. */
  readonly metadata?: Document | undefined;
  readonly writeConcern?: unknown;
  /** Of old: today it belongs into `metadata`. */
  readonly contentType?: string | undefined;
  /** Of old: today it belongs into `metadata`. */
  readonly aliases?: readonly string[] | undefined;
}

export interface DownloadStreamOptions extends OperationOptions {
  /** The first byte; by default 0. */
  readonly start?: number | undefined;
  /** The byte behind the last one; by default the file's length. */
  readonly end?: number | undefined;
}

export interface DownloadByNameOptions extends DownloadStreamOptions {
  /** 0 is the oldest file of that name, 1 the next; -1, the default, the newest, -2 the one before. */
  readonly revision?: number | undefined;
}
