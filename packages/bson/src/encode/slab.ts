import { allocateOwn, wrap } from '../host.js';
import { Refusal } from './refusal.js';

/** Memory that messages are built in, one after the other; what was handed out is never written to again. */
export interface Slab {
  bytes: Uint8Array;
  numbers: DataView;
}

/** The usual size: some hundred small messages. */
export const slabSize: number = 256 * 1024;

/**
 * No message may be larger. Servers take 48,000,000 bytes; a document that passes this limit is a mistake, most often a
 * reference to half of the application.
 */
export const largest: number = 64 * 1024 * 1024;

export const makeSlab = (size: number): Slab => {
  const memory = allocateOwn(size).buffer;
  return { bytes: wrap(memory), numbers: new DataView(memory as ArrayBuffer) };
};

/** The slab that is being written to. */
export let bytes: Uint8Array = new Uint8Array(0);
export let numbers: DataView = new DataView(bytes.buffer);
export let capacity = 0;

let slab: Slab = { bytes, numbers };
/** Where the message starts that is being written. */
let origin = 0;

/** Writes to this slab from now on; a message starts there. */
export const use = (next: Slab, start: number): void => {
  slab = next;
  origin = start;
  bytes = next.bytes;
  numbers = next.numbers;
  capacity = next.bytes.length;
};

/** What {@link use} needs to come back to what is in use now. */
export const inUse = (): readonly [Slab, number] => [slab, origin];

/** Makes room up to that offset. The message keeps its offsets, its slab gets new memory. */
export const grow = (end: number): void => {
  if (end - origin > largest) {
    throw new Refusal(`the document is larger than ${String(largest)} bytes; MongoDB takes 16 MiB at most`);
  }
  let size = Math.max(slabSize, capacity * 2);
  while (size < end) size *= 2;
  const grown = makeSlab(size);
  grown.bytes.set(bytes.subarray(origin), origin);
  slab.bytes = grown.bytes;
  slab.numbers = grown.numbers;
  use(slab, origin);
};
