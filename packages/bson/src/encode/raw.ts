import { Refusal } from './refusal.js';

/** @throws Refusal unless the bytes may be a document: its length is theirs and it ends with a terminator. */
export const checkRaw = (raw: Uint8Array): void => {
  const length = raw.length;
  const declared = length < 5 ? -1 : raw[0]! | (raw[1]! << 8) | (raw[2]! << 16) | (raw[3]! << 24);
  if (declared !== length || raw[length - 1] !== 0) {
    throw new Refusal(
      `its ${String(length)} bytes are not a document: the length does not fit or the terminator is missing`,
    );
  }
};
