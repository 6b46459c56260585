/** Work that runs outside of the world, in a thread pool of the host. It takes no virtual time. */
import type { Compressor, Crypto, Soon } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

export interface Outside {
  /**
   * Returns the result of the work. Results arrive in the order in which the work was started, so that runs are
   * reproducible.
   */
  wait<T>(work: Promise<T>): Promise<T>;
  busy(): boolean;
  /** Resolves when the oldest pending work is done. */
  idle(): Promise<void>;
}

export const createOutside = (): Outside => {
  const working: Promise<unknown>[] = [];
  return {
    wait: async work => {
      const before = working.at(-1);
      // Handles a rejection that occurs before its turn.
      const settled = Promise.allSettled([before, work]);
      working.push(settled);
      await settled;
      void working.splice(working.indexOf(settled), 1);
      return await work;
    },
    busy: () => working.length > 0,
    idle: async () => {
      await working[0];
    },
  };
};

export const waitingCrypto = (crypto: Crypto, outside: Outside): Crypto => ({
  hash: (name, data) => crypto.hash(name, data),
  hmac: (name, key, data) => crypto.hmac(name, key, data),
  pbkdf2: (name, password, salt, iterations, length) =>
    outside.wait(crypto.pbkdf2(name, password, salt, iterations, length)),
});

export const waitingCompressor = (compressor: Compressor, outside: Outside): Compressor => {
  const wait = <T>(result: Soon<T>): Soon<T> => (result instanceof Promise ? outside.wait(result) : result);
  return {
    id: compressor.id,
    name: compressor.name,
    compress: bytes => wait(compressor.compress(bytes)),
    decompress: (bytes, size) => wait(compressor.decompress(bytes, size)),
  };
};

const refuse = (): never => {
  throw new MongoError(
    'usage',
    'This world has no crypto: pass one to createWorld({ turn, crypto }), for example that of @tessera/node.',
  );
};

export const noCrypto: Crypto = {
  hash: refuse,
  hmac: refuse,
  pbkdf2: () =>
    new Promise(() => {
      refuse();
    }),
};
