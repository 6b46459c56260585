import { fail } from '../../errors.js';
import type { Sort } from '../../sort/sort.js';
import { compare } from '../../value/compare.js';
import { Decimal } from '../../value/decimal.js';
import { add, compareNumbers, toDecimal, toLong } from '../../value/numbers.js';
import { lookup, splitPath } from '../../value/path.js';
import type { NumberValue, Value } from '../../value/value.js';
import { DateValue, isNumber, typeName } from '../../value/value.js';
import type { Unit } from '../date-unit.js';
import { addToDate } from '../date-unit.js';
import { utc } from '../timezone.js';
import type { Bound, Bounds } from './bounds.js';
import type { Partition } from './partition.js';

/** A range of indexes in a partition. Both ends are inclusive. */
export interface Span {
  readonly first: number;
  readonly last: number;
}

/**
 * Returns the window of the document at an index, or undefined if it is empty. Indexes must be requested in ascending
 * order: both ends of the window only move forward.
 */
export type Spans = (index: number) => Span | undefined;

const documentSpans = (lower: Bound<number>, upper: Bound<number>, count: number): Spans => {
  const below = lower === 'current' ? 0 : lower;
  const above = upper === 'current' ? 0 : upper;
  return index => {
    const first = below === 'unbounded' ? 0 : Math.max(0, index + below);
    const last = above === 'unbounded' ? count - 1 : Math.min(count - 1, index + above);
    return first > last ? undefined : { first, last };
  };
};

/** Adds integers as integers and other numbers as decimals, so that 0.1 + 0.2 equals 0.3. */
const shifted = (base: NumberValue, distance: NumberValue): NumberValue =>
  typeof base === 'number' && typeof distance === 'number'
    ? add(base, distance)
    : toDecimal(base).add(toDecimal(distance));

const requireBase = (base: Value | undefined, unit: Unit | undefined): void => {
  if (unit !== undefined) {
    if (base instanceof DateValue) return;
    throw fail(5429513, `Invalid range: Expected the sortBy field to be a Date, but it was ${typeName(base)}`);
  }
  if (base instanceof DateValue) {
    throw fail(5429413, 'Invalid range: For windows that involve date or time ranges, a unit must be provided.');
  }
  if (isNumber(base)) return;
  throw fail(5429414, `Invalid range: Expected the sortBy field to be a number, but it was ${typeName(base)}`);
};

/** Compares as decimals if the threshold is one. */
const compareTo = (value: Value | undefined, threshold: Value): number =>
  threshold instanceof Decimal && isNumber(value)
    ? compareNumbers(toDecimal(value), threshold)
    : compare(value, threshold);

/** Returns the documents' values of the sort field, as `$path` reads them. */
export const sortValues = (partition: Partition, { pattern }: Sort): readonly (Value | undefined)[] => {
  const parts = splitPath(pattern[0]!.path);
  return partition.docs.map(doc => lookup(doc, parts));
};

const rangeSpans = (bounds: Bounds & { readonly kind: 'range' }, values: readonly (Value | undefined)[]): Spans => {
  const { lower, upper, unit } = bounds;
  const belongs = (value: Value | undefined): boolean =>
    unit === undefined ? isNumber(value) : value instanceof DateValue;
  const threshold = (base: Value | undefined, distance: NumberValue): Value =>
    unit === undefined
      ? shifted(base as NumberValue, distance)
      : new DateValue(addToDate((base as DateValue).ms, unit, toLong(distance)!, utc));
  let first = 0;
  let next = 0;

  const firstOf = (index: number): number | undefined => {
    if (lower === 'current') return index;
    if (lower === 'unbounded') {
      while (first < values.length && !belongs(values[first])) first += 1;
    } else {
      const least = threshold(values[index], lower);
      while (first < values.length && compareTo(values[first], least) < 0) first += 1;
    }
    return first < values.length && belongs(values[first]) ? first : undefined;
  };

  const lastOf = (index: number): number => {
    if (upper === 'current') return index;
    if (upper === 'unbounded') {
      next = Math.max(next, index + 1);
      while (next < values.length && belongs(values[next])) next += 1;
    } else {
      const greatest = threshold(values[index], upper);
      while (next < values.length && compareTo(values[next], greatest) <= 0) next += 1;
    }
    return next - 1;
  };

  return index => {
    requireBase(values[index], unit);
    const from = firstOf(index);
    if (from === undefined) return undefined;
    const to = lastOf(index);
    return from > to ? undefined : { first: from, last: to };
  };
};

/** Returns the windows of all documents of a partition. */
export const spansOf = (bounds: Bounds, partition: Partition, sort: Sort | undefined): Spans =>
  bounds.kind === 'documents'
    ? documentSpans(bounds.lower, bounds.upper, partition.docs.length)
    : rangeSpans(bounds, sortValues(partition, sort!));
