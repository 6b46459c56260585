import type { Fields, Tree } from '../tree.js';
import { isArray, isDocument } from '../tree.js';
import type { Chance } from '../../chance.js';
import type { Path } from './documents.js';
import { paths, valuesAt } from './documents.js';
import { expressionOf } from './expressions.js';
import type { Kind } from './values.js';
import { decimal, double, everyKind, int64, listKinds, regex, valueOf } from './values.js';
import { wordsIn } from '../../words.js';

/** The input of filters. Values of the documents make filters match. */
export interface Ground {
  readonly chance: Chance;
  readonly documents: readonly Fields[];
}

export const filterFamilies = ['comparison', 'logical', 'element', 'evaluation', 'array', 'bitwise'] as const;
export type FilterFamily = (typeof filterFamilies)[number];

const split = (path: string): readonly string[] => path.split('.');

/** Returns a value that a document has at the path, or another value of its kind. */
export const likelyValue = ({ chance, documents }: Ground, { path, kind }: Path): Tree => {
  if (chance.yes(0.7)) {
    const found = documents.flatMap(document => valuesAt(document, split(path)));
    if (found.length > 0) return chance.pick(found);
  }
  return valueOf(chance, chance.yes(0.85) ? kind : 'any', 1);
};

/** Paths at which queries for values of this kind are useful. */
export const pathOf = (chance: Chance, kinds: readonly Kind[] = []): Path => {
  const fitting = paths.filter(({ kind }) => kinds.length === 0 || kinds.includes(kind));
  return chance.yes(0.04) ? chance.pick(paths) : chance.pick(fitting);
};

type MakeCondition = (ground: Ground, path: Path) => Tree;

const aliases = wordsIn(`
  double string object array binData objectId bool date null regex javascript int timestamp long decimal minKey maxKey number
`);

const typeArgument = (chance: Chance): Tree =>
  chance.yes(0.7)
    ? chance.pick(aliases)
    : chance.pick([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 13, 16, 17, 18, 19, -1, 127, double('2.0')]);

const patterns = [
  'a',
  '^a',
  'b$',
  '^h',
  'l+',
  '.',
  '^$',
  'A',
  '[a-c]',
  'o b',
  '\\d',
  'x|y',
  '(a)(b)',
  '^\\s',
  'é',
  'hello$',
];

const patternOf = (chance: Chance): Tree => {
  const pattern = chance.pick(patterns);
  const options = chance.pick(['', '', 'i', 'm', 's', 'x', 'im']);
  return chance.weighted<Tree>([
    [3, regex(pattern, options)],
    [2, { $regex: pattern }],
    [2, { $regex: pattern, $options: options }],
    [1, { $regex: regex(pattern, options) }],
    [1, { $not: regex(pattern, options) }],
    [1, { $in: [regex(pattern, options), 'zz'] }],
  ]);
};

const mask = (chance: Chance): Tree =>
  chance.weighted<() => Tree>([
    [4, () => chance.below(8)],
    [2, () => chance.many(1, 3, () => chance.below(5))],
    [1, () => int64(String(chance.below(8)))],
    [1, () => double(`${chance.below(4)}.0`)],
    [1, () => decimal(String(chance.below(4)))],
    [1, () => ({ $binary: { base64: chance.pick(['AQ==', 'BQI=']), subType: '00' } })],
    [0.3, () => chance.pick<Tree>([-1, double('1.5'), 'a', [64], [-1]])],
  ])();

const divisor = (chance: Chance): Tree =>
  chance.weighted<() => Tree>([
    [6, () => 1 + chance.below(4)],
    [1, () => double(`${1 + chance.below(3)}.5`)],
    [1, () => int64('3')],
    [1, () => decimal('2')],
    [1, () => -2],
    [0.3, () => chance.pick<Tree>([0, 'a', double('NaN'), double('Infinity')])],
  ])();

const comparison =
  (name: string): MakeCondition =>
  (ground, path) => ({ [name]: likelyValue(ground, path) });

const listed =
  (name: string): MakeCondition =>
  (ground, path) => ({ [name]: ground.chance.many(0, 3, () => likelyValue(ground, path)) });

const range: MakeCondition = (ground, path) => ({
  [ground.chance.pick(['$gt', '$gte'])]: likelyValue(ground, path),
  [ground.chance.pick(['$lt', '$lte'])]: likelyValue(ground, path),
});

/** Conditions on the elements of an array. */
const elementCondition = (ground: Ground, path: Path): Tree => {
  const { chance } = ground;
  const name = chance.pick(['$gt', '$gte', '$lt', '$lte', '$eq', '$ne', '$in', '$type', '$exists', '$mod', '$not']);
  const scalars: Path = { path: path.path, kind: path.kind === 'strings' ? 'string' : 'number' };
  const value = (): Tree => {
    const found = likelyValue(ground, scalars);
    return isArray(found) && chance.yes(0.8) ? (found[0] ?? null) : found;
  };
  if (name === '$in') return { $in: [value(), value()] };
  if (name === '$type') return { $type: typeArgument(chance) };
  if (name === '$exists') return { $exists: chance.yes(0.7) };
  if (name === '$mod') return { $mod: [2, chance.below(2)] };
  if (name === '$not') return { $not: { $gt: value() } };
  if (chance.yes(0.3)) return { $gte: value(), $lt: value() };
  return { [name]: value() };
};

/** Draws a filter on the documents in an array. */
const elementFilter = (ground: Ground, path: Path): Fields => {
  const { chance } = ground;
  const inside = (name: string, kind: Kind): Tree => {
    const at: Path = { path: `${path.path}.${name}`, kind };
    const [, make] = chance.pick(ofKind(kind).filter(([, , family]) => family !== 'array'));
    return make(ground, at);
  };
  const fields: Record<string, Tree> = {};
  if (chance.yes(0.7)) fields['x'] = inside('x', 'number');
  if (chance.yes(0.5)) fields['y'] = inside('y', 'string');
  if (chance.yes(0.1)) return { $or: [{ x: inside('x', 'number') }, { y: inside('y', 'string') }] };
  return fields;
};

const elemMatch: MakeCondition = (ground, path) => ({
  $elemMatch: path.kind === 'objects' ? elementFilter(ground, path) : elementCondition(ground, path),
});

const all: MakeCondition = (ground, path) => {
  const { chance } = ground;
  if (path.kind === 'objects' && chance.yes(0.4))
    return { $all: chance.many(1, 2, () => ({ $elemMatch: elementFilter(ground, path) })) };
  return {
    $all: chance.many(1, 2, () => {
      const found = likelyValue(ground, path);
      return isArray(found) && found.length > 0 && chance.yes(0.7) ? chance.pick(found) : found;
    }),
  };
};

const arrayKinds: readonly Kind[] = [...listKinds, 'any'];
const numberKinds: readonly Kind[] = ['number', 'integer', 'numbers', 'scalar', 'any'];
const stringKinds: readonly Kind[] = ['string', 'strings', 'scalar', 'any'];

const conditions: readonly (readonly [
  weight: number,
  make: MakeCondition,
  family: FilterFamily,
  kinds: readonly Kind[],
])[] = [
  [3, likelyValue, 'comparison', everyKind],
  [2, comparison('$eq'), 'comparison', everyKind],
  [2, comparison('$ne'), 'comparison', everyKind],
  [2, comparison('$gt'), 'comparison', everyKind],
  [2, comparison('$gte'), 'comparison', everyKind],
  [2, comparison('$lt'), 'comparison', everyKind],
  [2, comparison('$lte'), 'comparison', everyKind],
  [2, range, 'comparison', everyKind],
  [2, listed('$in'), 'comparison', everyKind],
  [2, listed('$nin'), 'comparison', everyKind],
  [3, ({ chance }) => ({ $exists: chance.pick<Tree>([true, false, 1, 0]) }), 'element', everyKind],
  [
    4,
    ({ chance }) => ({ $type: chance.yes(0.7) ? typeArgument(chance) : chance.many(1, 3, () => typeArgument(chance)) }),
    'element',
    everyKind,
  ],
  [3, ({ chance }) => ({ $mod: [divisor(chance), chance.below(3)] }), 'evaluation', numberKinds],
  [4, ({ chance }) => patternOf(chance), 'evaluation', stringKinds],
  [
    3,
    ({ chance }) => ({
      $size: chance.weighted<Tree>([
        [6, chance.below(4)],
        [1, int64('2')],
        [1, double('1.0')],
        [0.3, -1],
      ]),
    }),
    'array',
    arrayKinds,
  ],
  [3, all, 'array', arrayKinds],
  [4, elemMatch, 'array', arrayKinds],
  ...(['$bitsAllSet', '$bitsAnySet', '$bitsAllClear', '$bitsAnyClear'] as const).map(
    name => [2, ({ chance }: Ground) => ({ [name]: mask(chance) }), 'bitwise', numberKinds] as const,
  ),
];

/** Conditions that are useful at a path of this kind. */
const ofKind = (kind: Kind): typeof conditions => conditions.filter(([, , , kinds]) => kinds.includes(kind));

/** Conditions on values, of one family or of any family. */
export const conditionOf = (ground: Ground, path: Path, family?: FilterFamily): Tree => {
  const { chance } = ground;
  const fitting = ofKind(path.kind).filter(([, , of]) => family === undefined || of === family);
  const make = chance.weighted(fitting.map(([weight, of]) => [weight, of] as const));
  const made = make(ground, path);
  if (!isDocument(made) || !Object.keys(made)[0]?.startsWith('$') || '$regex' in made || chance.yes(0.9)) return made;
  return { $not: made };
};

const kindsOf = (family: FilterFamily): readonly Kind[] =>
  conditions.filter(([, , of]) => of === family).flatMap(([, , , kinds]) => kinds);

const logical = (ground: Ground, depth: number): Fields => {
  const { chance } = ground;
  const one = (): Fields => filterOf(ground, undefined, depth - 1);
  return chance.weighted<() => Fields>([
    [3, () => ({ $or: chance.many(1, 3, one) })],
    [2, () => ({ $and: chance.many(1, 3, one) })],
    [2, () => ({ $nor: chance.many(1, 2, one) })],
    [1, () => ({ ...one(), $or: chance.many(1, 2, one) })],
    [
      2,
      () => {
        const path = pathOf(chance);
        return { [path.path]: { $not: { $gte: likelyValue(ground, path) } } };
      },
    ],
  ])();
};

/** Draws a filter whose first condition belongs to this family. */
export const filterOf = (ground: Ground, family?: FilterFamily, depth = 1): Fields => {
  const { chance } = ground;
  if (family === 'logical' || (family === undefined && depth > 0 && chance.yes(0.15))) return logical(ground, depth);
  if (family === 'evaluation' && chance.yes(0.3)) return { $expr: expressionOf({ chance, vars: [] }, 'bool', 2) };
  const filter: Record<string, Tree> = {};
  const first = pathOf(chance, family === undefined ? [] : kindsOf(family));
  filter[first.path] = conditionOf(
    ground,
    first,
    family !== undefined && ofKind(first.kind).some(([, , of]) => of === family) ? family : undefined,
  );
  if (chance.yes(0.2)) {
    const second = pathOf(chance);
    filter[second.path] = conditionOf(ground, second);
  }
  return filter;
};
