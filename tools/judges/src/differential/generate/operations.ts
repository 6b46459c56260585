import type { Operation } from '../operation.js';
import type { Fields, Tree } from '../tree.js';
import { expressionFamilies } from './forms.js';
import { expressionOf, expressionOfFamily } from './expressions.js';
import type { Ground } from './filters.js';
import { filterFamilies, filterOf, pathOf } from './filters.js';
import { collationOf } from './collations.js';
import { indexOf } from './indexes.js';
import { projectionOf } from './projections.js';
import { sortOf } from './sorts.js';
import { pipelineOf, stageNames } from './stages.js';
import type { UpdateFamily } from './updates.js';
import { statementOf, updateFamilies } from './updates.js';

/** A family of operations: its weight, and a function that draws one of them. */
export interface Family {
  readonly name: string;
  readonly weight: number;
  readonly make: (ground: Ground) => Fields;
}

const updateOf =
  (family: UpdateFamily) =>
  (ground: Ground): Fields => {
    const multi = family !== 'replace' && family !== 'upsert' && ground.chance.yes(0.7);
    return {
      update: 'c',
      updates: [
        {
          ...(statementOf(ground, family) as unknown as Fields),
          multi,
          ...(family === 'upsert' ? { upsert: true } : {}),
        },
      ],
    };
  };

const findAndModify = (ground: Ground): Fields => {
  const { chance } = ground;
  const sort: Fields = chance.yes(0.6) ? { sort: { ...sortOf(chance), _id: 1 } } : {};
  if (chance.yes(0.2)) return { findAndModify: 'c', query: filterOf(ground), ...sort, remove: true };
  const { q, u, arrayFilters } = statementOf(ground, chance.pick(updateFamilies));
  return {
    findAndModify: 'c',
    query: q,
    update: u,
    ...sort,
    ...(arrayFilters === undefined ? {} : { arrayFilters }),
    ...(chance.yes(0.5) ? { new: true } : {}),
    ...(chance.yes(0.15) ? { upsert: true } : {}),
    ...(chance.yes(0.3) ? { fields: chance.pick<Tree>([{ n: 1 }, { o: 0 }, { p: { $slice: 1 } }]) } : {}),
  };
};

const projected = (ground: Ground): Fields => {
  const { filter, projection } = projectionOf(ground);
  return { find: 'c', filter: filter ?? {}, projection };
};

const sorted = (ground: Ground): Fields => {
  const { chance } = ground;
  const sort = sortOf(chance);
  const limited = '_id' in sort;
  return {
    find: 'c',
    filter: chance.yes(0.6) ? {} : filterOf(ground),
    sort,
    ...(limited && chance.yes(0.3) ? { skip: chance.below(4) } : {}),
    ...(limited && chance.yes(0.3) ? { limit: chance.below(5) } : {}),
    ...(chance.yes(0.3) ? { projection: { _id: 1 } } : {}),
  };
};

const families: readonly Family[] = [
  ...filterFamilies.map(family => ({
    name: `query ${family}`,
    weight: 6,
    make: (ground: Ground): Fields => ({ find: 'c', filter: filterOf(ground, family), projection: { _id: 1 } }),
  })),
  { name: 'count', weight: 2, make: ground => ({ count: 'c', query: filterOf(ground) }) },
  {
    name: 'distinct',
    weight: 4,
    make: ground => ({
      distinct: 'c',
      key: pathOf(ground.chance).path,
      query: ground.chance.yes(0.7) ? {} : filterOf(ground),
    }),
  },
  { name: 'projection', weight: 8, make: projected },
  { name: 'sort', weight: 6, make: sorted },
  {
    name: 'delete',
    weight: 2,
    make: ground => ({ delete: 'c', deletes: [{ q: filterOf(ground), limit: ground.chance.below(2) }] }),
  },
  ...updateFamilies.map(family => ({ name: `update ${family}`, weight: 4, make: updateOf(family) })),
  { name: 'findAndModify', weight: 3, make: findAndModify },
  ...expressionFamilies.map(family => ({
    name: `expression ${family}`,
    weight: 4,
    make: (ground: Ground): Fields => ({
      aggregate: 'c',
      pipeline: [
        ...(ground.chance.yes(0.15)
          ? [{ $match: { $expr: expressionOf({ chance: ground.chance, vars: [] }, 'bool', 1) } }]
          : []),
        { $project: { r: expressionOfFamily({ chance: ground.chance, vars: [] }, family, 2).tree } },
      ],
      cursor: {},
    }),
  })),
  ...stageNames.map(name => ({
    name: `stage ${name}`,
    weight: name === '$group' ? 6 : 2,
    make: (ground: Ground): Fields => ({ aggregate: 'c', pipeline: pipelineOf(ground, name), cursor: {} }),
  })),
];

const drawn = (ground: Ground): Operation => {
  const { name, make } = ground.chance.weighted(families.map(family => [family.weight, family] as const));
  return { family: name, command: make(ground) };
};

/** Families of operations that read by a filter. */
const lookingUp = /^(?:query|count|distinct|sort|delete|update|findAndModify|stage \$(?:match|sort|group|lookup)$)/;

const lookUp = (ground: Ground): Operation => {
  for (;;) {
    const operation = drawn(ground);
    if (lookingUp.test(operation.family)) return operation;
  }
};

const withIndex = (ground: Ground): Operation => {
  const { family, command } = lookUp(ground);
  const index = indexOf(ground.chance);
  const hinted = 'find' in command && ground.chance.yes(0.25);
  const hint: Fields = hinted ? { hint: index['key']! } : {};
  return { family: `index, ${family.replace(/ .*/, '')}`, command: { ...command, ...hint }, index };
};

/** Adds a collation to the command, or to the statement of an update or delete. */
const collated = (command: Fields, collation: Fields): Fields => {
  const list = 'updates' in command ? 'updates' : 'deletes' in command ? 'deletes' : undefined;
  if (list === undefined) return { ...command, collation };
  return { ...command, [list]: (command[list] as readonly Fields[]).map(statement => ({ ...statement, collation })) };
};

const withCollation = (ground: Ground): Operation => {
  const { family, command } = lookUp(ground);
  return {
    family: `collation, ${family.replace(/ .*/, '')}`,
    command: collated(command, collationOf(ground.chance)),
  };
};

/** Draws an operation of a family according to the weights. Some operations get an index or a collation. */
export const operationOf = (ground: Ground): Operation =>
  ground.chance.weighted([
    [80, drawn],
    [12, withIndex],
    [8, withCollation],
  ])(ground);
