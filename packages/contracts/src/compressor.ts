import type { Soon } from './clock.js';
import type { Raw } from './values.js';

/** A compression algorithm for OP_COMPRESSED. Rule: OP_COMPRESSED, "compressor ids": 0 noop, 1 snappy, 2 zlib, 3 zstd. */
export interface Compressor {
  /** The compressor id in OP_COMPRESSED frames. */
  readonly id: number;
  /** The name in the handshake and in the option `compressors`. */
  readonly name: string;
  /** Returns the compressed bytes. */
  compress(bytes: Raw): Soon<Raw>;
  /**
   * Returns the decompressed bytes.
   * @throws MongoError `protocol` if the input is malformed or its content is not exactly `size` bytes long
   */
  decompress(bytes: Raw, size: number): Soon<Raw>;
}
