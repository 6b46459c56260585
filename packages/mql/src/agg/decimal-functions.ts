import { Decimal, powerOfTen } from '../value/decimal.js';
import * as fixed from './fixed-point.js';
import { spend } from '../work/meter.js';

/** Elementary functions on decimals, accurate to 34 digits. The caller must reject arguments outside of the domain. */
const places = 60;

/** Digits beyond the 60th decimal place do not affect the 34 digits of a result near 1. */
const toFixed = ({ negative, coefficient, exponent }: Decimal): bigint => {
  const shift = exponent + places;
  const magnitude = shift >= 0 ? coefficient * powerOfTen(shift) : -shift > 200 ? 0n : coefficient / powerOfTen(-shift);
  return negative ? -magnitude : magnitude;
};

const fromFixed = (value: bigint, exponent = 0): Decimal =>
  trimmed(Decimal.of(value < 0n, value < 0n ? -value : value, exponent - places));

/** A result with this many trailing zeros is exact. */
const exactZeros = 10_000_000_000n;

/** Removes trailing zeros after the point if the result is exact: 8 instead of 8.000. */
const trimmed = (value: Decimal): Decimal => {
  let { coefficient, exponent } = value;
  if (!value.isFinite || exponent >= 0) return value;
  if (coefficient === 0n) return Decimal.of(value.negative, 0n, 0);
  if (coefficient % exactZeros !== 0n) return value;
  while (exponent < 0 && coefficient % 10n === 0n) {
    coefficient /= 10n;
    exponent += 1;
  }
  return Decimal.of(value.negative, coefficient, exponent);
};

/** Returns the number of digits before the point. */
const magnitudeOf = (value: Decimal): number => value.coefficient.toString().length + value.exponent;

const ONE = Decimal.fromBigInt(1n);

export const exponential = (x: Decimal): Decimal => {
  if (x.isNaN) return x;
  if (x.isZero) return ONE;
  const large = !x.isFinite || magnitudeOf(x) > 6;
  if (large) return x.negative ? Decimal.ZERO : Decimal.INFINITY;
  const { mantissa, exponent } = fixed.exp(toFixed(x));
  return fromFixed(mantissa, exponent);
};

/** Returns the logarithm of a positive finite number as a fixed-point number. */
const fixedLogarithm = ({ coefficient, exponent }: Decimal): bigint => fixed.ln(coefficient, exponent + places);

/** Returns the natural logarithm of a positive number, or its logarithm to a base. */
export const logarithm = (x: Decimal, base?: Decimal): Decimal => {
  if (x.isNaN || base?.isNaN === true) return Decimal.NAN;
  if (!x.isFinite) return Decimal.INFINITY;
  if (base === undefined) return fromFixed(fixedLogarithm(x));
  if (!base.isFinite) return Decimal.ZERO;
  return nearWhole(fixed.over(fixedLogarithm(x), fixedLogarithm(base)));
};

/** Removes the rounding error from a quotient of logarithms that is nearly an integer: log10 of 1000 is 3. */
const nearWhole = (value: bigint): Decimal => {
  const whole = (value + (value < 0n ? -fixed.one : fixed.one) / 2n) / fixed.one;
  const off = value - whole * fixed.one;
  return (off < 0n ? -off : off) < powerOfTen(8) ? Decimal.fromBigInt(whole) : fromFixed(value);
};

const wholePower = (base: Decimal, exponent: number): Decimal => {
  // The result has as many digits as the base times the exponent, and the cost of multiplication is quadratic in them.
  spend(10 + ((exponent * exponent) >>> 2));
  const magnitude = Decimal.of(
    base.negative && exponent % 2 === 1,
    base.coefficient ** BigInt(exponent),
    base.exponent * exponent,
  );
  return magnitude;
};

/** Returns the inverse of a power, which is divided before it is rounded. */
const inversePower = (base: Decimal, exponent: number): Decimal => {
  spend(10 + ((exponent * exponent) >>> 2));
  const coefficient = base.coefficient ** BigInt(exponent);
  const digits = coefficient.toString().length + 40;
  const scale = powerOfTen(digits);
  const quotient = scale / coefficient;
  const isExact = quotient * coefficient === scale;
  // A digit after the others stands for the rest of the division. It matters for the rounding only.
  return trimmed(
    Decimal.of(
      base.negative && exponent % 2 === 1,
      isExact ? quotient : quotient * 10n + 1n,
      -digits - base.exponent * exponent - (isExact ? 0 : 1),
    ),
  );
};

/**
 * Computes a power with an infinite operand: infinite, 0 or 1. As in C's pow, but not in JavaScript's `**`, the result
 * for 1 and -1 is 1.
 */
const infinitePower = (base: number, exponent: number): Decimal =>
  Math.abs(base) === 1 ? ONE : Decimal.fromDouble(base ** exponent);

const maxWholePower = 2000;

const shortestPower = (base: Decimal, exponent: Decimal): Decimal => {
  if (exponent.isZero) return ONE;
  if (base.isNaN || exponent.isNaN) return Decimal.NAN;
  const whole = exponent.isFinite && exponent.roundTo(0, 'down').subtract(exponent).isZero;
  if (!base.isFinite || !exponent.isFinite) return infinitePower(base.toNumber(), exponent.toNumber());
  if (base.isZero) return Decimal.ZERO;
  if (base.negative && !whole) return Decimal.NAN;
  const n = exponent.toNumber();
  if (whole && Math.abs(n) <= maxWholePower) return n > 0 ? wholePower(base, n) : inversePower(base, -n);
  const logarithmic = fixedLogarithm(base.abs());
  const product = fixed.times(logarithmic, toFixed(exponent));
  const result = exponential(fromFixed(product));
  return base.negative && Math.abs(n) % 2 === 1 ? result.negate() : result;
};

const LOWEST_ZERO = Decimal.parse('0E-6176')!;

/** Returns a power as MongoDB does: with trailing zeros up to 34 digits. */
export const power = (base: Decimal, exponent: Decimal): Decimal => shortestPower(base, exponent).add(LOWEST_ZERO);

export const squareRoot = (x: Decimal): Decimal => {
  if (!x.isFinite || x.isZero) return x;
  const odd = ((x.exponent % 2) + 2) % 2;
  // The exponent is even, and the result has about 40 digits.
  const scaled = x.coefficient * powerOfTen(odd + 80);
  const result = fixed.integerRoot(scaled);
  const exact = result * result === scaled;
  return trimmed(Decimal.of(false, exact ? result : result * 10n + 1n, (x.exponent - odd - 80) / 2 - (exact ? 0 : 1)));
};

const onFixed =
  (apply: (x: bigint) => bigint, atInfinity: (negative: boolean) => Decimal = () => Decimal.NAN) =>
  (x: Decimal): Decimal => {
    if (x.isNaN) return x;
    if (!x.isFinite || magnitudeOf(x) > 200) return atInfinity(x.negative);
    // For arguments below the fixed-point precision, the result is x itself, or 1.
    if (!x.isZero && magnitudeOf(x) < -18 && apply(0n) === 0n) return x;
    return fromFixed(apply(toFixed(x)));
  };

const halfPi = (negative: boolean): Decimal => fromFixed((negative ? -fixed.pi() : fixed.pi()) / 2n);

const arcSine = (x: bigint): bigint => {
  const rest = fixed.root(fixed.one - fixed.times(x, x));
  if (rest === 0n) return (x < 0n ? -fixed.pi() : fixed.pi()) / 2n;
  return fixed.arcTangent(fixed.over(x, rest));
};

const half = (x: bigint): bigint => x / 2n;

/** Returns whether e^-x is negligible compared with e^x. */
const isLarge = (x: Decimal): boolean => magnitudeOf(x) > 2;

const halved = (x: Decimal): Decimal => x.multiply(Decimal.of(false, 5n, -1));

const smallHyperbolicSine: (x: Decimal) => Decimal = onFixed(x => half(fixed.plainExp(x) - fixed.plainExp(-x)));
const smallHyperbolicCosine: (x: Decimal) => Decimal = onFixed(x => half(fixed.plainExp(x) + fixed.plainExp(-x)));
const smallHyperbolicTangent: (x: Decimal) => Decimal = onFixed(x => {
  const square = fixed.plainExp(2n * x);
  return fixed.over(square - fixed.one, square + fixed.one);
});
const smallInverseSine: (x: Decimal) => Decimal = onFixed(x => {
  const a = x < 0n ? -x : x;
  // For positive values no digits are lost by subtraction.
  const result = fixed.ln(a + fixed.root(fixed.times(a, a) + fixed.one));
  return x < 0n ? -result : result;
});
const smallInverseTangent: (x: Decimal) => Decimal = onFixed(x =>
  half(fixed.ln(fixed.over(fixed.one + x, fixed.one - x))),
);

export const sine: (x: Decimal) => Decimal = onFixed(x => fixed.sineAndCosine(x).sine);
export const cosine: (x: Decimal) => Decimal = onFixed(x => fixed.sineAndCosine(x).cosine);
export const tangent: (x: Decimal) => Decimal = onFixed(x => {
  const { sine: s, cosine: c } = fixed.sineAndCosine(x);
  return fixed.over(s, c);
});
export const inverseOfSine: (x: Decimal) => Decimal = onFixed(arcSine);
export const inverseOfCosine: (x: Decimal) => Decimal = onFixed(x => fixed.pi() / 2n - arcSine(x));
export const inverseOfTangent: (x: Decimal) => Decimal = onFixed(fixed.arcTangent, halfPi);
export const hyperbolicSine = (x: Decimal): Decimal => {
  if (x.isNaN || !x.isFinite) return x;
  if (!isLarge(x)) return smallHyperbolicSine(x);
  return x.negative ? halved(exponential(x.negate())).negate() : halved(exponential(x));
};
export const hyperbolicCosine = (x: Decimal): Decimal => {
  if (x.isNaN || !x.isFinite) return x.abs();
  return isLarge(x) ? halved(exponential(x.abs())) : smallHyperbolicCosine(x);
};
export const hyperbolicTangent = (x: Decimal): Decimal => {
  if (x.isNaN) return x;
  if (x.isFinite && !isLarge(x)) return smallHyperbolicTangent(x);
  return x.negative ? ONE.negate() : ONE;
};
export const inverseOfHyperbolicSine = (x: Decimal): Decimal => {
  if (x.isNaN || !x.isFinite) return x;
  if (magnitudeOf(x) <= 40) return smallInverseSine(x);
  const result = logarithm(x.abs().add(x.abs()));
  return x.negative ? result.negate() : result;
};
export const inverseOfHyperbolicCosine = (x: Decimal): Decimal =>
  x.isFinite ? logarithm(x.add(squareRoot(x.multiply(x).subtract(ONE)))) : x;
export const inverseOfHyperbolicTangent = (x: Decimal): Decimal => {
  if (x.isNaN) return x;
  if (x.subtract(ONE).isZero) return Decimal.INFINITY;
  return x.add(ONE).isZero ? Decimal.NEGATIVE_INFINITY : smallInverseTangent(x);
};

/** Returns the angle of the point (x, y). */
export const angleOf = (y: Decimal, x: Decimal): Decimal => {
  if (y.isNaN || x.isNaN) return Decimal.NAN;
  if (!x.isFinite || !y.isFinite || x.isZero || y.isZero) {
    // The angles of infinite and zero points are multiples of π/4.
    const quarters = Math.round((Math.atan2(y.toNumber(), x.toNumber()) * 4) / Math.PI);
    if (quarters === 0) return Decimal.of(y.negative, 0n, 0);
    return fromFixed((fixed.pi() * BigInt(quarters)) / 4n);
  }
  const angle = inverseOfTangent(y.divide(x));
  if (!x.negative) return angle;
  return fromFixed(toFixed(angle) + (y.negative ? -fixed.pi() : fixed.pi()));
};

export const toRadians = (x: Decimal): Decimal => x.multiply(fromFixed(fixed.pi() / 180n));
export const toDegrees = (x: Decimal): Decimal => x.multiply(fromFixed(fixed.over(180n * fixed.one, fixed.pi())));
