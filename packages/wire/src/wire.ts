import type { Message, WireCodec, WireDeps } from '@tessera/contracts';
import { compress, createUnpacking } from './envelope.js';
import { EXHAUST_ALLOWED, HEADER, MORE_TO_COME, OP_MSG } from './frame.js';
import { Reader } from './reader.js';
import { mergeSections } from './sections.js';

const FLAGS: Readonly<Record<Message['answer'], number>> = { one: 0, none: MORE_TO_COME, many: EXHAUST_ALLOWED };

/** Header, flagBits, and the kind of the first section. */
const PREFIX = HEADER + 5;

/**
 * Creates the wire codec. It writes OP_MSG, and reads OP_MSG, OP_COMPRESSED and OP_REPLY. A message is built in the
 * codec's memory, and read in the memory where it was received. Rule: OP_MSG; OP_COMPRESSED.
 */
export const createWire = ({ bson, compressors }: WireDeps): WireCodec => {
  const writer = bson.writer();
  const unpack = createUnpacking(compressors);
  return {
    write: (requestId, message) => {
      writer.begin(PREFIX);
      message.body(writer);
      writer.endBody();
      if (message.sections !== undefined) message.sections(writer);
      writer.patch(0, writer.length);
      writer.patch(4, requestId);
      writer.patch(12, OP_MSG);
      writer.patch(HEADER, FLAGS[message.answer]);
      return writer.take();
    },
    release: frame => {
      writer.release(frame);
    },
    compress,
    document: frame => {
      const bytes = mergeSections(frame, HEADER + 4, frame.length);
      return bson.read(bytes, 0, bytes.length, true).document();
    },
    reader: options => new Reader(bson, unpack, options),
  };
};
