import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib';
import { MongoError } from '@tessera/contracts';
import type { Compressor } from '@tessera/contracts';
import { AT_ONCE, CHUNK, refuse, unpack } from './unpacking.js';
import type { Algorithm } from './unpacking.js';

export interface ZlibOptions {
  /** From 0 (none) to 9 (smallest); -1 is zlib's default, 6. */
  readonly level: number;
}

export const zlibDefaults: ZlibOptions = { level: -1 };

/** The best compression ratio of a deflate stream: about one bit per 258 bytes. A higher claim is false. */
const BEST_RATIO = 1032;

const inflation: Algorithm = { name: 'zlib', atOnce: inflateSync, aside: inflate };

/**
 * Creates the zlib compressor for OP_COMPRESSED. Decompression takes no more memory than the header announces plus a
 * chunk of 64 KB.
 * @throws MongoError `usage` for an invalid level.
 */
export const createZlib = (options: Partial<ZlibOptions> = {}): Compressor => {
  const { level } = { ...zlibDefaults, ...options };
  if (!Number.isInteger(level) || level < -1 || level > 9) {
    throw new MongoError('usage', `Invalid zlib compression level ${level}: it must be an integer from -1 to 9.`);
  }
  return {
    id: 2,
    name: 'zlib',
    compress: bytes =>
      bytes.length <= AT_ONCE
        ? deflateSync(bytes, { level })
        : new Promise((resolve, reject) => {
            deflate(bytes, { level }, (error, result) => {
              if (error === null) resolve(result);
              else reject(error);
            });
          }),
    decompress: (bytes, size) =>
      size > bytes.length * BEST_RATIO + CHUNK
        ? Promise.reject(refuse('zlib', size, `${bytes.length} compressed bytes cannot hold them`))
        : unpack(inflation, bytes, size),
  };
};
