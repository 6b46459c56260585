import type { Clock, Document, HostStream, Streams } from '@tessera/contracts';
import type {
  CollectionOptions,
  Deleted,
  FindOptions,
  GridFSCollection,
  GridFSCursor,
  GridFSDatabase,
  OperationOptions,
} from './database.js';
import { createTimeLimit } from './time-limit.js';
import type { TimeLimit } from './time-limit.js';
import { Download } from './download.js';
import type { DownloadDeps } from './download.js';
import type { Failure } from './failure.js';
import { revisionQuery } from './file.js';
import type { GridFSFile } from './file.js';
import { ensureIndexes } from './indexes.js';
import { defaults } from './options.js';
import type { BucketOptions, DownloadByNameOptions, DownloadStreamOptions, UploadStreamOptions } from './options.js';
import type { Range } from './range.js';
import { createReadStream, createWriteStream } from './streams.js';
import type { GridFSReadStream, GridFSWriteStream } from './streams.js';
import { Upload } from './upload.js';
import type { UploadOptions } from './upload.js';

export interface BucketDeps {
  /** The database of the bucket. */
  readonly database: GridFSDatabase;
  /** Dates the files, and times deadlines. */
  readonly clock: Pick<Clock, 'now' | 'wallTime'>;
  /** Creates the host's streams. */
  readonly streams: Streams;
  /** Creates the `_id` of a file that is stored without one. */
  readonly newId: () => unknown;
  /** Creates the errors of the bucket. */
  readonly failure: Failure;
  /** Called once, when the indexes exist and before the first file is stored. */
  readonly onIndexes?: (() => void) | undefined;
}

/** The content of an upload. */
export type Source = Uint8Array | AsyncIterable<Uint8Array>;

/** The BSON options for reading the bucket's documents. They do not depend on the options of the database. */
const legible: CollectionOptions = {
  raw: false,
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: true,
  useBigInt64: false,
};

/**
 * A bucket: files in a database, each divided into chunks. Rule: GridFS.
 *
 * Find files by the fields of their documents: `find({ filename: 'a.txt' })`, `find({ 'metadata.owner': 'me' })`.
 */
export class Bucket {
  readonly #deps: BucketDeps;
  readonly #options: BucketOptions & typeof defaults;
  readonly #files: GridFSCollection;
  readonly #chunks: GridFSCollection;
  #hasIndexes = false;

  constructor(deps: BucketDeps, options: BucketOptions) {
    this.#deps = deps;
    this.#options = {
      ...options,
      bucketName: options.bucketName ?? defaults.bucketName,
      chunkSizeBytes: this.#chunkSize(options.chunkSizeBytes ?? defaults.chunkSizeBytes),
    };
    this.#files = this.#collection('files', legible);
    this.#chunks = this.#collection('chunks', legible);
  }

  /** Opens a stream of the host that writes a new file. The file is stored when the stream has finished. */
  openUploadStream(filename: string, options: UploadStreamOptions = {}): HostStream & GridFSWriteStream {
    return this.openUploadStreamWithId(options.id, filename, options);
  }

  /** Returns a stream that stores a file under this `_id`. */
  openUploadStreamWithId(
    id: unknown,
    filename: string,
    options: UploadStreamOptions = {},
  ): HostStream & GridFSWriteStream {
    const settled = this.#uploadOptions(id, filename, options);
    return createWriteStream(this.#deps.streams, this.#upload(settled, options), settled);
  }

  /**
   * Stores the bytes as a new file and returns its document. If the source fails or the signal aborts, the stored
   * chunks are deleted. A pending read of the source cannot be interrupted.
   */
  async upload(filename: string, source: Source, options: UploadStreamOptions = {}): Promise<GridFSFile> {
    const upload = this.#upload(this.#uploadOptions(options.id, filename, options), options);
    try {
      if (source instanceof Uint8Array) await upload.write(source);
      else
        for await (const bytes of source) {
          if (options.signal?.aborted === true) throw options.signal.reason;
          await upload.write(this.#bytes(bytes));
        }
    } catch (error) {
      if (!upload.hasFailed || options.signal?.aborted === true) await upload.abort().catch(() => undefined);
      throw error;
    }
    return upload.end();
  }

  /** Opens a stream of the host that reads the file. Its event `file` provides the file's document. */
  openDownloadStream(id: unknown, options: DownloadStreamOptions = {}): HostStream & GridFSReadStream {
    return this.#readStream(limit => this.#fileOf(id, limit), options);
  }

  /** Returns a stream that reads the file of this name. `revision` chooses among several; default: the newest. */
  openDownloadStreamByName(filename: string, options: DownloadByNameOptions = {}): HostStream & GridFSReadStream {
    return this.#readStream(limit => this.#fileNamed(filename, options.revision, limit), options);
  }

  /** Iterates over the bytes of the file, in pieces. */
  download(id: unknown, options: DownloadStreamOptions = {}): AsyncIterableIterator<Uint8Array, undefined> {
    return this.#download(limit => this.#fileOf(id, limit), options);
  }

  /** Reads the file of this name. `revision` chooses among several; default: the newest. */
  downloadByName(filename: string, options: DownloadByNameOptions = {}): AsyncIterableIterator<Uint8Array, undefined> {
    return this.#download(limit => this.#fileNamed(filename, options.revision, limit), options);
  }

  /** Finds the documents of files. */
  find(filter: Document = {}, options: FindOptions = {}): GridFSCursor {
    return this.#collection('files', {}).find(filter, options);
  }

  /** Deletes a file. @throws if there is no such file; chunks with its id are deleted anyway. */
  async delete(id: unknown, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Delete', options);
    const deleted = await this.#files.deleteOne({ _id: { $eq: id } }, limit.options());
    await this.#chunks.deleteMany({ files_id: { $eq: id } }, limit.options());
    this.#found(deleted, `File not found for id ${shown(id)}`);
  }

  /** Deletes all files with that name. @throws if there is none */
  async deleteByName(filename: string, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Delete', options);
    const named = this.#named(filename);
    const files = await this.#files.find(named, { ...limit.options(), projection: { _id: 1 } }).toArray();
    if (files.length === 0) throw this.#deps.failure('notFound', `FileNotFound: no file has the name ${filename}`);
    const $in = files.map(file => file['_id'] as unknown);
    await this.#files.deleteMany({ _id: { $in } }, limit.options());
    await this.#chunks.deleteMany({ files_id: { $in } }, limit.options());
  }

  /** Renames a file. @throws if there is no such file */
  async rename(id: unknown, filename: string, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Rename', options);
    const renamed = await this.#files.updateOne({ _id: { $eq: id } }, { $set: { filename } }, limit.options());
    this.#found(renamed, `File with id ${shown(id)} not found`);
  }

  /** Renames all files with that name. @throws if there is none */
  async renameByName(filename: string, newFilename: string, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Rename', options);
    const update = { $set: { filename: newFilename } };
    const renamed = await this.#files.updateMany(this.#named(filename), update, limit.options());
    this.#found(renamed, `FileNotFound: no file has the name ${filename}`);
  }

  /** Drops both collections, first that of the files. */
  async drop(options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Drop', options);
    this.#hasIndexes = false;
    await this.#files.drop(limit.options());
    await this.#chunks.drop(limit.options());
  }

  #collection(name: 'files' | 'chunks', more: CollectionOptions): GridFSCollection {
    const { bucketName, writeConcern, readConcern, readPreference, timeoutMS } = this.#options;
    const { database } = this.#deps;
    return database.collection(`${bucketName}.${name}`, {
      writeConcern,
      readConcern,
      readPreference,
      timeoutMS,
      ...more,
    });
  }

  #limit(what: string, { timeoutMS, signal }: OperationOptions): TimeLimit {
    const most = timeoutMS ?? this.#options.timeoutMS ?? this.#deps.database.timeoutMS;
    return createTimeLimit(this.#deps, what, most, signal);
  }

  #uploadOptions(id: unknown, filename: string, options: UploadStreamOptions): UploadOptions {
    const { metadata, contentType, aliases } = options;
    const chunkSizeBytes = this.#chunkSize(options.chunkSizeBytes ?? this.#options.chunkSizeBytes);
    return { id: id ?? this.#deps.newId(), filename, chunkSizeBytes, metadata, contentType, aliases };
  }

  #upload(settled: UploadOptions, options: UploadStreamOptions): Upload {
    const { clock, failure } = this.#deps;
    const { writeConcern } = options;
    const concern = { ...legible, writeConcern };
    const files = writeConcern === undefined ? this.#files : this.#collection('files', concern);
    const chunks = writeConcern === undefined ? this.#chunks : this.#collection('chunks', concern);
    const prepare = (limit: TimeLimit): Promise<void> => this.#prepare(limit);
    return new Upload({ clock, failure, files, chunks, prepare }, settled, this.#limit('Upload', options));
  }

  /**
   * Ensures that the indexes exist. Until one upload has succeeded, every upload does this itself, so that none waits
   * for another upload's time limit.
   */
  async #prepare(limit: TimeLimit): Promise<void> {
    if (this.#hasIndexes) return;
    await ensureIndexes(this.#files, this.#chunks, limit);
    if (this.#hasIndexes) return;
    this.#hasIndexes = true;
    this.#deps.onIndexes?.();
  }

  #download(findFile: DownloadDeps['findFile'], options: DownloadStreamOptions): Download {
    const { failure } = this.#deps;
    return new Download(
      { failure, chunks: this.#chunks, findFile },
      () => rangeIn(options),
      this.#limit('Download', options),
    );
  }

  #readStream(findFile: DownloadDeps['findFile'], options: DownloadStreamOptions): HostStream & GridFSReadStream {
    const { failure } = this.#deps;
    const download = { failure, chunks: this.#chunks, findFile };
    return createReadStream(this.#deps, download, rangeIn(options), this.#limit('Download', options));
  }

  async #fileOf(id: unknown, limit: TimeLimit): Promise<Document> {
    const file = await this.#files.findOne({ _id: { $eq: id } }, limit.options());
    if (file !== null) return file;
    throw this.#deps.failure('notFound', `FileNotFound: file ${shown(id)} was not found`);
  }

  async #fileNamed(filename: string, revision: number | undefined, limit: TimeLimit): Promise<Document> {
    const named = this.#named(filename);
    const { sort, skip } = revisionQuery(revision ?? -1);
    const file = await this.#files.findOne(named, { ...limit.options(), sort, ...(skip === 0 ? {} : { skip }) });
    if (file !== null) return file;
    const isThere =
      skip > 0 && (await this.#files.findOne(named, { ...limit.options(), projection: { _id: 1 } })) !== null;
    throw this.#deps.failure(
      'notFound',
      isThere
        ? `FileNotFound: file ${filename} has no revision ${String(revision)}`
        : `FileNotFound: file ${filename} was not found`,
    );
  }

  /** Returns a filter for the name. An object as the name would be interpreted as a query. */
  #named(filename: string): Document {
    if (typeof filename === 'string') return { filename };
    throw this.#deps.failure('argument', `A filename must be a string, but is of type ${typeof filename}.`);
  }

  #bytes(bytes: Uint8Array): Uint8Array {
    if (bytes instanceof Uint8Array) return bytes;
    throw this.#deps.failure(
      'argument',
      `An upload requires bytes (Uint8Array), but the source returned a ${typeof bytes}.`,
    );
  }

  #chunkSize(size: number): number {
    if (Number.isInteger(size) && size > 0) return size;
    throw this.#deps.failure('argument', `"chunkSizeBytes" must be an integer of at least 1, but is ${String(size)}.`);
  }

  #found(counted: Deleted | { readonly acknowledged: boolean; readonly matchedCount: number }, message: string): void {
    const count = 'deletedCount' in counted ? counted.deletedCount : counted.matchedCount;
    if (counted.acknowledged && count === 0) throw this.#deps.failure('notFound', message);
  }
}

const rangeIn = ({ start, end }: DownloadStreamOptions): Partial<Range> => ({
  ...(start === undefined ? {} : { start }),
  ...(end === undefined ? {} : { end }),
});

/** Creates a bucket. @throws an error of `failure` for an invalid chunk size. */
export const createBucket = (deps: BucketDeps, options: BucketOptions = {}): Bucket => new Bucket(deps, options);

/** Returns the id as text for messages. An object without a prototype cannot be converted to text. */
const shown = (id: unknown): string => {
  try {
    return String(id);
  } catch {
    return `of the type ${typeof id}`;
  }
};
