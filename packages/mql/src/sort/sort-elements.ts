import { Doc } from '../value/doc.js';
import type { Collation } from '../value/compare.js';
import { compare } from '../value/compare.js';
import { toExactLong } from '../value/numbers.js';
import type { Value } from '../value/value.js';
import { isDoc, isNumber } from '../value/value.js';
import { spend, stepsOfSorting } from '../work/meter.js';
import type { SortField } from './sort-key.js';
import { createElementKeys } from './sort-key.js';

/** Sorts the elements of an array, for `$push` and `$sortArray`. */
export type SortElements = (items: readonly Value[], collation: Collation | undefined) => Value[];

/** Returns the direction that a value means (1 or -1, as any number type), or undefined for other values. */
export const directionOf = (value: Value): 1 | -1 | undefined => {
  const integer = isNumber(value) ? toExactLong(value) : undefined;
  return integer === 1n ? 1 : integer === -1n ? -1 : undefined;
};

/** Sorts elements as whole values. */
export const wholeElements =
  (direction: 1 | -1): SortElements =>
  (items, collation) => {
    spend(stepsOfSorting(items.length));
    return items.toSorted((a, b) => direction * compare(a, b, collation));
  };

/** Sorts elements by their fields. Elements that are not documents have no fields. */
export const elementsByFields =
  (pattern: readonly SortField[]): SortElements =>
  (items, collation) => {
    const keys = createElementKeys(pattern, collation);
    spend(stepsOfSorting(items.length));
    return items
      .map(item => ({ item, key: keys.of(isDoc(item) ? item : Doc.EMPTY) }))
      .sort((a, b) => keys.compare(a.key, b.key))
      .map(({ item }) => item);
  };
