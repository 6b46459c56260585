import { MongoError } from '@tessera/contracts';
import type { Compressor, Soon } from '@tessera/contracts';
import { HEADER, int32, LONGEST, protocolError, OP_COMPRESSED, OP_MSG, OP_REPLY, setInt32 } from './frame.js';

/** originalOpcode and uncompressedSize (int32), compressorId (uint8). */
const ENVELOPE = HEADER + 9;

const noop: Compressor = { id: 0, name: 'noop', compress: bytes => bytes, decompress: bytes => bytes };

const pack = (frame: Uint8Array, compressor: Compressor, content: Uint8Array): Uint8Array => {
  const out = new Uint8Array(ENVELOPE + content.length);
  out.set(frame.subarray(0, HEADER));
  setInt32(out, 0, out.length);
  setInt32(out, 12, OP_COMPRESSED);
  setInt32(out, 16, int32(frame, 12));
  setInt32(out, 20, frame.length - HEADER);
  out[24] = compressor.id;
  out.set(content, ENVELOPE);
  return out;
};

/** Compresses a message into an OP_COMPRESSED frame. Rule: OP_COMPRESSED. */
export const compress = (frame: Uint8Array, compressor: Compressor): Soon<Uint8Array> => {
  const content = compressor.compress(frame.subarray(HEADER));
  return content instanceof Promise ? content.then(c => pack(frame, compressor, c)) : pack(frame, compressor, content);
};

const unpack = (frame: Uint8Array, content: Uint8Array, size: number): Uint8Array => {
  if (content.length !== size) {
    throw protocolError(`OP_COMPRESSED: the header announces ${size} bytes, but the content has ${content.length}.`);
  }
  const out = new Uint8Array(HEADER + size);
  out.set(frame.subarray(0, HEADER));
  setInt32(out, 0, out.length);
  setInt32(out, 12, int32(frame, 16));
  out.set(content, HEADER);
  return out;
};

/**
 * Wraps a compressor's failure in a protocol error, because the stream cannot be read any further.
 */
const explain = (compressor: Compressor, cause: unknown): MongoError =>
  MongoError.is(cause) ? cause : new MongoError('protocol', `OP_COMPRESSED: ${compressor.name} failed.`, { cause });

/**
 * Returns a function that decompresses an OP_COMPRESSED frame into a message in its own memory. The frame must stay
 * unchanged until the result is available.
 * @throws MongoError `protocol`, at once or as a rejection
 */
export const createUnpacking = (compressors: readonly Compressor[]): ((frame: Uint8Array) => Soon<Uint8Array>) => {
  const known = new Map([noop, ...compressors].map(c => [c.id, c]));
  return frame => {
    if (frame.length < ENVELOPE)
      throw protocolError(`OP_COMPRESSED: ${frame.length} bytes are too short for a compressed message.`);
    const opCode = int32(frame, 16);
    const size = int32(frame, 20);
    const id = frame[24]!;
    const compressor = known.get(id);
    if (opCode !== OP_MSG && opCode !== OP_REPLY)
      throw protocolError(`OP_COMPRESSED: a message of opcode ${opCode} must not be compressed.`);
    if (size < 0 || size > LONGEST - HEADER)
      throw protocolError(`OP_COMPRESSED: an uncompressed size of ${size} bytes is invalid.`);
    if (compressor === undefined) {
      const names = [...known.values()].map(c => `${c.id} (${c.name})`).join(', ');
      throw protocolError(`OP_COMPRESSED: compressor ${id} was not negotiated; available: ${names}.`);
    }
    const content = compressor.decompress(frame.subarray(ENVELOPE), size);
    if (!(content instanceof Promise)) return unpack(frame, content, size);
    return content.then(
      c => unpack(frame, c, size),
      (cause: unknown) => {
        throw explain(compressor, cause);
      },
    );
  };
};
