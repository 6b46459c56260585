/** The zlib of OP_COMPRESSED by that of Node.js, all at once. */
import { deflateSync, inflateSync } from 'node:zlib';
import type { Compressor } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** The checksum at the end of a zlib stream (RFC 1950). */
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
    throw new MongoError('protocol', `zlib cannot read ${bytes.length} bytes`, { cause });
  }
};

export const hostZlib: Compressor = {
  id: 2,
  name: 'zlib',
  compress: bytes => deflateSync(bytes),
  decompress: (bytes, size) => {
    const content = inflate(bytes, size);
    const end = new DataView(bytes.buffer, bytes.byteOffset, bytes.length).getUint32(bytes.length - 4);
    // zlib ignores what follows the stream, so the checksum must stand at the very end.
    if (content.length === size && end === adler32(content)) return content;
    throw new MongoError('protocol', `zlib found ${content.length} bytes instead of ${size}, or more behind them`);
  },
};
