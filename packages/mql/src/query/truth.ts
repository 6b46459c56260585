import { isZero } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isNullish, isNumber } from '../value/value.js';

/**
 * Returns whether a value counts as true. False, null, undefined, missing values and zeros of all number types do not.
 */
export const isTruthy = (value: Value | undefined): boolean => {
  if (typeof value === 'boolean') return value;
  if (isNumber(value)) return !isZero(value);
  return !isNullish(value);
};
