import type { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { spend } from './meter.js';

/** What stages and accumulators may hold, as mongod's: it could go on with a disk, here there is none. */
export const mostHeld: number = 100 * 1024 * 1024;

const ofDoc = (doc: Doc): number => {
  const { made, stored } = doc;
  // What lies where it was read takes no more memory than its handle.
  if (made === undefined) return 16;
  if (stored !== undefined) return 16 + stored.end - stored.start;
  spend(made.length >>> 2);
  let size = 64;
  for (const [name, value] of made) size += 32 + name.length + footprint(value);
  return size;
};

/** The same by mongod's measure, where documents that lie where they were read are copied. */
export const weight = (value: Value | undefined): number =>
  typeof value === 'object' && value !== null && 'type' in value && value.type === 3 && value.stored !== undefined
    ? 16 + value.stored.end - value.stored.start
    : footprint(value);

/** About how many bytes of memory a value takes that was made on the way. */
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
