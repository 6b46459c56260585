import type { Rounding } from '../value/decimal.js';
import { Decimal, powerOfTen } from '../value/decimal.js';
import { spend } from '../work/meter.js';

/**
 * Returns the number with exactly the given exponent, as IEEE 754's quantize: 5 with two places is 5.00. Returns NaN if
 * 34 digits are not enough.
 */
export const quantize = (value: Decimal, exponent: number, rounding: Rounding): Decimal => {
  if (!value.isFinite || value.exponent === exponent) return value;
  if (value.exponent < exponent) return value.roundTo(exponent, rounding);
  const shift = value.exponent - exponent;
  if (value.coefficient === 0n) return Decimal.of(value.negative, 0n, exponent);
  if (value.coefficient.toString().length + shift > 34) return Decimal.NAN;
  return Decimal.of(value.negative, value.coefficient * powerOfTen(shift), exponent);
};

/**
 * Rounds a double to decimal places, or to powers of ten if negative. Its exact value counts, not its printed digits.
 */
export const roundDouble = (value: number, places: number, rounding: Rounding): number => {
  if (!Number.isFinite(value) || value === 0) return value;
  spend(30);
  // mongod rounds the 34 significant digits.
  return Decimal.parse(value.toExponential(33))!.roundTo(-places, rounding).toNumber();
};
