import { crc32c } from './crc32c.js';

/**
 * The format of the file `data`. All numbers are little-endian. The file starts with a header of 24 bytes:
 *
 * ```text
 *   0  "TESSERA\n"
 *   8  uint32  version of the format, 1
 *  12  8 random bytes that identify the file, so that remains of another file are not mistaken for frames of this one
 *  20  uint32  CRC-32C of the 20 bytes before
 * ```
 *
 * Frames follow. One or more frames form a commit, which counts once its last frame is present. The first commit is a
 * snapshot, and each later one changes the data of the previous one:
 *
 * ```text
 *   0  uint32  "frm\n"
 *   4  uint32  length of the content in bytes
 *   8  uint64  number of the commit, starting at 1
 *  16  uint32  number of the frame in its commit, starting at 0; the highest bit marks the last frame
 *  20  uint32  CRC-32C of the file's random bytes, the 20 bytes before, and the content
 *  24  content: see `change-bytes.ts`
 * ```
 *
 * A commit is started only after the previous one is synced. A damaged frame that is followed by a frame of a later
 * commit was therefore intact once. A damaged frame without one is the rest of an unacknowledged commit that a crash
 * interrupted.
 */
export const headerSize = 24;
export const frameHeaderSize = 24;

/** The maximum length of a frame's content in bytes. */
export const mostContent: number = 64 * 1024 * 1024;

const formatVersion = 1;
const fileMark = Uint8Array.from('TESSERA\n', char => char.charCodeAt(0));
const frameMark = 0x0a6d7266;
const lastBit = 0x8000_0000;

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** The checksum of the file's random bytes, with which all checksums of frames start. */
export type FileId = number;

/** Returns the header of a file. @param chance 8 random bytes */
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

/** The position of a frame in the sequence of commits. */
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

/** Returns the length of a frame in bytes from its header, or undefined if the header is invalid. */
export const frameLength = (header: Uint8Array): number | undefined => {
  if (header.length < frameHeaderSize) return undefined;
  const view = viewOf(header);
  const length = view.getUint32(4, true);
  return view.getUint32(0, true) === frameMark && length <= mostContent ? frameHeaderSize + length : undefined;
};

/** Parses a frame. Returns undefined if it is damaged. @param bytes as many bytes as {@link frameLength} returns */
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
