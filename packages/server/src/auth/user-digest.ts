import type { Crypto } from '@tessera/contracts';
import type { Doc } from '@tessera/mql/engine';
import { BinaryValue, fail, utf8 } from '@tessera/mql/engine';

/** The SHA-256 digest of `user@db` as a string of its 32 bytes: MongoDB's `lsid.uid`. */
export const digestOf = (
  crypto: Pick<Crypto, 'hash'>,
  { user, db }: { readonly user: string; readonly db: string },
): string => String.fromCharCode(...crypto.hash('sha256', utf8(`${user}@${db}`)));

/** Returns the digest in the field `uid` of a document. @throws CommandError 14 */
export const digestIn = (doc: Doc): string | undefined => {
  const uid = doc.get('uid');
  if (uid === undefined) return undefined;
  if (!(uid instanceof BinaryValue) || uid.bytes.length !== 32)
    throw fail('TypeMismatch', "BSON field 'uid' is the wrong type, expected a binData of 32 bytes");
  return String.fromCharCode(...uid.bytes);
};

/** Returns the `uid` value of a digest. */
export const uidOf = (digest: string): BinaryValue =>
  new BinaryValue(
    0,
    Uint8Array.from(digest, byte => byte.charCodeAt(0)),
  );
