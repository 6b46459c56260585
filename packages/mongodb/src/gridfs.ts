import { GridFSBucket as AnyGridFSBucket, isReadStream, isWriteStream } from '@tessera/client';
import type {
  GridFSBucketReadStreamOptions,
  GridFSBucketReadStreamOptionsWithRevision,
  GridFSBucketWriteStreamOptions,
  GridFSBucketReadStream as ReadMembers,
  GridFSBucketWriteStream as WriteMembers,
} from '@tessera/client';
import type { Readable, Writable } from '@tessera/node';
import { instanceCheck } from './instance-check.js';
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

/** Tests with `instanceof` whether a value is a download stream of GridFS. */
export const GridFSBucketReadStream: InstanceCheck<GridFSBucketReadStream> & { readonly FILE: 'file' } = Object.assign(
  instanceCheck<GridFSBucketReadStream>('GridFSBucketReadStream', isReadStream),
  { FILE: 'file' as const },
);

/** Tests with `instanceof` whether a value is an upload stream of GridFS. */
export const GridFSBucketWriteStream: InstanceCheck<GridFSBucketWriteStream> = instanceCheck(
  'GridFSBucketWriteStream',
  isWriteStream,
);

/** Sets the constructor of a stream, because libraries read its name. */
const named = <Stream>(stream: unknown, constructor: InstanceCheck<Stream>): Stream =>
  Object.defineProperty(stream, 'constructor', { value: constructor, writable: true, configurable: true }) as Stream;

/**
 * A GridFS bucket: stores files of any size in a database. Has the members of the official driver's `GridFSBucket`; its
 * streams are Node.js streams.
 */
export class GridFSBucket extends AnyGridFSBucket {
  /**
   * Returns a stream that stores a new file. Its `id` is the file's id. The file exists after the event `finish`.
   * @example createReadStream('heat.jpg').pipe(bucket.openUploadStream('heat.jpg'));
   */
  override openUploadStream(filename: string, options?: GridFSBucketWriteStreamOptions): GridFSBucketWriteStream {
    return named(super.openUploadStream(filename, options), GridFSBucketWriteStream);
  }

  /**
   * Returns a stream that stores a new file with this id.
   * @example createReadStream('heat.jpg').pipe(bucket.openUploadStreamWithId('poster-1', 'heat.jpg'));
   */
  override openUploadStreamWithId(
    id: unknown,
    filename: string,
    options?: GridFSBucketWriteStreamOptions,
  ): GridFSBucketWriteStream {
    return named(super.openUploadStreamWithId(id, filename, options), GridFSBucketWriteStream);
  }

  /**
   * Returns a stream of the file's bytes. It emits `file` with the file's document before the first bytes.
   * @example bucket.openDownloadStream(fileId).pipe(process.stdout);
   */
  override openDownloadStream(id: unknown, options?: GridFSBucketReadStreamOptions): GridFSBucketReadStream {
    return named(super.openDownloadStream(id, options), GridFSBucketReadStream);
  }

  /**
   * Returns a stream of the bytes of the newest file of that name, or of another revision.
   * @example bucket.openDownloadStreamByName('heat.txt', { revision: 0 }).pipe(process.stdout);
   */
  override openDownloadStreamByName(
    filename: string,
    options?: GridFSBucketReadStreamOptionsWithRevision,
  ): GridFSBucketReadStream {
    return named(super.openDownloadStreamByName(filename, options), GridFSBucketReadStream);
  }
}
