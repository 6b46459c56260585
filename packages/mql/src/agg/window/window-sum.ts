import { Decimal } from '../../value/decimal.js';
import { isInt64, isNaNValue, toDouble } from '../../value/numbers.js';
import type { NumberValue } from '../../value/value.js';
import { double, Double } from '../../value/value.js';
import { intOrLong } from '../coerce.js';
import { widthOf } from '../total.js';

/** A sum from which added numbers can be removed. Integers are exact; for doubles, rounding errors are tracked. */
export class WindowSum {
  /** The number of ints, longs, doubles and decimals in the sum. */
  readonly #counts = [0, 0, 0, 0];
  #integer = 0n;
  /** The part of the integer sum that a number holds exactly. */
  #small = 0;
  #double = 0;
  #lost = 0;
  #decimal: Decimal = Decimal.ZERO;
  #nan = 0;
  #infinite = 0;
  #negativeInfinite = 0;

  add(value: NumberValue): void {
    this.#change(value, 1);
  }

  remove(value: NumberValue): void {
    this.#change(value, -1);
  }

  #change(value: NumberValue, sign: 1 | -1): void {
    const width = widthOf(value);
    this.#counts[width]! += sign;
    if (width < 2) this.#addInteger(value as number | bigint, sign);
    else if (isNaNValue(value)) this.#nan += sign;
    else if (toDouble(value) === Infinity && isInfinite(value)) this.#infinite += sign;
    else if (toDouble(value) === -Infinity && isInfinite(value)) this.#negativeInfinite += sign;
    else if (value instanceof Double) this.#addDouble(sign * value.value);
    else this.#decimal = sign === 1 ? this.#decimal.add(value as Decimal) : this.#decimal.subtract(value as Decimal);
    // When the last number of a type is removed, its rounding errors are discarded.
    if (this.#counts[2] === 0) this.#double = this.#lost = 0;
    if (this.#counts[3] === 0) this.#decimal = Decimal.ZERO;
  }

  #addInteger(value: number | bigint, sign: 1 | -1): void {
    const sum = typeof value === 'number' ? this.#small + sign * value : Number.NaN;
    if (Number.isSafeInteger(sum)) this.#small = sum;
    else this.#integer += BigInt(sign) * BigInt(value);
  }

  #addDouble(value: number): void {
    const sum = this.#double + value;
    const back = sum - this.#double;
    this.#lost += this.#double - (sum - back) + (value - back);
    this.#double = sum;
  }

  #special(): number | undefined {
    if (this.#nan > 0 || (this.#infinite > 0 && this.#negativeInfinite > 0)) return Number.NaN;
    if (this.#infinite > 0) return Infinity;
    return this.#negativeInfinite > 0 ? -Infinity : undefined;
  }

  #asDouble(integer: bigint): number {
    const whole = Number(integer);
    const sum = this.#double + whole;
    const back = sum - this.#double;
    const lost = this.#double - (sum - back) + (whole - back) + Number(integer - BigInt(whole));
    return sum + (this.#lost + lost);
  }

  /** Returns the sum; an int if it is empty. */
  result(): NumberValue {
    const integer = this.#integer + BigInt(this.#small);
    const special = this.#special();
    const [, longs, doubles, decimals] = this.#counts as [number, number, number, number];
    if (decimals > 0) {
      if (special !== undefined) return Decimal.fromNumber(special);
      const doubles = Decimal.fromDouble(this.#double).add(Decimal.fromDouble(this.#lost));
      return this.#decimal.add(Decimal.fromBigInt(integer)).add(doubles);
    }
    if (doubles > 0) return double(special ?? this.#asDouble(integer));
    if (!isInt64(integer)) return double(Number(integer));
    return longs > 0 ? integer : intOrLong(integer);
  }
}

const isInfinite = (value: NumberValue): boolean => (value instanceof Decimal ? !value.isFinite : true);
