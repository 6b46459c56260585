import type { Compressor } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** Flips every byte. Applied twice, it returns the original. */
export const changed = (bytes: Uint8Array): Uint8Array => bytes.map(byte => byte ^ 0x5a);

const checked = (bytes: Uint8Array, size: number): Uint8Array => {
  if (bytes.length !== size) throw new MongoError('protocol', `expected ${size} bytes`);
  return bytes;
};

/** Two compressors that only flip every byte: one synchronous, one asynchronous. */
export const atOnce: Compressor = {
  id: 100,
  name: 'at once',
  compress: changed,
  decompress: (bytes, size) => checked(changed(bytes), size),
};
export const later: Compressor = {
  id: 101,
  name: 'later',
  compress: bytes => Promise.resolve(changed(bytes)),
  decompress: async (bytes, size) => {
    const copy = changed(bytes);
    for (let hop = 0; hop < 10; hop += 1) await Promise.resolve();
    return checked(copy, size);
  },
};
