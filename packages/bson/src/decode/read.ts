import type { Document, Shape } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { shapeOr } from '../shape.js';
import { drop, readFast } from './fast.js';
import type { PlainDecoder } from './plain.js';

/** Decoding throws one kind of error, whatever went wrong. */
const stackError = (cause: unknown): unknown =>
  cause instanceof RangeError
    ? new MongoError(
        'protocol',
        'This document nests too deep for what is left of the stack, at byte 0 of the document.',
        { cause },
      )
    : cause;

const readPlain = (decoder: PlainDecoder, start: number, end: number, base: number): Document => {
  try {
    return decoder.from(base).document(start, end);
  } catch (error) {
    throw stackError(error);
  }
};

/** The document between two offsets of the attached memory. @throws MongoError `protocol` with the byte offset. */
export const readDocument = (start: number, end: number, base: number, shape?: Shape): Document => {
  const { learned, decoder } = shapeOr(shape);
  if (learned === undefined) return readPlain(decoder, start, end, base);
  try {
    return readFast(start, end, learned);
  } catch {
    drop();
    return readPlain(decoder, start, end, base);
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
  const { decoder } = shapeOr(shape);
  try {
    return decoder.from(base).value(type, at, limit, key, false);
  } catch (error) {
    throw stackError(error);
  }
};
