import type { Document, ErrorKind } from '@tessera/contracts';
import { createBucket, defaults } from '@tessera/gridfs';
import type {
  Bucket,
  BucketOptions,
  DownloadByNameOptions,
  DownloadStreamOptions,
  Failure,
  FailureReason,
  GridFSChunk,
  GridFSFile,
  GridFSReadStream,
  GridFSWriteStream,
  OperationOptions as BucketOperationOptions,
  Source,
  UploadStreamOptions,
} from '@tessera/gridfs';
import type { Collection, CollectionOptions } from './collection.js';
import { WriteConcern } from './concerns.js';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcernSettings } from './concerns.js';
import type { Db } from './db.js';
import { emitSafely, TypedEmitter } from './emitter.js';
import {
  MongoAPIError,
  MongoGridFSChunkError,
  MongoGridFSStreamError,
  MongoInvalidArgumentError,
  MongoOperationTimeoutError,
  MongoRuntimeError,
} from './errors.js';
import type { FindCursor, FindOptions } from './find-cursor.js';
import type { Origin } from './resolved-options.js';
import { argument, bucketOptions, checkArgument, checkOptions } from './operation-options.js';
import { asPromise, rethrow } from './stack-trace.js';

/** Options of a bucket. Concerns and read preference default to those of the database. */
export interface GridFSBucketOptions extends BucketOptions {
  /** The write concern of uploads and other writes. Default: that of the database. */
  writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  /** The read concern of downloads. Default: that of the database. */
  readConcern?: ReadConcernLike | undefined;
  /** The servers that downloads use. Default: that of the database. */
  readPreference?: ReadPreferenceLike | undefined;
}

/** Options of uploads. */
export interface GridFSBucketWriteStreamOptions extends UploadStreamOptions {
  /** The write concern of the file. Default: that of the bucket. */
  writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
}

/** A stream that stores a file. */
export interface GridFSBucketWriteStream extends GridFSWriteStream {
  /** The bucket. */
  readonly bucket: GridFSBucket;
  /** The collection of the chunks. */
  readonly chunks: Collection<GridFSChunk>;
  /** The collection of the files' documents. */
  readonly files: Collection<GridFSFile>;
  /** The options of the upload. */
  readonly options: GridFSBucketWriteStreamOptions;
  /** The write concern of the upload. Undefined means the server's default. */
  readonly writeConcern: WriteConcern | undefined;
}

/** The events of a bucket. */
export type GridFSBucketEvents = {
  /** The indexes of the bucket exist; emitted before the first file is stored. */
  index(): void;
};

const classes: Readonly<Record<FailureReason, new (message: string, options: { kind: ErrorKind }) => Error>> = {
  notFound: MongoRuntimeError,
  chunk: MongoGridFSChunkError,
  stream: MongoGridFSStreamError,
  argument: MongoInvalidArgumentError,
  aborted: MongoAPIError,
  timeout: MongoOperationTimeoutError,
};

/**
 * Creates the error for a reason. As in the official driver, a missing file has the code ENOENT of Node.js's file
 * system.
 */
const failure: Failure = (reason, message) => {
  const error = new classes[reason](message, { kind: reason === 'timeout' ? 'timeout' : 'usage' });
  return reason === 'notFound' ? Object.assign(error, { code: 'ENOENT' }) : error;
};

/**
 * A GridFS bucket: stores files of any size in a database. Has the members of the official driver's `GridFSBucket`.
 * Rule: GridFS.
 *
 * Streams are those of the runtime: on Node.js `stream.Readable` and `stream.Writable`. `upload` and `download` need no
 * streams. A stream reports errors with the event `error`, and a method rejects its promise:
 *
 * - MongoRuntimeError with the code `ENOENT` if the file does not exist,
 * - MongoGridFSChunkError if a chunk is missing, unexpected or of the wrong size,
 * - MongoOperationTimeoutError after `timeoutMS`, measured from the call to the end of the stream.
 */
export class GridFSBucket extends TypedEmitter<GridFSBucketEvents> {
  /** The name of the event `index`. */
  static readonly INDEX = 'index' as const;
  readonly #bucket: Bucket;
  readonly #db: Db;
  readonly #options: GridFSBucketOptions | undefined;

  /**
   * Creates a bucket of the database. Sends nothing: the first upload creates its collections and indexes.
   * @throws MongoInvalidArgumentError if an option has a wrong type
   * @example const bucket = new GridFSBucket(db, { bucketName: 'posters' });
   */
  constructor(db: Db, options?: GridFSBucketOptions | null) {
    super();
    const given = checked(options);
    this.#db = db;
    this.#options = given;
    const origin = db.client as Origin;
    this.#bucket = createBucket(
      {
        database: {
          timeoutMS: db.timeoutMS,
          collection: (name, how) => db.collection(name, how as CollectionOptions),
        },
        clock: {
          now: () => origin.driver.clock.now(),
          wallTime: () => origin.driver.clock.wallTime(),
        },
        streams: {
          readable: (from, how) => origin.driver.streams.readable(from, how),
          writable: into => origin.driver.streams.writable(into),
        },
        newId: () => origin.driver.newId(),
        failure,
        onIndexes: () => {
          emitSafely(this, origin, 'index');
        },
      },
      given ?? {},
    );
  }

  /**
   * Returns a stream that stores a new file. Its `id` is the file's id. The file exists after the event `finish`.
   * @example const { id } = bucket.openUploadStream('heat.jpg', { metadata: { film: 'Heat' } });
   */
  openUploadStream(filename: string, options?: GridFSBucketWriteStreamOptions | null): GridFSBucketWriteStream {
    checkArgument('filename', filename, argument.text);
    return this.#dressed(this.#bucket.openUploadStream(filename, checked(options)), options);
  }

  /**
   * Returns a stream that stores a new file with this id.
   * @example const stream = bucket.openUploadStreamWithId('poster-1', 'heat.jpg');
   */
  openUploadStreamWithId(
    id: unknown,
    filename: string,
    options?: GridFSBucketWriteStreamOptions | null,
  ): GridFSBucketWriteStream {
    checkArgument('filename', filename, argument.text);
    return this.#dressed(this.#bucket.openUploadStreamWithId(id, filename, checked(options)), options);
  }

  #dressed(
    stream: GridFSWriteStream,
    options: GridFSBucketWriteStreamOptions | null | undefined,
  ): GridFSBucketWriteStream {
    const [db, bucketName = defaults.bucketName] = [this.#db, this.#options?.bucketName];
    const own = options?.writeConcern ?? this.#options?.writeConcern;
    return dressed(stream, {
      bucket: this,
      chunks: db.collection<GridFSChunk>(`${bucketName}.chunks`),
      files: db.collection<GridFSFile>(`${bucketName}.files`),
      options: { timeoutMS: undefined, ...options },
      writeConcern: WriteConcern.fromOptions(own) ?? db.writeConcern,
    });
  }

  /**
   * Returns a stream of the file's bytes. It emits `file` with the file's document before the first bytes.
   * @example const stream = bucket.openDownloadStream(fileId, { start: 0, end: 1024 });
   */
  openDownloadStream(id: unknown, options?: DownloadStreamOptions | null): GridFSReadStream {
    return this.#bucket.openDownloadStream(id, checked(options));
  }

  /**
   * Returns a stream of the bytes of the newest file of that name, or of another revision.
   * @example const stream = bucket.openDownloadStreamByName('heat.jpg', { revision: 0 });
   */
  openDownloadStreamByName(filename: string, options?: DownloadByNameOptions | null): GridFSReadStream {
    checkArgument('filename', filename, argument.text);
    return this.#bucket.openDownloadStreamByName(filename, checked(options));
  }

  /**
   * Stores the bytes as a new file and returns its document. If the source fails or the signal aborts, the stored
   * chunks are deleted. `timeoutMS` cannot interrupt a source while it produces its next bytes.
   * @example const { _id, length } = await bucket.upload('heat.txt', new TextEncoder().encode('a plot'));
   */
  upload(filename: string, source: Source, options?: GridFSBucketWriteStreamOptions | null): Promise<GridFSFile> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      const given = checked(options);
      if (source instanceof Uint8Array) return this.#bucket.upload(filename, source, given).catch(rethrow);
      return this.#uploadFrom(filename, source, given);
    });
  }

  #uploadFrom(
    filename: string,
    source: AsyncIterable<Uint8Array>,
    options: GridFSBucketWriteStreamOptions | undefined,
  ): Promise<GridFSFile> {
    // Errors of a source keep their own stack.
    const ofSource = new Set<unknown>();
    const watched = noting(source, error => ofSource.add(error));
    const fail = (error: unknown): never => {
      if (ofSource.has(error)) throw error;
      return rethrow(error, fail);
    };
    return this.#bucket.upload(filename, watched, options).catch(fail);
  }

  /**
   * Returns the bytes of the file in chunks.
   * @example for await (const bytes of bucket.download(fileId)) console.log(bytes.length);
   */
  download(id: unknown, options?: DownloadStreamOptions | null): AsyncIterableIterator<Uint8Array, undefined> {
    return rethrowing(this.#bucket.download(id, checked(options)));
  }

  /**
   * Returns the bytes of the newest file of that name, or of another revision, in chunks.
   * @example for await (const bytes of bucket.downloadByName('heat.txt')) console.log(bytes.length);
   */
  downloadByName(
    filename: string,
    options?: DownloadByNameOptions | null,
  ): AsyncIterableIterator<Uint8Array, undefined> {
    checkArgument('filename', filename, argument.text);
    return rethrowing(this.#bucket.downloadByName(filename, checked(options)));
  }

  /**
   * Returns a cursor over the documents of files that match the filter. They contain the name, the length and the
   * metadata.
   * @example const files = await bucket.find({ 'metadata.film': 'Heat' }).toArray();
   */
  find(filter?: Document, options?: FindOptions | null): FindCursor<GridFSFile> {
    return this.#bucket.find(filter, checked(options) as object) as FindCursor<unknown> as FindCursor<GridFSFile>;
  }

  /**
   * Deletes a file and its chunks.
   * @throws MongoRuntimeError if it does not exist
   * @example await bucket.delete(fileId);
   */
  delete(id: unknown, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      return this.#bucket.delete(id, checked(options)).catch(rethrow);
    });
  }

  /**
   * Deletes all files of that name.
   * @throws MongoRuntimeError if there is none
   * @example await bucket.deleteByName('heat.txt');
   */
  deleteByName(filename: string, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      return this.#bucket.deleteByName(filename, checked(options)).catch(rethrow);
    });
  }

  /**
   * Renames a file.
   * @throws MongoRuntimeError if it does not exist
   * @example await bucket.rename(fileId, 'heat-1995.txt');
   */
  rename(id: unknown, filename: string, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      return this.#bucket.rename(id, filename, checked(options)).catch(rethrow);
    });
  }

  /**
   * Renames all files of that name.
   * @throws MongoRuntimeError if there is none
   * @example await bucket.renameByName('heat.txt', 'heat-1995.txt');
   */
  renameByName(filename: string, newFilename: string, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      checkArgument('newFilename', newFilename, argument.text);
      return this.#bucket.renameByName(filename, newFilename, checked(options)).catch(rethrow);
    });
  }

  /**
   * Drops both collections of the bucket, with all files.
   * @example await bucket.drop();
   */
  drop(options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      return this.#bucket.drop(checked(options)).catch(rethrow);
    });
  }
}

/** Validates the options. Returns undefined for null. @throws MongoInvalidArgumentError if one has a wrong type */
const checked = <T extends object>(options: T | null | undefined): T | undefined => {
  checkOptions(options, bucketOptions);
  return options ?? undefined;
};

/** Yields the source's chunks, and passes an error of the source to `note`. */
async function* noting(source: AsyncIterable<Uint8Array>, note: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** Adds the bucket with its collections, and wraps `abort`, so that the stack of its errors begins with the line that called it. */
const dressed = (
  stream: GridFSWriteStream,
  members: Pick<GridFSBucketWriteStream, 'bucket' | 'chunks' | 'files' | 'options' | 'writeConcern'>,
): GridFSBucketWriteStream => {
  const abort = stream.abort.bind(stream);
  return Object.assign(stream, members, { abort: () => abort().catch(rethrow) });
};

/** Wraps the iterator, so that the stack of its errors begins with the line that called `next`. */
const rethrowing = (
  bytes: AsyncIterableIterator<Uint8Array, undefined>,
): AsyncIterableIterator<Uint8Array, undefined> => {
  const rethrown: AsyncIterableIterator<Uint8Array, undefined> = {
    next: () => bytes.next().catch(rethrow),
    return: () => bytes.return!().catch(rethrow),
    [Symbol.asyncIterator]: () => rethrown,
  };
  return rethrown;
};
