import { createHash, createHmac, pbkdf2, randomFillSync } from 'node:crypto';
import type { Crypto, Random } from '@tessera/contracts';

export const hostRandom: Random = {
  unit: () => Math.random(),
  bytes: length => randomFillSync(new Uint8Array(length)),
};

/** OpenSSL's; key derivation runs on the thread pool. */
export const hostCrypto: Crypto = {
  hash: (name, data) => createHash(name).update(data).digest(),
  hmac: (name, key, data) => createHmac(name, key).update(data).digest(),
  pbkdf2: (name, password, salt, iterations, length) =>
    new Promise((resolve, reject) => {
      pbkdf2(password, salt, iterations, length, name, (error, key) => {
        if (error === null) resolve(key);
        else reject(error);
      });
    }),
};
