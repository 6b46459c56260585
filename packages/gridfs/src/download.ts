import type { Document } from '@tessera/contracts';
import { chunkFault, missingFault } from './chunk-check.js';
import type { GridFSCollection, GridFSCursor } from './database.js';
import type { TimeLimit } from './time-limit.js';
import type { Failure } from './failure.js';
import { chunkCount, layoutOf } from './file.js';
import type { Layout } from './file.js';
import { chunksOf, partOf, rangeOf } from './range.js';
import type { ChunkRange, Range } from './range.js';

export interface DownloadDeps {
  readonly failure: Failure;
  readonly chunks: GridFSCollection;
  /** Finds the file's document. @throws if there is none */
  readonly findFile: (limit: TimeLimit) => Promise<Document>;
  /** Called once with the file's document, before the first bytes. */
  readonly onFile?: ((file: Document) => void) | undefined;
}

/** The maximum number of bytes in one batch: 61 chunks of the default size. A server sends at most 16 MiB. */
const batchBytes = 16_000_000;
const mostChunks = 1000;

const batchSizeOf = ({ chunkSize }: Layout): number =>
  Math.min(Math.max(Math.floor(batchBytes / chunkSize), 1), mostChunks);

/** Returns the bytes of a chunk. With `promoteBuffers`, the value is already a Uint8Array. */
const bytesOf = (data: unknown): Uint8Array =>
  data instanceof Uint8Array
    ? data
    : ((data as { readonly buffer?: Uint8Array } | undefined)?.buffer ?? new Uint8Array(0));

/** Reads the bytes of one file, chunk by chunk and on demand. It can be iterated only once. */
export class Download implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #deps: DownloadDeps;
  readonly #limit: TimeLimit;
  readonly #range: () => Partial<Range>;
  readonly #bytes: AsyncGenerator<Uint8Array, undefined>;
  #cursor: GridFSCursor | undefined;
  #isStopped = false;

  /** @param range called when reading begins */
  constructor(deps: DownloadDeps, range: () => Partial<Range>, limit: TimeLimit) {
    this.#deps = deps;
    this.#range = range;
    this.#limit = limit;
    this.#bytes = this.#read();
  }

  next(): Promise<IteratorResult<Uint8Array, undefined>> {
    return this.#bytes.next();
  }

  /** Ends the server's cursor at once, even while waiting for a batch. */
  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#isStopped = true;
    await this.#cursor?.close();
    return this.#bytes.return(undefined);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async *#read(): AsyncGenerator<Uint8Array, undefined> {
    const { failure, findFile, onFile } = this.#deps;
    const file = await findFile(this.#limit);
    if (this.#isStopped) return;
    const layout = layoutOf(file, failure);
    const range = rangeOf(this.#range(), layout, failure);
    const chunks = chunksOf(range, layout);
    onFile?.(file);
    if (chunks.first === chunks.end) return;
    const cursor = (this.#cursor = this.#find(file['_id'], chunks, layout));
    let expected = chunks.first;
    try {
      for (let chunk = await cursor.next(); chunk !== null; chunk = await cursor.next()) {
        const data = bytesOf(chunk['data']);
        const fault = chunkFault(expected, { n: Number(chunk['n']), size: data.length }, layout);
        if (fault !== undefined) throw failure('chunk', fault);
        if (expected < chunks.end) yield partOf(data, expected, range, layout);
        expected++;
      }
    } finally {
      await cursor.close();
    }
    if (expected < chunks.end && !this.#isStopped) throw failure('chunk', missingFault(expected, chunks.end));
  }

  /**
   * Finds the chunks of a range. A limit is set only if the range ends before the file, because a read to the end must
   * also detect extra chunks.
   */
  #find(id: unknown, { first, end }: ChunkRange, layout: Layout): GridFSCursor {
    return this.#deps.chunks.find(
      { files_id: { $eq: id }, ...(first === 0 ? {} : { n: { $gte: first } }) },
      {
        ...this.#limit.options(),
        sort: { n: 1 },
        batchSize: batchSizeOf(layout),
        ...(end === chunkCount(layout) ? {} : { limit: end - first }),
      },
    );
  }
}
