import { copyOf } from '../host.js';
import { damaged } from './damaged.js';
import { bytes } from './memory.js';
import { readKey } from './text.js';

/** Must be a power of two. */
const slots = 4096;
const longest = 64;

interface Entry {
  /** Replaced by the engine's interned copy when the key is read a second time. */
  key: string;
  isInterned: boolean;
  readonly bytes: Uint8Array;
}

/**
 * Cached keys by a hash of their bytes, two per hash. A new key takes the first slot and moves the previous one to the
 * second.
 */
const cache: (Entry | undefined)[] = new Array<Entry | undefined>(slots * 2).fill(undefined);

/**
 * How many more keys were missed than found recently. While most keys never repeat, only every 16th is looked up, until
 * lookups succeed again.
 */
let excessMisses = 0;
let passed = 0;
const flood = 256;

/** The offset of the NUL of the last key read. */
export let keyEnd = 0;

const isAt = ({ bytes: own }: Entry, p: number, length: number): boolean => {
  if (own.length !== length) return false;
  for (let i = 0; i < length; i++) if (own[i] !== bytes[p + i]) return false;
  return true;
};

/**
 * Returns the engine's interned copy of the string, which names members without another lookup. The object has no
 * prototype, so it is a hash table from the start and creates no hidden class.
 */
const intern = (key: string): string => {
  const members = Object.create(null) as Record<string, true>;
  members[key] = true;
  for (const name in members) return name;
  return key;
};

const readUncached = (p: number, limit: number): string => {
  const b = bytes;
  let end = p;
  while (b[end] !== 0) if (++end > limit) throw damaged;
  keyEnd = end;
  return readKey(p, end - p);
};

/** Returns the key that starts here and ends before the limit. A key that repeats is decoded only once. */
export const readCachedKey = (p: number, limit: number): string => {
  if (excessMisses > flood && (++passed & 15) !== 0) return readUncached(p, limit);
  const b = bytes;
  let hash = 0;
  let end = p;
  for (let byte = b[end]; byte !== 0; byte = b[++end]) {
    if (end >= limit) throw damaged;
    hash = (Math.imul(hash, 31) + byte!) | 0;
  }
  keyEnd = end;
  const length = end - p;
  if (length > longest) return readKey(p, length);
  const slot = ((hash ^ (hash >>> 15)) & (slots - 1)) << 1;
  const young = cache[slot];
  const old = cache[slot + 1];
  const found =
    young !== undefined && isAt(young, p, length) ? young : old !== undefined && isAt(old, p, length) ? old : undefined;
  if (found !== undefined) {
    if (excessMisses > 0) excessMisses--;
    if (!found.isInterned) {
      found.key = intern(found.key);
      found.isInterned = true;
    }
    return found.key;
  }
  if (excessMisses < flood * 2) excessMisses++;
  const key = readKey(p, length);
  cache[slot + 1] = young;
  cache[slot] = { key, isInterned: false, bytes: copyOf(b, p, end) };
  return key;
};
