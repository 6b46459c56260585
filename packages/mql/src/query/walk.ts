import { Doc } from '../value/doc.js';
import type { Value } from '../value/value.js';
import { isArray } from '../value/value.js';
import { spend } from '../work/meter.js';
import { splitPath } from '../value/path.js';
import type { Test } from './condition.js';

/** Results of {@link Walk.find} other than a position: no value passed, or a value outside of any array passed. */
export const NOTHING = -2;
export const OUTSIDE = -1;

/** How an array at the end of a path is tested: each element and then the whole array, or the whole array only. */
export type AtEnd = 'elements' | 'whole';

/** A search through the values at a path of a document. */
export interface Walk {
  /** Returns whether a value passes. */
  readonly any: (doc: Doc) => boolean;
  /**
   * Returns {@link NOTHING}, {@link OUTSIDE}, or the index of the element that leads to the first value that passes, in
   * the outermost array whose elements the path goes through without naming an index.
   */
  readonly find: (doc: Doc) => number;
}

const digits = /^(?:0|[1-9]\d*)$/;

/** Returns the array index that each part of a path means, or -1 for other parts. */
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
 * Creates a walk along a dotted path. The path goes through arrays one level deep: each of their documents is searched
 * with the rest of the path. If the next part is a number, the element at that index is searched too. If the path stops
 * early, at a scalar or a missing field, the value is missing. An array element that is not a document has no value.
 * mongod: BSONElementIterator.
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

  const atPosition = (item: Value, from: number): number => {
    // An index at the end of the path selects the element itself. If it is an array, its elements are not tested.
    if (from === last) return test(item) ? OUTSIDE : NOTHING;
    if (item instanceof Doc) return inDoc(item, from + 1);
    return isArray(item) ? inArray(item, from + 1) : NOTHING;
  };

  const inArray = (items: readonly Value[], from: number): number => {
    const position = positions[from];
    spend(items.length);
    for (let i = 0; i < items.length; i++) {
      const item = items[i]!;
      if (item instanceof Doc && inDoc(item, from) !== NOTHING) return i;
      if (i !== position) continue;
      const found = atPosition(item, from);
      if (found !== NOTHING) return found;
    }
    return NOTHING;
  };

  return { any: doc => inDoc(doc, 0) !== NOTHING, find: doc => inDoc(doc, 0) };
};

/** Creates a walk that applies a test to the values at a path until one passes. */
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
