import type { Doc } from './doc.js';
import { compareNumbers, numberKey } from './numbers.js';
import type {
  BinaryValue,
  CodeValue,
  DateValue,
  DBPointerValue,
  NumberValue,
  ObjectIdValue,
  RegexValue,
  SymbolValue,
  TimestampValue,
  Value,
} from './value.js';
import { spend } from '../work/meter.js';
import { toHex, typeNumber } from './value.js';

/** Keys of strings. */
export interface StringKeys {
  /** Returns a key. Compared by code units, the keys of strings have the order of the strings. */
  key(text: string): string;
}

/** An order of strings that differs from the order of their bytes. */
export interface Collation extends StringKeys {
  compare(a: string, b: string): number;
}

/** The collation of an index. */
export interface SearchableCollation extends Collation {
  /** The keys for lookups of strings. They are valid until the next new string gets a key. */
  readonly lookup: StringKeys;
}

/**
 * The ranks of BSON types. Types that are compared with each other share a rank. Rule: "Comparison/Sort Order"; mongod:
 * canonicalizeBSONType.
 */
const ranks: Readonly<Record<number, number>> = {
  [-1]: -1,
  6: 0,
  10: 5,
  1: 10,
  16: 10,
  18: 10,
  19: 10,
  2: 15,
  14: 15,
  3: 20,
  4: 25,
  5: 30,
  7: 35,
  8: 40,
  9: 45,
  17: 47,
  11: 50,
  12: 55,
  13: 60,
  15: 65,
  127: 127,
};

/**
 * Returns the rank of a value's type: missing and undefined 0, null 5, numbers 10, strings 15, objects 20, arrays 25 …
 */
export const rankOf = (value: Value | undefined): number => (value === undefined ? 0 : ranks[typeNumber(value)]!);

/** The length above which a string's cost is counted. */
const long = 128;

/** Compares strings by code point, which is the order of their UTF-8 bytes. */
export const compareStrings = (a: string, b: string): number => {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  if (length > long) spend(length >>> 6);
  for (let i = 0; i < length; i++) {
    let left = a.charCodeAt(i);
    let right = b.charCodeAt(i);
    if (left === right) continue;
    // Surrogates encode code points above U+FFFF, so they are moved above the other code units.
    if (left >= 0xd800 && right >= 0xd800) {
      left = left >= 0xe000 ? left - 0x800 : left + 0x2000;
      right = right >= 0xe000 ? right - 0x800 : right + 0x2000;
    }
    return left < right ? -1 : 1;
  }
  return a.length < b.length ? -1 : a.length > b.length ? 1 : 0;
};

const compareBytes = (a: Uint8Array, b: Uint8Array): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) if (a[i] !== b[i]) return a[i]! < b[i]! ? -1 : 1;
  return a.length - b.length;
};

const order = (a: number | bigint, b: number | bigint): number => (a < b ? -1 : a > b ? 1 : 0);

const compareDates = (a: DateValue, b: DateValue): number =>
  order(a.ms, b.ms) || order(a.exact ?? BigInt(a.ms), b.exact ?? BigInt(b.ms));

const compareArrays = (a: readonly Value[], b: readonly Value[], collation: Collation | undefined): number => {
  const length = Math.min(a.length, b.length);
  for (let i = 0; i < length; i++) {
    spend(1);
    const result = compare(a[i], b[i], collation);
    if (result !== 0) return result;
  }
  return order(a.length, b.length);
};

/**
 * Compares documents field by field: type, then name, then value. A document that ends first is less. mongod:
 * BSONObj::woCompare.
 */
const compareDocs = (a: Doc, b: Doc, collation: Collation | undefined): number => {
  const left = a.entries();
  const right = b.entries();
  const length = Math.min(left.length, right.length);
  for (let i = 0; i < length; i++) {
    spend(1);
    const [leftKey, leftValue] = left[i]!;
    const [rightKey, rightValue] = right[i]!;
    const result =
      order(rankOf(leftValue), rankOf(rightValue)) ||
      compareStrings(leftKey, rightKey) ||
      compare(leftValue, rightValue, collation);
    if (result !== 0) return result;
  }
  return order(left.length, right.length);
};

const compareBinaries = (a: BinaryValue, b: BinaryValue): number =>
  order(a.bytes.length, b.bytes.length) || order(a.subtype, b.subtype) || compareBytes(a.bytes, b.bytes);

const comparePointers = (a: DBPointerValue, b: DBPointerValue): number =>
  order(a.namespace.length, b.namespace.length) ||
  compareStrings(a.namespace, b.namespace) ||
  compareBytes(a.id.bytes, b.id.bytes);

const textOf = (value: Value): string => (typeof value === 'string' ? value : (value as SymbolValue).value);

const compareScoped = (a: CodeValue, b: CodeValue, collation: Collation | undefined): number =>
  compareStrings(a.code, b.code) || (a.scope && b.scope ? compareDocs(a.scope, b.scope, collation) : 0);

const compareAlike = (rank: number, a: Value, b: Value, collation: Collation | undefined): number => {
  switch (rank) {
    case 10:
      return compareNumbers(a as NumberValue, b as NumberValue);
    case 15:
      return collation === undefined ? compareStrings(textOf(a), textOf(b)) : collation.compare(textOf(a), textOf(b));
    case 20:
      return compareDocs(a as Doc, b as Doc, collation);
    case 25:
      return compareArrays(a as readonly Value[], b as readonly Value[], collation);
    case 30:
      return compareBinaries(a as BinaryValue, b as BinaryValue);
    case 35:
      return compareBytes((a as ObjectIdValue).bytes, (b as ObjectIdValue).bytes);
    case 40:
      return Number(a) - Number(b);
    case 45:
      return compareDates(a as DateValue, b as DateValue);
    case 47:
      return (
        order((a as TimestampValue).t, (b as TimestampValue).t) ||
        order((a as TimestampValue).i, (b as TimestampValue).i)
      );
    case 50:
      return (
        compareStrings((a as RegexValue).pattern, (b as RegexValue).pattern) ||
        compareStrings((a as RegexValue).options, (b as RegexValue).options)
      );
    case 55:
      return comparePointers(a as DBPointerValue, b as DBPointerValue);
    case 60:
    case 65:
      return compareScoped(a as CodeValue, b as CodeValue, collation);
    default:
      return 0;
  }
};

/**
 * Compares two values in MongoDB's order of all types and returns a negative number, 0 or a positive number. A missing
 * value equals undefined and is greater than MinKey only. Numbers of all types are compared exactly. Arrays are
 * compared as whole arrays; sorting, which uses the least or greatest element, does that itself.
 */
export const compare = (a: Value | undefined, b: Value | undefined, collation?: Collation): number => {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  spend(1);
  if (typeof a === 'string' && typeof b === 'string' && collation === undefined) return compareStrings(a, b);
  spend(1);
  const rank = rankOf(a);
  const other = rankOf(b);
  if (rank !== other) return rank < other ? -1 : 1;
  return a === undefined || b === undefined ? 0 : compareAlike(rank, a, b, collation);
};

export const equal = (a: Value | undefined, b: Value | undefined, collation?: Collation): boolean =>
  compare(a, b, collation) === 0;

/** Prefixes a string with its length, so that it cannot be confused with the text that follows it. */
const sized = (text: string): string => {
  if (text.length > long) spend(text.length >>> 6);
  return `${text.length}:${text}`;
};

const docKey = (doc: Doc, collation: Collation | undefined): string => {
  let key = 'o';
  spend(doc.size);
  for (const [name, value] of doc.entries()) key += sized(name) + hashKey(value, collation);
  return `${key};`;
};

const objectKey = (value: Exclude<Value, string | number | bigint | boolean | null | readonly Value[]>): string => {
  switch (value.type) {
    case 1:
    case 19:
      return `n${numberKey(value)},`;
    case 7:
      return `i${value.hex}`;
    case 9:
      return `d${value.exact ?? value.ms},`;
    case 17:
      return `t${value.t},${value.i},`;
    case 5:
      return `x${value.subtype},${sized(toHex(value.bytes))}`;
    case 11:
      return `r${sized(value.pattern)}${sized(value.options)}`;
    case 13:
      return `c${sized(value.code)}`;
    case 12:
      return `p${sized(value.namespace)}${value.id.hex}`;
    case 6:
      return 'u';
    case -1:
      return '<';
    case 127:
      return '>';
    default:
      return '';
  }
};

/** Returns a string that is the same for two values exactly if {@link compare} returns 0 for them. */
export const hashKey = (value: Value | undefined, collation?: Collation): string => {
  switch (typeof value) {
    case 'number':
      return `n${value},`;
    case 'bigint':
      return `n${numberKey(value)},`;
    case 'string':
      return `s${sized(collation === undefined ? value : collation.key(value))}`;
    case 'boolean':
      return value ? 'T' : 'F';
    case 'undefined':
      return 'u';
  }
  if (value === null) return '_';
  if (Array.isArray(value)) {
    let key = 'a';
    spend((value as readonly Value[]).length);
    for (const item of value as readonly Value[]) key += hashKey(item, collation);
    return `${key};`;
  }
  const object = value as Exclude<Value, string | number | bigint | boolean | null | readonly Value[]>;
  switch (object.type) {
    case 3:
      return docKey(object, collation);
    case 14:
      return `s${sized(collation === undefined ? object.value : collation.key(object.value))}`;
    case 15:
      return `C${sized(object.code)}${docKey(object.scope!, collation)}`;
    default:
      return objectKey(object);
  }
};
