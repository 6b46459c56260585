import type { BsonCodec, Document, Elements, Reply, Timestamp } from '@tessera/contracts';
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

/**
 * The one in a reply if it is newer than what is known, else what is known. Only then anything is copied.
 * Rule: Driver Sessions, "Receiving the current cluster time".
 */
export const heardIn = (reply: Reply, known: ClusterTime | undefined, bson: BsonCodec): ClusterTime | undefined => {
  const view = reply.view('$clusterTime');
  const bits = view?.long('clusterTime');
  if (bits === undefined) return known;
  const time = unsigned(bits);
  if (known !== undefined && known.time >= time) return known;
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

/** One that the application gives, perhaps from another client. @throws MongoError `usage` unless it has the form. */
export const givenBy = (clusterTime: Document, bson: BsonCodec): ClusterTime => {
  const timestamp = clusterTime['clusterTime'] as Timestamp | undefined;
  if (timestamp?._bsontype !== 'Timestamp')
    throw new MongoError(
      'usage',
      'A cluster time must be a document { clusterTime: Timestamp, signature }; give the clusterTime of another session.',
    );
  return {
    time: timeOf(timestamp),
    elements: bson.elements({ $clusterTime: clusterTime }),
    document: () => clusterTime,
  };
};

export const timeOf = (timestamp: Timestamp): bigint => unsigned(timestamp.toBigInt());

/** Seconds stand in the upper half: after 2038 the sign bit is one of them. */
export const unsigned = (bits: bigint): bigint => (bits < 0n ? BigInt.asUintN(64, bits) : bits);
