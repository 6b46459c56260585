/**
 * The values of documents are those of the npm package `bson`. Only their types are named here: contracts loads nothing,
 * constructors arrive with the codec.
 */
import type * as npm from 'bson';

export type { Binary, Decimal128, Long, ObjectId, Timestamp, UUID } from 'bson';

/** A document as applications hold it: string keys to values of npm `bson` and of JavaScript. */
export type Document = npm.Document;

/** The bytes of one whole BSON document (or of the value that is being spoken of). */
export type Raw = Uint8Array;

/** The constructors that a package below the facade may need, handed to it with the codec. */
export type Values = Pick<typeof npm, 'Binary' | 'Long' | 'ObjectId' | 'Timestamp' | 'UUID'>;
