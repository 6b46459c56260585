import type { Doc } from './doc.js';
import type { Value } from './value.js';
import { isArray, isDoc } from './value.js';

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
