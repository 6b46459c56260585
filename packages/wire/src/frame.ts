import { MongoError } from '@tessera/contracts';

/** messageLength, requestID, responseTo, opCode: four int32. */
export const HEADER = 16;
/** The largest frame: a command of 48,000,000 bytes plus 16 KB of overhead. Neither side sends larger ones. */
export const LONGEST: number = 48_000_000 + 16 * 1024;

export const OP_REPLY = 1;
export const OP_COMPRESSED = 2012;
export const OP_MSG = 2013;

/** OP_MSG, "flagBits". Unknown bits among the lower 16 are errors; unknown bits among the upper 16 are ignored. */
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

export const protocolError = (what: string): MongoError => new MongoError('protocol', what);
