import { crc32c } from '../wire/crc32c.js';

/**
 * The file `data`, all numbers little-endian. It begins with 24 bytes:
 *
 *     0  "TESSERA\n"
 *     8  uint32  version of the format, 1
 *    12  8 bytes of chance: what is left of another file passes for none of this one
 *    20  uint32  CRC-32C of the 20 bytes before
 *
 * Then come frames. One or more of them are a commit, which counts when its last frame is there; the first commit is a
 * snapshot, each other leads on from what was before:
 *
 *     0  uint32  "frm\n"
 *     4  uint32  bytes of content
 *     8  uint64  number of the commit, from 1 on
 *    16  uint32  number of the frame in its commit, from 0 on; the highest bit says that it is the last
 *    20  uint32  CRC-32C of the file's bytes of chance, the 20 bytes before, and the content
 *    24  content: see `change-bytes.ts`
 *
 * A commit is begun only when the one before is synced. So a frame that is damaged, although one of a later commit stands
 * behind it, was whole once; one without is what a crash left of a commit that nobody was told of.
 */
export const headerSize = 24;
export const frameHeaderSize = 24;

/** No frame has more content. */
export const mostContent: number = 64 * 1024 * 1024;

const formatVersion = 1;
const fileMark = Uint8Array.from('TESSERA\n', char => char.charCodeAt(0));
const frameMark = 0x0a6d7266;
const lastBit = 0x8000_0000;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** What sums of frames begin with. */
export type FileId = number;

/** @param chance 8 bytes */
export const fileHeader = (chance: Uint8Array): Uint8Array => {
  const bytes = new Uint8Array(headerSize);
  bytes.set(fileMark);
  const view = viewOf(bytes);
  view.setUint32(8, formatVersion, true);
  bytes.set(chance.subarray(0, 8), 12);
  view.setUint32(20, crc32c(bytes.subarray(0, 20)), true);
  return bytes;
};

export type FileHeader =
  | { readonly kind: 'known'; readonly id: FileId }
  | { readonly kind: 'later'; readonly version: number }
  | { readonly kind: 'unknown' };

export const readFileHeader = (bytes: Uint8Array): FileHeader => {
  if (bytes.length < headerSize || fileMark.some((byte, i) => bytes[i] !== byte)) return { kind: 'unknown' };
  const view = viewOf(bytes);
  if (view.getUint32(20, true) !== crc32c(bytes.subarray(0, 20))) return { kind: 'unknown' };
  const version = view.getUint32(8, true);
  return version > formatVersion ? { kind: 'later', version } : { kind: 'known', id: crc32c(bytes.subarray(12, 20)) };
};

/** Which frame it is. */
export interface Place {
  readonly commit: number;
  readonly part: number;
}

export interface Frame extends Place {
  readonly isLast: boolean;
  readonly content: Uint8Array;
}

export const writeFrame = (id: FileId, { commit, part, isLast, content }: Frame): Uint8Array => {
  const bytes = new Uint8Array(frameHeaderSize + content.length);
  const view = viewOf(bytes);
  view.setUint32(0, frameMark, true);
  view.setUint32(4, content.length, true);
  view.setBigUint64(8, BigInt(commit), true);
  view.setUint32(16, (part | (isLast ? lastBit : 0)) >>> 0, true);
  bytes.set(content, frameHeaderSize);
  view.setUint32(20, crc32c(content, crc32c(bytes.subarray(0, 20), id)), true);
  return bytes;
};

/** How long a frame would be whose header that is; undefined: it is none. */
export const frameLength = (header: Uint8Array): number | undefined => {
  if (header.length < frameHeaderSize) return undefined;
  const view = viewOf(header);
  const length = view.getUint32(4, true);
  return view.getUint32(0, true) === frameMark && length <= mostContent ? frameHeaderSize + length : undefined;
};

/** @param bytes as many as {@link frameLength} says. Returns undefined if it is damaged. */
export const readFrame = (id: FileId, bytes: Uint8Array): Frame | undefined => {
  const view = viewOf(bytes);
  const content = bytes.subarray(frameHeaderSize);
  if (view.getUint32(20, true) !== crc32c(content, crc32c(bytes.subarray(0, 20), id))) return undefined;
  const part = view.getUint32(16, true);
  return {
    commit: Number(view.getBigUint64(8, true)),
    part: (part & ~lastBit) >>> 0,
    isLast: part >= lastBit,
    content,
  };
};
