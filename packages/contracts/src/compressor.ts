import type { Soon } from './clock.js';
import type { Raw } from './values.js';

/** One algorithm of OP_COMPRESSED. Rule: OP_COMPRESSED, "compressor ids": 0 noop, 1 snappy, 2 zlib, 3 zstd. */
export interface Compressor {
  readonly id: number;
  readonly name: string;
  compress(bytes: Raw): Soon<Raw>;
  /** @throws MongoError `protocol` unless the result is exactly `size` bytes long. */
  decompress(bytes: Raw, size: number): Soon<Raw>;
}
