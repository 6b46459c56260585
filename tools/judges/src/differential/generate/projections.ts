import type { Fields, Tree } from '../tree.js';
import type { Ground } from './filters.js';
import { conditionOf, pathOf } from './filters.js';
import { expressionOf } from './expressions.js';
import { paths } from './documents.js';

const names = paths.map(({ path }) => path).filter(path => path !== '_id' && path !== 'none');

const sliceOf = ({ chance }: Ground): Tree => ({
  $slice: chance.yes(0.6) ? chance.below(6) - 3 : [chance.below(5) - 2, 1 + chance.below(3)],
});

const elemMatchOf = (ground: Ground, objects: boolean): Tree =>
  objects
    ? { $elemMatch: { x: conditionOf(ground, { path: 'l.x', kind: 'number' }) } }
    : { $elemMatch: { [ground.chance.pick(['$gt', '$lte', '$ne'])]: ground.chance.below(5) } };

/** Draws projections of find. A positional projection needs the filter. */
export const projectionOf = (ground: Ground): { readonly filter?: Fields; readonly projection: Fields } => {
  const { chance } = ground;
  const id: Fields = chance.yes(0.25) ? { _id: chance.pick<Tree>([0, 1, false, true]) } : {};
  const plain = (value: () => Tree): Fields =>
    Object.fromEntries(chance.some(names, 1, 3).map(name => [name, value()] as const));
  const list = chance.pick(['a', 'p', 'l', 'm', 'v']);
  return chance.weighted<() => { readonly filter?: Fields; readonly projection: Fields }>([
    [3, () => ({ projection: { ...plain(() => chance.pick<Tree>([1, true])), ...id } })],
    [3, () => ({ projection: { ...plain(() => chance.pick<Tree>([0, false])), ...id } })],
    [1, () => ({ projection: { o: { [chance.pick(['x', 'y'])]: chance.pick([0, 1]) }, ...id } })],
    [2, () => ({ projection: { [list]: sliceOf(ground), ...(chance.yes(0.4) ? plain(() => 1) : {}), ...id } })],
    [
      2,
      () => ({
        projection: {
          [chance.pick(['l', 'a', 'p'])]: elemMatchOf(ground, chance.yes(0.5)),
          ...(chance.yes(0.3) ? { n: 1 } : {}),
          ...id,
        },
      }),
    ],
    [
      2,
      () => {
        const path = pathOf(chance, ['numbers', 'objects', 'array', 'strings']);
        return {
          filter: { [path.path]: conditionOf(ground, path) },
          projection: { [`${path.path}.$`]: 1, ...(chance.yes(0.3) ? { n: 1 } : {}), ...id },
        };
      },
    ],
    [
      3,
      () => ({
        projection: {
          ...plain(() => expressionOf({ chance, vars: [] }, 'any', 2)),
          ...(chance.yes(0.4) ? { n: 1 } : {}),
          ...id,
        },
      }),
    ],
  ])();
};
