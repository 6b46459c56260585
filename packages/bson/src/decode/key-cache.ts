import { copyOf } from '../host.js';
import { damaged } from './damaged.js';
import { bytes } from './memory.js';
import { readKey } from './text.js';

/** A power of two. */
const slots = 4096;
const longest = 64;

interface Entry {
  /** Interned once the key has come again. */
  key: string;
  isInterned: boolean;
  readonly bytes: Uint8Array;
}

/** Keys by a hash of their bytes, two for each hash; the younger one goes first and pushes the older one out. */
const cache: (Entry | undefined)[] = new Array<Entry | undefined>(slots * 2).fill(undefined);

/**
 * How many more keys were missed than found, lately. In a flood of keys that never come again only every 16th is looked
 * up, until these are found again.
 */
let doubt = 0;
let passed = 0;
const flood = 256;

/** Where the key's NUL is that was read last. */
export let keyEnd = 0;

const isAt = ({ bytes: own }: Entry, p: number, length: number): boolean => {
  if (own.length !== length) return false;
  for (let i = 0; i < length; i++) if (own[i] !== bytes[p + i]) return false;
  return true;
};

/**
 * Engines keep one copy of each string that names a member; this one is it. An object without a prototype is a hash table
 * from the start, so that no hidden class is made.
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

/** The key that starts here and ends before the limit; made only once for keys that come again and again. */
export const readCachedKey = (p: number, limit: number): string => {
  if (doubt > flood && (++passed & 15) !== 0) return readUncached(p, limit);
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
    if (doubt > 0) doubt--;
    if (!found.isInterned) {
      found.key = intern(found.key);
      found.isInterned = true;
    }
    return found.key;
  }
  if (doubt < flood * 2) doubt++;
  const key = readKey(p, length);
  cache[slot + 1] = young;
  cache[slot] = { key, isInterned: false, bytes: copyOf(b, p, end) };
  return key;
};
