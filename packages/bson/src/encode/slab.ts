import { allocateOwn, wrap } from '../host.js';
import { Refusal } from './refusal.js';

/** A buffer as bytes and as a DataView. */
interface Memory {
  readonly bytes: Uint8Array;
  readonly numbers: DataView;
}

/**
 * A buffer in which messages are built one after the other. The memory of a message is not written to again before the
 * message is released.
 */
export interface Slab {
  bytes: Uint8Array;
  numbers: DataView;
  /** The start of the message that is being written. */
  origin: number;
  /** The previous memory, kept while the slab is enlarged for one large message. It is free from the origin on. */
  spare?: Memory | undefined;
}

/** The default size, enough for several hundred small messages. */
export const slabSize: number = 256 * 1024;

/**
 * The maximum size of a message. Servers accept 48,000,000 bytes. A larger document is usually a mistake, such as a
 * reference to large parts of the application.
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
 * The memory of one large message, kept for the next one. Fresh memory costs more than writing a third of it, because
 * the system provides each page when it is first touched.
 */
let kept: Memory | undefined;
/** Memory of messages in use, which may be kept after their release. */
const lent = new WeakMap<ArrayBufferLike, Memory>();

const large = (size: number): Memory => {
  if (kept === undefined || kept.bytes.length < size) return allocate(size);
  const memory = kept;
  kept = undefined;
  return memory;
};

/** Releases a message whose bytes are no longer read. */
export const release = (message: Uint8Array): void => {
  const memory = lent.get(message.buffer);
  if (memory === undefined) return;
  lent.delete(message.buffer);
  kept = memory;
};

/** The current slab, its bytes, its DataView and its capacity in bytes. */
export let slab: Slab = { bytes: new Uint8Array(0), numbers: new DataView(new ArrayBuffer(0)), origin: 0 };
export let bytes: Uint8Array = slab.bytes;
export let numbers: DataView = slab.numbers;
export let capacity = 0;

/** The same for generated code, which cannot see module variables. */
export const memory: { bytes: Uint8Array; numbers: DataView; capacity: number } = { bytes, numbers, capacity };

/** Makes this slab the current one. */
export const use = (next: Slab): void => {
  slab = next;
  memory.bytes = bytes = next.bytes;
  memory.numbers = numbers = next.numbers;
  memory.capacity = capacity = next.bytes.length;
};

/**
 * Makes room up to an offset and keeps the bytes before `written`. The slab gets new memory; offsets in the message
 * stay the same.
 */
export const grow = (end: number, written: number = end): void => {
  const { origin } = slab;
  if (end - origin > largest) {
    throw new Refusal(`the document is larger than ${String(largest)} bytes; MongoDB accepts at most 16 MiB`);
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

/** Returns a slab to its previous memory after a large message was handed out or dropped. */
export const shrink = (grown: Slab): void => {
  if (grown.spare === undefined) return;
  const { bytes, numbers } = grown;
  if (bytes.length <= mostKept) lent.set(bytes.buffer, { bytes, numbers });
  Object.assign(grown, grown.spare, { spare: undefined });
  if (grown === slab) use(grown);
};
