import { wrap } from '../host.js';

/** Memory to read from, as bytes and as numbers; both lie over the whole of it, so that one pair serves all its documents. */
export interface Memory {
  readonly buffer: ArrayBufferLike;
  readonly bytes: Uint8Array;
  readonly numbers: DataView;
}

/** Memory that only its owner reads from. */
export const over = (buffer: ArrayBufferLike): Memory => ({
  buffer,
  bytes: wrap(buffer),
  numbers: new DataView(buffer as ArrayBuffer),
});

let current = over(new ArrayBuffer(0));

/** The memory that is being read, as bytes and as numbers, and how many bytes there are. Offsets are absolute. */
export let bytes: Uint8Array = current.bytes;
export let numbers: DataView = current.numbers;
export let memoryEnd = 0;

/** Reads from this memory from now on. */
export const attach = (memory: Memory): void => {
  if (memory === current) return;
  current = memory;
  bytes = memory.bytes;
  numbers = memory.numbers;
  memoryEnd = memory.bytes.length;
};

/** The receive buffers of a process, and what else is read from again and again. Large memory is not held. */
const recent: Memory[] = [];
const mostRecent = 4;
const largestRecent = 256 * 1024;
let oldest = 0;

/** The memory of some bytes. Making it costs as much as reading a small document, so some are kept. */
export const memoryOf = (buffer: ArrayBufferLike): Memory => {
  if (buffer === current.buffer) return current;
  for (let i = 0; i < recent.length; i++) if (recent[i]!.buffer === buffer) return recent[i]!;
  const memory = over(buffer);
  if (buffer.byteLength <= largestRecent) {
    recent[oldest] = memory;
    oldest = (oldest + 1) % mostRecent;
  }
  return memory;
};
