import { Decimal } from '../value/decimal.js';
import { isInt64, toDouble } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { Double } from '../value/value.js';
import { intOrLong } from './coerce.js';
import type { Width } from './total.js';
import { widthOf } from './total.js';

/**
 * A sum that does not depend on the order. Integers are added exactly, doubles with compensation for rounding errors,
 * decimals separately. mongod: DoubleDoubleSummation.
 */
export class Summation {
  #width: Width = 0;
  /** The sum of integers while it is exact; the rest is in `#large`. */
  #small = 0;
  #large = 0n;
  #double = 0;
  #lost = 0;
  /** The sum without compensation, which is used as soon as a value is not finite. */
  #plain = 0;
  #decimal: Decimal = Decimal.ZERO;

  add(value: NumberValue): void {
    const width = widthOf(value);
    if (width > this.#width) this.#width = width;
    if (typeof value === 'number') this.#addSmall(value);
    else if (typeof value === 'bigint') this.#large += value;
    else if (value instanceof Double) this.#addDouble(value.value);
    else this.#decimal = this.#decimal.add(value);
  }

  #addSmall(value: number): void {
    const sum = this.#small + value;
    if (Number.isSafeInteger(sum)) this.#small = sum;
    else this.#large += BigInt(value);
  }

  #addDouble(value: number): void {
    this.#plain += value;
    const sum = this.#double + value;
    const back = sum - this.#double;
    this.#lost += this.#double - (sum - back) + (value - back);
    this.#double = sum;
  }

  get #integer(): bigint {
    return this.#large + BigInt(this.#small);
  }

  /** The sum of all numbers except decimals. */
  get asDouble(): number {
    const integer = this.#integer;
    if (!Number.isFinite(this.#double)) return this.#plain;
    if (integer === 0n) return this.#double + this.#lost;
    const whole = Number(integer);
    const sum = this.#double + whole;
    const back = sum - this.#double;
    const lost = this.#double - (sum - back) + (whole - back) + Number(integer - BigInt(whole));
    return sum + (this.#lost + lost);
  }

  get hasDecimals(): boolean {
    return this.#width === 3;
  }

  /** The sum of all numbers. Doubles count with all their digits. */
  get asDecimal(): Decimal {
    const doubles = Number.isFinite(this.#double)
      ? Decimal.fromDouble(this.#double).add(Decimal.fromDouble(this.#lost))
      : Decimal.fromDouble(this.#plain);
    return this.#decimal.add(Decimal.fromBigInt(this.#integer)).add(doubles);
  }

  result(): Value {
    switch (this.#width) {
      case 3:
        return this.asDecimal;
      case 2:
        return new Double(this.asDouble);
      default: {
        const integer = this.#integer;
        if (!isInt64(integer)) return new Double(Number(integer));
        return this.#width === 1 ? integer : intOrLong(integer);
      }
    }
  }
}

/** Mean and variance of doubles in one pass. mongod: AccumulatorStdDev, after Welford. */
export class Spread {
  #count = 0;
  #mean = 0;
  #squares = 0;
  #broken = false;

  add(value: NumberValue): void {
    const n = toDouble(value);
    if (!Number.isFinite(n)) this.#broken = true;
    this.#count += 1;
    const distance = n - this.#mean;
    this.#mean += distance / this.#count;
    this.#squares += distance * (n - this.#mean);
  }

  /** Returns the standard deviation, or null if there are too few values: at least one, or two for a sample. */
  deviation(sample: boolean): Value {
    const divisor = sample ? this.#count - 1 : this.#count;
    if (divisor <= 0) return null;
    return new Double(this.#broken ? Number.NaN : Math.sqrt(this.#squares / divisor));
  }
}
