import { MongoError } from '@tessera/contracts';
import type { Raw } from '@tessera/contracts';

/** The shortest element with the longest copy: three bytes for 64. */
const COPY = 3;
const COPIED = 64;

/** The largest length code stored in the tag. Above it, the length follows in 1 to 4 bytes. */
const LONGEST_IN_TAG = 60;

/** The position in the stream and the output so far. */
class Decoding {
  readonly #bytes: Raw;
  readonly #out: Uint8Array;
  #at: number;
  #filled = 0;

  constructor(bytes: Raw, start: number, size: number) {
    this.#bytes = bytes;
    this.#at = start;
    this.#out = new Uint8Array(size);
  }

  run(): Raw {
    const bytes = this.#bytes;
    while (this.#at < bytes.length) {
      const tag = bytes[this.#at]!;
      this.#at += 1;
      const length = (tag >>> 2) + 1;
      switch (tag & 3) {
        case 0:
          this.#literal(length > LONGEST_IN_TAG ? this.#number(length - LONGEST_IN_TAG) + 1 : length);
          break;
        case 1:
          this.#copy(((tag >>> 5) << 8) | this.#number(1), ((tag >>> 2) & 7) + 4);
          break;
        case 2:
          this.#copy(this.#number(2), length);
          break;
        default:
          this.#copy(this.#number(4), length);
      }
    }
    if (this.#filled !== this.#out.length) throw this.#refuse(`the content has ${this.#filled}`);
    return this.#out;
  }

  #refuse(found: string): MongoError {
    return refuse(this.#out.length, found);
  }

  /** Reads a little-endian unsigned number. */
  #number(width: number): number {
    if (this.#at + width > this.#bytes.length) throw this.#refuse('the data is truncated');
    let value = 0;
    for (let index = width - 1; index >= 0; index -= 1) value = value * 256 + this.#bytes[this.#at + index]!;
    this.#at += width;
    return value;
  }

  #literal(length: number): void {
    const end = this.#at + length;
    if (end > this.#bytes.length) throw this.#refuse('the data is truncated');
    this.#checkRoom(length);
    this.#out.set(this.#bytes.subarray(this.#at, end), this.#filled);
    this.#at = end;
    this.#filled += length;
  }

  /** Copies byte by byte, because the source may overlap the bytes being written. */
  #copy(offset: number, length: number): void {
    const out = this.#out;
    const start = this.#filled;
    if (offset === 0 || offset > start) throw this.#refuse(`a copy refers to ${offset} bytes before byte ${start}`);
    this.#checkRoom(length);
    for (let to = start; to < start + length; to += 1) out[to] = out[to - offset]!;
    this.#filled = start + length;
  }

  #checkRoom(length: number): void {
    if (this.#filled + length > this.#out.length) throw this.#refuse('the content is longer');
  }
}

const refuse = (size: number, found: string): MongoError =>
  new MongoError('protocol', `Invalid snappy data: expected ${size} bytes, but ${found}.`);

/** Reads a number of at most 32 bits, seven bits per byte, lowest bits first. */
const readSize = (bytes: Raw, size: number): { readonly announced: number; readonly start: number } => {
  let announced = 0;
  for (let index = 0; index < 5; index += 1) {
    const byte = bytes[index];
    if (byte === undefined) throw refuse(size, 'the data is truncated');
    announced += (byte & 0x7f) * 2 ** (7 * index);
    if (byte < 0x80) return { announced, start: index + 1 };
  }
  throw refuse(size, 'the header has no valid size');
};

/**
 * Decompresses bytes. Allocates `size` bytes of memory, after checking that the input is long enough to hold them.
 * @throws MongoError `protocol` unless the content has exactly `size` bytes. Rule: Snappy compressed format
 * description.
 */
export const decode = (bytes: Raw, size: number): Raw => {
  const { announced, start } = readSize(bytes, size);
  if (announced !== size) throw refuse(size, `the header announces ${announced}`);
  if (size * COPY > bytes.length * COPIED) throw refuse(size, `${bytes.length} compressed bytes cannot hold them`);
  return new Decoding(bytes, start, size).run();
};
