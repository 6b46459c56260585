import type { Rounding } from '../value/decimal.js';
import { Decimal, powerOfTen } from '../value/decimal.js';
import { spend } from '../work/meter.js';

/** The number with exactly that exponent, as IEEE 754's quantize: 5 to two places is 5.00; NaN if 34 digits do not suffice. */
export const quantize = (value: Decimal, exponent: number, rounding: Rounding): Decimal => {
  if (!value.isFinite || value.exponent === exponent) return value;
  if (value.exponent < exponent) return value.roundTo(exponent, rounding);
  const shift = value.exponent - exponent;
  if (value.coefficient === 0n) return Decimal.of(value.negative, 0n, exponent);
  if (value.coefficient.toString().length + shift > 34) return Decimal.NAN;
  return Decimal.of(value.negative, value.coefficient * powerOfTen(shift), exponent);
};

/** A double to so many decimal places (or, below zero, to tens), by its exact value and not by how it prints. */
export const roundDouble = (value: number, places: number, rounding: Rounding): number => {
  if (!Number.isFinite(value) || value === 0) return value;
  spend(30);
  // 34 significant digits, as mongod takes before it rounds.
  return Decimal.parse(value.toExponential(33))!.roundTo(-places, rounding).toNumber();
};
