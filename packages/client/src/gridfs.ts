import type { Document, ErrorKind } from '@tessera/contracts';
import { createBucket } from '@tessera/gridfs';
import type {
  Bucket,
  BucketOptions,
  DownloadByNameOptions,
  DownloadStreamOptions,
  Failure,
  FailureReason,
  GridFSFile,
  GridFSReadStream,
  GridFSWriteStream,
  OperationOptions as BucketOperationOptions,
  Source,
  UploadStreamOptions,
} from '@tessera/gridfs';
import type { CollectionOptions } from './collection.js';
import type { ReadConcernLike, ReadPreferenceLike, W, WriteConcern, WriteConcernSettings } from './concerns.js';
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

/** What is not said here is as the database has it. */
export interface GridFSBucketOptions extends BucketOptions {
  readonly writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
  readonly readConcern?: ReadConcernLike | undefined;
  readonly readPreference?: ReadPreferenceLike | undefined;
}

export interface GridFSBucketWriteStreamOptions extends UploadStreamOptions {
  readonly writeConcern?: WriteConcern | WriteConcernSettings | W | undefined;
}

export interface GridFSBucketEvents {
  /** Before the first file is stored: the indexes are there. */
  readonly index: () => void;
}

const classes: Readonly<Record<FailureReason, new (message: string, options: { kind: ErrorKind }) => Error>> = {
  notFound: MongoRuntimeError,
  chunk: MongoGridFSChunkError,
  stream: MongoGridFSStreamError,
  argument: MongoInvalidArgumentError,
  aborted: MongoAPIError,
  timeout: MongoOperationTimeoutError,
};

/** As the official driver has it, a file that is not there bears the code that a host's file system gives. */
const failure: Failure = (reason, message) => {
  const error = new classes[reason](message, { kind: reason === 'timeout' ? 'timeout' : 'usage' });
  return reason === 'notFound' ? Object.assign(error, { code: 'ENOENT' }) : error;
};

/**
 * Files of any size in a database, under the official driver's names. Rule: GridFS.
 *
 * Streams are those of the host, on Node.js `stream.Readable` and `stream.Writable`; `upload` and `download` do without.
 * An error in either direction is the stream's event `error`, or the rejection of what was called: MongoRuntimeError with
 * the code `ENOENT` if there is no such file, MongoGridFSChunkError if a chunk is missing, too many or of the wrong size,
 * MongoOperationTimeoutError when `timeoutMS` has passed, counted from the call to the stream's end.
 */
export class GridFSBucket extends TypedEmitter<GridFSBucketEvents> {
  static readonly INDEX = 'index' as const;
  readonly #bucket: Bucket;

  /** @throws MongoInvalidArgumentError for an option of a wrong type. */
  constructor(db: Db, options?: GridFSBucketOptions | null) {
    super();
    const given = checked(options);
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

  /** A stream that takes the bytes of a new file; its `id` is the file's. The file is there when it has finished. */
  openUploadStream(filename: string, options?: GridFSBucketWriteStreamOptions | null): GridFSWriteStream {
    checkArgument('filename', filename, argument.text);
    return rethrowingAbort(this.#bucket.openUploadStream(filename, checked(options)));
  }

  /** The same with an id of the caller's own. */
  openUploadStreamWithId(
    id: unknown,
    filename: string,
    options?: GridFSBucketWriteStreamOptions | null,
  ): GridFSWriteStream {
    checkArgument('filename', filename, argument.text);
    return rethrowingAbort(this.#bucket.openUploadStreamWithId(id, filename, checked(options)));
  }

  /** A stream of the file's bytes. The event `file` tells its document first. */
  openDownloadStream(id: unknown, options?: DownloadStreamOptions | null): GridFSReadStream {
    return this.#bucket.openDownloadStream(id, checked(options));
  }

  /** The same for the newest file of that name, or another revision. */
  openDownloadStreamByName(filename: string, options?: DownloadByNameOptions | null): GridFSReadStream {
    checkArgument('filename', filename, argument.text);
    return this.#bucket.openDownloadStreamByName(filename, checked(options));
  }

  /**
   * Stores the bytes as a new file, and answers its document. If the source fails, or the signal aborts, the chunks that
   * were stored are deleted. `timeoutMS` cannot cut short what the source takes to give its next bytes.
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
    // The errors of a source have the stacks of lines of its own.
    const ofSource = new Set<unknown>();
    const watched = noting(source, error => ofSource.add(error));
    const fail = (error: unknown): never => {
      if (ofSource.has(error)) throw error;
      return rethrow(error, fail);
    };
    return this.#bucket.upload(filename, watched, options).catch(fail);
  }

  /** The bytes of the file, some at a time. */
  download(id: unknown, options?: DownloadStreamOptions | null): AsyncIterableIterator<Uint8Array, undefined> {
    return rethrowing(this.#bucket.download(id, checked(options)));
  }

  /** The same for the newest file of that name, or another revision. */
  downloadByName(
    filename: string,
    options?: DownloadByNameOptions | null,
  ): AsyncIterableIterator<Uint8Array, undefined> {
    checkArgument('filename', filename, argument.text);
    return rethrowing(this.#bucket.downloadByName(filename, checked(options)));
  }

  /** Documents of files: `find({ filename: 'a.txt' })`, `find({ 'metadata.owner': 'me' })`. */
  find(filter?: Document, options?: FindOptions | null): FindCursor<GridFSFile> {
    return this.#bucket.find(filter, checked(options) as object) as FindCursor<unknown> as FindCursor<GridFSFile>;
  }

  /** @throws MongoRuntimeError if there is no such file. */
  delete(id: unknown, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      return this.#bucket.delete(id, checked(options)).catch(rethrow);
    });
  }

  /** Deletes all files of that name. @throws MongoRuntimeError if there is none. */
  deleteByName(filename: string, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      return this.#bucket.deleteByName(filename, checked(options)).catch(rethrow);
    });
  }

  /** @throws MongoRuntimeError if there is no such file. */
  rename(id: unknown, filename: string, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      return this.#bucket.rename(id, filename, checked(options)).catch(rethrow);
    });
  }

  /** Renames all files of that name. @throws MongoRuntimeError if there is none. */
  renameByName(filename: string, newFilename: string, options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      checkArgument('filename', filename, argument.text);
      checkArgument('newFilename', newFilename, argument.text);
      return this.#bucket.renameByName(filename, newFilename, checked(options)).catch(rethrow);
    });
  }

  /** Drops both collections of the bucket. */
  drop(options?: BucketOperationOptions | null): Promise<void> {
    return asPromise(() => {
      return this.#bucket.drop(checked(options)).catch(rethrow);
    });
  }
}

/** The options, or undefined for none. @throws MongoInvalidArgumentError if one has a wrong type. */
const checked = <T extends object>(options: T | null | undefined): T | undefined => {
  checkOptions(options, bucketOptions);
  return options ?? undefined;
};

/** What the source gives; what it fails with is noted. */
async function* noting(source: AsyncIterable<Uint8Array>, note: (error: unknown) => void): AsyncGenerator<Uint8Array> {
  try {
    yield* source;
  } catch (error) {
    note(error);
    throw error;
  }
}

/** The stack of an error of `abort` begins with the line that called it. */
const rethrowingAbort = <Stream extends GridFSWriteStream>(stream: Stream): Stream => {
  const abort = stream.abort.bind(stream);
  return Object.assign(stream, { abort: () => abort().catch(rethrow) });
};

/** The stack of an error begins with the line that asked for the bytes. */
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
