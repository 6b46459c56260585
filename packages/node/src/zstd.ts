import * as host from 'node:zlib';
import type { Compressor, Raw } from '@tessera/contracts';
import { AT_ONCE, unpack } from './unpacking.js';
import type { Algorithm } from './unpacking.js';

type Options = Readonly<Record<string, unknown>>;
type Done<T> = (cause: Error | null, result: T) => void;

/** What `node:zlib` has of zstd from Node.js 22.15 on. */
interface HostZstd {
  readonly constants: { readonly ZSTD_c_compressionLevel: number; readonly ZSTD_d_windowLogMax: number };
  zstdCompressSync(bytes: Raw, options: Options): Raw;
  zstdCompress(bytes: Raw, options: Options, done: Done<Raw>): void;
  zstdDecompressSync(bytes: Raw, options: Options): unknown;
  zstdDecompress(bytes: Raw, options: Options, done: Done<unknown>): void;
}

/** The level that is zstd's own choice. */
const LEVEL = 3;

/** As a power of two, the memory that a message may ask for beside its content: 8 MB, or as much as its content takes. */
const windowFor = (size: number): number => Math.max(23, Math.ceil(Math.log2(Math.max(size, 1))));

const builtIn = (exported: object): HostZstd | undefined =>
  'zstdCompress' in exported ? (exported as HostZstd) : undefined;

/**
 * The zstd of OP_COMPRESSED, if this Node.js has one.
 * @param exported by `node:zlib`
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
