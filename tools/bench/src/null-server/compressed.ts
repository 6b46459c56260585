import { deflateSync, inflateSync } from 'node:zlib';
import type { Prepared } from './replies.js';

const headerLength = 16;
/** Behind the header: the opcode of what is inside, its length, and the number of the compressor. */
const envelopeLength = 9;
const opCompressed = 2012;
const zlibId = 2;

/** Rule: OP_COMPRESSED. */
export const isCompressed = (frame: Buffer): boolean => frame.readInt32LE(12) === opCompressed;

/** The frame inside. Rule: OP_COMPRESSED. */
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

/** The same reply compressed, prepared when it is first asked for. */
export const packed = (prepared: Prepared): Prepared => {
  const before = known.get(prepared);
  if (before !== undefined) return before;
  const made = pack(prepared);
  known.set(prepared, made);
  return made;
};
