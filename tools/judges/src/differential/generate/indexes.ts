import type { Fields, Tree } from '../tree.js';
import type { Chance } from '../../chance.js';
import { paths } from './documents.js';

/** Paths through positions are left out: what they index is not what queries find there. */
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

/** What createIndexes is asked to make of one or two paths. */
export const indexOf = (chance: Chance): Fields => {
  const chosen = chance.some(indexable, 1, 2);
  const apart = chosen.filter(path => !chosen.some(other => path.startsWith(`${other}.`)));
  const key: Readonly<Record<string, Tree>> = Object.fromEntries(
    apart.map(path => [path, chance.pick([1, 1, -1])] as const),
  );
  // A name of its own: an engine may keep what an index had.
  return { key, name: `made ${chance.below(1_000_000)}`, ...optionsOf(chance) };
};
