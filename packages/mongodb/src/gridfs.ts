import { GridFSBucket as AnyGridFSBucket, isReadStream, isWriteStream } from '@tessera/client';
import type {
  GridFSBucketReadStreamOptions,
  GridFSBucketReadStreamOptionsWithRevision,
  GridFSBucketWriteStreamOptions,
  GridFSBucketReadStream as ReadMembers,
  GridFSBucketWriteStream as WriteMembers,
} from '@tessera/client';
import type { Readable, Writable } from '@tessera/node';
import type { InstanceCheck } from './instance-check.js';

/** A readable Node.js stream of a GridFS file's bytes. */
export interface GridFSBucketReadStream extends Readable, Omit<ReadMembers, 'start' | 'end'> {
  /** Sets the offset in bytes of the first byte to read. @throws MongoGridFSStreamError if reading has begun */
  start(start?: number): this;
  /**
   * Sets the offset in bytes at which reading stops; the byte at `end` is not read.
   * @throws MongoGridFSStreamError if reading has begun
   */
  end(end?: number): this;
}

/** A writable Node.js stream that stores the bytes written to it as a GridFS file. */
export interface GridFSBucketWriteStream extends Writable, WriteMembers {}

export const GridFSBucketReadStream: InstanceCheck<GridFSBucketReadStream> & { readonly FILE: 'file' } = {
  FILE: 'file',
  [Symbol.hasInstance]: (value): value is GridFSBucketReadStream => isReadStream(value),
};

export const GridFSBucketWriteStream: InstanceCheck<GridFSBucketWriteStream> = {
  [Symbol.hasInstance]: (value): value is GridFSBucketWriteStream => isWriteStream(value),
};

/**
 * A GridFS bucket: stores files of any size in a database. Has the members of the official driver's `GridFSBucket`; its
 * streams are Node.js streams.
 */
export class GridFSBucket extends AnyGridFSBucket {
  override openUploadStream(filename: string, options?: GridFSBucketWriteStreamOptions): GridFSBucketWriteStream {
    return super.openUploadStream(filename, options) as GridFSBucketWriteStream;
  }

  override openUploadStreamWithId(
    id: unknown,
    filename: string,
    options?: GridFSBucketWriteStreamOptions,
  ): GridFSBucketWriteStream {
    return super.openUploadStreamWithId(id, filename, options) as GridFSBucketWriteStream;
  }

  override openDownloadStream(id: unknown, options?: GridFSBucketReadStreamOptions): GridFSBucketReadStream {
    return super.openDownloadStream(id, options) as GridFSBucketReadStream;
  }

  override openDownloadStreamByName(
    filename: string,
    options?: GridFSBucketReadStreamOptionsWithRevision,
  ): GridFSBucketReadStream {
    return super.openDownloadStreamByName(filename, options) as GridFSBucketReadStream;
  }
}
