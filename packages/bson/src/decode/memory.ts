import { copyOf, wrap } from '../host.js';

/**
 * A buffer to read from, as bytes and as a DataView. Both cover the whole buffer, so one pair serves all documents in
 * it.
 */
export interface Memory {
  readonly buffer: ArrayBufferLike;
  readonly bytes: Uint8Array;
  readonly numbers: DataView;
  /** Binary values of at least this length are not copied. Infinity if the buffer is going to be reused. */
  readonly sharedFrom: number;
}

/** Wraps a buffer that only its owner reads from. */
export const over = (buffer: ArrayBufferLike): Memory => ({
  buffer,
  bytes: wrap(buffer),
  numbers: new DataView(buffer as ArrayBuffer),
  sharedFrom: Infinity,
});

/** A smaller binary value is always copied. */
const leastShared = 64 * 1024;

/**
 * The memory that a shared binary value may hold, as a multiple of its size. A batch of GridFS has 61 chunks.
 */
const mostHeld = 64;

/**
 * Returns the memory for a reply whose bytes never change. A large binary value shares the buffer of the reply instead
 * of being copied.
 */
export const lasting = (memory: Memory): Memory => ({
  ...memory,
  sharedFrom: Math.max(leastShared, memory.bytes.length / mostHeld),
});

let current = over(new ArrayBuffer(0));

/** The buffer that is being read, as bytes and as a DataView, and its size in bytes. Offsets are absolute. */
export let bytes: Uint8Array = current.bytes;
export let numbers: DataView = current.numbers;
export let memoryEnd = 0;
let sharedFrom = Infinity;

/** Makes this buffer the current one. */
export const attach = (memory: Memory): void => {
  if (memory === current) return;
  current = memory;
  bytes = memory.bytes;
  numbers = memory.numbers;
  memoryEnd = memory.bytes.length;
  sharedFrom = memory.sharedFrom;
};

/** Returns the content of a binary value: a copy, unless it may share the buffer. */
export const contentOf = (start: number, end: number): Uint8Array =>
  end - start >= sharedFrom ? bytes.subarray(start, end) : copyOf(bytes, start, end);

/** Recently used buffers, such as the receive buffers of connections. Large buffers are not kept. */
const recent: Memory[] = [];
const mostRecent = 4;
const largestRecent = 256 * 1024;
let oldest = 0;

/**
 * Returns the wrapped form of a buffer. Wrapping costs as much as reading a small document, so recent results are
 * cached.
 */
export const memoryOf = (buffer: ArrayBufferLike): Memory => {
  if (buffer === current.buffer && current.sharedFrom === Infinity) return current;
  for (let i = 0; i < recent.length; i++) if (recent[i]!.buffer === buffer) return recent[i]!;
  const memory = over(buffer);
  if (buffer.byteLength <= largestRecent) {
    recent[oldest] = memory;
    oldest = (oldest + 1) % mostRecent;
  }
  return memory;
};
