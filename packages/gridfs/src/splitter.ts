/** Collects bytes of any lengths into chunks of one length. */
export interface Splitter {
  /** Adds bytes and returns the completed chunks, each created on demand. The bytes are copied. */
  split(bytes: Uint8Array): Iterable<Uint8Array<ArrayBuffer>>;
  /** Returns the last, shorter chunk, if there is one. */
  rest(): Uint8Array<ArrayBuffer> | undefined;
  /**
   * Writes the next chunks into these, whose bytes are no longer read. Fresh memory costs more than
   * copying the bytes, because the system provides each page when it is first touched.
   */
  reuse(chunks: readonly Uint8Array<ArrayBuffer>[]): void;
}

/** The initial buffer size, so that a small file does not take the memory of a whole chunk. */
const smallest = 1024;

/** The maximum number of bytes that wait for their reuse: those of one insert, and at least one chunk. */
const mostFreeBytes = 1024 * 1024;

/** Creates a splitter. Rule: GridFS, "File Upload": all chunks except the last have exactly this length. */
export const createSplitter = (chunkSize: number): Splitter => {
  let pending = new Uint8Array(0);
  let length = 0;
  const free: Uint8Array<ArrayBuffer>[] = [];
  const mostFree = Math.ceil(mostFreeBytes / chunkSize);

  const grow = (needed: number): void => {
    if (needed <= pending.length) return;
    const size = Math.min(chunkSize, Math.max(needed, 2 * pending.length, smallest));
    const grown = free.pop() ?? new Uint8Array(size);
    grown.set(pending.subarray(0, length));
    pending = grown;
  };
  const keep = (bytes: Uint8Array): void => {
    grow(length + bytes.length);
    pending.set(bytes, length);
    length += bytes.length;
  };
  const take = (): Uint8Array<ArrayBuffer> => {
    const chunk = pending.length === length ? pending : pending.slice(0, length);
    pending = new Uint8Array(0);
    length = 0;
    return chunk;
  };

  return {
    *split(bytes) {
      let at = 0;
      while (length + bytes.length - at >= chunkSize) {
        const end = at + chunkSize - length;
        keep(bytes.subarray(at, end));
        yield take();
        at = end;
      }
      if (at < bytes.length) keep(bytes.subarray(at));
    },
    rest: () => (length === 0 ? undefined : take()),
    reuse: chunks => {
      for (const chunk of chunks) if (chunk.length === chunkSize && free.length < mostFree) free.push(chunk);
    },
  };
};
