import type { Doc } from './doc.js';
import type { Value } from './value.js';
import { isArray, isDoc } from './value.js';
import { spend } from '../work/meter.js';

/** `a.b.0` as its parts. */
export const splitPath = (path: string): readonly string[] => (path.includes('.') ? path.split('.') : [path]);

/**
 * The value at a path as aggregation reads it: an array on the way gives the array of what its documents have there (elements
 * without it, or that are no documents, are left out); a number in the path is a field name, never a position.
 */
export const lookup = (doc: Value | undefined, parts: readonly string[], from = 0): Value | undefined => {
  if (from === parts.length) return doc;
  if (isDoc(doc)) return lookup(doc.get(parts[from]!), parts, from + 1);
  if (!isArray(doc)) return undefined;
  const found: Value[] = [];
  spend(doc.length);
  for (const item of doc) {
    if (!isDoc(item)) continue;
    const value = lookup(item, parts, from);
    if (value !== undefined) found.push(value);
  }
  return found;
};

/** The value at a path through documents only; an array on the way ends it. */
export const lookupPlainly = (doc: Doc, parts: readonly string[]): Value | undefined => {
  let value: Value | undefined = doc;
  for (const part of parts) {
    if (!isDoc(value)) return undefined;
    value = value.get(part);
  }
  return value;
};

const digits = /^\d+$/;

const visitIn = (
  children: (part: string) => Value | undefined,
  parts: readonly string[],
  from: number,
  take: (value: Value) => void,
): void => {
  const value = children(parts[from]!);
  const last = from === parts.length - 1;
  if (isArray(value)) {
    if (last) value.forEach(take);
    else if (digits.test(parts[from + 1]!)) visitIn(part => value[Number(part)], parts, from + 1, take);
    else for (const item of value) if (isDoc(item)) visitIn(part => item.get(part), parts, from + 1, take);
  } else if (last) {
    if (value !== undefined) take(value);
  } else if (isDoc(value)) visitIn(part => value.get(part), parts, from + 1, take);
};

/**
 * Hands on each value at a path as `distinct` reads it: through arrays one level deep, of an array at its end the elements; a
 * number is a position wherever it meets an array.
 */
export const eachValueAlong = (doc: Doc, parts: readonly string[], take: (value: Value) => void): void => {
  visitIn(part => doc.get(part), parts, 0, take);
};
