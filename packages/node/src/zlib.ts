import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib';
import { MongoError } from '@tessera/contracts';
import type { Compressor } from '@tessera/contracts';
import { AT_ONCE, CHUNK, refuse, unpack } from './unpacking.js';
import type { Algorithm } from './unpacking.js';

export interface ZlibOptions {
  /** From 0 (none) over 1 (fast) to 9 (small); -1 is zlib's own choice, 6. */
  readonly level: number;
}

export const zlibDefaults: ZlibOptions = { level: -1 };

/** No deflate stream can do better than one bit per 258 bytes or so; whoever claims more is lying. */
const BEST_RATIO = 1032;

const inflation: Algorithm = { name: 'zlib', atOnce: inflateSync, aside: inflate };

/**
 * The zlib of OP_COMPRESSED. What comes out of a message never takes more memory than its header admits, and a chunk of
 * 64 KB.
 * @throws MongoError `usage` for a level that zlib does not know.
 */
export const createZlib = (options: Partial<ZlibOptions> = {}): Compressor => {
  const { level } = { ...zlibDefaults, ...options };
  if (!Number.isInteger(level) || level < -1 || level > 9) {
    throw new MongoError('usage', `zlib has no compression level ${level}; choose one from -1 to 9`);
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
