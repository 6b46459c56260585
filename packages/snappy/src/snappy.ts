import type { Compressor } from '@tessera/contracts';
import { decode } from './decode.js';
import { createEncoder } from './encode.js';

/**
 * Creates the snappy compressor for OP_COMPRESSED. It runs synchronously in the caller's thread, and uses no more
 * memory than the messages and a table of 32 KB.
 */
export const createSnappy = (): Compressor => {
  const encode = createEncoder();
  return {
    id: 1,
    name: 'snappy',
    compress: encode,
    decompress: (bytes, size) => {
      try {
        return decode(bytes, size);
      } catch (error) {
        return Promise.reject(error);
      }
    },
  };
};
