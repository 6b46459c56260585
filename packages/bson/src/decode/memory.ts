import { wrap } from '../host.js';

/**
 * The memory that is being read, as bytes and as numbers. Both lie over the whole ArrayBuffer, so that one pair serves
 * all documents of a receive buffer; offsets are absolute. Swapped only when the ArrayBuffer is another one.
 */
export let bytes: Uint8Array = wrap(new ArrayBuffer(0));
export let numbers: DataView = new DataView(bytes.buffer);
/** How many bytes there are. */
export let memoryEnd = 0;

let memory: ArrayBufferLike = bytes.buffer;

/** Reads from this memory from now on. */
export const attach = (next: ArrayBufferLike): void => {
  if (next === memory) return;
  memory = next;
  bytes = wrap(next);
  numbers = new DataView(next as ArrayBuffer);
  memoryEnd = next.byteLength;
};
