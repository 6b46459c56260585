import { MongoError } from '@tessera/contracts';
import type { Compressor, Soon } from '@tessera/contracts';
import { HEADER, int32, LONGEST, lost, OP_COMPRESSED, OP_MSG, OP_REPLY, setInt32 } from './frame.js';

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

/** The same message, compressed. Rule: OP_COMPRESSED. */
export const compress = (frame: Uint8Array, compressor: Compressor): Soon<Uint8Array> => {
  const content = compressor.compress(frame.subarray(HEADER));
  return content instanceof Promise ? content.then(c => pack(frame, compressor, c)) : pack(frame, compressor, content);
};

const unpack = (frame: Uint8Array, content: Uint8Array, size: number): Uint8Array => {
  if (content.length !== size) {
    throw lost(`OP_COMPRESSED: ${size} bytes were announced, but the content has ${content.length}`);
  }
  const out = new Uint8Array(HEADER + size);
  out.set(frame.subarray(0, HEADER));
  setInt32(out, 0, out.length);
  setInt32(out, 12, int32(frame, 16));
  out.set(content, HEADER);
  return out;
};

/** Failures of a compressor say what could not be read; that the stream is lost is what the caller must know. */
const explain = (compressor: Compressor, cause: unknown): MongoError =>
  MongoError.is(cause) ? cause : new MongoError('protocol', `OP_COMPRESSED: ${compressor.name} failed`, { cause });

/**
 * Whole envelopes to the messages in them, which stand in memory of their own. An envelope must not be written to before the
 * answer is there.
 * @throws MongoError `protocol`, at once or as a rejection
 */
export const createUnpacking = (compressors: readonly Compressor[]): ((frame: Uint8Array) => Soon<Uint8Array>) => {
  const known = new Map([noop, ...compressors].map(c => [c.id, c]));
  return frame => {
    if (frame.length < ENVELOPE) throw lost(`OP_COMPRESSED: ${frame.length} bytes hold no envelope`);
    const opCode = int32(frame, 16);
    const size = int32(frame, 20);
    const id = frame[24]!;
    const compressor = known.get(id);
    if (opCode !== OP_MSG && opCode !== OP_REPLY) throw lost(`OP_COMPRESSED: it must not hold opcode ${opCode}`);
    if (size < 0 || size > LONGEST - HEADER) throw lost(`OP_COMPRESSED: it cannot hold ${size} bytes`);
    if (compressor === undefined) {
      const names = [...known.values()].map(c => `${c.id} (${c.name})`).join(', ');
      throw lost(`OP_COMPRESSED: compressor ${id} was not agreed upon; known here: ${names}`);
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
