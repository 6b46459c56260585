/**
 * Entries of wildcard indexes: the keys of the regular fields before the wildcard, the path of a value, and its key. Paths
 * leave out positions in arrays.
 */
import type { Value } from '@tessera/mql/engine';
import { Doc, isArray, isDoc } from '@tessera/mql/engine';
import type { IndexKeys, IndexShape } from './index-keys.js';
import { indexKeys } from './index-keys.js';
import { fieldKey } from './key.js';

/** The part of an index definition that states which paths it contains. */
export interface WildcardShape {
  /** The number of fields before the wildcard. */
  readonly at: number;
  readonly direction: 1 | -1;
  /** Whether the index contains a path, or none of the paths below it. */
  readonly contains: (path: string) => boolean;
  /** Whether the index contains all paths below a path that it contains. */
  readonly isWhole: boolean;
}

/** Follows the path in an entry. It is lower than every unit of a path. */
export const endOfPath = '\0';

const leadingOf = (shape: IndexShape, { at }: WildcardShape): IndexShape => ({
  ...shape,
  fields: shape.fields.slice(0, at),
  sparse: false,
});

/** Calls back with every value that is not a document, elements of arrays included, and with its path. */
const eachLeaf = (doc: Doc, above: string, take: (path: string, value: Value | undefined) => void): boolean => {
  let multikey = false;
  for (const [name, value] of doc) {
    const path = above + name;
    if (isArray(value)) multikey = true;
    for (const item of isArray(value) && value.length > 0 ? value : [value]) {
      if (isDoc(item) && item.size > 0) multikey = eachLeaf(item, `${path}.`, take) || multikey;
      else take(path, item);
    }
  }
  return multikey;
};

/** Returns the path and the value of an entry that has no regular fields before the wildcard, as returnKey shows them. */
export const wildcardEntry = (shape: IndexShape, { direction }: WildcardShape, doc: Doc, key: string): Doc => {
  const order = shape.collation?.order;
  let found = Doc.EMPTY;
  eachLeaf(doc, '', (path, value) => {
    if (path + endOfPath + fieldKey(value ?? null, direction, order) === key)
      found = Doc.of([
        ['$_path', path],
        [path, value ?? null],
      ]);
  });
  return found;
};

/** Returns the keys of a document. A document without a value at any of the paths has one with an empty path. */
export const wildcardKeys = (shape: IndexShape, wildcard: WildcardShape, doc: Doc): IndexKeys => {
  const order = shape.collation?.order;
  const keys = new Set<string>();
  const multikey = eachLeaf(doc, '', (path, value) => {
    if (wildcard.contains(path)) keys.add(path + endOfPath + fieldKey(value ?? null, wildcard.direction, order));
  });
  if (wildcard.at === 0) return { keys: [...keys], multikey };
  if (keys.size === 0) keys.add(endOfPath);
  const before = indexKeys(leadingOf(shape, wildcard), doc);
  const joined = before.keys.flatMap(key => [...keys].map(rest => key + rest));
  return { keys: joined, multikey: multikey || before.multikey };
};
