import { compare } from '../value/compare.js';
import { Decimal } from '../value/decimal.js';
import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { Double, isArray, typeNumber } from '../value/value.js';

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
};

const sameDecimal = (a: Decimal, b: Decimal): boolean =>
  a.negative === b.negative && a.coefficient === b.coefficient && a.exponent === b.exponent && a.special === b.special;

/**
 * Returns whether two values have the same BSON bytes. 1 and 1.0 differ, and so do documents with a different field
 * order.
 */
export const identical = (a: Value, b: Value): boolean => {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (isArray(a)) return isArray(b) && a.length === b.length && a.every((item, i) => identical(item, b[i]!));
  if (a instanceof Doc) return b instanceof Doc && sameBytes(a.bytes, b.bytes);
  if (a instanceof Double) return b instanceof Double && Object.is(a.value, b.value);
  if (a instanceof Decimal) return b instanceof Decimal && sameDecimal(a, b);
  return typeNumber(a) === typeNumber(b) && compare(a, b) === 0;
};
