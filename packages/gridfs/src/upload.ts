import type { Clock, Document, ObjectId, Soon } from '@tessera/contracts';
import type { GridFSCollection } from './database.js';
import type { TimeLimit } from './time-limit.js';
import type { Failure } from './failure.js';
import type { GridFSFile } from './file.js';
import { createSplitter } from './splitter.js';
import type { Splitter } from './splitter.js';

export interface UploadDeps {
  readonly clock: Pick<Clock, 'wallTime'>;
  readonly failure: Failure;
  readonly files: GridFSCollection;
  readonly chunks: GridFSCollection;
  /** Called before the first chunk is stored, and awaited. */
  readonly prepare: (limit: TimeLimit) => Promise<void>;
}

/** The metadata of the file. */
export interface UploadOptions {
  readonly id: unknown;
  readonly filename: string;
  readonly chunkSizeBytes: number;
  readonly metadata?: Document | undefined;
  readonly contentType?: string | undefined;
  readonly aliases?: readonly string[] | undefined;
}

type State =
  | { readonly is: 'open' }
  /** An insert or the end of the upload failed. Stored chunks are kept. Rule: GridFS, "Operation Failure". */
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'ending' }
  | { readonly is: 'stored'; readonly file: GridFSFile }
  | { readonly is: 'aborted' };

/** The document of a chunk that is not stored yet. */
interface Chunk extends Document {
  readonly data: Uint8Array<ArrayBuffer>;
}

const open: State = { is: 'open' };
const ending: State = { is: 'ending' };
const aborted: State = { is: 'aborted' };

const nobodyWaits = (): void => {};

/** The amount of data collected while an insert is running. Beyond it, the writer must wait. */
const mostBytes = 1024 * 1024;
const mostChunks = 256;

/**
 * The upload of one file. Chunks are stored in order, one insert at a time, while the next chunks are collected. Memory
 * therefore holds the data of at most two inserts.
 */
export class Upload {
  /** The number of bytes written. */
  length = 0;
  readonly #deps: UploadDeps;
  readonly #options: UploadOptions;
  readonly #limit: TimeLimit;
  readonly #splitter: Splitter;
  #state: State = open;
  #gathered: Chunk[] = [];
  #gatheredBytes = 0;
  #n = 0;
  #isPrepared = false;
  /** The current insert and all inserts that follow without a pause. The promise never rejects. */
  #storing: Promise<void> | undefined;
  /** Resumes a waiting writer when there is room again. */
  #wake: () => void = nobodyWaits;

  constructor(deps: UploadDeps, options: UploadOptions, limit: TimeLimit) {
    this.#deps = deps;
    this.#options = options;
    this.#limit = limit;
    this.#splitter = createSplitter(options.chunkSizeBytes);
  }

  /** The document of the files collection, once it is stored. */
  get file(): GridFSFile | undefined {
    return this.#state.is === 'stored' ? this.#state.file : undefined;
  }

  get isAborted(): boolean {
    return this.#state.is === 'aborted';
  }

  /** Whether an operation failed. */
  get hasFailed(): boolean {
    return this.#state.is === 'failed';
  }

  /** Writes bytes. The caller may reuse the buffer once the result has settled. */
  write(bytes: Uint8Array): Soon<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal.error);
    this.length += bytes.length;
    return this.#take(this.#splitter.split(bytes)[Symbol.iterator]());
  }

  /** Stores the remaining chunks and then the file's document. */
  async end(): Promise<GridFSFile> {
    this.#check();
    this.#state = ending;
    try {
      const rest = this.#splitter.rest();
      if (rest !== undefined) this.#gather(rest);
      this.#store();
      await this.#storing;
      this.#checkStored();
      await this.#prepare();
      const file = this.#document();
      await this.#deps.files.insertOne({ ...file, length: BigInt(file.length) }, this.#limit.options());
      this.#state = { is: 'stored', file };
      return file;
    } catch (error) {
      this.#fail(error);
      throw error;
    }
  }

  /** Deletes the stored chunks. @throws if they cannot be deleted, or if there is nothing to abort. */
  async abort(): Promise<void> {
    const { failure, chunks } = this.#deps;
    const { is } = this.#state;
    if (is === 'stored' || is === 'ending')
      throw failure('aborted', 'Cannot abort a stream that has already completed');
    if (is === 'aborted') throw failure('aborted', 'Cannot call abort() on a stream twice');
    this.#state = aborted;
    this.#ungather();
    await this.#storing;
    await chunks.deleteMany({ files_id: { $eq: this.#options.id } }, { ...this.#limit.options(), signal: undefined });
  }

  #take(chunks: Iterator<Uint8Array<ArrayBuffer>>): Soon<void> {
    for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
      this.#gather(next.value);
      if (this.#isFull) return this.#takeRest(chunks);
    }
    this.#store();
  }

  /** Continues when there is room again. */
  async #takeRest(chunks: Iterator<Uint8Array<ArrayBuffer>>): Promise<void> {
    this.#store();
    while (this.#isFull) await new Promise<void>(resolve => (this.#wake = resolve));
    this.#check();
    await this.#take(chunks);
  }

  get #isFull(): boolean {
    return this.#gatheredBytes >= mostBytes || this.#gathered.length >= mostChunks;
  }

  /** Empties the collected chunks and returns them. */
  #ungather(): readonly Chunk[] {
    const documents = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#wake();
    return documents;
  }

  #gather(data: Uint8Array<ArrayBuffer>): void {
    this.#gathered.push({ files_id: this.#options.id, n: this.#n++, data });
    this.#gatheredBytes += data.length;
  }

  #store(): void {
    if (this.#storing !== undefined || this.#gathered.length === 0) return;
    this.#storing = this.#storeGathered().finally(() => {
      this.#storing = undefined;
    });
  }

  async #storeGathered(): Promise<void> {
    try {
      await this.#prepare();
      while (this.#gathered.length > 0) {
        const documents = this.#ungather();
        await this.#deps.chunks.insertMany(documents, this.#limit.options());
        this.#splitter.reuse(documents.map(({ data }) => data));
      }
    } catch (error) {
      this.#fail(error);
    }
  }

  async #prepare(): Promise<void> {
    if (this.#isPrepared) return;
    await this.#deps.prepare(this.#limit);
    this.#isPrepared = true;
  }

  #document(): GridFSFile {
    const { id, filename, chunkSizeBytes, metadata, contentType, aliases } = this.#options;
    return {
      _id: id as ObjectId,
      length: this.length,
      chunkSize: chunkSizeBytes,
      uploadDate: new Date(this.#deps.clock.wallTime()),
      filename,
      ...(contentType === undefined ? {} : { contentType }),
      ...(aliases === undefined ? {} : { aliases }),
      ...(metadata === undefined ? {} : { metadata }),
    };
  }

  #fail(error: unknown): void {
    this.#ungather();
    if (this.#state.is === 'open' || this.#state.is === 'ending') this.#state = { is: 'failed', error };
  }

  #refusal(): { readonly error: unknown } | undefined {
    const state = this.#state;
    switch (state.is) {
      case 'open':
        return undefined;
      case 'failed':
        return state;
      case 'aborted':
        return { error: this.#deps.failure('aborted', 'Stream has been aborted') };
      case 'ending':
      case 'stored':
        return { error: this.#deps.failure('stream', 'Cannot write to a file after its upload has ended') };
    }
  }

  #check(): void {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal.error;
  }

  /** Checks whether an insert failed during the end. */
  #checkStored(): void {
    if (this.#state.is !== 'ending') this.#check();
  }
}
