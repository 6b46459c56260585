import type { Fields } from '../tree.js';
import type { Chance } from '../../chance.js';
import { paths } from './documents.js';

const names = paths.map(({ path }) => path).filter(path => path !== '_id');

/** A sort; most of them end with the id, so that no two documents are equal. */
export const sortOf = (chance: Chance): Fields => {
  const direction = (): number => chance.pick([1, 1, -1]);
  const chosen = chance.some(names, 1, 2);
  // A field and what lies in it is no sort that anybody needs.
  const apart = chosen.filter(name => !chosen.some(other => name.startsWith(`${other}.`)));
  return {
    ...Object.fromEntries(apart.map(name => [name, direction()] as const)),
    ...(chance.yes(0.85) ? { _id: direction() } : {}),
  };
};
