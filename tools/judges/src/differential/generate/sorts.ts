import type { Fields } from '../tree.js';
import type { Chance } from '../../chance.js';
import { paths } from './documents.js';

const names = paths.map(({ path }) => path).filter(path => path !== '_id');

/** Draws a sort. Most sorts end with _id, so that no two documents compare as equal. */
export const sortOf = (chance: Chance): Fields => {
  const direction = (): number => chance.pick([1, 1, -1]);
  const chosen = chance.some(names, 1, 2);
  // A sort by a field and a path below it is not useful.
  const apart = chosen.filter(name => !chosen.some(other => name.startsWith(`${other}.`)));
  return {
    ...Object.fromEntries(apart.map(name => [name, direction()] as const)),
    ...(chance.yes(0.85) ? { _id: direction() } : {}),
  };
};
