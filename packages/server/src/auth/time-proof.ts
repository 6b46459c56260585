import type { TimestampValue } from '@tessera/mql/engine';
import { BinaryValue, Doc, compare, fail, show, showDoc } from '@tessera/mql/engine';
import type { ScramDeps } from './scram.js';

const signatureOf = (hash: BinaryValue, keyId: bigint): Doc =>
  Doc.of([
    ['hash', hash],
    ['keyId', keyId],
  ]);

/** The signature that the server sends to clients that need none. */
export const dummySignature: Doc = signatureOf(new BinaryValue(0, new Uint8Array(20)), 0n);

/**
 * Signs the cluster times that are sent to clients, if clients must authenticate. Members of a set share the key. Rule:
 * mongod's LogicalTimeValidator.
 */
export class TimeProof {
  readonly #keyId = 1n;
  readonly #hashOf: (time: TimestampValue) => Uint8Array;
  #signed: { readonly time: TimestampValue; readonly signature: Doc } | undefined;

  /** @param secret returns the key */
  constructor({ crypto }: ScramDeps, secret: () => Uint8Array) {
    this.#hashOf = ({ t, i }) => {
      const data = new Uint8Array(8);
      const view = new DataView(data.buffer);
      view.setUint32(0, i, true);
      view.setUint32(4, t, true);
      return crypto.hmac('sha1', secret(), data);
    };
  }

  signatureOf(time: TimestampValue): Doc {
    if (this.#signed?.time !== time) {
      const signature = signatureOf(new BinaryValue(0, this.#hashOf(time)), this.#keyId);
      this.#signed = { time, signature };
    }
    return this.#signed.signature;
  }

  /** @throws CommandError 211, 204 for a time with the key or the signature of another deployment */
  check(time: TimestampValue, given: Doc): void {
    const keyId = given.get('keyId')!;
    if (compare(keyId, this.#keyId) !== 0) {
      const shown = showDoc(Doc.of([['ts', time]]));
      throw fail('KeyNotFound', `No keys found for HMAC that is valid for time: ${shown} with id: ${show(keyId)}`);
    }
    if (compare(given.get('hash'), this.signatureOf(time).get('hash')) !== 0)
      throw fail('TimeProofMismatch', 'Proof does not match the cluster time');
  }
}
