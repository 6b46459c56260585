import { readInt64 } from './read.js';

const bias = 6176;
const most = 10n ** 34n - 1n;

/** Returns the text of the IEEE 754-2008 decimal of 128 bits at the offset, with all digits and the exponent. */
export const decimalText = (bytes: Uint8Array, at: number): string => {
  const low = BigInt.asUintN(64, readInt64(bytes, at));
  const high = BigInt.asUintN(64, readInt64(bytes, at + 8));
  const sign = high >> 63n === 1n ? '-' : '';
  const combination = Number((high >> 58n) & 0x1fn);
  if (combination === 0x1f) return 'NaN';
  if (combination === 0x1e) return `${sign}Infinity`;
  // The second form has no valid significand, so its value is zero.
  const large = combination >> 3 === 3;
  const exponent = Number((high >> (large ? 47n : 49n)) & 0x3fffn) - bias;
  const stored = large ? 0n : ((high & 0x1_ffff_ffff_ffffn) << 64n) | low;
  const significand = stored > most ? 0n : stored;
  const digits = significand.toString();
  const scientific = exponent + digits.length - 1;
  if (exponent > 0 || scientific < -6) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : '';
    return `${sign}${digits[0]!}${rest}E${scientific < 0 ? '' : '+'}${scientific}`;
  }
  if (exponent === 0) return sign + digits;
  const padded = digits.padStart(1 - exponent, '0');
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`;
};

/** Divides by a power of ten. Rounds half to even. */
const rounded = (value: bigint, places: number): bigint => {
  const divisor = 10n ** BigInt(places);
  const [quotient, rest] = [value / divisor, value % divisor];
  const twice = 2n * rest;
  return twice > divisor || (twice === divisor && quotient % 2n === 1n) ? quotient + 1n : quotient;
};

/** Returns the significand with at most 34 digits and its exponent within the range, or undefined for infinity. */
const fitted = (given: bigint, exponent: number): readonly [significand: bigint, exponent: number] | undefined => {
  let [significand, power] = [given, exponent];
  const excess = Math.max(significand.toString().length - 34, -6176 - power, 0);
  if (excess > 6200) return [0n, -6176];
  if (excess > 0) [significand, power] = [rounded(significand, excess), power + excess];
  if (significand > most) [significand, power] = [significand / 10n, power + 1];
  if (significand === 0n) return [0n, Math.min(power, 6111)];
  while (power > 6111 && significand * 10n <= most) [significand, power] = [significand * 10n, power - 1];
  return power > 6111 ? undefined : [significand, power];
};

const pattern = /^([-+]?)(?:(\d*)(?:\.(\d*))?(?:e([-+]?\d+))?|(inf(?:inity)?)|(nan))$/i;

/** Returns the low and the high half of a decimal. Values that are too large become infinity. */
export const decimalBits = (text: string): readonly [low: bigint, high: bigint] => {
  const [, minus, whole = '', fraction = '', power = '0', infinity, nan] = pattern.exec(text) ?? [
    '',
    '',
    '',
    '',
    '',
    '',
    'nan',
  ];
  if (nan !== undefined) return [0n, 0x7c00_0000_0000_0000n];
  const sign = minus === '-' ? 1n << 63n : 0n;
  const exponent = Math.max(Math.min(Number(power), 100_000), -100_000) - fraction.length;
  const fit = infinity === undefined ? fitted(BigInt(`0${whole}${fraction}`), exponent) : undefined;
  if (fit === undefined) return [0n, sign | 0x7800_0000_0000_0000n];
  const [significand, placed] = fit;
  return [BigInt.asUintN(64, significand), sign | (BigInt(placed + bias) << 49n) | (significand >> 64n)];
};
