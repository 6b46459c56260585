import { MongoError, type Document, type Shape } from '@tessera/contracts';
import { shapeOr, type CollectionShape } from '../shape.js';
import { valueEnd } from './extent.js';
import { drop, readFast, readFastArray } from './fast.js';

/** Converts a stack overflow to a MongoError, so that decoding throws one kind of error. */
const stackError = (cause: unknown): unknown =>
  cause instanceof RangeError
    ? new MongoError(
        'protocol',
        'The document is nested too deeply for the remaining stack, at byte 0 of the document.',
        { cause },
      )
    : cause;

/**
 * Reads with the fast decoder. If it gives up, reads again with the plain decoder, which reports what is wrong and
 * where.
 */
const read = <T>(fast: (() => T) | undefined, plain: () => T): T => {
  if (fast !== undefined) {
    try {
      return fast();
    } catch {
      drop();
    }
  }
  try {
    return plain();
  } catch (error) {
    throw stackError(error);
  }
};

const readPlain = ({ decoder }: CollectionShape, start: number, end: number, base: number): Document =>
  read(undefined, () => decoder.from(base).document(start, end));

/**
 * Decodes the document between two offsets of the attached memory. @throws MongoError `protocol` with the byte offset.
 */
export const readDocument = (start: number, end: number, base: number, given?: Shape): Document => {
  const shape = shapeOr(given);
  const { learned } = shape;
  if (learned === undefined) return readPlain(shape, start, end, base);
  try {
    return readFast(start, end, learned);
  } catch {
    drop();
    return readPlain(shape, start, end, base);
  }
};

/** Decodes one value that ends before the limit. @throws MongoError `protocol` with the byte offset. */
export const readValue = (
  type: number,
  at: number,
  limit: number,
  base: number,
  key: string,
  given?: Shape,
): unknown => {
  const { learned, decoder } = shapeOr(given);
  const plain = (): unknown => decoder.from(base, 1).value(type, at, limit, key, false);
  if (learned === undefined || (type !== 3 && type !== 4)) return read(undefined, plain);
  const end = valueEnd(type, at, limit, base);
  return read(() => (type === 3 ? readFast(at, end, learned) : readFastArray(at, end, learned)), plain);
};
