import * as host from 'node:zlib';
import type { Compressor, Raw } from '@tessera/contracts';
import { AT_ONCE, unpack } from './unpacking.js';
import type { Algorithm } from './unpacking.js';

type Options = Readonly<Record<string, unknown>>;
type Done<T> = (cause: Error | null, result: T) => void;

/** The zstd functions of `node:zlib` in Node.js 22.15 and later. */
interface HostZstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_d_windowLogMax: number };
  zstdCompressSync(bytes: Raw, options: Options): Raw;
  zstdCompress(bytes: Raw, options: Options, done: Done<Raw>): void;
  zstdDecompressSync(bytes: Raw, options: Options): unknown;
  zstdDecompress(bytes: Raw, options: Options, done: Done<unknown>): void;
}

/** The default level of zstd. */
const LEVEL = 3;

/**
 * Returns the memory that a message may use in addition to its content, as a power of two: 8 MB, or the size of its
 * content.
 */
const windowFor = (size: number): number => Math.max(23, Math.ceil(Math.log2(Math.max(size, 1))));

const builtIn = (exported: object): HostZstd | undefined =>
  'zstdCompress' in exported ? (exported as HostZstd) : undefined;

/**
 * Returns the zstd compressor for OP_COMPRESSED if this version of Node.js has zstd.
 * @param exported the exports of `node:zlib`
 */
export const hostZstd = (exported: object = host): Compressor | undefined => {
  const zstd = builtIn(exported);
  if (zstd === undefined) return undefined;
  const { constants } = zstd;
  const how = { params: { [constants.ZSTD_c_compressionLevel]: LEVEL } };
  return {
    id: 3,
    name: 'zstd',
    compress: bytes =>
      bytes.length <= AT_ONCE
        ? zstd.zstdCompressSync(bytes, how)
        : new Promise((resolve, reject) => {
            zstd.zstdCompress(bytes, how, (error, result) => {
              if (error === null) resolve(result);
              else reject(error);
            });
          }),
    decompress: (bytes, size) => {
      const within = { params: { [constants.ZSTD_d_windowLogMax]: windowFor(size) } };
      const algorithm: Algorithm = {
        name: 'zstd',
        atOnce: (content, bounds) => zstd.zstdDecompressSync(content, { ...bounds, ...within }),
        aside: (content, bounds, done) => {
          zstd.zstdDecompress(content, { ...bounds, ...within }, done);
        },
      };
      return unpack(algorithm, bytes, size);
    },
  };
};
