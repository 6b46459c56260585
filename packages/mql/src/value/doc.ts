import { spend } from '../work/meter.js';
import { Decimal } from './decimal.js';
import { readName, readUtf8, utf8 } from './utf8.js';
import type { Value } from './value.js';
import {
  BinaryValue,
  CodeValue,
  DateValue,
  DBPointerValue,
  Double,
  MAX_KEY,
  MIN_KEY,
  ObjectIdValue,
  RegexValue,
  SymbolValue,
  TimestampValue,
  UNDEFINED,
} from './value.js';
import { BsonWriter } from './writer.js';

export type Entry = readonly [key: string, value: Value];

/** The bytes of a document within a larger buffer. */
export interface Stored {
  readonly bytes: Uint8Array;
  readonly start: number;
  /** The offset after the document's last byte. */
  readonly end: number;
}

const emptyBytes = Uint8Array.of(5, 0, 0, 0, 0);

export const readInt32 = (bytes: Uint8Array, at: number): number =>
  bytes[at]! | (bytes[at + 1]! << 8) | (bytes[at + 2]! << 16) | (bytes[at + 3]! << 24);

/** Returns where the document ends that starts at a position. Stored documents do not have this number as a field, to save memory. */
const endOf = (bytes: Uint8Array, start: number): number => start + readInt32(bytes, start);

const readUint32 = (bytes: Uint8Array, at: number): number => readInt32(bytes, at) >>> 0;

const readInt64 = (bytes: Uint8Array, at: number): bigint => {
  const high = readInt32(bytes, at + 4);
  const low = readUint32(bytes, at);
  // Nearly all int64 values are small: convert them once instead of three times.
  if (high === 0) return BigInt(low);
  if (high >= -0x200000 && high < 0x200000) return BigInt(high * 0x1_0000_0000 + low);
  return (BigInt(high) << 32n) | BigInt(low);
};

const scratch = new DataView(new ArrayBuffer(8));
const scratchBytes = new Uint8Array(scratch.buffer);
const readFloat64 = (bytes: Uint8Array, at: number): number => {
  for (let i = 0; i < 8; i++) scratchBytes[i] = bytes[at + i]!;
  return scratch.getFloat64(0, true);
};

const readDate = (bytes: Uint8Array, at: number): DateValue => {
  const high = readInt32(bytes, at + 4);
  const ms = high * 0x1_0000_0000 + readUint32(bytes, at);
  return Number.isSafeInteger(ms) ? new DateValue(ms) : new DateValue(ms, readInt64(bytes, at));
};

/** Returns the offset of the NUL that ends the string at the offset. */
const endOfText = (bytes: Uint8Array, at: number): number => {
  while (bytes[at] !== 0) at++;
  return at;
};

const readString = (bytes: Uint8Array, at: number): string => readUtf8(bytes, at + 4, at + 3 + readInt32(bytes, at));

/** Returns the length in bytes of the value at the offset. The bytes must be valid BSON. */
export const valueLength = (type: number, bytes: Uint8Array, at: number): number => {
  switch (type) {
    case 1:
    case 9:
    case 17:
    case 18:
      return 8;
    case 2:
    case 13:
    case 14:
      return 4 + readInt32(bytes, at);
    case 3:
    case 4:
    case 15:
      return readInt32(bytes, at);
    case 5:
      return 5 + readInt32(bytes, at);
    case 7:
      return 12;
    case 8:
      return 1;
    case 11:
      return endOfText(bytes, endOfText(bytes, at) + 1) + 1 - at;
    case 12:
      return 4 + readInt32(bytes, at) + 12;
    case 16:
      return 4;
    case 19:
      return 16;
    default:
      return 0;
  }
};

const readArray = (bytes: Uint8Array, at: number): readonly Value[] => {
  const items: Value[] = [];
  const length = readInt32(bytes, at);
  const end = at + length - 1;
  if (length > longDocument) spend(length >>> 6);
  for (let i = at + 4; i < end;) {
    const type = bytes[i]!;
    const start = endOfText(bytes, i + 1) + 1;
    items.push(readValue(type, bytes, start));
    i = start + valueLength(type, bytes, start);
  }
  return items;
};

const readBinary = (bytes: Uint8Array, at: number): BinaryValue => {
  const length = readInt32(bytes, at);
  const subtype = bytes[at + 4]!;
  const start = subtype === 2 ? at + 9 : at + 5;
  return new BinaryValue(subtype, bytes.subarray(start, at + 5 + length));
};

/** Reads the value at the offset. The bytes must be valid BSON and must not change. */
export const readValue = (type: number, bytes: Uint8Array, at: number): Value => {
  switch (type) {
    case 1:
      return new Double(readFloat64(bytes, at));
    case 2:
      return readString(bytes, at);
    case 3:
      return Doc.fromBytes(bytes, at);
    case 4:
      return readArray(bytes, at);
    case 5:
      return readBinary(bytes, at);
    case 6:
      return UNDEFINED;
    case 7:
      return new ObjectIdValue(bytes.subarray(at, at + 12));
    case 8:
      return bytes[at] === 1;
    case 9:
      return readDate(bytes, at);
    case 10:
      return null;
    case 11: {
      const end = endOfText(bytes, at);
      return new RegexValue(readUtf8(bytes, at, end), readUtf8(bytes, end + 1, endOfText(bytes, end + 1)));
    }
    case 12: {
      const id = at + 4 + readInt32(bytes, at);
      return new DBPointerValue(readString(bytes, at), new ObjectIdValue(bytes.subarray(id, id + 12)));
    }
    case 13:
      return new CodeValue(readString(bytes, at));
    case 14:
      return new SymbolValue(readString(bytes, at));
    case 15: {
      const scope = at + 8 + readInt32(bytes, at + 4);
      return new CodeValue(readString(bytes, at + 4), Doc.fromBytes(bytes, scope));
    }
    case 16:
      return readInt32(bytes, at);
    case 17:
      return new TimestampValue(readUint32(bytes, at + 4), readUint32(bytes, at));
    case 18:
      return readInt64(bytes, at);
    case 19:
      return Decimal.fromBytes(bytes, at);
    case 127:
      return MAX_KEY;
    default:
      return MIN_KEY;
  }
};

/** Returns whether the NUL-terminated name at the offset equals the key. */
const isKey = (bytes: Uint8Array, at: number, key: string): boolean => {
  const length = key.length;
  for (let i = 0; i < length; i++) {
    const unit = key.charCodeAt(i);
    if (unit > 0x7f) return isWideKey(bytes, at, key);
    if (bytes[at + i] !== unit) return false;
  }
  return bytes[at + length] === 0;
};

const isWideKey = (bytes: Uint8Array, at: number, key: string): boolean => {
  const name = utf8(key);
  for (let i = 0; i < name.length; i++) if (bytes[at + i] !== name[i]) return false;
  return bytes[at + name.length] === 0;
};

/**
 * Changes to a document: replaced and appended fields. The base and the changes are only merged when all fields are
 * read.
 */
class Overlay {
  readonly base: Doc;
  readonly changes: readonly Entry[];

  constructor(base: Doc, changes: readonly Entry[]) {
    this.base = base;
    this.changes = changes;
  }

  get(key: string): Value | undefined {
    if (this.changes.length > few) spend(this.changes.length >>> 4);
    for (const change of this.changes) if (change[0] === key) return change[1];
    return this.base.get(key);
  }

  entries(): readonly Entry[] {
    return changed(this.base.entries(), this.changes);
  }

  /** Returns an overlay of the same base with more changes, so that overlays do not nest. */
  withAll(changes: readonly Entry[]): Overlay {
    return new Overlay(this.base, changed(this.changes, changes));
  }
}

const changed = (entries: readonly Entry[], changes: readonly Entry[]): readonly Entry[] => {
  const result = [...entries];
  if (changes.length > few && entries.length > few) return changedByName(result, changes);
  for (const change of changes) {
    const at = result.findIndex(entry => entry[0] === change[0]);
    if (at === -1) result.push(change);
    else result[at] = change;
  }
  return result;
};

/** The size in bytes above which the cost of reading a document is counted. */
const longDocument = 4_096;

/** The number of fields up to which a linear search is faster than a map. */
const few = 16;

const changedByName = (result: Entry[], changes: readonly Entry[]): readonly Entry[] => {
  const places = new Map<string, number>();
  // Backwards, so that the first field of a duplicate name wins.
  for (let i = result.length - 1; i >= 0; i--) places.set(result[i]![0], i);
  for (const change of changes) {
    const at = places.get(change[0]) ?? result.length;
    places.set(change[0], at);
    result[at] = change;
  }
  return result;
};

/** The limit of mongod's buffers. */
const maxBytes = 64 * 1024 * 1024;

// All documents are encoded in one buffer: encoding never calls other code that might encode.
let shared = new BsonWriter(4096, maxBytes);

/**
 * The bytes of small documents share pieces of memory, because memory of its own costs more than encoding such a
 * document. A piece is kept until none of its documents is, so it is small itself.
 */
const pieceSize = 2048;
const mostShared = 256;
let piece = new Uint8Array(0);
let used = 0;

/** Copies the encoded document to a piece. Returns its start. */
const inPiece = ({ bytes, length }: BsonWriter): number => {
  if (used + length > piece.length) [piece, used] = [new Uint8Array(pieceSize), 0];
  const start = used;
  for (let i = 0; i < length; i++) piece[start + i] = bytes[i]!;
  used += length;
  return start;
};

/**
 * An immutable document with its fields in order. Duplicate keys, integer-like keys and `__proto__` are safe. A
 * document made from bytes decodes them on first use; a document made from entries is encoded on first use.
 */
export class Doc implements Iterable<Entry> {
  #bytes: Uint8Array | undefined;
  #start: number;
  #entries: readonly Entry[] | Overlay | undefined;

  protected constructor(bytes: Uint8Array | undefined, start: number, entries: readonly Entry[] | Overlay | undefined) {
    this.#bytes = bytes;
    this.#start = start;
    this.#entries = entries;
  }

  static readonly EMPTY: Doc = new Doc(emptyBytes, 0, []);

  get type(): 3 {
    return 3;
  }

  /** Returns a document backed by bytes that have been validated (see `decode`) and never change. */
  static fromBytes(bytes: Uint8Array, start = 0): Doc {
    return new Doc(bytes, start, undefined);
  }

  static of(entries: Iterable<Entry>): Doc {
    return new Doc(undefined, 0, Array.isArray(entries) ? (entries as readonly Entry[]) : [...entries]);
  }

  /** Returns the same document without its cache of decoded fields. Use it for documents that are kept for long. */
  view(): Doc {
    return this.#bytes === undefined ? this : new Doc(this.#bytes, this.#start, undefined);
  }

  /** The document's bytes and where they are, if it has been encoded or was made from bytes. */
  get stored(): Stored | undefined {
    const bytes = this.#bytes;
    return bytes === undefined ? undefined : { bytes, start: this.#start, end: endOf(bytes, this.#start) };
  }

  /** Returns the document's bytes and where they are; encodes the document if necessary. */
  encoded(): Stored {
    const bytes = this.#bytes ?? Doc.#encode(this);
    return { bytes, start: this.#start, end: endOf(bytes, this.#start) };
  }

  /** Returns the value of the first field with the name. */
  get(key: string): Value | undefined {
    const entries = this.#entries;
    if (entries !== undefined) {
      if (entries instanceof Overlay) return entries.get(key);
      if (entries.length > few) spend(entries.length >>> 4);
      for (const entry of entries) if (entry[0] === key) return entry[1];
      return undefined;
    }
    const bytes = this.#bytes!;
    const last = endOf(bytes, this.#start) - 1;
    if (last - this.#start > longDocument) spend((last - this.#start) >>> 8);
    for (let i = this.#start + 4; i < last;) {
      const type = bytes[i]!;
      const found = isKey(bytes, i + 1, key);
      const value = endOfText(bytes, i + 1) + 1;
      if (found) return readValue(type, bytes, value);
      i = value + valueLength(type, bytes, value);
    }
    return undefined;
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get size(): number {
    return this.entries().length;
  }

  keys(): readonly string[] {
    return this.entries().map(entry => entry[0]);
  }

  /**
   * The entries that take memory of their own: decoded fields, the fields that it was made from, or changes to another
   * document. Undefined if the document was made from bytes and has not been decoded.
   */
  get made(): readonly Entry[] | undefined {
    return this.#entries instanceof Overlay ? this.#entries.changes : this.#entries;
  }

  entries(): readonly Entry[] {
    const entries = this.#entries;
    if (entries === undefined) return (this.#entries = Doc.#decode(this));
    return entries instanceof Overlay ? (this.#entries = entries.entries()) : entries;
  }

  /** Returns the fields whose names are in the map, without decoding the values of other fields. */
  entriesIn(names: ReadonlyMap<string, unknown>): readonly Entry[] {
    if (this.#bytes === undefined || this.#entries !== undefined)
      return this.entries().filter(entry => names.has(entry[0]));
    const entries: Entry[] = [];
    const bytes = this.#bytes;
    const last = endOf(bytes, this.#start) - 1;
    for (let i = this.#start + 4; i < last;) {
      const type = bytes[i]!;
      const end = endOfText(bytes, i + 1);
      const name = readName(bytes, i + 1, end);
      if (names.has(name)) entries.push([name, readValue(type, bytes, end + 1)]);
      i = end + 1 + valueLength(type, bytes, end + 1);
    }
    return entries;
  }

  // The private methods are static, because V8 adds a field to each object of a class with other private methods.

  static #encode(doc: Doc): Uint8Array {
    try {
      shared.length = 0;
      shared.document(doc);
      if (shared.length > mostShared) return (doc.#bytes = shared.take(0));
      doc.#start = inPiece(shared);
      return (doc.#bytes = piece);
    } finally {
      if (shared.bytes.length > 0x100000) shared = new BsonWriter(4096, maxBytes);
    }
  }

  static #decode(doc: Doc): readonly Entry[] {
    const entries: Entry[] = [];
    const bytes = doc.#bytes!;
    const start = doc.#start;
    const last = endOf(bytes, start) - 1;
    if (last - start > longDocument) spend((last - start) >>> 6);
    for (let i = start + 4; i < last;) {
      const type = bytes[i]!;
      const end = endOfText(bytes, i + 1);
      entries.push([readName(bytes, i + 1, end), readValue(type, bytes, end + 1)]);
      i = end + 1 + valueLength(type, bytes, end + 1);
    }
    return entries;
  }

  [Symbol.iterator](): Iterator<Entry> {
    return this.entries()[Symbol.iterator]();
  }

  /** Returns a document with the fields replaced in place, or appended. Names must be distinct. */
  withAll(changes: readonly Entry[]): Doc {
    if (changes.length === 0) return this;
    const entries = this.#entries;
    const overlay = entries instanceof Overlay ? entries.withAll(changes) : new Overlay(this, changes);
    return new Doc(undefined, 0, overlay);
  }

  /** Returns a document with the field replaced in place, or appended. */
  with(key: string, value: Value): Doc {
    return this.withAll([[key, value]]);
  }

  /** Returns a document without the fields of that name. */
  without(key: string): Doc {
    const entries = this.entries();
    const rest = entries.filter(entry => entry[0] !== key);
    return rest.length === entries.length ? this : Doc.of(rest);
  }

  /**
   * The document as BSON, encoded once.
   * @throws CommandError 13548 if it is larger than 64 MB
   */
  get bytes(): Uint8Array {
    const { bytes, start, end } = this.encoded();
    return start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end);
  }

  /** The length of the document's BSON in bytes. */
  get byteLength(): number {
    return readInt32(this.#bytes ?? Doc.#encode(this), this.#start);
  }
}
