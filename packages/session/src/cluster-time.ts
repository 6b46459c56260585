import type { BsonCodec, Document, Elements, Reply, Timestamp, View } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';

/** A `$clusterTime` as it was received: it is sent on byte for byte. */
export interface ClusterTime {
  /** The 64 bits of the timestamp; alone they say which of two is newer. */
  readonly time: bigint;
  /** `$clusterTime: {…}` */
  readonly elements: Elements;
  /** `{ clusterTime, signature }`, decoded when someone asks. */
  document(): Document;
}

export const newer = (a: ClusterTime | undefined, b: ClusterTime | undefined): ClusterTime | undefined =>
  a === undefined || (b !== undefined && b.time > a.time) ? b : a;

/** Seconds stand in the upper half: after 2038 the sign bit is one of them. */
const unsigned = (bits: bigint): bigint => (bits < 0n ? BigInt.asUintN(64, bits) : bits);

/** The 64 bits of a Timestamp; undefined for every other type. */
export const timestampIn = (view: View | undefined, key: string): bigint | undefined => {
  const bits = view?.long(key);
  // Numbers of every type are an `int`, too; a Timestamp is not.
  return bits === undefined || view?.int(key) !== undefined ? undefined : unsigned(bits);
};

/** Whether the signature has the form that servers require. A deployment that signs nothing sends none. */
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
    // A key id that had become a number would be sent on as another type.
    document: () => bson.read(copy).document(bson.shape({ promoteLongs: false })),
  };
};

interface GivenTime {
  readonly clusterTime: Timestamp;
  readonly signature: {
    readonly hash?: { readonly _bsontype?: string };
    readonly keyId?: number | bigint | { readonly _bsontype?: string };
  } | null;
}

/** One that the application gives, perhaps from another client. @throws MongoError `usage` unless it has the form. */
export const givenBy = (clusterTime: Document, bson: BsonCodec): ClusterTime => {
  const { clusterTime: timestamp, signature } = (clusterTime as Partial<GivenTime> | null) ?? {};
  const { hash, keyId } = signature ?? {};
  const isKey = typeof keyId === 'number' || typeof keyId === 'bigint' || keyId?._bsontype === 'Long';
  if (timestamp?._bsontype !== 'Timestamp' || hash?._bsontype !== 'Binary' || !isKey)
    throw new MongoError(
      'usage',
      'A cluster time must be a document { clusterTime: Timestamp, signature: { hash: Binary, keyId: Long } }; give the clusterTime of another session.',
    );
  return {
    time: timeOf(timestamp),
    elements: bson.elements({ $clusterTime: clusterTime }),
    document: () => clusterTime,
  };
};

export const timeOf = (timestamp: Timestamp): bigint => unsigned(timestamp.toBigInt());
