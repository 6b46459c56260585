/** Wraps a compressor and counts the messages that it compresses and decompresses. */
import type { Compressor } from '@tessera/contracts';

export interface CountingCompressor extends Compressor {
  readonly packed: number;
  readonly unpacked: number;
}

export const createCounting = ({ id, name, compress, decompress }: Compressor): CountingCompressor => {
  let packed = 0;
  let unpacked = 0;
  return {
    id,
    name,
    get packed() {
      return packed;
    },
    get unpacked() {
      return unpacked;
    },
    compress: bytes => {
      packed += 1;
      return compress(bytes);
    },
    decompress: (bytes, size) => {
      unpacked += 1;
      return decompress(bytes, size);
    },
  };
};
