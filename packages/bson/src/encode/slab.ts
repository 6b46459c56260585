import { allocateOwn, wrap } from '../host.js';
import { Refusal } from './refusal.js';

/** The same as bytes and as numbers. */
interface Memory {
  readonly bytes: Uint8Array;
  readonly numbers: DataView;
}

/** Memory that messages are built in, one after the other; what was handed out is not written to again before it is released. */
export interface Slab {
  bytes: Uint8Array;
  numbers: DataView;
  /** Where the message starts that is being written. */
  origin: number;
  /** What there was before it grew for one large message; everything from the origin on is free there. */
  spare?: Memory | undefined;
}

/** The usual size: some hundred small messages. */
export const slabSize: number = 256 * 1024;

/**
 * No message may be larger. Servers take 48,000,000 bytes; a document that passes this limit is a mistake, most often a
 * reference to half of the application.
 */
const largest = 64 * 1024 * 1024;

const allocate = (size: number): Memory => {
  const memory = allocateOwn(size).buffer;
  return { bytes: wrap(memory), numbers: new DataView(memory as ArrayBuffer) };
};

export const makeSlab = (size: number): Slab => ({ ...allocate(size), origin: 0 });

/** Larger memory is not kept for the next message. */
const mostKept = 4 * 1024 * 1024;

/**
 * Memory of one large message for the next one: fresh memory costs more than to write a third of it, because the system
 * provides every page of it when it is touched first.
 */
let kept: Memory | undefined;
/** What was handed out and may be kept when it is released. */
const lent = new WeakMap<ArrayBufferLike, Memory>();

const large = (size: number): Memory => {
  if (kept === undefined || kept.bytes.length < size) return allocate(size);
  const memory = kept;
  kept = undefined;
  return memory;
};

/** Nobody reads the message any more. */
export const release = (message: Uint8Array): void => {
  const memory = lent.get(message.buffer);
  if (memory === undefined) return;
  lent.delete(message.buffer);
  kept = memory;
};

/** The slab that is being written to, and the same as bytes and numbers, and how many bytes there are. */
export let slab: Slab = { bytes: new Uint8Array(0), numbers: new DataView(new ArrayBuffer(0)), origin: 0 };
export let bytes: Uint8Array = slab.bytes;
export let numbers: DataView = slab.numbers;
export let capacity = 0;

/** The same for generated code, which sees no variables of modules. */
export const memory: { bytes: Uint8Array; numbers: DataView; capacity: number } = { bytes, numbers, capacity };

/** Writes to this slab from now on. */
export const use = (next: Slab): void => {
  slab = next;
  memory.bytes = bytes = next.bytes;
  memory.numbers = numbers = next.numbers;
  memory.capacity = capacity = next.bytes.length;
};

/** Makes room up to that offset; what lies before `written` is kept. The message keeps its offsets, its slab gets new memory. */
export const grow = (end: number, written: number = end): void => {
  const { origin } = slab;
  if (end - origin > largest) {
    throw new Refusal(`the document is larger than ${String(largest)} bytes; MongoDB takes 16 MiB at most`);
  }
  let size = Math.max(slabSize, capacity * 2);
  while (size < end) size *= 2;
  const grown = large(size);
  slab.spare ??= { bytes, numbers };
  grown.bytes.set(bytes.subarray(origin, written), origin);
  slab.bytes = grown.bytes;
  slab.numbers = grown.numbers;
  use(slab);
};

/** Gives up the memory that a slab grew to: a large message is handed out, or was dropped. */
export const shrink = (grown: Slab): void => {
  if (grown.spare === undefined) return;
  const { bytes, numbers } = grown;
  if (bytes.length <= mostKept) lent.set(bytes.buffer, { bytes, numbers });
  Object.assign(grown, grown.spare, { spare: undefined });
  if (grown === slab) use(grown);
};
