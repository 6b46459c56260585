import { Doc } from './doc.js';
import type { Value } from './value.js';
import { isArray, isDoc } from './value.js';
import { spend } from '../work/meter.js';

/** Splits a path: `a.b.0` gives `['a', 'b', '0']`. */
export const splitPath = (path: string): readonly string[] => (path.includes('.') ? path.split('.') : [path]);

/**
 * Returns the value at a path as aggregation reads it. An array on the path gives the array of the values in its
 * documents; other elements, and documents without the path, are left out. A number in the path is a field name, never
 * a position.
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

/** Returns the value at a path that leads through documents only. An array on the path gives undefined. */
export const lookupPlainly = (doc: Doc, parts: readonly string[]): Value | undefined => {
  let value: Value | undefined = doc;
  for (const part of parts) {
    if (!isDoc(value)) return undefined;
    value = value.get(part);
  }
  return value;
};

/**
 * Returns the document with a value at a path that leads through documents only. A value on the path that is not a
 * document, such as an array, is replaced by one.
 */
export const putPlainly = (doc: Doc, parts: readonly string[], value: Value, from = 0): Doc => {
  const name = parts[from]!;
  if (from === parts.length - 1) return doc.with(name, value);
  const inner = doc.get(name);
  return doc.with(name, putPlainly(isDoc(inner) ? inner : Doc.EMPTY, parts, value, from + 1));
};

const digits = /^\d+$/;

const visitIn = (
  children: (part: string) => Value | undefined,
  parts: readonly string[],
  from: number,
  take: (value: Value) => void,
): void => {
  const value = children(parts[from]!);
  if (from === parts.length - 1) {
    if (value !== undefined) take(value);
  } else if (isArray(value)) {
    if (digits.test(parts[from + 1]!)) visitIn(part => value[Number(part)], parts, from + 1, take);
    else for (const item of value) if (isDoc(item)) visitIn(part => item.get(part), parts, from + 1, take);
  } else if (isDoc(value)) visitIn(part => value.get(part), parts, from + 1, take);
};

/** Calls `take` with each value at a path, as {@link eachValueAlong} does, but with arrays at the end of the path whole. */
export const eachWholeValueAlong = (doc: Doc, parts: readonly string[], take: (value: Value) => void): void => {
  visitIn(part => doc.get(part), parts, 0, take);
};

/**
 * Calls `take` with each value at a path as `distinct` reads it. The path goes through arrays one level deep; an array
 * at its end gives its elements. A number is a position wherever the path meets an array.
 */
export const eachValueAlong = (doc: Doc, parts: readonly string[], take: (value: Value) => void): void => {
  eachWholeValueAlong(doc, parts, value => {
    if (isArray(value)) value.forEach(take);
    else take(value);
  });
};
