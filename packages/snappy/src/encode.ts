import type { Raw } from '@tessera/contracts';

/** Matches are searched within this many bytes, so that a distance fits in two bytes. */
const FRAGMENT = 1 << 16;
const TABLE_BITS = 14;
/** The number of bytes compared at once; shorter matches are not worth encoding. */
const WORD = 4;
/** After this many bytes without a match, the search steps grow, so that incompressible data is skipped quickly. */
const PATIENCE = 32;
const LONGEST_COPY = 64;

/** The format's upper bound for incompressible data. */
const longest = (length: number): number => 32 + length + Math.ceil(length / 6);

const word = (bytes: Raw, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);

/** Writes the elements of the format in order. Rule: Snappy compressed format description. */
class Elements {
  readonly out: Uint8Array;
  length = 0;

  constructor(room: number) {
    this.out = new Uint8Array(room);
  }

  /** Writes seven bits per byte, lowest bits first. */
  size(value: number): void {
    let rest = value;
    for (; rest >= 0x80; rest >>>= 7) this.#byte((rest & 0x7f) | 0x80);
    this.#byte(rest);
  }

  /** Writes bytes uncompressed; at most a fragment. */
  literal(bytes: Raw, start: number, end: number): void {
    const last = end - start - 1;
    if (last < 60) this.#byte(last << 2);
    else if (last < 256) this.#bytes((60 << 2) | (last << 8), 2);
    else this.#bytes((61 << 2) | (last << 8), 3);
    this.out.set(bytes.subarray(start, end), this.length);
    this.length += end - start;
  }

  /** Repeats the bytes that start `offset` bytes earlier. */
  copy(offset: number, length: number): void {
    let rest = length;
    for (; rest >= LONGEST_COPY + WORD; rest -= LONGEST_COPY) this.#copyOnce(offset, LONGEST_COPY);
    // The remainder is long enough for a copy of its own.
    if (rest > LONGEST_COPY) {
      this.#copyOnce(offset, LONGEST_COPY - WORD);
      rest -= LONGEST_COPY - WORD;
    }
    this.#copyOnce(offset, rest);
  }

  #copyOnce(offset: number, length: number): void {
    if (length < 12 && offset < 2048)
      this.#bytes(1 | ((length - WORD) << 2) | ((offset >>> 8) << 5) | ((offset & 0xff) << 8), 2);
    else this.#bytes(2 | ((length - 1) << 2) | (offset << 8), 3);
  }

  #byte(value: number): void {
    this.out[this.length++] = value;
  }

  #bytes(value: number, count: number): void {
    for (let index = 0; index < count; index += 1) this.out[this.length++] = value >>> (8 * index);
  }
}

/** Returns the size of the hash table of positions in this fragment. Small fragments use only a part of the table. */
const tableBits = (length: number): number => Math.min(TABLE_BITS, Math.max(8, 32 - Math.clz32(length - 1)));

const encodeFragment = (elements: Elements, bytes: Raw, start: number, end: number, table: Uint16Array): void => {
  const bits = tableBits(end - start);
  const shift = 32 - bits;
  const last = end - WORD;
  let pending = start;
  let at = start + 1;
  let misses = PATIENCE;
  table.fill(0, 0, 1 << bits);
  while (at <= last) {
    const here = word(bytes, at);
    const slot = Math.imul(here, 0x1e35a7bd) >>> shift;
    const before = start + table[slot]!;
    table[slot] = at - start;
    if (word(bytes, before) !== here) {
      at += misses >>> 5;
      misses += 1;
      continue;
    }
    if (pending < at) elements.literal(bytes, pending, at);
    let length = WORD;
    while (at + length < end && bytes[before + length] === bytes[at + length]) length += 1;
    elements.copy(at - before, length);
    at += length;
    pending = at;
    misses = PATIENCE;
  }
  if (pending < end) elements.literal(bytes, pending, end);
};

/** Returns a compression function. All its calls share one table. */
export const createEncoder = (): ((bytes: Raw) => Raw) => {
  const table = new Uint16Array(1 << TABLE_BITS);
  return bytes => {
    const elements = new Elements(longest(bytes.length));
    elements.size(bytes.length);
    for (let start = 0; start < bytes.length; start += FRAGMENT)
      encodeFragment(elements, bytes, start, Math.min(start + FRAGMENT, bytes.length), table);
    return elements.out.subarray(0, elements.length);
  };
};
