import Zstd from 'numcodecs/zstd';
import { MongoError } from '@tessera/contracts';
import type { Compressor, Raw } from '@tessera/contracts';
import { readFrame, withSize } from './frame.js';

export interface ZstdOptions {
  /** From 1 (fast) to 22 (small). */
  readonly level: number;
}

export const defaults: ZstdOptions = { level: 3 };

const refuse = (size: number, found: string, cause?: unknown): MongoError =>
  new MongoError('protocol', `A message compressed by zstd should hold ${size} bytes: ${found}`, { cause });

/** What of `numcodecs` is used; its own types do not resolve under every setting. */
interface Codec {
  encode(bytes: Raw): Promise<Raw>;
  decode(bytes: Raw): Promise<Raw>;
}

/** The one frame that the bytes are, which says itself that it holds `size` bytes. @throws MongoError `protocol`. */
const checked = (bytes: Raw, size: number): Raw => {
  const frame = readFrame(bytes);
  if (frame === undefined) throw refuse(size, 'it does not begin as a frame of zstd does');
  if (frame.length > bytes.length) throw refuse(size, 'it is cut off');
  if (frame.length < bytes.length) throw refuse(size, `${bytes.length - frame.length} bytes follow its frame`);
  if (frame.size === undefined) return withSize(bytes, frame, size);
  if (frame.size !== size) throw refuse(size, `it says that it holds ${frame.size}`);
  return bytes;
};

/**
 * The zstd of OP_COMPRESSED, loaded when it is first needed. It works in the caller's thread, and what comes out of a
 * message never takes more memory than its header admits.
 * @throws MongoError `usage` for a level that zstd does not know.
 */
export const createZstd = (options: Partial<ZstdOptions> = {}): Compressor => {
  const { level } = { ...defaults, ...options };
  if (!Number.isInteger(level) || level < 1 || level > 22) {
    throw new MongoError('usage', `zstd has no compression level ${level}; choose one from 1 to 22`);
  }
  const codec = (Zstd as { fromConfig(config: { readonly level: number }): Codec }).fromConfig({ level });
  return {
    id: 3,
    name: 'zstd',
    compress: bytes => codec.encode(bytes),
    decompress: async (bytes, size) => {
      const frame = checked(bytes, size);
      const result = await codec.decode(frame).catch((cause: unknown) => {
        throw refuse(size, `it cannot be read (${(cause as Error).message})`, cause);
      });
      if (result.length !== size) throw refuse(size, `it holds ${result.length}`);
      return result;
    },
  };
};
