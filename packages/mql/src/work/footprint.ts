import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { spend } from './meter.js';

/** The memory limit of stages and accumulators, equal to mongod's. There is no disk to spill to beyond it. */
export const maxHeld: number = 100 * 1024 * 1024;

const ofDoc = (doc: Doc): number => {
  const { made, stored } = doc;
  // A document that has not been decoded shares the buffer it was read from and only costs its handle.
  if (made === undefined) return 16;
  if (stored !== undefined) return 16 + stored.end - stored.start;
  spend(made.length >>> 2);
  let size = 64;
  for (const [name, value] of made) size += 32 + name.length + footprint(value);
  return size;
};

/** Returns the size of a value as mongod counts it: mongod copies documents that share a buffer here. */
export const weight = (value: Value | undefined): number =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 3 && value.stored !== undefined
    ? 16 + value.stored.end - value.stored.start
    : footprint(value);

/** Returns the approximate memory, in bytes, of a value that was created during the command. */
export const footprint = (value: Value | undefined): number => {
  if (typeof value === 'string') return 16 + value.length;
  if (typeof value !== 'object' || value === null) return 16;
  if (!Array.isArray(value)) return 'type' in value && value.type === 3 ? ofDoc(value) : 32;
  const items = value as readonly Value[];
  spend(items.length >>> 2);
  let size = 32 + 8 * items.length;
  for (const item of items) if (typeof item !== 'number') size += footprint(item);
  return size;
};
