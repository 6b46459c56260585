import { createHash, createHmac, pbkdf2, randomFillSync } from 'node:crypto';
import * as v8 from 'node:v8';
import type { Crypto, Random } from '@tessera/contracts';

/** Not every host has it. */
// eslint-disable-next-line n/no-unsupported-features/node-builtins -- it is asked for below, and its absence expected
const snapshot = v8.startupSnapshot as typeof v8.startupSnapshot | undefined;

/** Whether other processes will start from what this one is now. On some hosts the question throws. */
const becomesSnapshot = (): boolean => {
  try {
    return Boolean(snapshot?.isBuildingSnapshot()); // Node.js 20 answers 1
  } catch {
    return false;
  }
};

export const hostRandom: Random = {
  unit: () => Math.random(),
  bytes: length => randomFillSync(new Uint8Array(length)),
  onCopied: renew => {
    if (becomesSnapshot()) snapshot?.addDeserializeCallback(renew);
  },
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
