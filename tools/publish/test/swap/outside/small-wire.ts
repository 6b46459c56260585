/** A wire codec for OP_MSG and OP_COMPRESSED that copies each received message into its own memory. */
import type { BsonCodec, Compressor, CreateWire, Document, Soon, WireCodec } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

const HEADER = 16;
const LONGEST = 48_016_384;
const flagsOf = { one: 0, none: 2, many: 0x10000 } as const;

const invalid = (what: string): MongoError => new MongoError('protocol', `The message stream is invalid: ${what}.`);
const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
const int32 = (bytes: Uint8Array, at: number): number => view(bytes).getInt32(at, true);

/** Computes CRC-32C bit by bit. */
const crc32c = (bytes: Uint8Array): number => {
  let crc = -1;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0x82f63b78 : crc >>> 1;
  }
  return ~crc;
};

/** Returns the end of a document or a document sequence. */
const endOf = (bytes: Uint8Array, at: number, least: number): number => {
  const end = bytes.length - at < 4 ? -1 : at + int32(bytes, at);
  if (end < at + least || end > bytes.length) throw invalid(`invalid length at byte ${at}`);
  return end;
};

/** Returns the position of the body in an uncompressed message, and whether more messages follow. */
const bodyOf = (frame: Uint8Array): { readonly start: number; readonly end: number; readonly more: boolean } => {
  if (frame.length < HEADER + 10) throw invalid('message without section');
  if (int32(frame, 12) !== 2013) throw invalid(`unknown opcode ${int32(frame, 12)}`);
  const flags = int32(frame, HEADER);
  if ((flags & 0xfffc) !== 0) throw invalid('unknown flag');
  const hasSum = (flags & 1) === 1;
  const length = frame.length - (hasSum ? 4 : 0);
  if (hasSum && crc32c(frame.subarray(0, length)) !== int32(frame, length)) throw invalid('wrong checksum');
  const start = HEADER + 5;
  const sections = frame.subarray(0, length);
  if (frame[start - 1] !== 0) throw invalid('the first section is not a body');
  if (endOf(sections, start, 5) !== length) throw invalid('reply with several sections');
  return { start, end: length, more: (flags & 2) !== 0 };
};

/** Returns the command of a frame, with document sequences as arrays. */
const commandOf = (bson: BsonCodec, frame: Uint8Array): Document => {
  const documentAt = (at: number, end: number): Document => bson.read(frame, at, end, true).document();
  const bodyEnd = endOf(frame, HEADER + 5, 5);
  const command = documentAt(HEADER + 5, bodyEnd);
  for (let at = bodyEnd + 1; at < frame.length;) {
    const end = endOf(frame, at, 5);
    const nameEnd = frame.indexOf(0, at + 4);
    const documents: Document[] = [];
    for (let next = nameEnd + 1; next < end;) {
      const after = endOf(frame, next, 5);
      documents.push(documentAt(next, after));
      next = after;
    }
    command[new TextDecoder().decode(frame.subarray(at + 4, nameEnd))] = documents;
    at = end + 1;
  }
  return command;
};

const enveloped = (frame: Uint8Array, id: number, content: Uint8Array): Uint8Array => {
  const envelope = new Uint8Array(HEADER + 9 + content.length);
  envelope.set(frame.subarray(0, HEADER));
  view(envelope).setInt32(0, envelope.length, true);
  view(envelope).setInt32(12, 2012, true);
  view(envelope).setInt32(16, int32(frame, 12), true);
  view(envelope).setInt32(20, frame.length - HEADER, true);
  envelope[24] = id;
  envelope.set(content, HEADER + 9);
  return envelope;
};

const opened = (envelope: Uint8Array, compressors: readonly Compressor[]): Soon<Uint8Array> => {
  if (envelope.length < HEADER + 9) throw invalid('compressed message too short');
  const [size, id, packed] = [int32(envelope, 20), envelope[24], envelope.subarray(HEADER + 9)];
  const compressor = compressors.find(each => each.id === id);
  if (id !== 0 && compressor === undefined) throw invalid(`unknown compressor ${String(id)}`);
  if (size < 0 || size > LONGEST) throw invalid(`compressed message with ${size} bytes`);
  const wrap = (content: Uint8Array): Uint8Array => {
    if (content.length !== size) throw invalid('wrong uncompressed size');
    const frame = new Uint8Array(HEADER + size);
    frame.set(envelope.subarray(0, HEADER));
    view(frame).setInt32(0, frame.length, true);
    view(frame).setInt32(12, int32(envelope, 16), true);
    frame.set(content, HEADER);
    return frame;
  };
  const content = compressor === undefined ? packed : compressor.decompress(packed, size);
  return content instanceof Promise ? content.then(wrap) : wrap(content);
};

const createReader = (
  bson: BsonCodec,
  compressors: readonly Compressor[],
  { take, failed }: Parameters<WireCodec['reader']>[0],
): ReturnType<WireCodec['reader']> => {
  let bytes = new Uint8Array(16_384);
  let have = 0;
  const frames: Uint8Array[] = [];
  let state: 'free' | 'decompressing' | 'lost' = 'free';

  const hand = (frame: Uint8Array): void => {
    const { start, end, more } = bodyOf(frame);
    take(int32(frame, 8), bson.read(frame, start, end, true), more, int32(frame, 4));
  };
  const work = (): void => {
    for (let next = frames.shift(); next !== undefined; next = frames.shift()) {
      const plain = int32(next, 12) === 2012 ? opened(next, compressors) : next;
      if (plain instanceof Promise) {
        state = 'decompressing';
        plain.then(resume).catch(lose);
        return;
      }
      hand(plain);
    }
    state = 'free';
  };
  const resume = (frame: Uint8Array): void => {
    if (state === 'lost') return;
    hand(frame);
    work();
  };
  const lose = (cause: unknown): void => {
    if (state !== 'lost') failed(cause);
    state = 'lost';
  };

  return {
    room: () => {
      if (have === bytes.length) {
        const longer = new Uint8Array(2 * have);
        longer.set(bytes);
        bytes = longer;
      }
      return bytes.subarray(have);
    },
    filled: length => {
      if (state === 'lost') return;
      have += length;
      let at = 0;
      try {
        while (have - at >= HEADER) {
          const end = at + int32(bytes, at);
          if (end < at + HEADER || end > at + LONGEST) throw invalid(`message of ${end - at} bytes`);
          if (end > have) break;
          frames.push(bytes.slice(at, end));
          at = end;
        }
        bytes.copyWithin(0, at, have);
        have -= at;
        if (state === 'free') work();
      } catch (cause) {
        state = 'lost';
        throw cause;
      }
    },
  };
};

export const createSmallWire: CreateWire = ({ bson, compressors }) => {
  const writer = bson.writer();
  return {
    write: (requestId, message) => {
      writer.begin(HEADER + 5);
      message.body(writer);
      writer.endBody();
      message.sections?.(writer);
      writer.patch(0, writer.length);
      writer.patch(4, requestId);
      writer.patch(12, 2013);
      writer.patch(HEADER, flagsOf[message.answer]);
      return writer.take();
    },
    release: frame => writer.release(frame),
    compress: (frame, compressor) => {
      const content = compressor.compress(frame.subarray(HEADER));
      const { id } = compressor;
      return content instanceof Promise
        ? content.then(bytes => enveloped(frame, id, bytes))
        : enveloped(frame, id, content);
    },
    document: frame => commandOf(bson, frame),
    reader: options => createReader(bson, compressors, options),
  };
};
