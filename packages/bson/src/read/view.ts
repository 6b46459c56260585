import type { Batch, Document, Raw, Reply, Shape, View } from '@tessera/contracts';
import { corruption } from '../corruption.js';
import { checkedSize, keyEnd, valueEnd } from '../decode/extent.js';
import { attach, bytes, numbers, type Memory } from '../decode/memory.js';
import { readDocument, readValue } from '../decode/read.js';
import { readKey } from '../decode/text.js';
import { readUtf8 } from '../host.js';
import { CollectionShape } from '../shape.js';
import { isUtf8 } from '../utf8.js';
import { Decimal128 } from '../values.js';
import { ArrayBatch } from './batch.js';

/** The shape for errors of servers, which may cut quoted text in the middle of a character. */
const quoting = new CollectionShape({ enableUtf8Validation: false });

/** The type of the last element found. */
let found = 0;

/**
 * A cache of the start and end offsets of the first keys of one reply. The driver reads many keys of the same reply,
 * some of which are absent. `placesOf` is the number of the view whose reply is cached.
 */
const mostPlaces = 24;
const starts = new Int32Array(mostPlaces);
const ends = new Int32Array(mostPlaces);
let places = 0;
/** Whether the cache holds all keys of the reply. */
let whole = false;
let placesOf = 0;

let views = 0;

/** A document that is read from the received bytes on demand. The key offsets of the last reply are cached. */
export class DocumentView implements Reply {
  private readonly number = ++views;
  private readonly memory: Memory;
  private readonly start: number;
  /** The offset of the terminator. */
  private readonly last: number;
  /** The start of the outermost document; error offsets count from there. */
  private readonly base: number;
  private readonly lasting: boolean;

  /**
   * Reads between two offsets of the memory. @throws MongoError `protocol` unless a document fills the range exactly.
   */
  constructor(memory: Memory, start: number, end: number, base: number, lasting: boolean) {
    attach(memory);
    checkedSize(start, end, base);
    this.memory = memory;
    this.start = start;
    this.last = end - 1;
    this.base = base;
    this.lasting = lasting;
  }

  get ok(): boolean {
    return this.int('ok') === 1;
  }

  /** Returns the offset of the key's value, or 0. The key is compared in place, without creating a string. */
  private find(key: string): number {
    attach(this.memory);
    // Only the reply itself is cached: few keys of its nested documents are read, and in between keys of the reply.
    if (this.start !== this.base) return this.search(key);
    if (placesOf !== this.number) this.locate();
    const { length } = key;
    for (let i = 0; i < places; i++) {
      const at = starts[i]!;
      if (ends[i]! - at !== length || agreement(key, at) !== length) continue;
      found = bytes[at - 1]!;
      return at + length + 1;
    }
    return whole && isAscii(key) ? 0 : this.search(key);
  }

  private locate(): void {
    placesOf = 0;
    const { last, base } = this;
    let count = 0;
    let at = this.start + 4;
    while (at < last && count < mostPlaces) {
      const type = bytes[at]!;
      const end = keyEnd(++at, last, base);
      starts[count] = at;
      ends[count++] = end;
      at = valueEnd(type, end + 1, last, base);
    }
    places = count;
    whole = at >= last;
    placesOf = this.number;
  }

  private search(key: string): number {
    const { last, base } = this;
    let at = this.start + 4;
    while (at < last) {
      const type = bytes[at]!;
      const same = agreement(key, ++at);
      const end = keyEnd(at + same, last, base);
      if (same === key.length ? end === at + same : key.charCodeAt(same) > 127 && readUtf8(bytes, at, end) === key) {
        found = type;
        return end + 1;
      }
      at = valueEnd(type, end + 1, last, base);
    }
    return 0;
  }

  has(key: string): boolean {
    return this.find(key) !== 0;
  }

  int(key: string): number | undefined {
    const at = this.find(key);
    if (at === 0) return undefined;
    const end = valueEnd(found, at, this.last, this.base);
    switch (found) {
      case 1:
        return numbers.getFloat64(at, true);
      case 8:
        return bytes[at]!;
      case 16:
        return numbers.getInt32(at, true);
      case 18:
        return numbers.getInt32(at + 4, true) * 4294967296 + numbers.getUint32(at, true);
      case 19:
        return Number(new Decimal128(bytes.slice(at, end)).toString());
      default:
        return undefined;
    }
  }

  long(key: string): bigint | undefined {
    const at = this.find(key);
    if (at === 0) return undefined;
    valueEnd(found, at, this.last, this.base);
    switch (found) {
      case 1: {
        const value = numbers.getFloat64(at, true);
        return Number.isInteger(value) ? BigInt(value) : undefined;
      }
      case 16:
        return BigInt(numbers.getInt32(at, true));
      case 17:
        return numbers.getBigUint64(at, true);
      case 18:
        return numbers.getBigInt64(at, true);
      default:
        return undefined;
    }
  }

  text(key: string): string | undefined {
    const at = this.find(key);
    if (at === 0 || (found !== 2 && found !== 14)) return undefined;
    const end = valueEnd(found, at, this.last, this.base) - 1;
    if (bytes[end] !== 0) throw corruption(end - this.base, 'a string without a terminator');
    const text = readKey(at + 4, end - at - 4);
    if (text.includes('\ufffd') && !isUtf8(bytes, at + 4, end)) {
      throw corruption(at + 4 - this.base, 'a string that is not UTF-8');
    }
    return text;
  }

  bytes(key: string): Raw | undefined {
    const at = this.find(key);
    if (at === 0) return undefined;
    const end = valueEnd(found, at, this.last, this.base);
    if (found !== 5) return bytes.subarray(at, end);
    return bytes.subarray(at + (bytes[at + 4] === 2 && end - at >= 9 ? 9 : 5), end);
  }

  view(key: string): View | undefined {
    const at = this.find(key);
    if (at === 0 || (found !== 3 && found !== 4)) return undefined;
    const end = valueEnd(found, at, this.last, this.base);
    return new DocumentView(this.memory, at, end, this.base, this.lasting);
  }

  batch(key: string): Batch | undefined {
    const at = this.find(key);
    if (at === 0 || found !== 4) return undefined;
    const end = valueEnd(found, at, this.last, this.base);
    return new ArrayBatch(this.memory, at, end, this.base, this.lasting);
  }

  value(key: string, shape?: Shape): unknown {
    const at = this.find(key);
    return at === 0 ? undefined : readValue(found, at, this.last, this.base, key, shape);
  }

  document(shape?: Shape): Document {
    attach(this.memory);
    const end = this.last + 1;
    if (shape !== undefined) return readDocument(this.start, end, this.base, shape);
    try {
      return readDocument(this.start, end, this.base);
    } catch {
      return readDocument(this.start, end, this.base, quoting);
    }
  }
}

const isAscii = (key: string): boolean => {
  for (let i = 0; i < key.length; i++) if (key.charCodeAt(i) > 127) return false;
  return true;
};

/** Returns how many characters of the key match the bytes, up to the first character that is not ASCII. */
const agreement = (key: string, at: number): number => {
  let same = 0;
  for (let unit = key.charCodeAt(0); unit < 128 && bytes[at + same] === unit; unit = key.charCodeAt(++same));
  return same;
};
