import { fail } from '../errors.js';
import { Decimal } from '../value/decimal.js';
import { isInt64, toDecimal, toDouble } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { DateValue, Double } from '../value/value.js';
import { intOrLong } from './coerce.js';

/** int < long < double < decimal: a result has the widest type of its operands. */
export type Width = 0 | 1 | 2 | 3;

export const widthOf = (value: NumberValue): Width => {
  if (typeof value === 'number') return 0;
  if (typeof value === 'bigint') return 1;
  return value instanceof Double ? 2 : 3;
};

/** Rounds half away from zero, as C's llround. */
const roundAway = (n: number): number => (n < 0 ? -Math.round(-n) : Math.round(n));

/**
 * Returns the milliseconds that a number adds to a date.
 * @throws CommandError Overflow
 */
export const toMillisToAdd = (value: NumberValue): bigint => {
  const whole =
    value instanceof Decimal
      ? value.roundTo(0, 'halfEven').toBigInt()
      : value instanceof Double
        ? Number.isFinite(value.value)
          ? BigInt(roundAway(value.value))
          : undefined
        : BigInt(value);
  if (whole === undefined || !isInt64(whole)) throw fail('Overflow', 'date overflow');
  return whole;
};

/** @throws CommandError Overflow */
export const dateFromLong = (ms: bigint): DateValue => {
  if (!isInt64(ms)) throw fail('Overflow', 'date overflow');
  const n = Number(ms);
  return Number.isSafeInteger(n) ? new DateValue(n) : new DateValue(n, ms);
};

export const longFromDate = (date: DateValue): bigint => date.exact ?? BigInt(date.ms);

/**
 * The sum of `$add`, in the narrowest type that holds all operands. Integers beyond 64 bits become doubles; with a date
 * the result is a date.
 */
export class Total {
  #width: Width = 0;
  /** The sum while it is a safe integer; otherwise it is in `#long`. */
  #small = 0;
  #long: bigint | undefined;
  #double = 0;
  #decimal: Decimal = Decimal.ZERO;
  #date: bigint | undefined;

  add(value: NumberValue | DateValue): void {
    if (value instanceof DateValue) this.#addDate(value);
    else if (this.#date !== undefined) this.#date += toMillisToAdd(value);
    else this.#addNumber(value);
  }

  #addDate(date: DateValue): void {
    if (this.#date !== undefined) throw fail(16612, 'only one date allowed in an $add expression');
    this.#date = toMillisToAdd(this.#number()) + longFromDate(date);
  }

  #addNumber(value: NumberValue): void {
    const width = Math.max(this.#width, widthOf(value)) as Width;
    if (width !== this.#width) this.#widen(width);
    switch (width) {
      case 0:
      case 1:
        this.#addInteger(value as number | bigint);
        return;
      case 2:
        this.#double += toDouble(value);
        return;
      case 3:
        this.#decimal = this.#decimal.add(toDecimal(value));
    }
  }

  #widen(width: Width): void {
    if (width === 3) this.#decimal = toDecimal(this.#number());
    else if (width === 2) this.#double = this.#long === undefined ? this.#small : Number(this.#long);
    this.#width = width;
  }

  #addInteger(value: number | bigint): void {
    if (this.#long === undefined && typeof value === 'number') {
      const sum = this.#small + value;
      if (Number.isSafeInteger(sum)) {
        this.#small = sum;
        return;
      }
    }
    const before = this.#long ?? BigInt(this.#small);
    const sum = before + BigInt(value);
    if (isInt64(sum)) {
      this.#long = sum;
      return;
    }
    this.#width = 2;
    this.#double = Number(before) + Number(value);
  }

  #number(): NumberValue {
    switch (this.#width) {
      case 0:
        return intOrLong(this.#long ?? BigInt(this.#small));
      case 1:
        return this.#long ?? BigInt(this.#small);
      case 2:
        return new Double(this.#double);
      case 3:
        return this.#decimal;
    }
  }

  result(): Value {
    return this.#date === undefined ? this.#number() : dateFromLong(this.#date);
  }
}

/** The product of `$multiply`, with the types of {@link Total}. */
export class Product {
  #width: Width = 0;
  #long = 1n;
  #double = 1;
  #decimal: Decimal = Decimal.ZERO;

  multiply(value: NumberValue): void {
    const before = this.#width;
    this.#width = Math.max(before, widthOf(value)) as Width;
    if (this.#width === 3) {
      if (before !== 3)
        this.#decimal = before === 2 ? Decimal.fromNumber(this.#double) : Decimal.fromBigInt(this.#long);
      this.#decimal = this.#decimal.multiply(toDecimal(value));
      return;
    }
    this.#double *= toDouble(value);
    if (this.#width === 2) return;
    const product = this.#long * BigInt(value as number | bigint);
    if (isInt64(product)) this.#long = product;
    else this.#width = 2;
  }

  result(): NumberValue {
    switch (this.#width) {
      case 0:
        return intOrLong(this.#long);
      case 1:
        return this.#long;
      case 2:
        return new Double(this.#double);
      case 3:
        return this.#decimal;
    }
  }
}
