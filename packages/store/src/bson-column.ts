/**
 * BSONColumn: the form of a column of values in a compressed bucket of a time series. A column is a sequence of values
 * as they are, of differences from the previous value in words of Simple-8b, and of documents whose fields are
 * interleaved columns. The writer of this file writes values as they are; the reader reads all forms.
 */
import type { Value } from '@tessera/mql/engine';
import { BinaryValue, decode, Doc, fail, isArray, isDoc, readInt32, valueLength } from '@tessera/mql/engine';

/** The subtype of binary values that are columns. */
const columnSubtype = 7;

export const isColumn = (value: Value | undefined): value is BinaryValue =>
  value instanceof BinaryValue && value.subtype === columnSubtype;

const invalid = (why: string): Error => fail('InvalidBSON', `Invalid BSONColumn: ${why}`);

/** A value in BSON: its type and its bytes. */
interface Encoded {
  readonly type: number;
  readonly bytes: Uint8Array;
}

/** Returns the bytes of a document with the value as its only field, whose name is empty. */
const around = ({ type, bytes }: Encoded): Uint8Array => {
  const length = bytes.length + 7;
  const doc = new Uint8Array(length);
  new DataView(doc.buffer).setInt32(0, length, true);
  doc[4] = type;
  doc.set(bytes, 6);
  return doc;
};

const valueOf = (value: Encoded): Value => Doc.fromBytes(around(value)).get('')!;

const types = {
  ...{ double: 1, string: 2, document: 3, array: 4, binary: 5, objectId: 7, boolean: 8, date: 9, regex: 11, code: 13 },
  ...{ int: 16, timestamp: 17, long: 18, decimal: 19 },
} as const;

/** The value bits of each number in a word, and the bits for its trailing zeros, by selector and its extension. */
const bitsOfSelector = [0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 15, 20, 30, 60];
const bitsOfSeven = [0, 2, 3, 4, 5, 7, 10, 14, 24, 52];
const bitsOfEight = [0, 4, 5, 7, 10, 14, 24, 52, 4, 6, 9, 13, 23, 51];

interface Layout {
  readonly bits: number;
  readonly zeroBits: number;
  /** The number of zeros for which each trailing zero of the word stands. */
  readonly unit: number;
  /** The bits of the selectors. */
  readonly head: number;
}

const layoutOf = (word: bigint): Layout => {
  const selector = Number(word & 0xfn);
  const extension = Number((word >> 4n) & 0xfn);
  const extended = (bits: number | undefined, zeroBits: number, unit: number): Layout => {
    if (bits === undefined) throw invalid(`the selector ${selector} has no extension ${extension}`);
    return { bits, zeroBits, unit, head: 8 };
  };
  if (selector === 7 && extension > 0) return extended(bitsOfSeven[extension], 4, 1);
  if (selector === 8 && extension > 0) return extended(bitsOfEight[extension], extension > 7 ? 5 : 4, 4);
  if (selector === 0) throw invalid('a word has the selector 0');
  return { bits: bitsOfSelector[selector]!, zeroBits: 0, unit: 0, head: selector === 7 || selector === 8 ? 8 : 4 };
};

const repeating = 15;
const repeated = 120;

/** Yields the numbers in a word; undefined stands for a missing value. @param last the number before the word */
const numbersIn = function* (word: bigint, last: bigint | undefined): Generator<bigint | undefined> {
  if (Number(word & 0xfn) === repeating) {
    const count = (Number((word >> 4n) & 0xfn) + 1) * repeated;
    for (let i = 0; i < count; i++) yield last;
    return;
  }
  const { bits, zeroBits, unit, head } = layoutOf(word);
  const width = bits + zeroBits;
  const mask = (1n << BigInt(width)) - 1n;
  for (let at = head; at + width <= 64; at += width) {
    const number = (word >> BigInt(at)) & mask;
    const zeros = Number(number & ((1n << BigInt(zeroBits)) - 1n)) * unit;
    yield number === mask ? undefined : (number >> BigInt(zeroBits)) << BigInt(zeros);
  }
};

const signed = (number: bigint): bigint => (number & 1n ? -(number >> 1n) - 1n : number >> 1n);

const littleEndian = (bytes: Uint8Array): bigint => {
  let number = 0n;
  for (let i = bytes.length - 1; i >= 0; i--) number = (number << 8n) | BigInt(bytes[i]!);
  return number;
};

const bytesOf = (number: bigint, length: number): Uint8Array => {
  const bytes = new Uint8Array(length);
  let rest = BigInt.asUintN(8 * length, number);
  for (let i = 0; i < length; i++, rest >>= 8n) bytes[i] = Number(rest & 0xffn);
  return bytes;
};

/** The bytes of an ObjectId whose differences are encoded, from the least significant one on. */
const bytesOfId = [3, 11, 2, 10, 1, 9, 0];

/** The factors by which doubles are multiplied, by the upper half of the control byte. */
const scales: Readonly<Record<number, number>> = { 9: 1, 10: 10, 11: 100, 12: 10_000, 13: 100_000_000 };
const unscaled = 8;

/** The most bytes of strings and binary values with differences. */
const mostBytes = 16;

const integerOf = (scaled: number): bigint => {
  if (!Number.isFinite(scaled)) throw invalid('a double with a scale is not finite');
  return BigInt(Math.round(scaled));
};

/** Returns a value as a number, to which differences are added. @param scale undefined for the bits of a double */
const numberOf = ({ type, bytes }: Encoded, scale: number | undefined): bigint => {
  switch (type) {
    case types.double:
      if (scale === undefined) return littleEndian(bytes);
      return integerOf(new DataView(bytes.buffer, bytes.byteOffset).getFloat64(0, true) * scale);
    case types.objectId:
      return littleEndian(Uint8Array.from(bytesOfId, at => bytes[at]!));
    case types.string:
    case types.code: {
      const text = bytes.subarray(4, -1);
      return text.length > mostBytes ? 0n : littleEndian(text.slice().reverse());
    }
    case types.binary:
      return bytes.length - 5 > mostBytes ? 0n : littleEndian(bytes.subarray(5));
    case types.boolean:
    case types.date:
    case types.int:
    case types.timestamp:
    case types.long:
    case types.decimal:
      return littleEndian(bytes);
    default:
      throw invalid(`values of type ${type} have no differences`);
  }
};

/** Returns the value with a number. @param last the value before */
const encodedAs = (number: bigint, { type, bytes }: Encoded, scale: number | undefined): Encoded => {
  switch (type) {
    case types.double: {
      if (scale === undefined) return { type, bytes: bytesOf(number, 8) };
      const made = new Uint8Array(8);
      new DataView(made.buffer).setFloat64(0, Number(BigInt.asIntN(64, number)) / scale, true);
      return { type, bytes: made };
    }
    case types.objectId: {
      const made = bytes.slice();
      bytesOf(number, bytesOfId.length).forEach((byte, i) => (made[bytesOfId[i]!] = byte));
      return { type, bytes: made };
    }
    case types.string:
    case types.code: {
      const reversed = bytesOf(number, mostBytes);
      const length = reversed.findLastIndex(byte => byte !== 0) + 1;
      return { type, bytes: Uint8Array.of(length + 1, 0, 0, 0, ...reversed.subarray(0, length).reverse(), 0) };
    }
    case types.binary:
      if (bytes.length - 5 > mostBytes) throw invalid('a binary value with differences is too long');
      return { type, bytes: Uint8Array.of(...bytes.subarray(0, 5), ...bytesOf(number, bytes.length - 5)) };
    default:
      return { type, bytes: bytesOf(number, bytes.length) };
  }
};

const hasDifferencesOfDifferences = (type: number): boolean =>
  type === types.objectId || type === types.date || type === types.timestamp;

/** The bytes of a column, and the position of its next control byte. */
interface Input {
  readonly bytes: Uint8Array;
  at: number;
}

const endOfColumn = 0;

/** Stands for the end of a column. */
const end: unique symbol = Symbol('the end of a column');

/** Control bytes below are the types of values, as are those of the least and the greatest key. */
const firstOfDifferences = 0x20;
const isLiteral = (control: number): boolean => control < firstOfDifferences || control === 0x7f || control === 0xff;

/** Whether two texts that end with a zero follow. */
const hasTwoTexts = (bytes: Uint8Array, from: number): boolean => {
  const end = bytes.indexOf(0, from);
  return end !== -1 && bytes.includes(0, end + 1);
};

/** The values of a column, or of a field of interleaved columns, one after the other. */
class Values {
  #last: Encoded | undefined;
  #numbers: Iterator<bigint | undefined> | undefined;
  /** The number of the next value. */
  #next: IteratorResult<bigint | undefined> | undefined;
  #lastNumber: bigint | undefined = 0n;
  #scale: number | undefined;
  #difference = 0n;

  constructor(first?: Encoded) {
    if (first !== undefined) this.#start(first);
  }

  #start(value: Encoded): void {
    this.#last = value;
    this.#next = undefined;
    this.#lastNumber = 0n;
    this.#difference = 0n;
  }

  /** Whether the next value begins with a control byte. */
  get isAtControl(): boolean {
    return this.#next === undefined || this.#next.done === true;
  }

  /** Returns the next value, undefined for a missing one, or `end`. @throws CommandError 22 */
  next(input: Input): Encoded | undefined | typeof end {
    const number = this.#next;
    if (number !== undefined && number.done !== true) {
      this.#next = this.#numbers!.next();
      return this.#add(number.value);
    }
    const control = input.bytes[input.at];
    if (control === undefined) throw invalid('its end is missing');
    if (control === endOfColumn) return end;
    if (isLiteral(control)) {
      const from = input.at + 2;
      const isEnded = control !== types.regex || hasTwoTexts(input.bytes, from);
      const length = isEnded ? valueLength(control, input.bytes, from) : -1;
      if (length < 0 || from + length > input.bytes.length) throw invalid('a value exceeds it');
      input.at = from + length;
      const value = { type: control, bytes: input.bytes.slice(from, from + length) };
      decode(around(value));
      this.#start(value);
      return value;
    }
    this.#open(input, control);
    return this.next(input);
  }

  #open(input: Input, control: number): void {
    const kind = control >> 4;
    if (kind !== unscaled && scales[kind] === undefined) throw invalid(`it has the control byte ${control}`);
    if (kind !== unscaled && this.#last?.type !== types.double) throw invalid('values without a scale have one');
    this.#scale = scales[kind];
    const length = 8 * ((control & 0xf) + 1);
    const words = input.bytes.slice(input.at + 1, input.at + 1 + length);
    if (words.length < length) throw invalid('differences exceed it');
    input.at += 1 + length;
    this.#numbers = this.#numbersIn(words);
    this.#next = this.#numbers.next();
  }

  *#numbersIn(words: Uint8Array): Generator<bigint | undefined> {
    for (let at = 0; at < words.length; at += 8) {
      for (const number of numbersIn(littleEndian(words.subarray(at, at + 8)), this.#lastNumber)) {
        this.#lastNumber = number;
        yield number;
      }
    }
  }

  #add(number: bigint | undefined): Encoded | undefined {
    const last = this.#last;
    if (number === undefined || last === undefined) return undefined;
    const ofDifferences = hasDifferencesOfDifferences(last.type);
    if (!ofDifferences && number === 0n) return last;
    const added = signed(number);
    this.#difference = ofDifferences ? this.#difference + added : added;
    this.#last = encodedAs(numberOf(last, this.#scale) + this.#difference, last, this.#scale);
    return this.#last;
  }
}

const plainInterleaved = 0xf0;
const interleavedWithArrays = 0xf1;
const interleavedArrays = 0xf2;

const isInterleaved = (control: number | undefined): boolean =>
  control === plainInterleaved || control === interleavedWithArrays || control === interleavedArrays;

/** A field of interleaved columns: a value, or a document of fields. */
interface Field {
  readonly name: string;
  readonly values: Values | undefined;
  readonly fields: readonly Field[];
  readonly isArray: boolean;
  /** Whether the reference has an empty document here, which all documents then have. */
  readonly isEmpty: boolean;
}

const encodedOf = (value: Value): Encoded => {
  const { bytes } = Doc.of([['', value]]);
  return { type: bytes[4]!, bytes: bytes.slice(6, -1) };
};

const fieldOf = (name: string, value: Value, arrays: boolean): Field => {
  const inner = isDoc(value) ? value.entries() : arrays && isArray(value) ? [...value.entries()] : undefined;
  return {
    name,
    values: inner === undefined ? new Values(encodedOf(value)) : undefined,
    fields: inner === undefined ? [] : inner.map(([key, item]) => fieldOf(String(key), item, arrays)),
    isArray: isArray(value),
    isEmpty: inner?.length === 0,
  };
};

/** Reads the next value of a field: undefined if it is missing, `end` at the end of the interleaved columns. */
const nextOf = (field: Field, input: Input): Value | undefined | typeof end => {
  if (field.values !== undefined) {
    const next = field.values.next(input);
    return next === undefined || next === end ? next : valueOf(next);
  }
  const entries: [string, Value][] = [];
  for (const inner of field.fields) {
    const value = nextOf(inner, input);
    if (value === end) return end;
    if (value !== undefined) entries.push([inner.name, value]);
  }
  if (entries.length === 0 && !field.isEmpty) return undefined;
  return field.isArray ? entries.map(([, value]) => value) : Doc.of(entries);
};

const hasValues = (field: Field): boolean => field.values !== undefined || field.fields.some(hasValues);

/** Yields the documents of interleaved columns, and returns the last one. */
const documentsIn = function* (input: Input): Generator<Value | undefined, Value | undefined> {
  const control = input.bytes[input.at]!;
  const length = readInt32(input.bytes, input.at + 1);
  if (length < 5 || input.at + 1 + length > input.bytes.length) throw invalid('interleaved columns exceed it');
  const reference = decode(input.bytes.slice(input.at + 1, input.at + 1 + length));
  input.at += 1 + length;
  const arrays = control !== plainInterleaved;
  const root = { ...fieldOf('', reference, arrays), isArray: control === interleavedArrays };
  if (!hasValues(root)) throw invalid('interleaved columns have no fields');
  let last: Value | undefined;
  for (let next = nextOf(root, input); next !== end; next = nextOf(root, input)) {
    last = next;
    yield next;
  }
  input.at += 1;
  return last;
};

/**
 * Yields the values of a column; undefined stands for a missing value.
 * @throws CommandError 22
 */
export const valuesIn = function* ({ bytes }: BinaryValue): Generator<Value | undefined> {
  const input: Input = { bytes, at: 0 };
  let values = new Values();
  for (;;) {
    if (isInterleaved(bytes[input.at]) && values.isAtControl) {
      const last = yield* documentsIn(input);
      values = new Values(last === undefined ? undefined : encodedOf(last));
      continue;
    }
    const next = values.next(input);
    if (next === end) return;
    yield next === undefined ? undefined : valueOf(next);
  }
};

/** A word of Simple-8b with 60 missing values, and one with a single one. */
const sixtyMissing = bytesOf(0xffff_ffff_ffff_fff1n, 8);
const oneMissing = bytesOf(0xffff_ffff_ffff_fffen, 8);

/** The control byte before a word. */
const oneWord = unscaled << 4;

/** Returns the column of some values; undefined stands for a missing value. */
export const columnOf = (values: readonly (Value | undefined)[]): BinaryValue => {
  const parts: Uint8Array[] = [];
  let missing = 0;
  for (const value of values) {
    if (value === undefined) {
      missing += 1;
      continue;
    }
    for (; missing > 0; missing -= missing >= 60 ? 60 : 1)
      parts.push(Uint8Array.of(oneWord), missing >= 60 ? sixtyMissing : oneMissing);
    parts.push(Doc.of([['', value]]).bytes.slice(4, -1));
  }
  const bytes = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 1));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return new BinaryValue(columnSubtype, bytes);
};
