import { fail } from '../errors.js';
import { Decimal } from '../value/decimal.js';
import { compareNumbers, narrow, toDouble, toExactLong } from '../value/numbers.js';
import type { NumberValue } from '../value/value.js';
import { double } from '../value/value.js';
import { power } from './decimal-functions.js';

/**
 * Preferred numbers within a decade: ISO 3 (Renard), IEC 60063 (E), 1-2-5. As in mongod, R80 lacks the numbers of R40.
 */
const series: Readonly<Record<string, readonly number[]>> = {
  R5: [10, 16, 25, 40, 63],
  R10: [100, 125, 160, 200, 250, 315, 400, 500, 630, 800],
  R20: [100, 112, 125, 140, 160, 180, 200, 224, 250, 280, 315, 355, 400, 450, 500, 560, 630, 710, 800, 900],
  R40: [
    100, 106, 112, 118, 125, 132, 140, 150, 160, 170, 180, 190, 200, 212, 224, 236, 250, 265, 280, 300, 315, 335, 355,
    375, 400, 425, 450, 475, 500, 530, 560, 600, 630, 670, 710, 750, 800, 850, 900, 950,
  ],
  R80: [
    103, 109, 115, 122, 128, 136, 145, 155, 165, 175, 185, 195, 206, 218, 230, 243, 258, 272, 290, 307, 325, 345, 365,
    387, 412, 437, 462, 487, 515, 545, 575, 615, 650, 690, 730, 775, 825, 875, 925, 975,
  ],
  '1-2-5': [10, 20, 50],
  E6: [10, 15, 22, 33, 47, 68],
  E12: [10, 12, 15, 18, 22, 27, 33, 39, 47, 56, 68, 82],
  E24: [10, 11, 12, 13, 15, 16, 18, 20, 22, 24, 27, 30, 33, 36, 39, 43, 47, 51, 56, 62, 68, 75, 82, 91],
  E48: [
    100, 105, 110, 115, 121, 127, 133, 140, 147, 154, 162, 169, 178, 187, 196, 205, 215, 226, 237, 249, 261, 274, 287,
    301, 316, 332, 348, 365, 383, 402, 422, 442, 464, 487, 511, 536, 562, 590, 619, 649, 681, 715, 750, 787, 825, 866,
    909, 953,
  ],
  E96: [
    100, 102, 105, 107, 110, 113, 115, 118, 121, 124, 127, 130, 133, 137, 140, 143, 147, 150, 154, 158, 162, 165, 169,
    174, 178, 182, 187, 191, 196, 200, 205, 210, 215, 221, 226, 232, 237, 243, 249, 255, 261, 267, 274, 280, 287, 294,
    301, 309, 316, 324, 332, 340, 348, 357, 365, 374, 383, 392, 402, 412, 422, 432, 442, 453, 464, 475, 487, 499, 511,
    523, 536, 549, 562, 576, 590, 604, 619, 634, 649, 665, 681, 698, 715, 732, 750, 768, 787, 806, 825, 845, 866, 887,
    909, 931, 953, 976,
  ],
  E192: [
    100, 101, 102, 104, 105, 106, 107, 109, 110, 111, 113, 114, 115, 117, 118, 120, 121, 123, 124, 126, 127, 129, 130,
    132, 133, 135, 137, 138, 140, 142, 143, 145, 147, 149, 150, 152, 154, 156, 158, 160, 162, 164, 165, 167, 169, 172,
    174, 176, 178, 180, 182, 184, 187, 189, 191, 193, 196, 198, 200, 203, 205, 208, 210, 213, 215, 218, 221, 223, 226,
    229, 232, 234, 237, 240, 243, 246, 249, 252, 255, 258, 261, 264, 267, 271, 274, 277, 280, 284, 287, 291, 294, 298,
    301, 305, 309, 312, 316, 320, 324, 328, 332, 336, 340, 344, 348, 352, 357, 361, 365, 370, 374, 379, 383, 388, 392,
    397, 402, 407, 412, 417, 422, 427, 432, 437, 442, 448, 453, 459, 464, 470, 475, 481, 487, 493, 499, 505, 511, 517,
    523, 530, 536, 542, 549, 556, 562, 569, 576, 583, 590, 597, 604, 612, 619, 626, 634, 642, 649, 657, 665, 673, 681,
    690, 698, 706, 715, 723, 732, 741, 750, 759, 768, 777, 787, 796, 806, 816, 825, 835, 845, 856, 866, 876, 887, 898,
    909, 920, 931, 942, 953, 965, 976, 988,
  ],
};

/** Rounds bucket boundaries, which are not negative, to preferred numbers. */
export interface Rounder {
  /** Returns the next preferred number above the value, never the value itself. */
  up(value: NumberValue): NumberValue;
  /** Returns the next preferred number below the value, never the value itself. */
  down(value: NumberValue): NumberValue;
}

/** Zero and infinity are not rounded. */
const hasNeighbours = (n: number): boolean => n !== 0 && n !== Infinity;

/** Scales by integer powers of ten only, because 3 * 0.1 is not 0.3. */
const at = (n: number, exponent: number): number => {
  if (exponent >= 0) return n * 10 ** exponent;
  return exponent > leastExponent ? n / 10 ** -exponent : n * subnormal(exponent);
};

/** Below this exponent, a power of ten does not fit into a double's exponent. */
const leastExponent = -308;

/** Returns a power of ten as mongod computes it near zero: by divisions that lose digits and end at zero. */
const subnormal = (exponent: number): number => {
  let power = 1;
  for (let i = 0; i > exponent; i--) power /= 10;
  return power;
};

/** Returns a preferred number in the decade of the exponent, with the type of the original. */
const inDecade = (original: NumberValue, n: number, exponent: number): NumberValue =>
  original instanceof Decimal
    ? Decimal.fromNumber(n).multiply(
        exponent < 0 ? Decimal.of(false, 1n, exponent) : Decimal.fromBigInt(10n ** BigInt(exponent)),
      )
    : double(at(n, exponent));

const createSeriesRounder = (numbers: readonly number[]): Rounder => {
  const first = numbers[0]!;
  const decadeOf = (n: number): number => {
    let exponent = Math.floor(Math.log10(n) - Math.log10(first));
    while (at(first, exponent) > n) exponent -= 1;
    while (at(first, exponent + 1) <= n) exponent += 1;
    return exponent;
  };
  return {
    up: value => {
      const n = toDouble(value);
      if (!hasNeighbours(n)) return value;
      const exponent = decadeOf(n);
      const next = numbers.find(number => at(number, exponent) > n);
      return next === undefined ? inDecade(value, first, exponent + 1) : inDecade(value, next, exponent);
    },
    down: value => {
      const n = toDouble(value);
      if (!hasNeighbours(n)) return value;
      const exponent = decadeOf(n);
      const next = numbers.findLast(number => at(number, exponent) < n);
      return next === undefined ? inDecade(value, numbers.at(-1)!, exponent - 1) : inDecade(value, next, exponent);
    },
  };
};

/** Returns the exponent of the greatest integer power of two that is not above the number. */
const floorLog2 = (value: NumberValue): number => {
  const n = toExactLong(value);
  return n === undefined ? Math.floor(Math.log2(toDouble(value))) : n.toString(2).length - 1;
};

/** Returns a power of two as `$pow` does: an integer if it fits into 64 bits. */
const powerOfTwo = (original: NumberValue, exponent: number): NumberValue => {
  if (original instanceof Decimal) return power(Decimal.fromBigInt(2n), Decimal.fromBigInt(BigInt(exponent)));
  return (exponent < 0 ? undefined : narrow(1n << BigInt(exponent))) ?? double(2 ** exponent);
};

const powersOfTwo: Rounder = {
  up: value => (hasNeighbours(toDouble(value)) ? powerOfTwo(value, floorLog2(value) + 1) : value),
  down: value => {
    if (!hasNeighbours(toDouble(value))) return value;
    const exponent = floorLog2(value);
    return powerOfTwo(value, compareNumbers(value, powerOfTwo(value, exponent)) === 0 ? exponent - 1 : exponent);
  },
};

/**
 * Returns the rounder of a granularity.
 * @throws CommandError 40257
 */
export const rounderOf = (granularity: string): Rounder => {
  if (granularity === 'POWERSOF2') return powersOfTwo;
  const numbers = Object.hasOwn(series, granularity) ? series[granularity] : undefined;
  if (numbers === undefined) throw fail(40257, `Unknown rounding granularity '${granularity}'`);
  return createSeriesRounder(numbers);
};
