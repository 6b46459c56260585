import { MongoError } from '@tessera/contracts';

/** messageLength, requestID, responseTo, opCode: four int32. */
export const HEADER = 16;
/** A command of 48,000,000 bytes and the envelope's 16 KB around it: more is never sent by either side. */
export const LONGEST: number = 48_000_000 + 16 * 1024;

export const OP_REPLY = 1;
export const OP_COMPRESSED = 2012;
export const OP_MSG = 2013;

/** OP_MSG, "flagBits". The lower 16 must be understood, the upper 16 may be ignored. */
export const CHECKSUM_PRESENT = 1;
export const MORE_TO_COME = 2;
export const EXHAUST_ALLOWED: number = 1 << 16;

export const int32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);

export const setInt32 = (bytes: Uint8Array, at: number, value: number): void => {
  bytes[at] = value;
  bytes[at + 1] = value >> 8;
  bytes[at + 2] = value >> 16;
  bytes[at + 3] = value >> 24;
};

export const lost = (what: string): MongoError => new MongoError('protocol', what);
