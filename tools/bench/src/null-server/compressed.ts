import { deflateSync, inflateSync } from 'node:zlib';
import type { Prepared } from './replies.js';

const headerLength = 16;
/** After the header: the original opcode, the uncompressed length and the compressor id. */
const envelopeLength = 9;
const opCompressed = 2012;
const zlibId = 2;

/** Returns whether a frame is compressed. Rule: OP_COMPRESSED. */
export const isCompressed = (frame: Buffer): boolean => frame.readInt32LE(12) === opCompressed;

/** Decompresses a frame. Rule: OP_COMPRESSED. */
export const unpack = (frame: Buffer): Buffer => {
  const content = inflateSync(frame.subarray(headerLength + envelopeLength));
  const header = Buffer.from(frame.subarray(0, headerLength));
  header.writeInt32LE(headerLength + content.length, 0);
  header.writeInt32LE(frame.readInt32LE(headerLength), 12);
  return Buffer.concat([header, content]);
};

const pack = (prepared: Prepared): Prepared => {
  const content = deflateSync(prepared.subarray(headerLength));
  const head = Buffer.alloc(headerLength + envelopeLength);
  head.writeInt32LE(head.length + content.length, 0);
  head.writeInt32LE(opCompressed, 12);
  head.writeInt32LE(prepared.readInt32LE(12), headerLength);
  head.writeInt32LE(prepared.length - headerLength, headerLength + 4);
  head.writeUInt8(zlibId, headerLength + 8);
  return Buffer.concat([head, content]);
};

const known = new WeakMap<Prepared, Prepared>();

/** Returns the reply compressed. The result is cached. */
export const packed = (prepared: Prepared): Prepared => {
  const before = known.get(prepared);
  if (before !== undefined) return before;
  const made = pack(prepared);
  known.set(prepared, made);
  return made;
};
