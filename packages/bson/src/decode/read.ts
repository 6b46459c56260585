import type { Document, Shape } from '@tessera/contracts';
import type { CollectionShape } from '../shape.js';
import { defaults } from '../options.js';
import { decodingError, PlainDecoder } from './plain.js';

const byDefault = new PlainDecoder(defaults);

/** The document between two offsets of the attached memory. @throws MongoError `protocol` with the byte offset. */
export const readDocument = (start: number, end: number, base: number, shape?: Shape): Document => {
  const decoder = shape === undefined ? byDefault : (shape as CollectionShape).decoder;
  try {
    return decoder.from(base).document(start, end);
  } catch (error) {
    throw decodingError(error);
  }
};

/** One value that ends before the limit. @throws MongoError `protocol` with the byte offset. */
export const readValue = (
  type: number,
  at: number,
  limit: number,
  base: number,
  key: string,
  shape?: Shape,
): unknown => {
  const decoder = shape === undefined ? byDefault : (shape as CollectionShape).decoder;
  try {
    return decoder.from(base).value(type, at, limit, key, false);
  } catch (error) {
    throw decodingError(error);
  }
};
