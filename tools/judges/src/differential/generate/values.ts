import type { Tree } from '../tree.js';
import type { Chance } from '../../chance.js';
import { wordsIn } from '../../words.js';

/** What a value is to be good for. */
export type Kind = 'number' | 'integer' | 'string' | 'bool' | 'date' | 'scalar' | 'any' | ListKind | 'object';

export const listKinds = ['array', 'numbers', 'strings', 'objects', 'arrays'] as const;
export type ListKind = (typeof listKinds)[number];

/** Of what the elements of a list are, if that is known. */
export const elementKinds: Readonly<Partial<Record<Kind, Kind>>> = {
  ...{ numbers: 'number', strings: 'string', objects: 'object' },
};

export const int64 = (value: string): Tree => ({ $numberLong: value });
export const double = (value: string): Tree => ({ $numberDouble: value });
export const decimal = (value: string): Tree => ({ $numberDecimal: value });
export const date = (ms: number): Tree => ({ $date: { $numberLong: String(ms) } });
export const regex = (pattern: string, options = ''): Tree => ({ $regularExpression: { pattern, options } });

const edgeNumbers: readonly Tree[] = [
  ...[2147483647, -2147483648],
  ...wordsIn('2147483648 9007199254740993 9223372036854775807 -9223372036854775808').map(int64),
  ...wordsIn('-0.0 NaN Infinity -Infinity 1e+308 5e-324 9007199254740992.0 9.223372036854776e+18').map(double),
  ...wordsIn('0.1 1234.5678').map(double),
  ...wordsIn('NaN Infinity -Infinity -0 1.50 0.1 1E+3 9223372036854775808 1234.5678').map(decimal),
];

const smallNumber = (chance: Chance): Tree => {
  const value = chance.below(8) - 1;
  return chance.weighted<() => Tree>([
    [5, () => value],
    [2, () => int64(String(value))],
    [2, () => double(`${value}.${chance.pick(['0', '5'])}`)],
    [1, () => decimal(`${value}${chance.pick(['', '.0', '.5'])}`)],
  ])();
};

const strings = [
  '',
  'a',
  'b',
  'ab',
  'abc',
  'A',
  'Ab',
  'b a',
  ' x ',
  'x,y,z',
  'aXbXc',
  'foo bar',
  'HELLO',
  'hello',
  'hello\nworld',
  '12',
  '-1.5',
  'true',
  '0',
  'é',
  'É',
  '日本語',
  '😀x',
  'a.b',
  '$a',
  '2020-02-29T12:34:56.789Z',
  '2021-03-04',
  '0123456789abcdef01234567',
];

const dates = [
  0, 1582979696789, 1640995199999, -1, 951782400000, 1710054000000, 86400000, 1583020800000, 1615680000000,
  -62135596800000, 253402300799999,
];

/** ObjectIds that operations are written with; all others were made by an engine. */
export const knownIds: readonly string[] = [
  '0123456789abcdef01234567',
  '000000000000000000000000',
  'ffffffffffffffffffffffff',
];

const rare: readonly ((chance: Chance) => Tree)[] = [
  chance => ({ $oid: chance.pick(knownIds) }),
  chance => ({ $timestamp: { t: chance.below(3), i: 1 + chance.below(2) } }),
  chance => ({
    $binary: { base64: chance.pick(['', 'AQ==', 'BQI=', '/w==', 'AAAA']), subType: chance.pick(['00', '05', '80']) },
  }),
  () => ({ $binary: { base64: 'ABEiM0RVZneImaq7zN3u/w==', subType: '04' } }),
  chance => regex(chance.pick(['a', '^a', 'b$']), chance.pick(['', 'i'])),
  chance => ({ $code: chance.pick(['a', 'b']) }),
  () => ({ $minKey: 1 }),
  () => ({ $maxKey: 1 }),
  chance => ({ $symbol: chance.pick(['a', 'b']) }),
  () => ({ $undefined: true }),
  chance => ({ $code: 'a', $scope: { x: chance.below(2) } }),
  () => ({ $dbPointer: { $ref: 'd.c', $id: { $oid: knownIds[0]! } } }),
];

const makers: Readonly<Record<Kind, (chance: Chance, depth: number) => Tree>> = {
  number: chance => (chance.yes(0.75) ? smallNumber(chance) : chance.pick(edgeNumbers)),
  integer: chance =>
    chance.yes(0.9) ? (chance.yes(0.8) ? chance.below(5) : int64(String(chance.below(5)))) : -1 - chance.below(3),
  string: chance => chance.pick(strings),
  bool: chance => chance.yes(0.5),
  date: chance => date(chance.pick(dates)),
  scalar: (chance, depth) =>
    chance.weighted<() => Tree>([
      [6, () => makers.number(chance, depth)],
      [4, () => makers.string(chance, depth)],
      [1, () => makers.bool(chance, depth)],
      [1, () => null],
      [1, () => makers.date(chance, depth)],
      [2, () => chance.pick(rare)(chance)],
    ])(),
  any: (chance, depth) =>
    depth <= 0 || chance.yes(0.65)
      ? makers.scalar(chance, depth)
      : makers[chance.pick(['array', 'object', 'objects', 'arrays'] as const)](chance, depth - 1),
  array: (chance, depth) => chance.many(0, 4, () => makers[chance.yes(0.8) ? 'scalar' : 'any'](chance, depth - 1)),
  numbers: (chance, depth) => chance.many(0, 4, () => makers[chance.yes(0.92) ? 'number' : 'scalar'](chance, depth)),
  strings: (chance, depth) => chance.many(0, 4, () => makers[chance.yes(0.92) ? 'string' : 'scalar'](chance, depth)),
  objects: (chance, depth) => chance.many(0, 3, () => makers[chance.yes(0.9) ? 'object' : 'any'](chance, depth - 1)),
  arrays: (chance, depth) =>
    chance.many(0, 3, () =>
      makers[chance.yes(0.85) ? (chance.yes(0.7) ? 'numbers' : 'objects') : 'any'](chance, depth - 1),
    ),
  object: (chance, depth) => {
    const fields: Record<string, Tree> = {};
    if (chance.yes(0.8)) fields['x'] = makers[chance.yes(0.8) ? 'number' : 'any'](chance, depth - 1);
    if (chance.yes(0.6)) fields['y'] = makers[chance.yes(0.8) ? 'string' : 'any'](chance, depth - 1);
    if (chance.yes(0.3)) fields['z'] = makers[chance.yes(0.6) ? 'numbers' : 'any'](chance, depth - 1);
    if (chance.yes(0.05)) fields['0'] = makers.scalar(chance, 0);
    return fields;
  },
};

/** A value of that kind. `depth`: how far arrays and documents may hold others. */
export const valueOf = (chance: Chance, kind: Kind, depth = 2): Tree => makers[kind](chance, depth);

export const everyKind: readonly Kind[] = Object.keys(makers) as readonly Kind[];
