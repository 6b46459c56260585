import type { Clock, Document, Soon } from '@tessera/contracts';
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
  /** Waited for before the first chunk is stored. */
  readonly prepare: (limit: TimeLimit) => Promise<void>;
}

/** What is stored beside the bytes. */
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
  /** An insert failed, or the end did. What was stored stays. Rule: GridFS, "Operation Failure". */
  | { readonly is: 'failed'; readonly error: unknown }
  | { readonly is: 'ending' }
  | { readonly is: 'stored'; readonly file: GridFSFile }
  | { readonly is: 'aborted' };

const open: State = { is: 'open' };
const ending: State = { is: 'ending' };
const aborted: State = { is: 'aborted' };

const nobodyWaits = (): void => {};

/** While one insert is under way, so much is gathered for the next; then the writer waits. */
const mostBytes = 1024 * 1024;
const mostChunks = 256;

/**
 * One file on its way into a bucket. Chunks are stored in their order, by one insert at a time; meanwhile those that become
 * complete are gathered for the next. So memory holds what one insert carries, and as much again.
 */
export class Upload {
  /** Bytes that were written. */
  length = 0;
  readonly #deps: UploadDeps;
  readonly #options: UploadOptions;
  readonly #limit: TimeLimit;
  readonly #splitter: Splitter;
  #state: State = open;
  #gathered: Document[] = [];
  #gatheredBytes = 0;
  #n = 0;
  #isPrepared = false;
  /** The insert under way, and those that follow without a pause; it never rejects. */
  #storing: Promise<void> | undefined;
  /** Tells the writer that there is room again. */
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

  /** An operation failed. */
  get hasFailed(): boolean {
    return this.#state.is === 'failed';
  }

  /** The bytes may change as soon as this has settled. */
  write(bytes: Uint8Array): Soon<void> {
    const refusal = this.#refusal();
    if (refusal !== undefined) return Promise.reject(refusal.error);
    this.length += bytes.length;
    return this.#take(this.#splitter.split(bytes)[Symbol.iterator]());
  }

  /** Stores what is left and then the file's document. */
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

  /** Deletes the chunks that were stored. @throws if they cannot be deleted, or if there is nothing to abort. */
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

  #take(chunks: Iterator<Uint8Array>): Soon<void> {
    for (let next = chunks.next(); next.done !== true; next = chunks.next()) {
      this.#gather(next.value);
      if (this.#isFull) return this.#takeRest(chunks);
    }
    this.#store();
  }

  /** Goes on when there is room again. */
  async #takeRest(chunks: Iterator<Uint8Array>): Promise<void> {
    this.#store();
    while (this.#isFull) await new Promise<void>(resolve => (this.#wake = resolve));
    this.#check();
    await this.#take(chunks);
  }

  get #isFull(): boolean {
    return this.#gatheredBytes >= mostBytes || this.#gathered.length >= mostChunks;
  }

  /** What was gathered goes its way. */
  #ungather(): readonly Document[] {
    const documents = this.#gathered;
    this.#gathered = [];
    this.#gatheredBytes = 0;
    this.#wake();
    return documents;
  }

  #gather(data: Uint8Array): void {
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
        await this.#deps.chunks.insertMany(this.#ungather(), this.#limit.options());
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
      _id: id,
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
        return { error: this.#deps.failure('stream', 'Nothing can be written to a file whose upload has ended') };
    }
  }

  #check(): void {
    const refusal = this.#refusal();
    if (refusal !== undefined) throw refusal.error;
  }

  /** An insert that failed while the end waited for it. */
  #checkStored(): void {
    if (this.#state.is !== 'ending') this.#check();
  }
}
