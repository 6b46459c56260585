import { chunkCount } from './file.js';
import type { Layout } from './file.js';
import type { Failure } from './failure.js';

/** The requested part of a file: the bytes from `start` (inclusive) to `end` (exclusive). */
export interface Range {
  readonly start: number;
  readonly end: number;
}

/** The chunks that contain a range: from `first` (inclusive) to `end` (exclusive). */
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
 * Fills in the defaults of a range. Rule: GridFS, "Partial File Retrieval".
 * @throws an error of `failure` unless 0 ≤ start ≤ end ≤ length.
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

/** Returns the chunks of a range. Empty for an empty range. */
export const chunksOf = ({ start, end }: Range, layout: Layout): ChunkRange => {
  if (start === end) return { first: 0, end: 0 };
  const first = Math.floor(start / layout.chunkSize);
  return { first, end: Math.min(Math.ceil(end / layout.chunkSize), chunkCount(layout)) };
};

/** Returns the part of a chunk that lies in the range. This is the chunk's own memory if all of it does. */
export const partOf = (data: Uint8Array, n: number, { start, end }: Range, { chunkSize }: Layout): Uint8Array => {
  const from = Math.max(start - n * chunkSize, 0);
  const to = Math.min(end - n * chunkSize, data.length);
  return from === 0 && to === data.length ? data : data.subarray(from, to);
};
