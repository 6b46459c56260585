import type { Fields, Tree } from '../tree.js';
import { isArray } from '../tree.js';
import type { Path } from './documents.js';
import { expressionOf } from './expressions.js';
import type { Ground } from './filters.js';
import { conditionOf, filterOf, likelyValue, pathOf } from './filters.js';
import type { Kind } from './values.js';
import { double, elementKinds, everyKind, int64, listKinds, valueOf } from './values.js';

/** An update and the other fields that its statement needs. */
export interface Statement {
  readonly q: Fields;
  readonly u: Tree;
  readonly arrayFilters?: readonly Fields[];
}

export const updateFamilies = [
  'fields',
  'arrays',
  'positional',
  'arrayFilters',
  'pipeline',
  'replace',
  'upsert',
] as const;
export type UpdateFamily = (typeof updateFamilies)[number];

type MakeArgument = (ground: Ground, path: Path) => Tree;

const numberKinds: readonly Kind[] = ['number', 'integer'];
const elementKind = (kind: Kind): Kind => (kind === 'arrays' ? 'numbers' : (elementKinds[kind] ?? 'scalar'));

/** Returns a value that is an element of an array in a document, or another value. */
const element = (ground: Ground, path: Path): Tree => {
  const { chance } = ground;
  const found = likelyValue(ground, path);
  if (isArray(found) && found.length > 0 && chance.yes(0.85)) return chance.pick(found);
  return chance.yes(0.8) ? valueOf(chance, elementKind(path.kind), 1) : found;
};

const anything: MakeArgument = ({ chance }, { kind }) => valueOf(chance, chance.yes(0.7) ? kind : 'any', 1);
const number: MakeArgument = ({ chance }) => valueOf(chance, 'number');

const pushed: MakeArgument = (ground, path) => {
  const { chance } = ground;
  if (chance.yes(0.3)) return element(ground, path);
  const sort =
    path.kind === 'objects' && chance.yes(0.7)
      ? chance.pick<Tree>([{ x: 1 }, { y: -1 }, { x: -1, y: 1 }])
      : chance.pick([1, -1]);
  return {
    $each: chance.many(0, 3, () => element(ground, path)),
    ...(chance.yes(0.4) ? { $position: chance.below(6) - 2 } : {}),
    ...(chance.yes(0.4) ? { $slice: chance.below(8) - 4 } : {}),
    ...(chance.yes(0.4) ? { $sort: sort } : {}),
  };
};

const pulled: MakeArgument = (ground, path) => {
  const { chance } = ground;
  if (chance.yes(0.4)) return element(ground, path);
  if (path.kind === 'objects') return { x: conditionOf(ground, { path: 'l.x', kind: 'number' }) };
  return chance.pick<() => Tree>([
    () => ({ $in: [element(ground, path), element(ground, path)] }),
    () => ({ [chance.pick(['$gt', '$gte', '$lt', '$lte', '$ne'])]: element(ground, path) }),
    () => ({ $type: chance.pick(['number', 'string', 'null']) }),
  ])();
};

type Modifier = readonly [weight: number, name: string, kinds: readonly Kind[], make: MakeArgument];

const fieldModifiers: readonly Modifier[] = [
  [4, '$set', everyKind, anything],
  [2, '$unset', everyKind, () => ''],
  [2, '$setOnInsert', everyKind, anything],
  [4, '$inc', numberKinds, number],
  [4, '$mul', numberKinds, number],
  [3, '$min', everyKind, anything],
  [3, '$max', everyKind, anything],
  [3, '$rename', everyKind, ({ chance }) => chance.pick(['n', 'new', 'o.k', 's', 'o.x', 'fresh.x'])],
  [2, '$currentDate', everyKind, ({ chance }) => chance.pick<Tree>([true, { $type: 'date' }, { $type: 'timestamp' }])],
  [
    4,
    '$bit',
    ['integer', 'integer', 'number'],
    ({ chance }) => ({
      [chance.pick(['and', 'or', 'xor'])]: chance.pick<Tree>([chance.below(8), int64(String(chance.below(8)))]),
    }),
  ],
];

const arrayModifiers: readonly Modifier[] = [
  [4, '$push', listKinds, pushed],
  [
    3,
    '$addToSet',
    listKinds,
    (ground, path) =>
      ground.chance.yes(0.5) ? element(ground, path) : { $each: ground.chance.many(0, 3, () => element(ground, path)) },
  ],
  [2, '$pop', listKinds, ({ chance }) => chance.pick<Tree>([1, -1, 1, -1, double('1.0'), 2])],
  [3, '$pull', listKinds, pulled],
  [2, '$pullAll', listKinds, (ground, path) => ground.chance.many(1, 2, () => element(ground, path))],
];

const modifiersFrom = (ground: Ground, list: readonly Modifier[], count: number): Fields => {
  const { chance } = ground;
  const update: Record<string, Fields> = {};
  for (let i = 0; i < count; i++) {
    const [, name, kinds, make] = chance.weighted(list.map(modifier => [modifier[0], modifier] as const));
    let path = pathOf(chance, kinds);
    // Updates of _id and of paths through arrays mostly fail, so they are rare.
    for (let tries = 0; tries < 3 && (path.path === '_id' || /^[lm]\.[xyz]/.test(path.path)); tries++)
      path = pathOf(chance, kinds);
    update[name] = { ...update[name], [path.path]: make(ground, path) };
  }
  return update;
};

/** Modifiers of one element. */
const elementModifier = (ground: Ground, path: string, kind: Kind): Fields => {
  const { chance } = ground;
  const fitting = [...fieldModifiers, ...arrayModifiers].filter(
    ([, name, kinds]) => kinds.includes(kind) && name !== '$rename',
  );
  const [, name, , make] = chance.weighted(fitting.map(modifier => [modifier[0], modifier] as const));
  return { [name]: { [path]: make(ground, { path, kind }) } };
};

/** The kinds of the elements of the arrays, and the paths below them. */
const inside = (ground: Ground): { readonly list: Path; readonly rest: string; readonly kind: Kind } => {
  const { chance } = ground;
  return chance.pick([
    { list: { path: 'l', kind: 'objects' }, rest: '.x', kind: 'number' },
    { list: { path: 'l', kind: 'objects' }, rest: '.y', kind: 'string' },
    { list: { path: 'l', kind: 'objects' }, rest: '', kind: 'object' },
    { list: { path: 'p', kind: 'numbers' }, rest: '', kind: 'number' },
    { list: { path: 'a', kind: 'array' }, rest: '', kind: 'scalar' },
    { list: { path: 'w', kind: 'strings' }, rest: '', kind: 'string' },
    { list: { path: 'm', kind: 'arrays' }, rest: '', kind: 'numbers' },
    { list: { path: 'o.z', kind: 'numbers' }, rest: '', kind: 'number' },
  ] as const);
};

const stagesOf = ({ chance }: Ground): Tree => {
  const target = (): string => chance.pick(['n', 's', 'new', 'o.x', 'o.k', 'l.x', 'l', 'v', 'p']);
  const value = (): Tree =>
    expressionOf({ chance, vars: [] }, chance.pick<Kind>(['number', 'string', 'any', 'array']), 2);
  return chance.many(1, 2, () =>
    chance.weighted<() => Fields>([
      [5, () => ({ [chance.pick(['$set', '$addFields'])]: { [target()]: value() } })],
      [2, () => ({ $unset: chance.yes(0.5) ? target() : [target()] })],
      [2, () => ({ [chance.pick(['$project'])]: { n: 1, p: 1, [target()]: value() } })],
      [1, () => ({ $replaceWith: { $mergeObjects: ['$$ROOT', { new: value() }] } })],
      [1, () => ({ $replaceRoot: { newRoot: { _id: '$_id', new: value() } } })],
    ])(),
  );
};

const makers: Readonly<Record<UpdateFamily, (ground: Ground) => Statement>> = {
  fields: ground => ({
    q: ground.chance.yes(0.6) ? {} : filterOf(ground),
    u: modifiersFrom(ground, fieldModifiers, ground.chance.yes(0.75) ? 1 : 2),
  }),
  arrays: ground => ({
    q: ground.chance.yes(0.6) ? {} : filterOf(ground),
    u: modifiersFrom(ground, arrayModifiers, ground.chance.yes(0.85) ? 1 : 2),
  }),
  positional: ground => {
    const { chance } = ground;
    const { list, rest, kind } = inside(ground);
    const second = chance.yes(0.15) ? { n: { $exists: true } } : {};
    return {
      q: { [list.path]: conditionOf(ground, list, 'array'), ...second },
      u: elementModifier(ground, `${list.path}.$${rest}`, kind),
    };
  },
  arrayFilters: ground => {
    const { chance } = ground;
    const { list, rest, kind } = inside(ground);
    const all = chance.yes(0.35);
    const at = `${list.path}.$[${all ? '' : 'e'}]`;
    const nested = list.path === 'm' && chance.yes(0.6);
    const path = `${at}${nested ? '.$[]' : rest}`;
    const about =
      rest === ''
        ? conditionOf(ground, { path: list.path, kind })
        : conditionOf(ground, { path: `${list.path}${rest}`, kind });
    return {
      q: chance.yes(0.7) ? { [list.path]: { $type: 'array' } } : filterOf(ground),
      u: elementModifier(ground, path, nested ? 'number' : kind),
      ...(all ? {} : { arrayFilters: [{ [`e${rest}`]: about }] }),
    };
  },
  pipeline: ground => ({ q: ground.chance.yes(0.6) ? {} : filterOf(ground), u: stagesOf(ground) }),
  replace: ground => {
    const { chance, documents } = ground;
    const copy = chance.yes(0.3)
      ? { ...chance.pick(documents) }
      : { n: valueOf(chance, 'number'), v: valueOf(chance, 'any') };
    const { _id: id, ...rest } = copy as Record<string, Tree>;
    return { q: filterOf(ground), u: chance.yes(0.2) && id !== undefined ? { _id: id, ...rest } : rest };
  },
  upsert: ground => {
    const { chance } = ground;
    const id: Fields = chance.yes(0.7) ? { _id: 100 + chance.below(3) } : {};
    const equality = (): Fields => {
      const path = pathOf(chance, ['number', 'string', 'bool', 'object']);
      const value = likelyValue(ground, path);
      return { [path.path]: chance.yes(0.5) ? value : { $eq: value } };
    };
    const q: Fields = chance.weighted<() => Fields>([
      [4, () => ({ ...id, ...equality() })],
      [2, () => ({ ...id, $and: [equality(), equality()] })],
      [1, () => ({ ...id, $or: [equality()] })],
      [1, () => ({ ...id, n: { $in: [valueOf(chance, 'number')] } })],
      [2, () => ({ ...id, ...filterOf(ground) })],
    ])();
    const u = chance.weighted<() => Tree>([
      [5, () => modifiersFrom(ground, [...fieldModifiers, ...arrayModifiers], chance.yes(0.6) ? 1 : 2)],
      [2, () => ({ n: 1, v: valueOf(chance, 'any') })],
      [2, () => stagesOf(ground)],
    ])();
    return { q, u };
  },
};

export const statementOf = (ground: Ground, family: UpdateFamily): Statement => makers[family](ground);
