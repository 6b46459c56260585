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
  readonly database: GridFSDatabase;
  readonly clock: Pick<Clock, 'now' | 'wallTime'>;
  readonly streams: Streams;
  /** The `_id` of a file that was given none. */
  readonly newId: () => unknown;
  readonly failure: Failure;
  /** Told once, before the first file is stored: the indexes are there. */
  readonly onIndexes?: (() => void) | undefined;
}

/** What an upload is fed with. */
export type Source = Uint8Array | AsyncIterable<Uint8Array>;

/** What is read in the documents of a bucket is read in one way, whatever the documents of the database are to become. */
const legible: CollectionOptions = {
  raw: false,
  promoteValues: true,
  promoteLongs: true,
  promoteBuffers: true,
  useBigInt64: false,
};

/**
 * Files in a database, each cut into chunks. Rule: GridFS.
 *
 * Files are found by what their documents say: `find({ filename: 'a.txt' })`, `find({ 'metadata.owner': 'me' })`.
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

  /** A stream of the host that takes the bytes of a new file; the file is there when it has finished. */
  openUploadStream(filename: string, options: UploadStreamOptions = {}): HostStream & GridFSWriteStream {
    return this.openUploadStreamWithId(options.id, filename, options);
  }

  openUploadStreamWithId(
    id: unknown,
    filename: string,
    options: UploadStreamOptions = {},
  ): HostStream & GridFSWriteStream {
    const settled = this.#uploadOptions(id, filename, options);
    return createWriteStream(this.#deps.streams, this.#upload(settled, options), settled);
  }

  /**
   * Stores the bytes as a new file, and answers its document. If the source fails, or the signal aborts, the chunks that
   * were stored are deleted. What the source takes to give its next bytes cannot be cut short.
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

  /** A stream of the host that gives the bytes of the file. It tells the file's document by the event `file`. */
  openDownloadStream(id: unknown, options: DownloadStreamOptions = {}): HostStream & GridFSReadStream {
    return this.#readStream(limit => this.#fileOf(id, limit), options);
  }

  openDownloadStreamByName(filename: string, options: DownloadByNameOptions = {}): HostStream & GridFSReadStream {
    return this.#readStream(limit => this.#fileNamed(filename, options.revision, limit), options);
  }

  /** The bytes of the file, some at a time. */
  download(id: unknown, options: DownloadStreamOptions = {}): AsyncIterableIterator<Uint8Array, undefined> {
    return this.#download(limit => this.#fileOf(id, limit), options);
  }

  downloadByName(filename: string, options: DownloadByNameOptions = {}): AsyncIterableIterator<Uint8Array, undefined> {
    return this.#download(limit => this.#fileNamed(filename, options.revision, limit), options);
  }

  /** Documents of files. */
  find(filter: Document = {}, options: FindOptions = {}): GridFSCursor {
    return this.#collection('files', {}).find(filter, options);
  }

  /** @throws if there is no such file; chunks of such an id are deleted nevertheless. */
  async delete(id: unknown, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Delete', options);
    const deleted = await this.#files.deleteOne({ _id: { $eq: id } }, limit.options());
    await this.#chunks.deleteMany({ files_id: { $eq: id } }, limit.options());
    this.#found(deleted, `File not found for id ${shown(id)}`);
  }

  /** All files of that name. @throws if there is none */
  async deleteByName(filename: string, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Delete', options);
    const named = this.#named(filename);
    const files = await this.#files.find(named, { ...limit.options(), projection: { _id: 1 } }).toArray();
    if (files.length === 0) throw this.#deps.failure('notFound', `FileNotFound: no file has the name ${filename}`);
    const $in = files.map(file => file['_id'] as unknown);
    await this.#files.deleteMany({ _id: { $in } }, limit.options());
    await this.#chunks.deleteMany({ files_id: { $in } }, limit.options());
  }

  /** @throws if there is no such file */
  async rename(id: unknown, filename: string, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Rename', options);
    const renamed = await this.#files.updateOne({ _id: { $eq: id } }, { $set: { filename } }, limit.options());
    this.#found(renamed, `File with id ${shown(id)} not found`);
  }

  /** All files of that name. @throws if there is none */
  async renameByName(filename: string, newFilename: string, options: OperationOptions = {}): Promise<void> {
    const limit = this.#limit('Rename', options);
    const update = { $set: { filename: newFilename } };
    const renamed = await this.#files.updateMany(this.#named(filename), update, limit.options());
    this.#found(renamed, `FileNotFound: no file has the name ${filename}`);
  }

  /** Drops both collections, the files first. */
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

  /** Until one upload has seen to it, each of them does, so that none waits for another one's time limit. */
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

  /** An object in its place would be a query of its own. */
  #named(filename: string): Document {
    if (typeof filename === 'string') return { filename };
    throw this.#deps.failure('argument', `A filename must be a string, but is of type ${typeof filename}`);
  }

  #bytes(bytes: Uint8Array): Uint8Array {
    if (bytes instanceof Uint8Array) return bytes;
    throw this.#deps.failure('argument', `An upload takes bytes (Uint8Array), but its source gave a ${typeof bytes}`);
  }

  #chunkSize(size: number): number {
    if (Number.isInteger(size) && size > 0) return size;
    throw this.#deps.failure(
      'argument',
      `chunkSizeBytes must be a whole number of bytes from 1 on, but is ${String(size)}`,
    );
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

/** @throws what `failure` makes for a chunk size that cannot be. */
export const createBucket = (deps: BucketDeps, options: BucketOptions = {}): Bucket => new Bucket(deps, options);

/** The id as messages show it. An object without a prototype has no text of its own. */
const shown = (id: unknown): string => {
  try {
    return String(id);
  } catch {
    return `of the type ${typeof id}`;
  }
};
