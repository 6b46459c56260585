import { chunkCount } from './file.js';
import type { Layout } from './file.js';

/** Checks a received chunk. Returns the problem, or undefined. */
export const chunkFault = (
  expected: number,
  came: { readonly n: number; readonly size: number },
  layout: Layout,
): string | undefined => {
  const { n, size } = came;
  if (!Number.isInteger(n)) return `ChunkIsMissing: Got a chunk without a number, expected n: ${expected}`;
  if (n > expected) return `ChunkIsMissing: Got unexpected n: ${n}, expected: ${expected}`;
  if (n < expected) return `ExtraChunk: Got unexpected n: ${n}, expected: ${expected}`;
  const { length, chunkSize } = layout;
  if (n >= chunkCount(layout))
    return size === 0
      ? undefined // Old drivers ended uploads with an empty chunk.
      : `ExtraChunk: Got unexpected n: ${n}, expected file length ${length} bytes but already read ${length} bytes`;
  const right = Math.min(chunkSize, length - n * chunkSize);
  return size === right ? undefined : `ChunkIsWrongSize: Got unexpected length: ${size}, expected: ${right}`;
};

/** Returns the problem that the chunks ended before the file did. */
export const missingFault = (expected: number, end: number): string =>
  `ChunkIsMissing: Got no chunk, expected n: ${expected} of ${end} chunks`;
