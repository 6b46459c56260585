/** How a zstd frame is laid out: what it says about its content's size, and where it ends. Rule: RFC 8878, 3.1.1. */
import type { Raw } from '@tessera/contracts';

const MAGIC = [0x28, 0xb5, 0x2f, 0xfd];
const DESCRIPTOR = MAGIC.length;
/** Bytes of the dictionary's id, and of the content's size, by their flags in the descriptor. */
const ID_WIDTHS = [0, 1, 2, 4];
const SIZE_WIDTHS = [0, 2, 4, 8];
/** The flag of a size in four bytes. */
const FOUR_BYTES = 0x80;
const CHECKSUM = 4;
const BLOCK_HEADER = 3;
/** The type of a block that says one byte and how often it comes. */
const REPEATED = 1;

export interface Frame {
  /** What it says about its content; undefined if it does not. */
  readonly size: number | undefined;
  /** Where its size stands, or would stand. */
  readonly sizeAt: number;
  /** The length of the frame. */
  readonly length: number;
}

const number = (bytes: Raw, at: number, width: number): number => {
  let value = 0;
  for (let index = width - 1; index >= 0; index -= 1) value = value * 256 + bytes[at + index]!;
  return value;
};

/** Where the last of the blocks ends; beyond the bytes if they are cut off. */
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

/** The frame at the start of the bytes; undefined if there is none. Its length is more than theirs if it is cut off. */
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

/** The same frame, whose header now says how much it holds: whoever reads it takes no more memory, and no other size. */
export const withSize = (bytes: Raw, { sizeAt }: Frame, size: number): Raw => {
  const out = new Uint8Array(bytes.length + 4);
  out.set(bytes.subarray(0, sizeAt));
  out[DESCRIPTOR] = bytes[DESCRIPTOR]! | FOUR_BYTES;
  for (let index = 0; index < 4; index += 1) out[sizeAt + index] = size >>> (8 * index);
  out.set(bytes.subarray(sizeAt), sizeAt + 4);
  return out;
};
