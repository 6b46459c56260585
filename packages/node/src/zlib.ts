import { deflate, deflateSync, inflate, inflateSync } from 'node:zlib';
import { MongoError } from '@tessera/contracts';
import type { Compressor, Raw, Soon } from '@tessera/contracts';

export interface ZlibOptions {
  /** From 0 (none) over 1 (fast) to 9 (small); -1 is zlib's own choice, 6. */
  readonly level: number;
}

interface ZlibBounds {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
}

export const zlibDefaults: ZlibOptions = { level: -1 };

/** Below so many bytes the way to the thread pool and back costs more than the work. */
const AT_ONCE = 16 * 1024;
const CHUNK = 64 * 1024;
/** No deflate stream can do better than one bit per 258 bytes or so; whoever claims more is lying. */
const BEST_RATIO = 1032;

const refuse = (size: number, found: string, cause?: unknown): MongoError =>
  new MongoError('protocol', `A message compressed by zlib should hold ${size} bytes: ${found}`, { cause });

const explain = (size: number, cause: unknown): MongoError =>
  (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    ? refuse(size, 'it holds more', cause)
    : refuse(size, `it cannot be read (${(cause as Error).message})`, cause);

const inflateAtOnce = (bytes: Raw, size: number, bounds: ZlibBounds): Soon<Raw> => {
  let result: Raw;
  try {
    result = inflateSync(bytes, bounds);
  } catch (cause) {
    return Promise.reject(explain(size, cause));
  }
  return result.length === size ? result : Promise.reject(refuse(size, `it holds ${result.length}`));
};

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
    decompress: (bytes, size) => {
      if (size > bytes.length * BEST_RATIO + CHUNK)
        return Promise.reject(refuse(size, `its ${bytes.length} bytes cannot`));
      const bounds = { maxOutputLength: Math.max(size, 1), chunkSize: Math.min(Math.max(size, 64), CHUNK) };
      if (size <= AT_ONCE) return inflateAtOnce(bytes, size, bounds);
      return new Promise((resolve, reject) => {
        inflate(bytes, bounds, (cause, result) => {
          if (cause !== null) reject(explain(size, cause));
          else if (result.length !== size) reject(refuse(size, `it holds ${result.length}`));
          else resolve(result);
        });
      });
    },
  };
};
