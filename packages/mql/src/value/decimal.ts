import { spend } from '../work/meter.js';

const maxDigits = 34;
/** The number of decimal digits that every double represents without loss. */
const doubleDigits = 15;
const maxExponent = 6111;
const minExponent = -6176;
const bias = 6176;

export type Rounding = 'halfEven' | 'halfUp' | 'down' | 'floor' | 'ceil';

const powers: bigint[] = [1n];
/** Returns 10^n. n is at most about 6,000, and nearly always under 40. */
export const powerOfTen = (n: number): bigint => {
  if (n > 80) return 10n ** BigInt(n);
  for (let i = powers.length; i <= n; i++) powers.push(powers[i - 1]! * 10n);
  return powers[n]!;
};

const double = new DataView(new ArrayBuffer(8));

/** The limit for exponents in a text. A document has no room for enough digits to compensate for a larger exponent. */
const exponentLimit = 100_000_000;
/** The number of digits of a text that are converted: more than a decimal can hold. */
const maxParsed = 2 * maxDigits;

const digitsOf = (coefficient: bigint): number => (coefficient === 0n ? 1 : coefficient.toString().length);

/** Divides a magnitude by 10^drop and rounds by the mode for a number of the given sign. */
const dropDigits = (coefficient: bigint, drop: number, negative: boolean, rounding: Rounding): bigint => {
  const power = powerOfTen(drop);
  const quotient = coefficient / power;
  const rest = coefficient - quotient * power;
  if (rest === 0n) return quotient;
  const twice = rest * 2n;
  switch (rounding) {
    case 'down':
      return quotient;
    case 'floor':
      return negative ? quotient + 1n : quotient;
    case 'ceil':
      return negative ? quotient : quotient + 1n;
    case 'halfUp':
      return twice >= power ? quotient + 1n : quotient;
    case 'halfEven':
      return twice > power || (twice === power && (quotient & 1n) === 1n) ? quotient + 1n : quotient;
  }
};

/**
 * An IEEE 754-2008 decimal128: sign, coefficient of up to 34 digits, exponent. The exponent is kept as written: 1.0 and
 * 1.00 are equal but not identical. Arithmetic is exact, then rounded half to even to 34 digits.
 */
export class Decimal {
  readonly negative: boolean;
  /** The coefficient without its sign; 0 for infinities and NaN. */
  readonly coefficient: bigint;
  readonly exponent: number;
  readonly special: 'Infinity' | 'NaN' | undefined;

  private constructor(
    negative: boolean,
    coefficient: bigint,
    exponent: number,
    special: 'Infinity' | 'NaN' | undefined,
  ) {
    this.negative = negative;
    this.coefficient = coefficient;
    this.exponent = exponent;
    this.special = special;
  }

  get type(): 19 {
    return 19;
  }

  static readonly NAN: Decimal = new Decimal(false, 0n, 0, 'NaN');
  static readonly INFINITY: Decimal = new Decimal(false, 0n, 0, 'Infinity');
  static readonly NEGATIVE_INFINITY: Decimal = new Decimal(true, 0n, 0, 'Infinity');
  static readonly ZERO: Decimal = new Decimal(false, 0n, 0, undefined);

  /** Creates a decimal, rounded to 34 digits. Too large a value becomes infinity, too small a value becomes 0. */
  static of(negative: boolean, coefficient: bigint, exponent: number, rounding: Rounding = 'halfEven'): Decimal {
    const digits = digitsOf(coefficient);
    const excess = Math.max(digits - maxDigits, minExponent - exponent, 0);
    if (excess > 0) {
      if (excess > digits + 7000) return new Decimal(negative, 0n, minExponent, undefined);
      coefficient = dropDigits(coefficient, excess, negative, rounding);
      exponent += excess;
      if (digitsOf(coefficient) > maxDigits) {
        coefficient /= 10n;
        exponent += 1;
      }
    }
    if (exponent > maxExponent) {
      if (coefficient === 0n) return new Decimal(negative, 0n, maxExponent, undefined);
      const shift = exponent - maxExponent;
      if (digitsOf(coefficient) + shift > maxDigits) return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
      coefficient *= powerOfTen(shift);
      exponent = maxExponent;
    }
    return new Decimal(negative, coefficient, exponent, undefined);
  }

  static fromBigInt(value: bigint): Decimal {
    return value < 0n ? Decimal.of(true, -value, 0) : Decimal.of(false, value, 0);
  }

  /**
   * Converts a double as MongoDB does: to exactly 15 significant digits, trailing zeros included, because a double is
   * not precise beyond them.
   */
  static fromNumber(value: number): Decimal {
    if (Number.isNaN(value)) return Decimal.NAN;
    if (!Number.isFinite(value)) return value > 0 ? Decimal.INFINITY : Decimal.NEGATIVE_INFINITY;
    if (value === 0) return new Decimal(Object.is(value, -0), 0n, 0, undefined);
    const { negative, coefficient, exponent } = Decimal.fromDouble(value);
    const excess = digitsOf(coefficient) - doubleDigits;
    if (excess <= 0) return new Decimal(negative, coefficient * powerOfTen(-excess), exponent + excess, undefined);
    const kept = dropDigits(coefficient, excess, negative, 'halfEven');
    return digitsOf(kept) > doubleDigits
      ? new Decimal(negative, kept / 10n, exponent + excess + 1, undefined)
      : new Decimal(negative, kept, exponent + excess, undefined);
  }

  /** Converts a double to its exact value without trailing zeros, rounded to 34 digits. */
  static fromDouble(value: number): Decimal {
    if (!Number.isFinite(value) || value === 0) return Decimal.fromNumber(value);
    double.setFloat64(0, value);
    const bits = double.getBigUint64(0);
    const biased = Number((bits >> 52n) & 0x7ffn);
    const fraction = bits & 0xf_ffff_ffff_ffffn;
    let mantissa = biased === 0 ? fraction : fraction | 0x10_0000_0000_0000n;
    let power = Math.max(biased, 1) - 1075;
    for (; power < 0 && (mantissa & 1n) === 0n; power++) mantissa >>= 1n;
    // 2^-n is 5^n / 10^n.
    return power >= 0
      ? Decimal.of(value < 0, mantissa << BigInt(power), 0)
      : Decimal.of(value < 0, mantissa * 5n ** BigInt(-power), power);
  }

  /** Parses a text and rounds to 34 digits. Returns undefined if the text is not a number. */
  static parse(text: string): Decimal | undefined {
    const match = /^([+-])?(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?$/.exec(text);
    if (match === null) {
      const special = /^([+-])?(?:(inf|infinity)|nan)$/i.exec(text);
      if (special === null) return undefined;
      if (special[2] === undefined) return Decimal.NAN;
      return special[1] === '-' ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    }
    const fraction = match[3] ?? match[4] ?? '';
    const digits = `${match[2] ?? ''}${fraction}`.replace(/^0+(?=\d)/, '');
    spend(8 + (digits.length >>> 6));
    const exponent = Math.max(-exponentLimit, Math.min(exponentLimit, Number(match[5] ?? '0'))) - fraction.length;
    const negative = match[1] === '-';
    if (digits.length <= maxParsed) return Decimal.of(negative, BigInt(digits), exponent);
    // Digits beyond the converted ones affect the rounding only if one of them is not zero.
    const rest = /[1-9]/.test(digits.slice(maxParsed)) ? '1' : '0';
    const dropped = digits.length - maxParsed;
    return Decimal.of(negative, BigInt(digits.slice(0, maxParsed) + rest), exponent + dropped - 1);
  }

  /** Reads the 16 bytes of BSON (binary integer decimal, little endian). */
  static fromBytes(bytes: Uint8Array, at: number): Decimal {
    let low = 0n;
    let high = 0n;
    for (let i = 7; i >= 0; i--) {
      low = (low << 8n) | BigInt(bytes[at + i]!);
      high = (high << 8n) | BigInt(bytes[at + 8 + i]!);
    }
    const negative = high >> 63n === 1n;
    const combination = Number((high >> 58n) & 0x1fn);
    if (combination === 0x1f) return Decimal.NAN;
    if (combination === 0x1e) return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    // The second encoding can only hold coefficients above 34 digits. They are not canonical and are read as zero.
    const second = combination >> 3 === 3;
    const biased = second ? Number((high >> 47n) & 0x3fffn) : Number((high >> 49n) & 0x3fffn);
    const coefficient = second ? 0n : ((high & 0x1ffffffffffffn) << 64n) | low;
    return new Decimal(negative, digitsOf(coefficient) > maxDigits ? 0n : coefficient, biased - bias, undefined);
  }

  writeBytes(into: Uint8Array, at: number): void {
    let low = this.coefficient & 0xffffffffffffffffn;
    let high = this.negative ? 1n << 63n : 0n;
    if (this.special === 'NaN') high |= 0x7cn << 56n;
    else if (this.special === 'Infinity') high |= 0x78n << 56n;
    else high |= (BigInt(this.exponent + bias) << 49n) | (this.coefficient >> 64n);
    for (let i = 0; i < 8; i++) {
      into[at + i] = Number(low & 0xffn);
      into[at + 8 + i] = Number(high & 0xffn);
      low >>= 8n;
      high >>= 8n;
    }
  }

  get isZero(): boolean {
    return this.special === undefined && this.coefficient === 0n;
  }

  get isNaN(): boolean {
    return this.special === 'NaN';
  }

  get isFinite(): boolean {
    return this.special === undefined;
  }

  negate(): Decimal {
    return this.special === 'NaN' ? this : new Decimal(!this.negative, this.coefficient, this.exponent, this.special);
  }

  abs(): Decimal {
    return this.negative ? this.negate() : this;
  }

  add(other: Decimal): Decimal {
    if (this.special !== undefined || other.special !== undefined) {
      if (this.isNaN || other.isNaN) return Decimal.NAN;
      if (this.isFinite) return other;
      return other.isFinite || this.negative === other.negative ? this : Decimal.NAN;
    }
    const exponent = Math.min(this.exponent, other.exponent);
    // Digits so far below the larger operand only affect the rounding. One digit in their place keeps the numbers
    // small.
    const [near, far] = this.exponent <= other.exponent ? [this, other] : [other, this];
    const gap = far.exponent - near.exponent;
    if (gap > 2 * maxDigits + 2 && far.coefficient !== 0n) {
      if (near.coefficient === 0n) return padded(far, near.exponent);
      const shift = maxDigits + 2;
      const nudge = near.negative === far.negative ? 1n : -1n;
      return Decimal.of(far.negative, far.coefficient * powerOfTen(shift) + nudge, far.exponent - shift);
    }
    const left = (this.negative ? -this.coefficient : this.coefficient) * powerOfTen(this.exponent - exponent);
    const right = (other.negative ? -other.coefficient : other.coefficient) * powerOfTen(other.exponent - exponent);
    const sum = left + right;
    const negative = sum === 0n ? this.negative && other.negative : sum < 0n;
    return Decimal.of(negative, sum < 0n ? -sum : sum, exponent);
  }

  subtract(other: Decimal): Decimal {
    return this.add(other.negate());
  }

  multiply(other: Decimal): Decimal {
    const negative = this.negative !== other.negative;
    if (this.special !== undefined || other.special !== undefined) {
      if (this.isNaN || other.isNaN || this.isZero || other.isZero) return Decimal.NAN;
      return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    }
    return Decimal.of(negative, this.coefficient * other.coefficient, this.exponent + other.exponent);
  }

  /** Divides two decimals. Division by zero gives an infinity or NaN, as in IEEE 754. */
  divide(other: Decimal): Decimal {
    const negative = this.negative !== other.negative;
    if (this.special !== undefined || other.special !== undefined) {
      if (this.isNaN || other.isNaN || (!this.isFinite && !other.isFinite)) return Decimal.NAN;
      if (!other.isFinite) return Decimal.of(negative, 0n, minExponent);
      return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    }
    if (other.coefficient === 0n) {
      if (this.coefficient === 0n) return Decimal.NAN;
      return negative ? Decimal.NEGATIVE_INFINITY : Decimal.INFINITY;
    }
    const ideal = this.exponent - other.exponent;
    if (this.coefficient === 0n) return Decimal.of(negative, 0n, ideal);
    const shift = Math.max(0, maxDigits + 3 + digitsOf(other.coefficient) - digitsOf(this.coefficient));
    const scaled = this.coefficient * powerOfTen(shift);
    let quotient = scaled / other.coefficient;
    let exponent = ideal - shift;
    if (quotient * other.coefficient !== scaled) {
      // An extra digit 1 keeps an inexact quotient from being rounded as a tie.
      return Decimal.of(negative, quotient * 10n + 1n, exponent - 1);
    }
    while (exponent < ideal && quotient % 10n === 0n) {
      quotient /= 10n;
      exponent += 1;
    }
    return Decimal.of(negative, quotient, exponent);
  }

  /** Returns the remainder of division truncated toward zero. It has the sign of this number. */
  remainder(other: Decimal): Decimal {
    if (this.special !== undefined || other.isNaN || other.isZero) return Decimal.NAN;
    if (other.special !== undefined) return this;
    const exponent = Math.min(this.exponent, other.exponent);
    const left = this.coefficient * powerOfTen(this.exponent - exponent);
    const right = other.coefficient * powerOfTen(other.exponent - exponent);
    return Decimal.of(this.negative, left % right, exponent);
  }

  /** Rounds so that the exponent is at least the given one: 0 rounds to an integer, -2 to two decimal places. */
  roundTo(exponent: number, rounding: Rounding): Decimal {
    if (this.special !== undefined || this.exponent >= exponent) return this;
    const drop = exponent - this.exponent;
    if (drop <= maxDigits + 1) {
      return Decimal.of(this.negative, dropDigits(this.coefficient, drop, this.negative, rounding), exponent);
    }
    const away = this.coefficient !== 0n && rounding === (this.negative ? 'floor' : 'ceil');
    return Decimal.of(this.negative, away ? 1n : 0n, exponent);
  }

  /** Returns the integer part, or undefined for infinities and NaN. */
  toBigInt(): bigint | undefined {
    if (this.special !== undefined) return undefined;
    const magnitude =
      this.exponent >= 0
        ? this.coefficient * powerOfTen(this.exponent)
        : -this.exponent > maxDigits
          ? 0n
          : this.coefficient / powerOfTen(-this.exponent);
    return this.negative ? -magnitude : magnitude;
  }

  /** Returns the nearest double. */
  toNumber(): number {
    if (this.special === 'NaN') return Number.NaN;
    if (this.special === 'Infinity') return this.negative ? -Infinity : Infinity;
    return Number(`${this.negative ? '-' : ''}${this.coefficient}e${this.exponent}`);
  }

  /** Formats the number as MongoDB does. Rule: BSON Decimal128, "To String Representation". */
  toString(): string {
    const sign = this.negative ? '-' : '';
    if (this.special !== undefined) return this.special === 'NaN' ? 'NaN' : `${sign}Infinity`;
    const digits = this.coefficient.toString();
    const adjusted = this.exponent + digits.length - 1;
    if (this.exponent > 0 || adjusted < -6) {
      const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
      return `${sign}${digits[0]!}${fraction}E${adjusted < 0 ? '' : '+'}${adjusted}`;
    }
    if (this.exponent === 0) return sign + digits;
    const point = digits.length + this.exponent;
    return point > 0
      ? `${sign}${digits.slice(0, point)}.${digits.slice(point)}`
      : `${sign}0.${'0'.repeat(-point)}${digits}`;
  }

  /** Returns the coefficient and exponent without trailing zeros, so that equal numbers have equal results. */
  normalized(): { readonly coefficient: bigint; readonly exponent: number } {
    let { coefficient, exponent } = this;
    if (coefficient === 0n) return { coefficient, exponent: 0 };
    while (coefficient % 10n === 0n) {
      coefficient /= 10n;
      exponent += 1;
    }
    return { coefficient, exponent };
  }
}

/** Returns the same value with the lowest exponent that 34 digits allow, but not below the wanted exponent. */
const padded = (value: Decimal, wanted: number): Decimal => {
  const shift = Math.min(value.exponent - wanted, maxDigits - digitsOf(value.coefficient));
  if (shift <= 0) return value;
  return Decimal.of(value.negative, value.coefficient * powerOfTen(shift), value.exponent - shift);
};
