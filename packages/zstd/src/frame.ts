/** The layout of a zstd frame: the size of its content, and where the frame ends. Rule: RFC 8878, 3.1.1. */
import type { Raw } from '@tessera/contracts';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const DESCRIPTOR = MAGIC.length;
/** The widths in bytes of the dictionary's id and of the content's size, by their flags in the descriptor. */
const ID_WIDTHS = [0, 1, 2, 4];
const SIZE_WIDTHS = [0, 2, 4, 8];
/** The flag for a size of four bytes. */
const FOUR_BYTES = 0x80;
const CHECKSUM = 4;
const BLOCK_HEADER = 3;
/** The block type that stores one byte and a repeat count. */
const REPEATED = 1;

export interface Frame {
  /** The content size in the header; undefined if the header has none. */
  readonly size: number | undefined;
  /** The offset of the size field, or where it would be. */
  readonly sizeAt: number;
  /** The length of the frame in bytes. */
  readonly length: number;
}

const number = (bytes: Raw, at: number, width: number): number => {
  let value = 0;
  for (let index = width - 1; index >= 0; index -= 1) value = value * 256 + bytes[at + index]!;
  return value;
};

/** Returns the end of the last block. It lies past the bytes if they are truncated. */
const endOfBlocks = (bytes: Raw, start: number): number => {
  let at = start;
  while (at + BLOCK_HEADER <= bytes.length) {
    const header = number(bytes, at, BLOCK_HEADER);
    const isLast = (header & 1) === 1;
    at += BLOCK_HEADER + (((header >>> 1) & 3) === REPEATED ? 1 : header >>> 3);
    if (isLast) return at;
  }
  return bytes.length + 1;
};

/**
 * Parses the frame at the start of the bytes. Undefined if there is none. The length exceeds the bytes if they are
 * truncated.
 */
export const readFrame = (bytes: Raw): Frame | undefined => {
  if (bytes.length <= DESCRIPTOR || MAGIC.some((byte, index) => bytes[index] !== byte)) return undefined;
  const descriptor = bytes[DESCRIPTOR]!;
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const flag = descriptor >>> 6;
  const sizeAt = DESCRIPTOR + 1 + (isSingleSegment ? 0 : 1) + ID_WIDTHS[descriptor & 3]!;
  const width = flag === 0 && isSingleSegment ? 1 : SIZE_WIDTHS[flag]!;
  const size = number(bytes, sizeAt, width) + (width === 2 ? 256 : 0);
  const end = endOfBlocks(bytes, sizeAt + width);
  return {
    size: width === 0 ? undefined : size,
    sizeAt,
    length: end + ((descriptor & 4) === 0 ? 0 : CHECKSUM),
  };
};

/**
 * Returns the same frame with the content size in its header, so that the decoder allocates no more memory and accepts
 * no other size.
 */
export const withSize = (bytes: Raw, { sizeAt }: Frame, size: number): Raw => {
  const out = new Uint8Array(bytes.length + 4);
  out.set(bytes.subarray(0, sizeAt));
  out[DESCRIPTOR] = bytes[DESCRIPTOR]! | FOUR_BYTES;
  for (let index = 0; index < 4; index += 1) out[sizeAt + index] = size >>> (8 * index);
  out.set(bytes.subarray(sizeAt), sizeAt + 4);
  return out;
};
