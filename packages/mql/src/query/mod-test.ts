import { fail } from '../errors.js';
import { toDouble, toLong } from '../value/numbers.js';
import type { NumberValue, Value } from '../value/value.js';
import { isArray, isNumber } from '../value/value.js';
import type { Test } from './condition.js';

const coerce = (name: 'divisor' | 'remainder', argument: NumberValue): bigint => {
  const long = toLong(argument);
  if (long !== undefined) return long;
  const approximate = toDouble(argument);
  // The greatest int64 as a double is rounded to 2^63, which wraps around in mongod.
  if (approximate === 2 ** 63) return -(1n << 63n);
  const reason = Number.isFinite(approximate)
    ? 'Out of bounds coercing to integral value'
    : 'Unable to coerce NaN/Inf to integral type';
  throw fail('BadValue', `malformed mod, ${name} value is invalid :: caused by :: ${reason}`);
};

/**
 * Compiles `$mod: [divisor, remainder]`. Fractions of numbers are dropped.
 * @throws CommandError BadValue
 */
export const modTest = (argument: Value): Test => {
  if (!isArray(argument)) throw fail('BadValue', 'malformed mod, needs to be an array');
  const [divisor, remainder] = argument;
  if (divisor === undefined || remainder === undefined) throw fail('BadValue', 'malformed mod, not enough elements');
  if (argument.length > 2) throw fail('BadValue', 'malformed mod, too many elements');
  if (!isNumber(divisor)) throw fail('BadValue', 'malformed mod, divisor not a number');
  const by = coerce('divisor', divisor);
  if (!isNumber(remainder)) throw fail('BadValue', 'malformed mod, remainder not a number');
  const rest = coerce('remainder', remainder);
  if (by === 0n) throw fail('BadValue', 'divisor cannot be 0');
  return value => {
    if (!isNumber(value)) return false;
    const whole = toLong(value);
    return whole !== undefined && whole % by === rest;
  };
};
