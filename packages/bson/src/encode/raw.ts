import { Refusal } from './refusal.js';

/**
 * Checks that the bytes can be a document: the length field matches and the terminator is present. @throws Refusal
 * otherwise.
 */
export const checkRaw = (raw: Uint8Array): void => {
  const length = raw.length;
  const declared = length < 5 ? -1 : raw[0]! | (raw[1]! << 8) | (raw[2]! << 16) | (raw[3]! << 24);
  if (declared !== length || raw[length - 1] !== 0) {
    throw new Refusal(
      `its ${String(length)} bytes are not a document: the length field is wrong or the terminator is missing`,
    );
  }
};
