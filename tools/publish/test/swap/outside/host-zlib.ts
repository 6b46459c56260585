/** A zlib compressor that uses the synchronous functions of Node.js. */
import { deflateSync, inflateSync } from 'node:zlib';
import type { Compressor } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** Computes the checksum at the end of a zlib stream (RFC 1950). */
const adler32 = (bytes: Uint8Array): number => {
  let [low, high] = [1, 0];
  for (const byte of bytes) {
    low = (low + byte) % 65_521;
    high = (high + low) % 65_521;
  }
  return high * 65_536 + low;
};

const inflate = (bytes: Uint8Array, size: number): Uint8Array => {
  try {
    return inflateSync(bytes, { maxOutputLength: Math.max(size, 1) });
  } catch (cause) {
    throw new MongoError('protocol', `zlib could not decompress ${bytes.length} bytes.`, { cause });
  }
};

export const hostZlib: Compressor = {
  id: 2,
  name: 'zlib',
  compress: bytes => deflateSync(bytes),
  decompress: (bytes, size) => {
    const content = inflate(bytes, size);
    const end = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(bytes.length - 4);
    // zlib ignores bytes after the stream, so check that the data ends with the checksum.
    if (content.length === size && end === adler32(content)) return content;
    throw new MongoError(
      'protocol',
      `zlib decompressed ${content.length} bytes instead of ${size}, or bytes follow the stream.`,
    );
  },
};
