import { MongoError } from '@tessera/contracts';
import type { Raw, Soon } from '@tessera/contracts';

/** The size below which the overhead of the thread pool exceeds the cost of the work. */
export const AT_ONCE: number = 16 * 1024;
export const CHUNK: number = 64 * 1024;

interface Bounds {
  readonly maxOutputLength: number;
  readonly chunkSize: number;
  readonly info: true;
}

/**
 * The result of Node.js with `info`, an option that its types omit. It includes the engine, which knows how many bytes
 * it read.
 */
interface Unpacked {
  readonly buffer: Raw;
  readonly engine: { readonly bytesWritten: number };
}

/** The synchronous and the asynchronous form of one function of `node:zlib`. */
export interface Algorithm {
  readonly name: string;
  atOnce(bytes: Raw, bounds: Bounds): unknown;
  aside(bytes: Raw, bounds: Bounds, done: (cause: Error | null, unpacked: unknown) => void): void;
}

export const refuse = (name: string, size: number, found: string, cause?: unknown): MongoError =>
  new MongoError('protocol', `Invalid ${name} data: expected ${size} bytes, but ${found}.`, { cause });

const explain = (name: string, size: number, cause: unknown): MongoError =>
  (cause as { code?: string }).code === 'ERR_BUFFER_TOO_LARGE'
    ? refuse(name, size, 'the content is longer', cause)
    : refuse(name, size, `decompression failed (${(cause as Error).message})`, cause);

/** Checks that the content has the expected size and that no bytes follow. */
const judge = (name: string, { buffer, engine }: Unpacked, bytes: Raw, size: number): Raw | MongoError => {
  if (buffer.length !== size) return refuse(name, size, `the content has ${buffer.length}`);
  const more = bytes.length - engine.bytesWritten;
  return more === 0 ? buffer : refuse(name, size, `${more} bytes follow the end`);
};

/**
 * Decompresses to exactly `size` bytes. It uses no more memory than that plus a chunk of 64 KB.
 * @throws MongoError `protocol`, as a rejection, for any other content
 */
export const unpack = (algorithm: Algorithm, bytes: Raw, size: number): Soon<Raw> => {
  const { name } = algorithm;
  const bounds: Bounds = {
    maxOutputLength: Math.max(size, 1),
    chunkSize: Math.min(Math.max(size, 64), CHUNK),
    info: true,
  };
  if (size > AT_ONCE)
    return new Promise((resolve, reject) => {
      algorithm.aside(bytes, bounds, (cause, unpacked) => {
        const result = cause === null ? judge(name, unpacked as Unpacked, bytes, size) : explain(name, size, cause);
        if (MongoError.is(result)) reject(result);
        else resolve(result);
      });
    });
  let result: Raw | MongoError;
  try {
    result = judge(name, algorithm.atOnce(bytes, bounds) as Unpacked, bytes, size);
  } catch (cause) {
    result = explain(name, size, cause);
  }
  return MongoError.is(result) ? Promise.reject(result) : result;
};
