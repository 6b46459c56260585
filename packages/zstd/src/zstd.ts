import Zstd from 'numcodecs/zstd';
import { MongoError } from '@tessera/contracts';
import type { Compressor, Raw } from '@tessera/contracts';
import { readFrame, withSize } from './frame.js';

export interface ZstdOptions {
  /** From 1 (fastest) to 22 (smallest). */
  readonly level: number;
}

export const defaults: ZstdOptions = { level: 3 };

const refuse = (size: number, found: string, cause?: unknown): MongoError =>
  new MongoError('protocol', `Invalid zstd data: expected ${size} bytes, but ${found}.`, { cause });

/** The part of `numcodecs` that is used; its own types do not resolve under every setting. */
interface Codec {
  encode(bytes: Raw): Promise<Raw>;
  decode(bytes: Raw): Promise<Raw>;
}

/**
 * Checks that the bytes are one frame, and returns it with a header that announces `size` bytes. @throws MongoError
 * `protocol`.
 */
const checked = (bytes: Raw, size: number): Raw => {
  const frame = readFrame(bytes);
  if (frame === undefined) throw refuse(size, 'the data is not a zstd frame');
  if (frame.length > bytes.length) throw refuse(size, 'the data is truncated');
  if (frame.length < bytes.length) throw refuse(size, `${bytes.length - frame.length} bytes follow the frame`);
  if (frame.size === undefined) return withSize(bytes, frame, size);
  if (frame.size !== size) throw refuse(size, `the header announces ${frame.size}`);
  return bytes;
};

/**
 * Creates the zstd compressor for OP_COMPRESSED. The WebAssembly is loaded on first use and runs in the caller's
 * thread. Decompression takes no more memory than the header of the message announces.
 * @throws MongoError `usage` for a level that zstd does not support.
 */
export const createZstd = (options: Partial<ZstdOptions> = {}): Compressor => {
  const { level } = { ...defaults, ...options };
  if (!Number.isInteger(level) || level < 1 || level > 22) {
    throw new MongoError('usage', `Invalid zstd compression level ${level}: it must be an integer from 1 to 22.`);
  }
  const codec = (Zstd as { fromConfig(config: { readonly level: number }): Codec }).fromConfig({ level });
  return {
    id: 3,
    name: 'zstd',
    compress: bytes => codec.encode(bytes),
    decompress: async (bytes, size) => {
      const frame = checked(bytes, size);
      const result = await codec.decode(frame).catch((cause: unknown) => {
        throw refuse(size, `decompression failed (${(cause as Error).message})`, cause);
      });
      if (result.length !== size) throw refuse(size, `the content has ${result.length}`);
      return result;
    },
  };
};
