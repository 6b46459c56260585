import type { BsonCodec, Reply } from '@tessera/contracts';
import { crc32c } from './crc32c.js';
import { CHECKSUM_PRESENT, HEADER, int32, protocolError, MORE_TO_COME, OP_MSG, OP_REPLY } from './frame.js';
import { mergeSections } from './sections.js';

/** Receives whole messages: the `take` of a FrameReader. */
export type Take = (responseTo: number, reply: Reply, more: boolean, id: number) => void;

const REQUIRED_UNKNOWN = 0xffff & ~(CHECKSUM_PRESENT | MORE_TO_COME);

/** Checks the checksum and returns the end of the sections. */
const checkChecksum = (bytes: Uint8Array, at: number, end: number): number => {
  const sum = end - 4;
  if (sum < at + HEADER + 5) throw protocolError('OP_MSG: the message ends before its checksum.');
  if (crc32c(bytes, at, sum) !== int32(bytes, sum))
    throw protocolError('OP_MSG: the checksum does not match the content.');
  return sum;
};

const readOpMsg = (
  bson: BsonCodec,
  bytes: Uint8Array,
  at: number,
  stop: number,
  lasting: boolean,
  take: Take,
): void => {
  if (stop - at < HEADER + 5) throw protocolError(`OP_MSG: a message of ${stop - at} bytes has no section.`);
  const flags = int32(bytes, at + HEADER);
  if ((flags & REQUIRED_UNKNOWN) !== 0) {
    throw protocolError(`OP_MSG: unknown required flag bits are set (0x${(flags & 0xffff).toString(16)}).`);
  }
  const end = (flags & CHECKSUM_PRESENT) === 0 ? stop : checkChecksum(bytes, at, stop);
  const more = (flags & MORE_TO_COME) !== 0;
  const section = at + HEADER + 4;
  const size = end - section - 1;
  let reply: Reply;
  if (bytes[section] === 0 && size >= 5 && int32(bytes, section + 1) === size) {
    reply = bson.read(bytes, section + 1, end, lasting);
  } else {
    const document = mergeSections(bytes, section, end);
    reply = bson.read(document, 0, document.length, lasting || document.buffer !== bytes.buffer);
  }
  take(int32(bytes, at + 8), reply, more, int32(bytes, at + 4));
};

/**
 * The size of the fields before the documents: responseFlags (int32), cursorID (int64), startingFrom and numberReturned
 * (int32).
 */
const REPLY_PREFIX = 20;

const readOpReply = (
  bson: BsonCodec,
  bytes: Uint8Array,
  at: number,
  end: number,
  lasting: boolean,
  take: Take,
): void => {
  const start = at + HEADER + REPLY_PREFIX;
  if (end - start < 5 || int32(bytes, start - 4) !== 1 || int32(bytes, start) !== end - start) {
    throw protocolError('OP_REPLY: the reply to a command must have exactly one document.');
  }
  take(int32(bytes, at + 8), bson.read(bytes, start, end, lasting), false, int32(bytes, at + 4));
};

/**
 * Reads the reply of one whole message between two offsets.
 * @throws MongoError `protocol`
 */
export const readMessage = (
  bson: BsonCodec,
  bytes: Uint8Array,
  at: number,
  end: number,
  lasting: boolean,
  take: Take,
): void => {
  const opCode = int32(bytes, at + 12);
  if (opCode === OP_MSG) readOpMsg(bson, bytes, at, end, lasting, take);
  else if (opCode === OP_REPLY) readOpReply(bson, bytes, at, end, lasting, take);
  else throw protocolError(`Unknown opcode ${opCode}: expected OP_MSG (${OP_MSG}).`);
};
