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
  readonly info: true;
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

/** With `info`, which the types leave out, zlib answers itself too: it knows how many of the bytes it has read. */
interface Inflated {
  readonly buffer: Raw;
  readonly engine: { readonly bytesWritten: number };
}

/** What came out, if that is all, and all that there is. */
const judge = ({ buffer, engine }: Inflated, bytes: Raw, size: number): Raw | MongoError => {
  if (buffer.length !== size) return refuse(size, `it holds ${buffer.length}`);
  const more = bytes.length - engine.bytesWritten;
  return more === 0 ? buffer : refuse(size, `${more} bytes follow its end`);
};

const inflateAtOnce = (bytes: Raw, size: number, bounds: ZlibBounds): Soon<Raw> => {
  let result: Raw | MongoError;
  try {
    result = judge(inflateSync(bytes, bounds) as unknown as Inflated, bytes, size);
  } catch (cause) {
    result = explain(size, cause);
  }
  return MongoError.is(result) ? Promise.reject(result) : result;
};

const inflateAside = (bytes: Raw, size: number, bounds: ZlibBounds): Promise<Raw> =>
  new Promise((resolve, reject) => {
    inflate(bytes, bounds, (cause, inflated) => {
      const result = cause === null ? judge(inflated as unknown as Inflated, bytes, size) : explain(size, cause);
      if (MongoError.is(result)) reject(result);
      else resolve(result);
    });
  });

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
      const bounds: ZlibBounds = {
        maxOutputLength: Math.max(size, 1),
        chunkSize: Math.min(Math.max(size, 64), CHUNK),
        info: true,
      };
      return size <= AT_ONCE ? inflateAtOnce(bytes, size, bounds) : inflateAside(bytes, size, bounds);
    },
  };
};
