import { copyOf } from '../host.js';
import { damaged } from './damaged.js';
import { bytes } from './memory.js';
import { readKey } from './text.js';

/** A power of two. */
const slots = 4096;
const longest = 64;

interface Entry {
  readonly key: string;
  readonly bytes: Uint8Array;
}

/** Keys by a hash of their bytes, two for each hash; the younger one goes first and pushes the older one out. */
const cache: (Entry | undefined)[] = new Array<Entry | undefined>(slots * 2).fill(undefined);

/** How many more keys were missed than found, lately. A flood of keys that never come again is not worth keeping. */
let doubt = 0;
const flood = 256;

/** Where the key's NUL is that was read last. */
export let keyEnd = 0;

const isAt = ({ bytes: own }: Entry, p: number, length: number): boolean => {
  if (own.length !== length) return false;
  for (let i = 0; i < length; i++) if (own[i] !== bytes[p + i]) return false;
  return true;
};

/** Engines keep one copy of each string that names a member; this one is it. */
const intern = (key: string): string => Object.keys({ [key]: 0 })[0]!;

/** The key that starts here and ends before the limit; made only once for keys that come again and again. */
export const readCachedKey = (p: number, limit: number): string => {
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
  if (young !== undefined && isAt(young, p, length)) {
    if (doubt > 0) doubt--;
    return young.key;
  }
  const old = cache[slot + 1];
  if (old !== undefined && isAt(old, p, length)) {
    if (doubt > 0) doubt--;
    return old.key;
  }
  if (++doubt > flood) {
    if ((doubt & 15) !== 0) return readKey(p, length);
    doubt = flood;
  }
  const key = intern(readKey(p, length));
  cache[slot + 1] = young;
  cache[slot] = { key, bytes: copyOf(b, p, end) };
  return key;
};
