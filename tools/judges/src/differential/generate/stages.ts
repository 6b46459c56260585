import type { Fields, Tree } from '../tree.js';
import type { Chance } from '../../chance.js';
import type { Path } from './documents.js';
import type { Scope } from './expressions.js';
import { collectionFields, expressionOf } from './expressions.js';
import type { Ground } from './filters.js';
import { filterOf } from './filters.js';
import { sortOf } from './sorts.js';
import type { Kind } from './values.js';
import { double, listKinds } from './values.js';
import { wordsIn } from '../../words.js';

/** A stage and the fields of the documents after it. */
export interface Step {
  readonly stage: Fields;
  readonly fields: readonly Path[];
}

type MakeStep = (ground: Ground, fields: readonly Path[]) => Step;

const at = (path: string, kind: Kind): Path => ({ path, kind });

const scopeOf = ({ chance }: Ground, fields: readonly Path[]): Scope => ({ chance, vars: [], fields });

const kinds: readonly Kind[] = ['number', 'number', 'string', 'any', 'array', 'date', 'object', 'bool'];

const fieldOf = ({ chance }: Ground, fields: readonly Path[], wanted: readonly Kind[]): string => {
  const fitting = fields.filter(({ kind }) => wanted.includes(kind));
  return chance.pick(fitting.length > 0 ? fitting : fields).path;
};

const keyKinds: readonly Kind[] = ['number', 'integer', 'string', 'bool', 'any', 'numbers'];

/** Makes the operands of accumulators. */
interface Operands {
  readonly chance: Chance;
  readonly of: (kind: Kind) => Tree;
  readonly n: () => Tree;
  readonly sortBy: () => Tree;
}

type MakeOperands = (operands: Operands) => Tree;

const ofSeveral: MakeOperands = ({ of, chance }) => of(chance.pick<Kind>(['number', 'any', 'string']));
const approximate = { method: 'approximate' };

/** The kind of the results, the names of the accumulators, and their operands. */
const accumulators: readonly (readonly [weight: number, kind: Kind, names: string, make: MakeOperands])[] = [
  [4, 'number', '$sum $avg', ({ of }) => of('number')],
  [1, 'integer', '$sum', () => 1],
  [3, 'any', '$min $max', ofSeveral],
  [2, 'any', '$first $last', ({ of }) => of('any')],
  [2, 'array', '$push', ({ of }) => of('any')],
  [2, 'array', '$addToSet', ofSeveral],
  [2, 'number', '$stdDevPop $stdDevSamp', ({ of }) => of('number')],
  [1, 'object', '$mergeObjects', ({ of }) => of('object')],
  [1, 'integer', '$count', () => ({})],
  [2, 'numbers', '$firstN $lastN $maxN $minN', ({ of, n }) => ({ input: of('number'), n: n() })],
  [1, 'any', '$top $bottom', ({ of, sortBy }) => ({ sortBy: sortBy(), output: of('any') })],
  [1, 'array', '$topN $bottomN', ({ of, sortBy, n }) => ({ sortBy: sortBy(), output: of('any'), n: n() })],
  [1, 'number', '$median', ({ of }) => ({ input: of('number'), ...approximate })],
  [1, 'numbers', '$percentile', ({ of }) => ({ input: of('number'), p: [double('0.5')], ...approximate })],
  [1, 'array', '$concatArrays $setUnion', ({ of }) => of('array')],
];

/** Draws an accumulator for `$group` and similar stages. */
const accumulatorOf = (ground: Ground, fields: readonly Path[]): { readonly tree: Tree; readonly kind: Kind } => {
  const { chance } = ground;
  const [kind, names, make] = chance.weighted(accumulators.map(([weight, ...rest]) => [weight, rest] as const));
  const known = names.split(' ');
  const name = known.length === 1 ? names : chance.pick(known);
  const operands: Operands = {
    chance,
    of: wanted => expressionOf(scopeOf(ground, fields), wanted, 1),
    n: () => 1 + chance.below(3),
    sortBy: () => ({ [fieldOf(ground, fields, keyKinds)]: chance.pick([1, -1]), _id: 1 }),
  };
  return { tree: { [name]: make(operands) }, kind };
};

const outputOf = (
  ground: Ground,
  fields: readonly Path[],
): { readonly output: Fields; readonly fields: readonly Path[] } => {
  const made = ground.chance.many(1, 2, at => ({ path: `g${at}`, ...accumulatorOf(ground, fields) }));
  return {
    output: Object.fromEntries(made.map(({ path, tree }) => [path, tree] as const)),
    fields: made.map(({ path, kind }) => ({ path, kind })),
  };
};

const added: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const kind = chance.pick(kinds);
  const path = chance.pick(['r', 'r', 'n', 'o.k', 'l.k', 's']);
  return {
    stage: { [chance.pick(['$addFields', '$set'])]: { [path]: expressionOf(scopeOf(ground, fields), kind, 2) } },
    fields: path === 'r' ? [...fields, { path, kind }] : fields,
  };
};

const projected: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const whole = fields.filter(({ path }) => path !== '_id');
  if (chance.yes(0.25)) {
    const dropped = chance.some(whole, 1, 2);
    return {
      stage: { $project: Object.fromEntries(dropped.map(({ path }) => [path, 0] as const)) },
      fields: fields.filter(field => !dropped.includes(field)),
    };
  }
  const kept = chance.some(whole, 1, 3);
  const kind = chance.pick(kinds);
  return {
    stage: {
      $project: {
        ...Object.fromEntries(kept.map(({ path }) => [path, 1] as const)),
        ...(chance.yes(0.7) ? { r: expressionOf(scopeOf(ground, fields), kind, 2) } : {}),
        ...(chance.yes(0.15) ? { _id: 0 } : {}),
      },
    },
    fields: [at('_id', 'integer'), ...kept, { path: 'r', kind }],
  };
};

const grouped: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const { output, fields: made } = outputOf(ground, fields);
  const key = (): Tree => `$${fieldOf(ground, fields, keyKinds)}`;
  const id = chance.weighted<() => Tree>([
    [5, key],
    [2, () => null],
    [2, () => expressionOf(scopeOf(ground, fields), 'any', 1)],
    [2, () => ({ x: key(), y: key() })],
  ])();
  return { stage: { $group: { _id: id, ...output } }, fields: [at('_id', 'any'), ...made] };
};

const unwound: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const path = `$${fieldOf(ground, fields, listKinds)}`;
  const options: Fields = {
    ...(chance.yes(0.4) ? { includeArrayIndex: chance.pick(['at', 'o.at']) } : {}),
    ...(chance.yes(0.5) ? { preserveNullAndEmptyArrays: chance.yes(0.7) } : {}),
  };
  return {
    stage: { $unwind: Object.keys(options).length === 0 && chance.yes(0.7) ? path : { path, ...options } },
    fields,
  };
};

const replaced: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const value = chance.weighted<() => Tree>([
    [2, () => ({ $mergeObjects: ['$$ROOT', expressionOf(scopeOf(ground, fields), 'object', 1)] })],
    [
      2,
      () => ({
        x: expressionOf(scopeOf(ground, fields), 'number', 1),
        y: expressionOf(scopeOf(ground, fields), 'string', 1),
      }),
    ],
    [1, () => ({ $ifNull: ['$o', { x: 0 }] })],
    [0.5, () => expressionOf(scopeOf(ground, fields), 'object', 1)],
  ])();
  return {
    stage: chance.yes(0.5) ? { $replaceWith: value } : { $replaceRoot: { newRoot: value } },
    fields: [at('x', 'number'), at('y', 'string')],
  };
};

const bucketed: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const some = chance.yes(0.5) ? outputOf(ground, fields) : undefined;
  const made: readonly Path[] = some?.fields ?? [at('count', 'integer')];
  const output: Fields = some === undefined ? {} : { output: some.output };
  const groupBy = `$${fieldOf(ground, fields, ['number', 'integer'])}`;
  if (chance.yes(0.5)) {
    const granularity: Fields = chance.yes(0.15)
      ? { granularity: chance.pick(['R5', 'E6', '1-2-5', 'POWERSOF2']) }
      : {};
    return {
      stage: { $bucketAuto: { groupBy, buckets: 1 + chance.below(4), ...granularity, ...output } },
      fields: made,
    };
  }
  const boundaries = chance.pick<readonly Tree[]>([
    [0, 3, 6],
    [-100, 2, double('2.5'), 100],
    [double('-Infinity'), 0, double('Infinity')],
  ]);
  return {
    stage: { $bucket: { groupBy, boundaries, ...(chance.yes(0.85) ? { default: 'other' } : {}), ...output } },
    fields: [at('_id', 'any'), ...made],
  };
};

const lookedUp: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const local = fieldOf(ground, fields, keyKinds);
  const foreign = chance.pick(['_id', 'n', 'i', 's', 'p', 'l.x', 'o.x', 'a']);
  const pipeline = (): Tree => [
    {
      $match: chance.yes(0.5)
        ? { n: { $gte: chance.below(3) } }
        : { $expr: { [chance.pick(['$eq', '$lt', '$gte'])]: ['$n', '$$it'] } },
    },
    { $sort: { _id: 1 } },
    { $project: { n: 1, s: 1 } },
  ];
  const spec: Fields = chance.weighted<() => Fields>([
    [5, () => ({ localField: local, foreignField: foreign })],
    [2, () => ({ let: { it: `$${local}` }, pipeline: pipeline() })],
    [1, () => ({ localField: local, foreignField: foreign, let: { it: '$n' }, pipeline: pipeline() })],
  ])();
  const into = chance.pick(['found', 'found', 'o.found', 'n']);
  return {
    stage: { $lookup: { from: 'f', ...spec, as: into } },
    fields: [...fields, at('found', 'objects')],
  };
};

const facetted: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const inner = (): Tree =>
    chance.many(1, 2, () => chance.pick([matched, added, projected, counted, unwound, sorted])(ground, fields).stage);
  return {
    stage: { $facet: { x: inner(), y: inner() } },
    fields: [at('x', 'objects'), at('y', 'objects')],
  };
};

const matched: MakeStep = (ground, fields) => ({
  stage: {
    $match: ground.chance.yes(0.2) ? { $expr: expressionOf(scopeOf(ground, fields), 'bool', 2) } : filterOf(ground),
  },
  fields,
});

const sorted: MakeStep = (ground, fields) => ({ stage: { $sort: sortOf(ground.chance) }, fields });

const counted: MakeStep = () => ({ stage: { $count: 'count' }, fields: [at('count', 'integer')] });

const unset: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const dropped = chance.some(fields, 1, 2).map(({ path }) => path);
  return {
    stage: { $unset: dropped.length === 1 && chance.yes(0.5) ? dropped[0]! : dropped },
    fields: fields.filter(({ path }) => !dropped.includes(path)),
  };
};

const united: MakeStep = (ground, fields) => ({
  stage: {
    $unionWith: ground.chance.yes(0.4) ? 'f' : { coll: 'f', pipeline: [{ $match: filterOf(ground) }] },
  },
  fields,
});

const redacted: MakeStep = (ground, fields) => ({
  stage: {
    $redact: {
      $cond: [
        expressionOf(scopeOf(ground, fields), 'bool', 1),
        ground.chance.pick(['$$DESCEND', '$$KEEP']),
        ground.chance.pick(['$$PRUNE', '$$DESCEND']),
      ],
    },
  },
  fields,
});

const graph: MakeStep = ({ chance }, fields) => ({
  stage: {
    $graphLookup: {
      from: 'f',
      startWith: chance.pick(['$n', '$i', '$p', '$l.x', '$s']),
      connectFromField: chance.pick(['i', 'n', 'p', 'o.x', 'l.x']),
      connectToField: chance.pick(['_id', 'i', 'n', 'p', 's']),
      as: 'found',
      ...(chance.yes(0.4) ? { maxDepth: chance.below(3) } : {}),
      ...(chance.yes(0.4) ? { depthField: 'depth' } : {}),
      ...(chance.yes(0.3) ? { restrictSearchWithMatch: { n: { $gte: chance.below(3) } } } : {}),
    },
  },
  fields: [...fields, at('found', 'objects')],
});

const windowBounds = (ground: Ground): Fields => {
  const { chance } = ground;
  const low = chance.pick<Tree>(['unbounded', 'current', -1, -2, 0]);
  const high = chance.pick<Tree>(['unbounded', 'current', 1, 2, 0]);
  return chance.weighted<Fields>([
    [3, {}],
    [4, { window: { documents: [low, high] } }],
    [1, { window: { range: [low, high] } }],
  ]);
};

const windowed: MakeStep = (ground, fields) => {
  const { chance } = ground;
  const of = (kind: Kind): Tree => expressionOf(scopeOf(ground, fields), kind, 1);
  const field = chance.weighted<() => Fields>([
    [5, () => ({ ...(accumulatorOf(ground, fields).tree as Fields), ...windowBounds(ground) })],
    [3, () => ({ [chance.pick(['$rank', '$denseRank', '$documentNumber'])]: {} })],
    [2, () => ({ $shift: { output: of('any'), by: chance.below(3) - 1, ...(chance.yes(0.5) ? { default: 0 } : {}) } })],
    [1, () => ({ $expMovingAvg: { input: '$i', N: 1 + chance.below(3) } })],
    [1, () => ({ [chance.pick(['$locf', '$linearFill'])]: '$n' })],
    [1, () => ({ [chance.pick(['$covariancePop', '$covarianceSamp'])]: ['$n', '$i'], ...windowBounds(ground) })],
    [1, () => ({ [chance.pick(['$derivative', '$integral'])]: { input: '$n' }, window: { documents: [-1, 0] } })],
  ])();
  const by = chance.pick(['_id', 'n', 'i']);
  return {
    stage: {
      $setWindowFields: {
        ...(chance.yes(0.5) ? { partitionBy: chance.pick<Tree>(['$b', '$i', { $type: '$v' }]) } : {}),
        sortBy: by === '_id' || chance.yes(0.3) ? { [by]: 1 } : { [by]: chance.pick([1, -1]), _id: 1 },
        output: { g: field },
      },
    },
    fields: [...fields, at('g', 'any')],
  };
};

const filled: MakeStep = ({ chance }, fields) => ({
  stage: {
    $fill: {
      ...(chance.yes(0.4) ? { partitionByFields: ['b'] } : {}),
      sortBy: { _id: 1 },
      output: {
        [chance.pick(['n', 's', 'v', 'q'])]: chance.pick<Tree>([
          { value: 0 },
          { value: '$i' },
          { method: 'locf' },
          { method: 'linear' },
        ]),
      },
    },
  },
  fields,
});

const densified: MakeStep = ({ chance }, fields) => ({
  stage: {
    $densify: {
      field: 'i',
      ...(chance.yes(0.2) ? { partitionByFields: ['b'] } : {}),
      range: { step: 1 + chance.below(2), bounds: chance.pick<Tree>(['full', [0, 4], ...[]]) },
    },
  },
  fields,
});

const steps: Readonly<Record<string, MakeStep>> = {
  $match: matched,
  $project: projected,
  $addFields: added,
  $unset: unset,
  $group: grouped,
  $sort: sorted,
  $limit: ({ chance }, fields) => ({ stage: { $limit: 1 + chance.below(4) }, fields }),
  $skip: ({ chance }, fields) => ({ stage: { $skip: chance.below(3) }, fields }),
  $unwind: unwound,
  $count: counted,
  $replaceRoot: replaced,
  $bucket: bucketed,
  $sortByCount: (ground, fields) => ({
    stage: { $sortByCount: `$${fieldOf(ground, fields, keyKinds)}` },
    fields: [at('_id', 'any'), at('count', 'integer')],
  }),
  $facet: facetted,
  $lookup: lookedUp,
  $unionWith: united,
  $redact: redacted,
  $graphLookup: graph,
  $setWindowFields: windowed,
  $fill: filled,
  $densify: densified,
};

export const stageNames: readonly string[] = Object.keys(steps);

const ordinary = wordsIn('$match $project $addFields $sort $unwind $group $replaceRoot $unset');

/** Draws a pipeline with this stage, sometimes with a stage before it and often with stages after it. */
export const pipelineOf = (ground: Ground, name: string): readonly Fields[] => {
  const { chance } = ground;
  const pipeline: Fields[] = [];
  let fields = collectionFields;
  const put = (make: MakeStep): void => {
    const step = make(ground, fields);
    pipeline.push(step.stage);
    if (step.fields.length > 0) fields = step.fields;
  };
  if (name === '$limit' || name === '$skip') pipeline.push({ $sort: { _id: 1 } });
  else if (chance.yes(0.25)) put(steps[chance.pick(ordinary)]!);
  put(steps[name]!);
  if (chance.yes(0.3)) put(steps[chance.pick(ordinary)]!);
  return pipeline;
};
