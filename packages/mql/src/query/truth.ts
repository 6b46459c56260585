import { isZero } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isNullish, isNumber } from '../value/value.js';

/** A value as a condition: false, null, undefined, missing and the zeros of all number types are false. */
export const isTruthy = (value: Value | undefined): boolean => {
  if (typeof value === 'boolean') return value;
  if (isNumber(value)) return !isZero(value);
  return !isNullish(value);
};
