import { fail } from '../errors.js';
import { spend } from '../work/meter.js';
import type { Doc, Stored } from './doc.js';
import { writeUtf8 } from './utf8.js';
import type { ObjectIdValue, Value } from './value.js';
import {
  BinaryValue,
  CodeValue,
  DateValue,
  DBPointerValue,
  Double,
  RegexValue,
  SymbolValue,
  TimestampValue,
  typeNumber,
} from './value.js';

/** The number of bytes up to which copying in a loop is faster than creating a view. */
const maxByHand = 128;

/** The size of an array element's header: a type, up to ten digits and NUL. */
const maxOfIndex = 12;

const megabyte = 1024 * 1024;

const int64Bounds = 0xffffffffffffffffn;

/** Appends BSON elements to a buffer that grows. */
export class BsonWriter {
  bytes: Uint8Array;
  view: DataView;
  length = 0;

  readonly #most: number;

  /** @param most the maximum size in bytes. Default: no limit */
  constructor(capacity: number, most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
    this.bytes = new Uint8Array(capacity);
    this.view = new DataView(this.bytes.buffer);
  }

  room(needed: number): void {
    if (this.length + needed <= this.bytes.length) return;
    if (this.length + needed > this.#most) {
      throw fail(
        13548,
        `BufBuilder attempted to grow() to ${this.length + needed} bytes, past the ${this.#most / megabyte}MB limit.`,
      );
    }
    const grown = new Uint8Array(Math.max(2 * this.bytes.length, this.length + needed));
    spend((grown.length - this.bytes.length) >>> 8);
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.view = new DataView(grown.buffer);
  }

  byte(value: number): void {
    this.room(1);
    this.bytes[this.length++] = value;
  }

  int32(value: number): void {
    this.room(4);
    this.view.setInt32(this.length, value, true);
    this.length += 4;
  }

  int64(value: bigint): void {
    this.room(8);
    this.view.setBigInt64(this.length, value, true);
    this.length += 8;
  }

  float64(value: number): void {
    this.room(8);
    this.view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  raw(bytes: Uint8Array): void {
    this.room(bytes.length);
    this.bytes.set(bytes, this.length);
    this.length += bytes.length;
  }

  cstring(text: string): void {
    this.room(3 * text.length + 1);
    this.length += writeUtf8(text, this.bytes, this.length);
    this.bytes[this.length++] = 0;
  }

  string(text: string): void {
    this.room(3 * text.length + 5);
    const written = writeUtf8(text, this.bytes, this.length + 4);
    this.view.setInt32(this.length, written + 1, true);
    this.length += 4 + written;
    this.bytes[this.length++] = 0;
  }

  /** Appends a whole document, by copying its bytes if it has any. */
  document(doc: Doc): void {
    const stored = doc.stored;
    if (stored !== undefined) return this.#copy(stored);
    const start = this.open();
    for (const [key, value] of doc.entries()) this.element(key, value);
    this.close(start);
  }

  #copy({ bytes, start, end }: Stored): void {
    const length = end - start;
    this.room(length);
    const to = this.bytes;
    const at = this.length;
    if (length > maxByHand) to.set(bytes.subarray(start, end), at);
    else for (let i = 0; i < length; i++) to[at + i] = bytes[start + i]!;
    this.length += length;
  }

  /** Reserves room for a length. Pass the result to {@link close}. */
  open(): number {
    const start = this.length;
    this.int32(0);
    return start;
  }

  close(start: number): void {
    this.byte(0);
    this.view.setInt32(start, this.length - start, true);
  }

  element(key: string, value: Value): void {
    const type = typeNumber(value);
    this.byte(type & 0xff);
    this.cstring(key);
    this.value(type, value);
  }

  value(type: number, value: Value): void {
    switch (type) {
      case 16:
        return this.int32(value as number);
      case 2:
        return this.string(value as string);
      case 3:
        return this.document(value as Doc);
      case 4:
        return this.#items(value as readonly Value[]);
      case 8:
        return this.byte(value === true ? 1 : 0);
      case 18:
        return this.int64(BigInt.asIntN(64, (value as bigint) & int64Bounds));
      default:
        if (typeof value === 'object' && value !== null) this.#object(value);
    }
  }

  #items(items: readonly Value[]): void {
    spend(items.length >>> 2);
    const start = this.open();
    for (let i = 0; i < items.length; i++) {
      const value = items[i] ?? null;
      const type = typeNumber(value);
      this.room(maxOfIndex);
      this.bytes[this.length++] = type & 0xff;
      this.#index(i);
      this.value(type, value);
    }
    this.close(start);
  }

  /**
   * Writes an array index as a name, digit by digit. An array may have millions of elements, and a string for each
   * would be garbage.
   */
  #index(index: number): void {
    const { bytes } = this;
    let end = this.length + 1;
    for (let rest = index; rest >= 10; rest = (rest / 10) | 0) end++;
    this.length = end + 1;
    bytes[end] = 0;
    let rest = index;
    do {
      bytes[--end] = 0x30 + (rest % 10);
      rest = (rest / 10) | 0;
    } while (rest > 0);
  }

  #object(value: Value): void {
    if (value instanceof Double) return this.float64(value.value);
    if (value instanceof DateValue) return this.int64(value.exact ?? BigInt(value.ms));
    if (value instanceof BinaryValue) return this.#binary(value);
    if (value instanceof TimestampValue) {
      this.int32(value.i | 0);
      return this.int32(value.t | 0);
    }
    if (value instanceof RegexValue) {
      this.cstring(value.pattern);
      return this.cstring(value.options);
    }
    if (value instanceof CodeValue) return this.#code(value);
    if (value instanceof SymbolValue) return this.string(value.value);
    if (value instanceof DBPointerValue) {
      this.string(value.namespace);
      return this.raw(value.id.bytes);
    }
    const { type } = value as { readonly type: number };
    if (type === 7) return this.raw((value as ObjectIdValue).bytes);
    if (type === 19) {
      this.room(16);
      (value as { writeBytes(into: Uint8Array, at: number): void }).writeBytes(this.bytes, this.length);
      this.length += 16;
    }
  }

  #binary({ subtype, bytes }: BinaryValue): void {
    // The deprecated subtype 2 repeats the length inside.
    const inner = subtype === 2 ? 4 : 0;
    this.int32(bytes.length + inner);
    this.byte(subtype);
    if (inner > 0) this.int32(bytes.length);
    this.raw(bytes);
  }

  #code({ code, scope }: CodeValue): void {
    if (scope === undefined) return this.string(code);
    const start = this.open();
    this.string(code);
    this.document(scope);
    this.view.setInt32(start, this.length - start, true);
  }

  /** Returns a copy of the bytes from an offset to the end. */
  take(from: number): Uint8Array {
    return this.bytes.slice(from, this.length);
  }
}
