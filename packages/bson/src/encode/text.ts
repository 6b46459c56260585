import { utf8Length, writeUtf8 } from '../host.js';
import { checkKey, Refusal } from './refusal.js';
import { bytes, capacity, grow, numbers } from './slab.js';

const short = 40;
const long = 65536;

/** Makes room at this offset for the text and a few more bytes. */
export const textRoom = (text: string, at: number): void => {
  const length = text.length;
  if (at + length * 3 + 64 > capacity) grow(at + (length > long ? utf8Length(text) : length * 3) + 64);
};

/** Writes text, for which there is room, and returns where it ends. */
export const writeText = (text: string, at: number): number => {
  const length = text.length;
  if (length <= short) {
    const view = numbers;
    let all = 0;
    let i = 0;
    for (; i + 4 <= length; i += 4) {
      const a = text.charCodeAt(i);
      const b = text.charCodeAt(i + 1);
      const c = text.charCodeAt(i + 2);
      const d = text.charCodeAt(i + 3);
      all |= a | b | c | d;
      view.setInt32(at + i, a | (b << 8) | (c << 16) | (d << 24), true);
    }
    for (; i < length; i++) {
      const unit = text.charCodeAt(i);
      all |= unit;
      bytes[at + i] = unit;
    }
    if (all < 128) return at + length;
  }
  return at + writeUtf8(bytes, text, at);
};

/** Writes a key with its NUL, for which there is room. @throws Refusal for a key that BSON cannot hold. */
export const writeName = (key: string, at: number): number => {
  const { length } = key;
  let all = 0;
  if (length <= short) {
    const b = bytes;
    for (let i = 0; i < length; i++) {
      const unit = key.charCodeAt(i);
      if (unit === 0) checkKey(key);
      all |= unit;
      b[at + i] = unit;
    }
    if (all < 128) {
      b[at + length] = 0;
      return at + length + 1;
    }
  } else checkKey(key);
  const end = at + writeUtf8(bytes, key, at);
  bytes[end] = 0;
  return end + 1;
};

/** Writes a string: its length, the text and a NUL. Makes the room. */
export const writeString = (text: string, at: number): number => {
  textRoom(text, at + 5);
  const end = writeText(text, at + 4);
  numbers.setInt32(at, end - at - 3, true);
  bytes[end] = 0;
  return end + 1;
};

/** Writes the text and a NUL. Makes the room. @throws Refusal if the text contains a NUL. */
export const writeCString = (text: string, at: number, what: string): number => {
  if (text.includes('\0')) throw new Refusal(`${what} contains a NUL character, which ends it in BSON`);
  textRoom(text, at);
  const end = writeText(text, at);
  bytes[end] = 0;
  return end + 1;
};
