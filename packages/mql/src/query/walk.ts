import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray } from '../value/value.js';
import { spend } from '../work/meter.js';
import { splitPath } from '../value/path.js';
import type { Test } from './condition.js';

/** What {@link Walk.find} says besides a position: no value passed; one passed that is in no array. */
export const NOTHING = -2;
export const OUTSIDE = -1;

/** How an array at the end of a path is read: element by element and then as a whole, or as a whole only. */
export type AtEnd = 'elements' | 'whole';

/** The way through a document to the values that a path of a query means. */
export interface Walk {
  /** Whether one of the values passes. */
  readonly any: (doc: Doc) => boolean;
  /** {@link NOTHING}, {@link OUTSIDE}, or the position in the outermost array on the way to the first value that passes. */
  readonly find: (doc: Doc) => number;
}

const digits = /^(?:0|[1-9]\d*)$/;

/** The parts of a path that can be positions in arrays as such, the others as -1. */
export const positionsOf = (parts: readonly string[]): readonly number[] =>
  parts.map(part => (digits.test(part) ? Number(part) : -1));

const findAtEnd = (value: Value | undefined, test: Test, atEnd: AtEnd): number => {
  if (atEnd === 'elements' && isArray(value)) {
    spend(value.length >>> 2);
    const at = value.findIndex(test);
    if (at !== -1) return at;
  }
  return test(value) ? OUTSIDE : NOTHING;
};

/**
 * Arrays on the way are gone into, one level deep: each of their documents takes part with the rest of the path, and, if the next
 * part is a number, the element at that position. Where the path ends before its end, in a scalar or because a field is not
 * there, the value is missing; an element of an array that is no document has no value at all. mongod: BSONElementIterator.
 */
const createLongWalk = (parts: readonly string[], test: Test, atEnd: AtEnd): Walk => {
  const positions = positionsOf(parts);
  const last = parts.length - 1;

  const inDoc = (doc: Doc, from: number): number => {
    const value = doc.get(parts[from]!);
    if (from === last) return findAtEnd(value, test, atEnd);
    if (value instanceof Doc) return inDoc(value, from + 1);
    if (isArray(value)) return inArray(value, from + 1);
    return test(undefined) ? OUTSIDE : NOTHING;
  };

  const atPosition = (item: Value, from: number): boolean => {
    // A position at the end means the element itself: if it is an array, not its elements.
    if (from === last) return test(item);
    if (item instanceof Doc) return inDoc(item, from + 1) !== NOTHING;
    return isArray(item) && inArray(item, from + 1) !== NOTHING;
  };

  const inArray = (items: readonly Value[], from: number): number => {
    const position = positions[from];
    spend(items.length);
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!;
      if (item instanceof Doc && inDoc(item, from) !== NOTHING) return i;
      if (i === position && atPosition(item, from)) return i;
    }
    return NOTHING;
  };

  return { any: doc => inDoc(doc, 0) !== NOTHING, find: doc => inDoc(doc, 0) };
};

/** `test` applied to all values at the path until one passes. */
export const createWalk = (path: string, test: Test, atEnd: AtEnd): Walk => {
  if (path.includes('.')) return createLongWalk(splitPath(path), test, atEnd);
  const find = (doc: Doc): number => findAtEnd(doc.get(path), test, atEnd);
  if (atEnd === 'whole') return { any: doc => test(doc.get(path)), find };
  return {
    any: doc => {
      const value = doc.get(path);
      if (isArray(value)) {
        spend(value.length >>> 2);
        for (const item of value) if (test(item)) return true;
      }
      return test(value);
    },
    find,
  };
};
