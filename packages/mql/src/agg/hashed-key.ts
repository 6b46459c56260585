import { rankOf } from '../value/compare.js';
import { Doc } from '../value/doc.js';
import { maxInt64, minInt64, toDouble, toLong } from '../value/numbers.js';
import { utf8 } from '../value/utf8.js';
import type { NumberValue, Value } from '../value/value.js';
import { isArray, isDoc, isNumber } from '../value/value.js';
import type { Operators } from './expression.js';
import { md5 } from './md5.js';
import { unary } from './operator.js';
import { spend } from '../work/meter.js';

const int32 = (n: number): Uint8Array => {
  const view = new DataView(new ArrayBuffer(4));
  view.setInt32(0, n, true);
  return new Uint8Array(view.buffer);
};

const int64 = (n: bigint): Uint8Array => {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigInt64(0, n, true);
  return new Uint8Array(view.buffer);
};

/** Truncates a number to an int64. Numbers beyond the range become the nearest int64; NaN becomes 0. */
const wholeOf = (value: NumberValue): bigint => {
  const whole = toLong(value);
  if (whole !== undefined) return whole;
  const n = toDouble(value);
  if (Number.isNaN(n)) return 0n;
  return n < 0 ? minInt64 : maxInt64;
};

/** Returns the bytes of a value alone: the document `{"": value}` without its header and terminator. */
const bytesOf = (value: Value): Uint8Array => Doc.of([['', value]]).bytes.slice(6, -1);

/** The type code that ends documents and arrays. */
const end = int32(0);

/**
 * Returns the bytes to hash: the type (one for all numbers), the field name within documents, and the value's bytes.
 * mongod: BSONElementHasher.
 */
const hashed = (value: Value, name: string | undefined): readonly Uint8Array[] => {
  const head = [int32(rankOf(value)), ...(name === undefined ? [] : [utf8(`${name}\0`)])];
  if (isNumber(value)) return [...head, int64(wholeOf(value))];
  if (isDoc(value)) return [...head, ...value.entries().flatMap(([key, item]) => hashed(item, key)), end];
  if (isArray(value)) return [...head, ...value.flatMap((item, i) => hashed(item, String(i))), end];
  return [...head, bytesOf(value)];
};

const seed = int32(0);

export const hashOf = (value: Value | undefined): bigint => {
  const parts = [seed, ...hashed(value ?? null, undefined)];
  const all = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  spend(20 + (all.length >>> 1));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return md5(all).getBigInt64(0, true);
};

/** `$toHashedIndexKey`, which returns the key of a value in a hashed index. */
export const hashedKeyOperators: Operators = new Map([['$toHashedIndexKey', unary(hashOf)]]);
