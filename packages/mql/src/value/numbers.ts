import { Decimal, powerOfTen } from './decimal.js';
import type { NumberValue, Value } from './value.js';
import { Double, isNumber } from './value.js';

const minInt32 = -0x80000000;
const maxInt32 = 0x7fffffff;
export const minInt64: bigint = -(1n << 63n);
export const maxInt64: bigint = (1n << 63n) - 1n;

export const isInt32 = (n: number): boolean => (n | 0) === n && !Object.is(n, -0);
export const isInt64 = (n: bigint): boolean => n >= minInt64 && n <= maxInt64;

/** Converts a number to the nearest double, as a JavaScript number. */
export const toDouble = (a: NumberValue): number => {
  if (typeof a === 'number') return a;
  if (typeof a === 'bigint') return Number(a);
  return a instanceof Double ? a.value : a.toNumber();
};

/** Converts a number to a decimal as MongoDB does: integers exactly, doubles to 15 significant digits. */
export const toDecimal = (a: NumberValue): Decimal => {
  if (a instanceof Decimal) return a;
  if (typeof a === 'bigint') return Decimal.fromBigInt(a);
  return typeof a === 'number' ? Decimal.fromBigInt(BigInt(a)) : Decimal.fromNumber(a.value);
};

/** Returns the integer part if it is finite and fits into an int64, otherwise undefined. */
export const toLong = (a: NumberValue): bigint | undefined => {
  if (typeof a === 'bigint') return a;
  if (typeof a === 'number') return BigInt(a);
  let whole: bigint | undefined;
  if (a instanceof Decimal) whole = a.exponent > 40 && !a.isZero ? undefined : a.toBigInt();
  else whole = Number.isFinite(a.value) ? BigInt(Math.trunc(a.value)) : undefined;
  return whole !== undefined && isInt64(whole) ? whole : undefined;
};

/**
 * Returns the value as an int64 if it is exactly an integer of that range, in any number type. Otherwise returns
 * undefined.
 */
export const toExactLong = (a: NumberValue): bigint | undefined => {
  if (a instanceof Double && !Number.isInteger(a.value)) return undefined;
  const whole = toLong(a);
  if (whole === undefined || !(a instanceof Decimal)) return whole;
  return compareDecimals(a, Decimal.fromBigInt(whole)) === 0 ? whole : undefined;
};

/** Returns {@link toSafeInteger} of a number, and undefined for any other value. */
export const safeIntegerOf = (value: Value | undefined): number | undefined =>
  isNumber(value) ? toSafeInteger(value) : undefined;

/**
 * Returns the value as a JavaScript number if it is exactly an integer that a double holds without loss. Otherwise
 * returns undefined.
 */
export const toSafeInteger = (a: NumberValue): number | undefined => {
  const whole = toExactLong(a);
  if (whole === undefined) return undefined;
  const n = Number(whole);
  return Number.isSafeInteger(n) ? n : undefined;
};

export const isNaNValue = (a: NumberValue): boolean =>
  a instanceof Double ? Number.isNaN(a.value) : a instanceof Decimal && a.isNaN;

export const isZero = (a: NumberValue): boolean => (a instanceof Decimal ? a.isZero : toDouble(a) === 0);

/** Returns whether a command would read the value as a set flag: `true`, or any number but zero. */
export const isSet = (value: Value | undefined): boolean =>
  value === true || (value !== undefined && isNumber(value) && !isZero(value));

/** Returns the integer as the smallest type that holds it: int32, then int64. Otherwise returns undefined. */
export const narrow = (n: bigint): number | bigint | undefined => {
  if (n >= -0x80000000n && n <= 0x7fffffffn) return Number(n);
  return isInt64(n) ? n : undefined;
};

const fit = (n: number): number | bigint => (n >= minInt32 && n <= maxInt32 ? n : BigInt(n));

type Operation = 'add' | 'subtract' | 'multiply';

const onNumbers: Record<Operation, (a: number, b: number) => number> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
};
const onBigints: Record<Operation, (a: bigint, b: bigint) => bigint> = {
  add: (a, b) => a + b,
  subtract: (a, b) => a - b,
  multiply: (a, b) => a * b,
};

const apply = (operation: Operation, a: NumberValue, b: NumberValue): NumberValue | undefined => {
  if (typeof a === 'number' && typeof b === 'number') {
    const result = onNumbers[operation](a, b);
    if (Number.isSafeInteger(result)) return fit(result === 0 ? 0 : result);
    return onBigints[operation](BigInt(a), BigInt(b));
  }
  if (a instanceof Decimal || b instanceof Decimal) return toDecimal(a)[operation](toDecimal(b));
  if (a instanceof Double || b instanceof Double) return new Double(onNumbers[operation](toDouble(a), toDouble(b)));
  const result = onBigints[operation](BigInt(a), BigInt(b));
  return isInt64(result) ? result : undefined;
};

const orDouble = (operation: Operation, a: NumberValue, b: NumberValue): NumberValue =>
  apply(operation, a, b) ?? new Double(onNumbers[operation](toDouble(a), toDouble(b)));

/**
 * Adds two numbers. An int32 result that overflows becomes an int64, an int64 result a double. With a decimal the
 * result is a decimal, otherwise with a double a double.
 */
export const add = (a: NumberValue, b: NumberValue): NumberValue => orDouble('add', a, b);
export const subtract = (a: NumberValue, b: NumberValue): NumberValue => orDouble('subtract', a, b);
export const multiply = (a: NumberValue, b: NumberValue): NumberValue => orDouble('multiply', a, b);

/** Adds as {@link add}, but returns undefined if an int64 overflows: `$inc` rejects that. */
export const addExactly = (a: NumberValue, b: NumberValue): NumberValue | undefined => apply('add', a, b);
/** Multiplies as {@link multiply}, but returns undefined if an int64 overflows: `$mul` rejects that. */
export const multiplyExactly = (a: NumberValue, b: NumberValue): NumberValue | undefined => apply('multiply', a, b);

/**
 * Divides two numbers. The result is a decimal if an operand is one, otherwise a double. The caller must reject zero
 * divisors.
 */
export const divide = (a: NumberValue, b: NumberValue): Double | Decimal =>
  a instanceof Decimal || b instanceof Decimal
    ? toDecimal(a).divide(toDecimal(b))
    : new Double(toDouble(a) / toDouble(b));

/** Returns the remainder of division truncated toward zero. The caller must reject zero divisors. */
export const mod = (a: NumberValue, b: NumberValue): NumberValue => {
  if (a instanceof Decimal || b instanceof Decimal) return toDecimal(a).remainder(toDecimal(b));
  if (a instanceof Double || b instanceof Double) return new Double(toDouble(a) % toDouble(b));
  if (typeof a === 'number' && typeof b === 'number') return (a % b) | 0;
  return BigInt(a) % BigInt(b);
};

export const negate = (a: NumberValue): NumberValue => {
  if (a instanceof Decimal) return a.negate();
  if (a instanceof Double) return new Double(-a.value);
  return subtract(0, a);
};

export const abs = (a: NumberValue): NumberValue => {
  if (a instanceof Decimal) return a.abs();
  if (a instanceof Double) return new Double(Math.abs(a.value));
  return a < 0 ? negate(a) : a;
};

const sign = (n: number | bigint): -1 | 0 | 1 => (n < 0 ? -1 : n > 0 ? 1 : 0);

/** An exact value: coefficient × 10^exponent. Every finite double has one. */
export interface Exact {
  readonly coefficient: bigint;
  readonly exponent: number;
}

const view = new DataView(new ArrayBuffer(8));

/** Returns the exact value of a finite double: m·2^-k is m·5^k·10^-k. */
const exactDouble = (value: number): Exact => {
  if (Number.isInteger(value)) return { coefficient: BigInt(value), exponent: 0 };
  view.setFloat64(0, value);
  const high = view.getUint32(0);
  const biased = (high >>> 20) & 0x7ff;
  const fraction = (BigInt(high & 0xfffff) << 32n) | BigInt(view.getUint32(4));
  let mantissa = biased === 0 ? fraction : fraction | (1n << 52n);
  let shift = 1075 - Math.max(biased, 1);
  while ((mantissa & 1n) === 0n) {
    mantissa >>= 1n;
    shift -= 1;
  }
  return { coefficient: (value < 0 ? -mantissa : mantissa) * 5n ** BigInt(shift), exponent: -shift };
};

const exact = (a: number | bigint | Decimal): Exact => {
  if (typeof a === 'bigint') return { coefficient: a, exponent: 0 };
  if (typeof a === 'number') return exactDouble(a);
  return { coefficient: a.negative ? -a.coefficient : a.coefficient, exponent: a.exponent };
};

const magnitudeOf = ({ coefficient, exponent }: Exact): number =>
  (coefficient < 0n ? -coefficient : coefficient).toString().length + exponent;

const compareExact = (a: Exact, b: Exact): number => {
  const signs = sign(a.coefficient) - sign(b.coefficient);
  if (signs !== 0) return sign(signs);
  if (a.coefficient === 0n) return 0;
  const magnitudes = magnitudeOf(a) - magnitudeOf(b);
  if (magnitudes !== 0) return sign(magnitudes) * sign(a.coefficient);
  const gap = a.exponent - b.exponent;
  const left = gap > 0 ? a.coefficient * powerOfTen(gap) : a.coefficient;
  const right = gap < 0 ? b.coefficient * powerOfTen(-gap) : b.coefficient;
  return left < right ? -1 : left > right ? 1 : 0;
};

/** Returns -1, 0 or 1. NaN equals itself and is below all numbers; infinities of all types are equal. */
const compareDecimals = (a: Decimal, b: Decimal): number => {
  if (a.isFinite && b.isFinite) return compareExact(exact(a), exact(b));
  return compareSpecial(a.isFinite ? 0 : a.toNumber(), b.isFinite ? 0 : b.toNumber());
};

const compareSpecial = (a: number, b: number): number => {
  if (a === b) return 0;
  if (Number.isNaN(a)) return Number.isNaN(b) ? 0 : -1;
  return Number.isNaN(b) || a > b ? 1 : -1;
};

const plain = (a: NumberValue): number | bigint | Decimal => (a instanceof Double ? a.value : a);

/**
 * Compares numbers of all four types exactly and returns -1, 0 or 1. NaN is below every number and equal to itself; -0
 * equals 0.
 */
export const compareNumbers = (left: NumberValue, right: NumberValue): number => {
  const a = plain(left);
  const b = plain(right);
  if (typeof a === 'number' && typeof b === 'number') return a < b ? -1 : a > b ? 1 : compareSpecial(a, b);
  if (typeof a === 'bigint' && typeof b === 'bigint') return a < b ? -1 : a > b ? 1 : 0;
  if (!(a instanceof Decimal) && !(b instanceof Decimal)) {
    // JavaScript compares a bigint with a number exactly. Only NaN is neither less, greater nor equal.
    if (a < b) return -1;
    if (a > b) return 1;
    return a == b ? 0 : Number.isNaN(a) ? -1 : 1;
  }
  const oneIsSpecial = !isFiniteNumber(a) || !isFiniteNumber(b);
  return oneIsSpecial ? compareSpecial(specialOf(a), specialOf(b)) : compareExact(exact(a), exact(b));
};

const isFiniteNumber = (a: number | bigint | Decimal): boolean => {
  if (typeof a === 'bigint') return true;
  return typeof a === 'number' ? Number.isFinite(a) : a.isFinite;
};

const specialOf = (a: number | bigint | Decimal): number => {
  if (typeof a === 'bigint') return 0;
  if (typeof a === 'number') return Number.isFinite(a) ? 0 : a;
  return a.isFinite ? 0 : a.toNumber();
};

/** Returns a string that is the same for two numbers exactly if they compare as equal. */
export const numberKey = (a: NumberValue): string => {
  const value = plain(a);
  if (typeof value === 'number') return value === 0 ? '0' : String(value);
  const near = typeof value === 'bigint' ? Number(value) : value.toNumber();
  if (!isFiniteNumber(value)) return String(near);
  if (near === 0) {
    if (typeof value === 'bigint' || value.isZero) return '0';
  } else if (Number.isFinite(near) && compareExact(exact(value), exactDouble(near)) === 0) {
    return String(near);
  }
  const decimal = typeof value === 'bigint' ? Decimal.fromBigInt(value) : value;
  const { coefficient, exponent } = decimal.normalized();
  return `${decimal.negative ? '-' : ''}${coefficient}e${exponent}`;
};
