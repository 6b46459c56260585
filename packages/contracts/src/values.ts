/**
 * The types of values in documents: those of npm `bson`. This package imports only types; the constructors come with the codec,
 * in `BsonCodec.values`.
 */
import type * as npm from 'bson';

export type { Binary, Decimal128, Long, ObjectId, Timestamp, UUID } from 'bson';

/** A decoded document: an object with values of npm `bson` and of JavaScript. */
export type Document = npm.Document;

/** The bytes of one encoded BSON document, or of the value that the context names. */
export type Raw = Uint8Array;

/** The constructors of BSON values that the packages below the client need. The codec provides them. */
export type Values = Pick<typeof npm, 'Binary' | 'Long' | 'ObjectId' | 'Timestamp' | 'UUID'>;
