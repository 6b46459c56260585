import type { Collation } from '../value/compare.js';
import { compare, equal, hashKey, rankOf } from '../value/compare.js';
import { isNaNValue } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isNumber, ObjectIdValue, RegexValue, SymbolValue, typeNumber } from '../value/value.js';
import { spend } from '../work/meter.js';
import type { Test } from './condition.js';
import { regexTest } from './regex.js';

const sameBytes = (a: Uint8Array, b: Uint8Array): boolean => {
  for (let i = 0; i < 12; i++) if (a[i] !== b[i]) return false;
  return true;
};

/** Since MongoDB 8.0, null equals null and missing values, but not the deprecated undefined. */
const isAbsent: Test = value => value === undefined || value === null;

/** Returns a test for equality with a value. Numbers of all types are compared by value. */
export const equalTest = (wanted: Value, collation?: Collation): Test => {
  if (wanted === null) return isAbsent;
  switch (typeof wanted) {
    case 'boolean':
      return value => value === wanted;
    case 'string':
      if (collation !== undefined) break;
      return value =>
        typeof value === 'string' ? value === wanted : value instanceof SymbolValue && value.value === wanted;
    case 'number':
      return value => (typeof value === 'number' ? value === wanted : isNumber(value) && equal(value, wanted));
  }
  if (wanted instanceof ObjectIdValue) {
    const { bytes } = wanted;
    return value => value instanceof ObjectIdValue && sameBytes(value.bytes, bytes);
  }
  return value => value !== undefined && equal(value, wanted, collation);
};

export type RangeOperator = 'gt' | 'gte' | 'lt' | 'lte';

const holds: Record<RangeOperator, (order: number) => boolean> = {
  gt: order => order > 0,
  gte: order => order >= 0,
  lt: order => order < 0,
  lte: order => order <= 0,
};

/** Compares with MinKey or MaxKey, the only bounds that are compared with values of other types. */
const boundaryTest = (op: RangeOperator, bound: Value): Test => {
  const type = typeNumber(bound);
  const others = type === -1 ? op === 'gt' || op === 'gte' : op === 'lt' || op === 'lte';
  const itself = op === 'gte' || op === 'lte';
  return value => (value !== undefined && typeNumber(value) === type ? itself : others);
};

/**
 * Returns a test for values on one side of a bound. Only values with the bound's type rank are compared. NaN is neither
 * above nor below any number. Null equals null and missing values.
 */
export const rangeTest = (op: RangeOperator, bound: Value, collation?: Collation): Test => {
  if (bound === null) return op === 'gte' || op === 'lte' ? isAbsent : () => false;
  const rank = rankOf(bound);
  if (rank === -1 || rank === 127) return boundaryTest(op, bound);
  const passes = holds[op];
  if (!isNumber(bound)) {
    return value => value !== undefined && rankOf(value) === rank && passes(compare(value, bound, collation));
  }
  if (isNaNValue(bound)) {
    return op === 'gte' || op === 'lte' ? value => isNumber(value) && isNaNValue(value) : () => false;
  }
  return value =>
    typeof value === 'number'
      ? passes(compare(value, bound))
      : isNumber(value) && !isNaNValue(value) && passes(compare(value, bound));
};

/** The number of values above which a set is used. */
const fewest = 8;

const setTest = (values: readonly Value[], collation: Collation | undefined): Test => {
  const keys = new Set(values.map(value => hashKey(value, collation)));
  const ofNull = values.includes(null);
  return value => (isAbsent(value) ? ofNull : keys.has(hashKey(value, collation)));
};

/** Returns a test for values that equal one of the values or match a regular expression among them. */
export const inTest = (values: readonly Value[], collation?: Collation): Test => {
  const tests: Test[] = values.filter(value => value instanceof RegexValue).map(regexTest);
  const plain = values.filter(value => !(value instanceof RegexValue));
  if (plain.length > fewest) tests.push(setTest(plain, collation));
  else for (const value of plain) tests.push(equalTest(value, collation));
  const [only] = tests;
  if (only === undefined) return () => false;
  if (tests.length === 1) return only;
  return value => {
    spend(tests.length >>> 2);
    for (const test of tests) if (test(value)) return true;
    return false;
  };
};

/**
 * Returns whether an index scan for this value, or for a range from it, finds exactly the values that the test accepts.
 */
export const isExactKey = (value: Value): boolean => {
  const rank = rankOf(value);
  return (
    rank !== -1 && rank !== 0 && rank !== 5 && rank !== 25 && rank !== 127 && !(isNumber(value) && isNaNValue(value))
  );
};
