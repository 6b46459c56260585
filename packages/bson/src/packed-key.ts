import { allocateOwn, wrap, writeUtf8 } from './host.js';

const room = wrap(allocateOwn(1024).buffer);
const words = new DataView(room.buffer);

/** A key with its NUL, as it is written in a document. */
export interface PackedKey {
  /** The size in bytes. */
  readonly size: number;
  /** The bytes as little-endian words, the last one padded with zeros. */
  readonly words: readonly number[];
}

/** Longer keys are not packed, because they are probably data. */
export const longestPacked = 64;

/** Packs a key of at most {@link longestPacked} characters. */
export const packKey = (key: string): PackedKey => {
  room.fill(0, 0, longestPacked * 4);
  const size = writeUtf8(room, key, 0) + 1;
  const packed: number[] = [];
  for (let at = 0; at < size; at += 4) packed.push(words.getInt32(at, true));
  return { size, words: packed };
};
