import { fail } from '../errors.js';
import type { Decimal } from '../value/decimal.js';
import type { Doc } from '../value/doc.js';
import { narrow, toDouble, toExactLong } from '../value/numbers.js';
import { isoDate } from '../value/show.js';
import type { CodeValue, DateValue, Double, NumberValue, SymbolValue, TimestampValue, Value } from '../value/value.js';
import { isArray, isDoc, isNullish, isNumber, toHex, typeName, typeNumber } from '../value/value.js';

/** Returns whether a value counts as true. False, null, undefined, missing values and zeros do not; NaN does. */
export const isTrue = (value: Value | undefined): boolean => {
  if (typeof value === 'boolean') return value;
  if (isNullish(value)) return false;
  if (typeof value === 'number') return value !== 0;
  if (!isNumber(value)) return true;
  return typeNumber(value) === 19 ? !(value as Decimal).isZero : toDouble(value) !== 0;
};

/**
 * Formats a double as the shortest text that reads back as the same double. 1.0 becomes `1`. Exponents have two digits
 * and are used from 1e16 and below 1e-4.
 */
export const formatDouble = (value: number): string => {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? 'Infinity' : '-Infinity';
  if (Object.is(value, -0)) return '-0';
  const magnitude = Math.abs(value);
  if (value === 0 || (magnitude >= 1e-4 && magnitude < 1e16)) return String(value);
  return value.toExponential().replace(/e([+-])(\d)$/, 'e$10$2');
};

/** Formats a date within the 2^53 milliseconds that a double holds exactly. */
export const formatDate = (date: DateValue): string => isoDate(date.ms);

const formatTimestamp = ({ t, i }: TimestampValue): string => `Timestamp(${t}, ${i})`;

/** Formats a double as C's `%g`: six digits, and exponents of two digits from 1e6 and below 1e-4. */
const sixDigits = (value: number): string => {
  if (Number.isNaN(value)) return 'nan';
  if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const [digits, exponent] = value.toExponential(5).split('e') as [string, string];
  const power = Number(exponent);
  if (power >= -4 && power < 6) return String(Number(value.toFixed(5 - power)));
  const size = String(Math.abs(power)).padStart(2, '0');
  return `${Number(digits)}e${power < 0 ? '-' : '+'}${size}`;
};

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/** Formats a timestamp as `Jan  1 00:00:01:2`: the seconds as a date in UTC without its year, then the increment. */
const prettyTimestamp = ({ t, i }: TimestampValue): string => {
  const iso = isoDate(t * 1000);
  const day = String(Number(iso.slice(8, 10))).padStart(2);
  return `${months[Number(iso.slice(5, 7)) - 1]!} ${day} ${iso.slice(11, 19)}:${i}`;
};

/**
 * Converts a value to a string for operators that accept other types: `$toLower`, `$substr`, … Doubles and timestamps
 * are formatted differently than by `$toString`.
 * @throws CommandError 16007
 */
export const toText = (value: Value | undefined): string => {
  if (typeof value === 'string') return value;
  if (isNullish(value)) return '';
  switch (typeNumber(value)) {
    case 1:
      return sixDigits((value as Double).value);
    case 16:
    case 18:
    case 19:
      return (value as number | bigint | Decimal).toString();
    case 9:
      return formatDate(value as DateValue);
    case 17:
      return prettyTimestamp(value as TimestampValue);
    case 13:
      return (value as CodeValue).code;
    case 14:
      return (value as SymbolValue).value;
    default:
      throw fail(16007, `can't convert from BSON type ${typeName(value)} to String`);
  }
};

/** Returns milliseconds since 1970 for a date, a timestamp or an ObjectId, otherwise undefined. */
export const dateOf = (value: Value | undefined): number | undefined => {
  if (value === undefined || value === null || typeof value !== 'object' || isArray(value)) return undefined;
  switch (value.type) {
    case 9:
      return value.ms;
    case 17:
      return value.t * 1000;
    case 7: {
      const { bytes } = value;
      return (bytes[0]! * 0x1000000 + (bytes[1]! << 16) + (bytes[2]! << 8) + bytes[3]!) * 1000;
    }
    default:
      return undefined;
  }
};

/**
 * Returns the milliseconds of a value as {@link dateOf}.
 * @throws CommandError 16006 if the value contains no date
 */
export const toMillis = (value: Value): number => {
  const ms = dateOf(value);
  if (ms === undefined) throw fail(16006, `can't convert from BSON type ${typeName(value)} to Date`);
  return ms;
};

/** Returns the number if it is exactly an int32, in any number type. Otherwise returns undefined. */
export const exactInt = (value: NumberValue): number | undefined => {
  if (typeof value === 'number') return value;
  const long = toExactLong(value);
  const int = long === undefined ? undefined : narrow(long);
  return typeof int === 'number' ? int : undefined;
};

/** Returns an int32 if the integer fits, otherwise an int64. The caller must check the range of int64. */
export const intOrLong = (n: bigint): number | bigint => narrow(n) ?? n;

/** Returns a count as MongoDB does: an int32, or an int64 if it is larger. */
export const count = (n: number): number | bigint => (n <= 0x7fffffff ? n : BigInt(n));

const printDoc = (doc: Doc): string =>
  `{${doc
    .entries()
    .map(([key, value]) => `${key}: ${print(value)}`)
    .join(', ')}}`;

/** Formats a value as evaluation errors print it: `{a: 1, b: [2, "x"]}`. */
export const print = (value: Value | undefined): string => {
  if (value === undefined) return 'MISSING';
  if (value === null) return 'null';
  if (isDoc(value)) return printDoc(value);
  if (isArray(value)) return `[${value.map(print).join(', ')}]`;
  if (typeof value === 'string') return `"${value}"`;
  if (typeof value !== 'object') return String(value);
  return printObject(value);
};

const printObject = (
  value: Exclude<Value, string | number | bigint | boolean | null | Doc | readonly Value[]>,
): string => {
  switch (value.type) {
    case 1:
      return formatDouble(value.value);
    case 5:
      return `BinData(${value.subtype}, "${toHex(value.bytes).toUpperCase()}")`;
    case 6:
      return 'undefined';
    case 7:
      return value.hex;
    case 9:
      return formatDate(value);
    case 11:
      return `/${value.pattern}/${value.options}`;
    case 12:
      return `DBRef("${value.namespace}", ${value.id.hex})`;
    case 14:
      return `Symbol("${value.value}")`;
    case 17:
      return formatTimestamp(value);
    case 19:
      return value.toString();
    case -1:
      return 'MinKey';
    case 127:
      return 'MaxKey';
    default:
      return `Code("${value.code}")`;
  }
};
