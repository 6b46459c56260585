import { createHash, createHmac, pbkdf2, randomFillSync } from 'node:crypto';
import * as v8 from 'node:v8';
import type { Crypto, Random } from '@tessera/contracts';

/** Undefined on hosts without snapshots. */
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- some hosts lack it, so its type below is optional
const snapshot = v8.startupSnapshot as typeof v8.startupSnapshot | undefined;

/** Whether this process is building a snapshot that other processes start from. On some hosts the call throws. */
const becomesSnapshot = (): boolean => {
  try {
    return Boolean(snapshot?.isBuildingSnapshot()); // Node.js 20 returns 1
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

/** Cryptography by OpenSSL. Key derivation runs on the thread pool. */
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
