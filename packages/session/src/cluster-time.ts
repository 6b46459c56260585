import type { BsonCodec, Document, Elements, Reply, Timestamp, View } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** A `$clusterTime`. It is sent on byte for byte as it was received. */
export interface ClusterTime {
  /** The 64 bits of the timestamp, unsigned. They alone determine which of two times is newer. */
  readonly time: bigint;
  /** The encoded element `$clusterTime: {…}`. */
  readonly elements: Elements;
  /** Decodes and returns `{ clusterTime, signature }`. */
  document(): Document;
}

/** Returns the newer of two times; `a` if they are equal. */
export const newer = (a: ClusterTime | undefined, b: ClusterTime | undefined): ClusterTime | undefined =>
  a === undefined || (b !== undefined && b.time > a.time) ? b : a;

/** Returns the bits as an unsigned number. The upper half is the seconds, which set the sign bit after 2038. */
const unsigned = (bits: bigint): bigint => (bits < 0n ? BigInt.asUintN(64, bits) : bits);

/** Returns the 64 bits of a field of type Timestamp, unsigned; undefined for any other type. */
export const timestampIn = (view: View | undefined, key: string): bigint | undefined => {
  const bits = view?.long(key);
  // `int` reads numbers of every type, but not a Timestamp.
  return bits === undefined || view?.int(key) !== undefined ? undefined : unsigned(bits);
};

/** Returns whether the signature has the required form. Deployments without authentication may send none. */
const hasValidSignature = (clusterTime: View): boolean => {
  if (!clusterTime.has('signature')) return true;
  const signature = clusterTime.view('signature');
  return signature?.long('keyId') !== undefined && signature.has('hash') && signature.text('hash') === undefined;
};

/**
 * Returns the cluster time of a reply if it is newer than the known one, else the known one. Copies only a newer one.
 * A cluster time of another form is ignored: the driver would send it with every command, and servers reject such commands.
 * A time in the far future is kept, as only servers know the time.
 * Rule: Driver Sessions, "Receiving the current cluster time".
 */
export const newestIn = (reply: Reply, known: ClusterTime | undefined, bson: BsonCodec): ClusterTime | undefined => {
  const view = reply.view('$clusterTime');
  const time = timestampIn(view, 'clusterTime');
  if (view === undefined || time === undefined || (known !== undefined && known.time >= time)) return known;
  if (!hasValidSignature(view)) return known;
  const bytes = reply.bytes('$clusterTime');
  if (bytes === undefined) return known;
  const copy = bytes.slice();
  return {
    time,
    elements: bson.element('$clusterTime', copy),
    // A key id that is promoted to a number would be sent with another type.
    document: () => bson.read(copy).document(bson.shape({ promoteLongs: false })),
  };
};

/** A cluster time from the application, of unchecked form. */
interface GivenTime {
  readonly clusterTime: Timestamp;
  readonly signature: {
    readonly hash?: { readonly _bsontype?: string };
    readonly keyId?: number | bigint | { readonly _bsontype?: string };
  } | null;
}

/**
 * Returns a cluster time that the application passed, for example from another client.
 * @throws MongoError `usage` if it does not have the required form
 */
export const givenBy = (clusterTime: Document, bson: BsonCodec): ClusterTime => {
  const { clusterTime: timestamp, signature } = (clusterTime as Partial<GivenTime> | null) ?? {};
  const { hash, keyId } = signature ?? {};
  const isKey = typeof keyId === 'number' || typeof keyId === 'bigint' || keyId?._bsontype === 'Long';
  if (timestamp?._bsontype !== 'Timestamp' || hash?._bsontype !== 'Binary' || !isKey)
    throw new MongoError(
      'usage',
      'A cluster time must be a document { clusterTime: Timestamp, signature: { hash: Binary, keyId: Long } }. Pass the clusterTime of another session.',
    );
  return {
    time: timeOf(timestamp),
    elements: bson.elements({ $clusterTime: clusterTime }),
    document: () => clusterTime,
  };
};

/** Returns the 64 bits of a Timestamp, unsigned. */
export const timeOf = (timestamp: Timestamp): bigint => unsigned(timestamp.toBigInt());
