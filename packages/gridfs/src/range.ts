import { chunkCount } from './file.js';
import type { Layout } from './file.js';
import type { Failure } from './failure.js';

/** The part of a file that is asked for: bytes from `start` up to, but without, `end`. */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The chunks in which a range lies: from the first up to, but without, `end`. */
export interface ChunkRange {
  readonly first: number;
  readonly end: number;
}

const wholeNumber = (name: string, value: number, failure: Failure): void => {
  if (!Number.isInteger(value))
    throw failure('argument', `Stream ${name} (${String(value)}) must be a whole number of bytes`);
  if (value < 0) throw failure('argument', `Stream ${name} (${value}) must not be negative`);
};

/**
 * The range, with what was not said filled in. Rule: GridFS, "Partial File Retrieval".
 * @throws what `failure` makes unless 0 ≤ start ≤ end ≤ length.
 */
export const rangeOf = (asked: Partial<Range>, { length }: Layout, failure: Failure): Range => {
  const { start = 0, end = length } = asked;
  wholeNumber('start', start, failure);
  wholeNumber('end', end, failure);
  if (start > length)
    throw failure('argument', `Stream start (${start}) must not be more than the length of the file (${length})`);
  if (end > length)
    throw failure('argument', `Stream end (${end}) must not be more than the length of the file (${length})`);
  if (start > end) throw failure('argument', `Stream start (${start}) must not be greater than stream end (${end})`);
  return { start, end };
};

/** Empty for an empty range. */
export const chunksOf = ({ start, end }: Range, layout: Layout): ChunkRange => {
  if (start === end) return { first: 0, end: 0 };
  const first = Math.floor(start / layout.chunkSize);
  return { first, end: Math.min(Math.ceil(end / layout.chunkSize), chunkCount(layout)) };
};

/** What of the chunk lies in the range; the chunk's own bytes if all of it does. */
export const partOf = (data: Uint8Array, n: number, { start, end }: Range, { chunkSize }: Layout): Uint8Array => {
  const from = Math.max(start - n * chunkSize, 0);
  const to = Math.min(end - n * chunkSize, data.length);
  return from === 0 && to === data.length ? data : data.subarray(from, to);
};
