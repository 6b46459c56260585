import type { Fields, Tree } from '../tree.js';
import type { Chance } from '../../chance.js';
import { paths } from './documents.js';

/** Omits paths through array positions, because an index does not contain what a query finds there. */
const indexable = paths.map(({ path }) => path).filter(path => path !== '_id' && !/\.\d/.test(path));

const partialFilters: readonly Fields[] = [
  { n: { $gt: 1 } },
  { s: { $exists: true } },
  { i: { $gte: 0 } },
  { b: true },
  { n: { $type: 'int' } },
];

const optionsOf = (chance: Chance): Fields =>
  chance.weighted<Fields>([
    [5, {}],
    [2, { sparse: true }],
    [1.5, { unique: true }],
    [1, { unique: true, sparse: true }],
    [1, { partialFilterExpression: chance.pick(partialFilters) }],
  ]);

/** Draws an index on one or two paths, in the format of createIndexes. */
export const indexOf = (chance: Chance): Fields => {
  const chosen = chance.some(indexable, 1, 2);
  const apart = chosen.filter(path => !chosen.some(other => path.startsWith(`${other}.`)));
  const key: Readonly<Record<string, Tree>> = Object.fromEntries(
    apart.map(path => [path, chance.pick([1, 1, -1])] as const),
  );
  // Use a new name, because an engine may reuse the state of an index with the same name.
  return { key, name: `made ${chance.below(1_000_000)}`, ...optionsOf(chance) };
};
