import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument } from '../tree.js';
import type { Chance } from '../../chance.js';
import type { Kind } from './values.js';
import { valueOf } from './values.js';

/** A path, and the kind of value that most documents have there. */
export interface Path {
  readonly path: string;
  readonly kind: Kind;
}

/** The fields of the collection's documents. */
const fields: readonly (readonly [name: string, kind: Kind])[] = [
  ['n', 'number'],
  ['q', 'number'],
  ['i', 'integer'],
  ['s', 'string'],
  ['t', 'string'],
  ['b', 'bool'],
  ['d', 'date'],
  ['v', 'any'],
  ['a', 'array'],
  ['p', 'numbers'],
  ['w', 'strings'],
  ['o', 'object'],
  ['l', 'objects'],
  ['m', 'arrays'],
];

/** The _id and the fields. */
export const wholeFields: readonly Path[] = [
  { path: '_id', kind: 'integer' },
  ...fields.map(([path, kind]) => ({ path, kind })),
];

/** The paths that operations use. A path into an array has the kind of its elements. */
export const paths: readonly Path[] = [
  ...wholeFields,
  { path: 'o.x', kind: 'number' },
  { path: 'o.y', kind: 'string' },
  { path: 'o.z', kind: 'numbers' },
  { path: 'o.z.0', kind: 'number' },
  { path: 'l.x', kind: 'number' },
  { path: 'l.y', kind: 'string' },
  { path: 'l.z', kind: 'numbers' },
  { path: 'l.0', kind: 'object' },
  { path: 'l.0.x', kind: 'number' },
  { path: 'l.1.y', kind: 'string' },
  { path: 'l.z.0', kind: 'number' },
  { path: 'a.0', kind: 'scalar' },
  { path: 'p.1', kind: 'number' },
  { path: 'm.0', kind: 'numbers' },
  { path: 'm.0.1', kind: 'number' },
  { path: 'm.x', kind: 'number' },
  { path: 'v.x', kind: 'any' },
  { path: 'v.0', kind: 'any' },
  { path: 'none', kind: 'any' },
];

const documentOf = (chance: Chance, id: Tree): Fields => {
  const document: Record<string, Tree> = { _id: id };
  for (const [name, kind] of fields) {
    if (chance.yes(0.15)) continue;
    document[name] = chance.yes(0.04) ? null : valueOf(chance, chance.yes(0.06) ? 'any' : kind);
  }
  return document;
};

/** Draws three to eight documents. Their ids are small integers, so that results can be sorted. */
export const collectionOf = (chance: Chance): readonly Fields[] => chance.many(3, 8, at => documentOf(chance, at + 1));

/** Returns all values that a query finds at a path: the elements of arrays, and the arrays themselves. */
export const valuesAt = (tree: Tree | undefined, path: readonly string[]): readonly Tree[] => {
  if (tree === undefined) return [];
  const [first, ...rest] = path;
  if (first === undefined) return isArray(tree) ? [tree, ...tree] : [tree];
  if (isDocument(tree)) return valuesAt(tree[first], rest);
  if (!isArray(tree)) return [];
  const inside = /^\d+$/.test(first) ? valuesAt(tree[Number(first)], rest) : [];
  return [...inside, ...tree.flatMap(item => (isDocument(item) ? valuesAt(item[first], rest) : []))];
};
