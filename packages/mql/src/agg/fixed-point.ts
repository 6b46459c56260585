import { powerOfTen } from '../value/decimal.js';
import { spend } from '../work/meter.js';

/** The cost of one term of a series or one iteration, in steps. */
const step = 10;

/**
 * Real functions on fixed-point numbers: integers that stand for value × 10^60. The precision suffices to round to the
 * 34 digits of a decimal.
 */
const places = 60;
export const one: bigint = powerOfTen(places);

export const times = (a: bigint, b: bigint): bigint => (a * b) / one;
export const over = (a: bigint, b: bigint): bigint => (a * one) / b;

/** Returns the integer part of the square root. */
export const integerRoot = (n: bigint): bigint => {
  if (n < 2n) return n;
  let x = 1n << BigInt((n.toString(2).length + 1) >> 1);
  for (;;) {
    spend(step);
    const next = (x + n / x) >> 1n;
    if (next >= x) return x;
    x = next;
  }
};

export const root = (a: bigint): bigint => integerRoot(a * one);

/**
 * Computes x - x³/3 + x⁵/5 … (sign -1), or the same with all terms positive (sign 1), the inverse hyperbolic tangent.
 */
const oddSeries = (x: bigint, sign: 1n | -1n): bigint => {
  const square = times(x, x) * sign;
  let sum = 0n;
  let power = x;
  for (let n = 1n; power !== 0n; n += 2n) {
    spend(step);
    sum += power / n;
    power = times(power, square);
  }
  return sum;
};

/** Returns 1/n as a fixed-point number. */
const part = (n: bigint): bigint => one / n;

const once = (make: () => bigint): (() => bigint) => {
  let value: bigint | undefined;
  return () => (value ??= make());
};

/** ln 10 = 3 ln 2 + ln 1.25 */
export const ln10: () => bigint = once(() => 6n * oddSeries(part(3n), 1n) + 2n * oddSeries(part(9n), 1n));
/** Machin: π = 16 atan 1/5 − 4 atan 1/239 */
export const pi: () => bigint = once(() => 16n * oddSeries(part(5n), -1n) - 4n * oddSeries(part(239n), -1n));

/** Returns e^x for 0 ≤ x ≤ ln 10: a Taylor series of x/256, squared eight times. */
const smallExp = (x: bigint): bigint => {
  const scaled = x >> 8n;
  let sum = one;
  let term = one;
  for (let n = 1n; term !== 0n; n++) {
    spend(step);
    term = times(term, scaled) / n;
    sum += term;
  }
  for (let i = 0; i < 8; i++) sum = times(sum, sum);
  return sum;
};

/** Returns e^x as mantissa × 10^exponent. The mantissa is between 1 and 10. */
export const exp = (x: bigint): { readonly mantissa: bigint; readonly exponent: number } => {
  let whole = x / ln10();
  if (x < 0n && whole * ln10() !== x) whole -= 1n;
  return { mantissa: smallExp(x - whole * ln10()), exponent: Number(whole) };
};

/** Returns e^x for an x that is not large. */
export const plainExp = (x: bigint): bigint => {
  const { mantissa, exponent } = exp(x);
  return exponent < 0 ? mantissa / powerOfTen(-exponent) : mantissa * powerOfTen(exponent);
};

/** Returns the natural logarithm for 1 ≤ x < 10, by Halley's iteration that starts with a double. */
const smallLn = (x: bigint): bigint => {
  const start = Math.log(Number(x / powerOfTen(places - 17)) / 1e17);
  let y = BigInt(Math.round(start * 1e15)) * powerOfTen(places - 15);
  if (y < 0n) y = 0n;
  for (let i = 0; i < 3; i++) {
    const e = smallExp(y);
    y += over(2n * (x - e), x + e);
  }
  return y;
};

/** Returns the natural logarithm of x × 10^exponent for a positive x. */
export const ln = (x: bigint, exponent = 0): bigint => {
  const shift = x.toString().length - 1 - places;
  const mantissa = shift < 0 ? x * powerOfTen(-shift) : x / powerOfTen(shift);
  return smallLn(mantissa) + BigInt(shift + exponent) * ln10();
};

/** Returns sine and cosine of any x. */
export const sineAndCosine = (x: bigint): { readonly sine: bigint; readonly cosine: bigint } => {
  const turn = 2n * pi();
  let angle = x % turn;
  if (angle > pi()) angle -= turn;
  else if (angle < -pi()) angle += turn;
  const square = times(angle, angle);
  let sine = 0n;
  let cosine = 0n;
  let term = one;
  for (let n = 1n; term !== 0n; n += 2n) {
    spend(step);
    cosine += term;
    const odd = times(term, angle) / n;
    sine += odd;
    term = -times(term, square) / (n * (n + 1n));
  }
  return { sine, cosine };
};

/** Returns the arc tangent of any x. The argument is halved until the series converges fast. */
export const arcTangent = (x: bigint): bigint => {
  if (x < 0n) return -arcTangent(-x);
  if (x > one) return pi() / 2n - arcTangent(over(one, x));
  let reduced = x;
  let doublings = 0n;
  while (reduced > one / 10n) {
    reduced = over(reduced, one + root(one + times(reduced, reduced)));
    doublings += 1n;
  }
  return oddSeries(reduced, -1n) << doublings;
};
