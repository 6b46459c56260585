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

/** The bytes of a file, as a stream of Node.js. */
export interface GridFSBucketReadStream extends Readable, Omit<ReadMembers, 'start' | 'end'> {
  /** From this byte on. @throws MongoGridFSStreamError once the reading has begun */
  start(start?: number): this;
  /** Up to, but without, this byte. @throws MongoGridFSStreamError once the reading has begun */
  end(end?: number): this;
}

/** Takes the bytes of a file, as a stream of Node.js. */
export interface GridFSBucketWriteStream extends Writable, WriteMembers {}

export const GridFSBucketReadStream: InstanceCheck<GridFSBucketReadStream> & { readonly FILE: 'file' } = {
  FILE: 'file',
  [Symbol.hasInstance]: (value): value is GridFSBucketReadStream => isReadStream(value),
};

export const GridFSBucketWriteStream: InstanceCheck<GridFSBucketWriteStream> = {
  [Symbol.hasInstance]: (value): value is GridFSBucketWriteStream => isWriteStream(value),
};

/** Files of any size in a database, as the official driver's class of the same name, with streams of Node.js. */
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
