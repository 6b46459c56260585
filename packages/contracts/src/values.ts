/**
 * The types of values in documents, from npm `bson`. This package imports only the types; `BsonCodec.values` provides the
 * constructors.
 */
import type * as npm from 'bson';

export type { Binary, Decimal128, Long, ObjectId, Timestamp, UUID } from 'bson';

/** A decoded document: an object with values of npm `bson` and of JavaScript. */
export type Document = npm.Document;

/** The bytes of one encoded BSON document, or other bytes as described where this type is used. */
export type Raw = Uint8Array;

/** The constructors of BSON values that the driver calls. It takes them from the codec, not from npm `bson`. */
export type Values = Pick<typeof npm, 'Binary' | 'Long' | 'ObjectId' | 'Timestamp' | 'UUID'>;
