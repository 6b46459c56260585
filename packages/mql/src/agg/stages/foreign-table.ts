import { createWalk } from '../../query/walk.js';
import type { Collation } from '../../value/compare.js';
import { hashKey } from '../../value/compare.js';
import type { Doc } from '../../value/doc.js';
import type { Value } from '../../value/value.js';
import { isArray, isDoc } from '../../value/value.js';
import { spend } from '../../work/meter.js';
import type { Paced, Pieces } from '../../work/pause.js';
import { pause } from '../../work/pause.js';

/** Returns all values at a path through arrays. An array at its end gives its elements, not the array. */
export const elementsAt = (doc: Doc, path: readonly string[]): readonly Value[] => {
  const found: Value[] = [];
  const visit = (value: Value | undefined, at: number): void => {
    spend(isArray(value) ? 1 + (value.length >>> 4) : 1);
    if (at === path.length) {
      if (isArray(value)) for (const item of value) found.push(item);
      else if (value !== undefined) found.push(value);
    } else if (isDoc(value)) visit(value.get(path[at]!), at + 1);
    else if (isArray(value)) {
      for (const item of value) if (isDoc(item)) visit(item, at);
      const position = /^\d+$/.test(path[at]!) ? value[Number(path[at])] : undefined;
      if (position !== undefined) visit(position, at + 1);
    }
  };
  visit(doc, 0);
  return found;
};

/** An index of foreign documents by the values for which an equality condition would find them. */
export interface ForeignTable {
  readonly docs: readonly Doc[];
  /** The ascending indexes of documents in `docs`, by value. */
  readonly positions: ReadonlyMap<string, readonly number[]>;
}

export interface TableOptions {
  readonly collation: Collation | undefined;
  /** The value under which documents without the field are found: null, or undefined if they are never found. */
  readonly missing: null | undefined;
}

export const buildTable = function* (
  source: Paced<Doc>,
  path: string,
  { collation, missing }: TableOptions,
): Pieces<ForeignTable> {
  const docs: Doc[] = [];
  const positions = new Map<string, number[]>();
  let keys = new Set<string>();
  const walk = createWalk(
    path,
    value => {
      const found = value === undefined ? missing : value;
      if (found !== undefined) keys.add(hashKey(found, collation));
      return false;
    },
    'elements',
  );
  for (const doc of source) {
    if (doc === pause) {
      yield pause;
      continue;
    }
    keys = new Set();
    walk.any(doc);
    for (const key of keys) {
      const list = positions.get(key);
      if (list === undefined) positions.set(key, [docs.length]);
      else list.push(docs.length);
    }
    docs.push(doc);
  }
  return { docs, positions };
};

/** Returns the documents that match any of the values, each once and in order. */
export const findInTable = (
  { docs, positions }: ForeignTable,
  values: readonly Value[],
  collation: Collation | undefined,
): readonly Doc[] => {
  spend(values.length);
  if (values.length === 1) return (positions.get(hashKey(values[0], collation)) ?? []).map(at => docs[at]!);
  const found = new Set<number>();
  for (const value of values) for (const at of positions.get(hashKey(value, collation)) ?? []) found.add(at);
  return [...found].sort((a, b) => a - b).map(at => docs[at]!);
};
