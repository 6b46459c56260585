import type { Fields, Tree } from '../tree.js';
import type { Chance } from '../../chance.js';
import type { Kind } from './values.js';
import { double, elementKinds, valueOf } from './values.js';

/** The parts of an operator's description, in the order in which they are drawn. */
export const expressionFamilies = [
  'arithmetic',
  'trigonometry',
  'comparison',
  'conditional',
  'string',
  'array',
  'set',
  'object',
  'date',
  'conversion',
  'gathering',
  'bitwise',
] as const;
export type ExpressionFamily = (typeof expressionFamilies)[number];

/** Makes the operands of an operator. */
export interface Operands {
  readonly chance: Chance;
  /** Returns an expression that usually has a value of this kind. */
  readonly of: (kind: Kind) => Tree;
  readonly list: (kind: Kind, least: number, most: number) => Tree[];
  readonly constant: (kind: Kind) => Tree;
  /** Returns an expression that may use this variable. */
  readonly within: (name: string, holds: Kind, kind: Kind) => Tree;
  /** Returns the fields. Each optional field may be absent. */
  readonly maybe: (fields: Readonly<Record<string, () => Tree>>) => Fields;
}

/** An operator, the kind of its result, and how its operands are made. */
export interface Form {
  readonly family: ExpressionFamily;
  readonly name: string;
  readonly gives: Kind;
  readonly make: (operands: Operands) => Tree;
}

type Make = Form['make'];

const form = (family: ExpressionFamily, gives: Kind, name: string, make: Make): Form => ({ family, gives, name, make });

/** Uses the same operands for several operators. */
const forms = (family: ExpressionFamily, gives: Kind, names: string, make: Make): readonly Form[] =>
  names.split(' ').map(name => form(family, gives, name, make));

const one =
  (kind: Kind): Make =>
  ({ of, chance }) =>
    chance.yes(0.8) ? of(kind) : [of(kind)];
const each =
  (...kinds: readonly Kind[]): Make =>
  ({ of }) =>
    kinds.map(of);
const several =
  (kind: Kind, least = 1, most = 3): Make =>
  ({ list }) =>
    list(kind, least, most);

const elementOf = (kind: Kind): Kind => elementKinds[kind] ?? 'any';

const lists: readonly Kind[] = ['array', 'numbers', 'strings', 'objects'];

const units = ['year', 'quarter', 'month', 'week', 'day', 'hour', 'minute', 'second', 'millisecond'];
const zones = ['UTC', 'America/New_York', 'Europe/London', '+05:30', '-0800', 'Asia/Kolkata'];
const zone =
  ({ chance }: Operands) =>
  (): Tree =>
    chance.pick(zones);
const weekdays = ['monday', 'mon', 'sunday', 'wed', 'Saturday'];
const dateFormats = [
  '%Y-%m-%d',
  '%Y-%m-%dT%H:%M:%S.%LZ',
  '%d/%m/%Y %H:%M',
  '%G-W%V-%u',
  '%j of %Y, week %U, day %w',
  '%b %B %z %Z %%',
];

const datePart: Make = operands => {
  const { of, chance, maybe } = operands;
  return chance.yes(0.6) ? of('date') : { date: of('date'), ...maybe({ timezone: zone(operands) }) };
};

const dateShift: Make = operands => {
  const { of, chance, maybe } = operands;
  return {
    startDate: of('date'),
    unit: chance.pick(units),
    amount: chance.yes(0.8) ? chance.below(40) - 10 : of('integer'),
    ...maybe({ timezone: zone(operands) }),
  };
};

const match: Make = ({ of, chance }) => ({
  input: of('string'),
  regex: chance.pick<Tree>([
    'a',
    'l+',
    '(.)(b)?',
    '^h',
    '',
    '[a-z]+',
    { $regularExpression: { pattern: 'A', options: 'i' } },
    { $regularExpression: { pattern: 'o.w', options: 's' } },
  ]),
  ...(chance.yes(0.2) ? { options: chance.pick(['i', 'm', 's', 'x', '']) } : {}),
});

const trim: Make = ({ of, chance }) => ({
  input: of('string'),
  ...(chance.yes(0.5) ? { chars: chance.pick(['a', ' x', 'xyz,', 'é', '']) } : {}),
});

const conversions = ['double', 'string', 'objectId', 'bool', 'date', 'int', 'long', 'decimal'];

const sortBy = (chance: Chance): Tree => chance.pick<Tree>([1, -1, { x: 1 }, { x: -1 }, { y: 1, x: -1 }, { 'z.0': 1 }]);

const caught = (chance: Chance): Fields => (chance.yes(0.4) ? { onError: 'bad', onNull: 'nil' } : {});

export const allForms: readonly Form[] = [
  ...forms('arithmetic', 'number', '$add $multiply', several('number')),
  form('arithmetic', 'date', '$add', ({ of, list }) => [of('date'), ...list('integer', 1, 2)]),
  ...forms('arithmetic', 'number', '$subtract $divide $mod', each('number', 'number')),
  form('arithmetic', 'number', '$subtract', each('date', 'date')),
  form('arithmetic', 'date', '$subtract', each('date', 'integer')),
  ...forms('arithmetic', 'number', '$abs $ceil $floor $sqrt $exp $ln $log10', one('number')),
  form('arithmetic', 'number', '$log', ({ of, chance }) => [of('number'), chance.pick<Tree>([2, 10, double('2.5')])]),
  form('arithmetic', 'number', '$pow', ({ of, chance }) => [
    of('number'),
    chance.yes(0.7) ? chance.below(5) - 1 : of('number'),
  ]),
  ...forms('arithmetic', 'number', '$round $trunc', ({ of, chance }) =>
    chance.yes(0.4) ? of('number') : [of('number'), chance.below(6) - 2],
  ),
  form('arithmetic', 'number', '$sigmoid', one('number')),

  ...forms(
    'trigonometry',
    'number',
    '$sin $cos $tan $asin $acos $atan $sinh $cosh $tanh $asinh $acosh $atanh',
    one('number'),
  ),
  ...forms('trigonometry', 'number', '$degreesToRadians $radiansToDegrees', one('number')),
  form('trigonometry', 'number', '$atan2', each('number', 'number')),

  ...forms('comparison', 'bool', '$eq $ne $gt $gte $lt $lte', ({ of, chance }) => {
    const kind = chance.pick<Kind>(['number', 'string', 'date', 'any', 'array']);
    return [of(kind), of(kind)];
  }),
  form('comparison', 'integer', '$cmp', each('any', 'any')),

  ...forms('conditional', 'bool', '$and $or', several('bool', 0, 3)),
  form('conditional', 'bool', '$not', ({ of }) => [of('bool')]),
  ...(['number', 'string', 'any'] as const).flatMap(kind => [
    form('conditional', kind, '$cond', ({ of, chance }) =>
      chance.yes(0.5) ? [of('bool'), of(kind), of(kind)] : { if: of('bool'), then: of(kind), else: of(kind) },
    ),
    form('conditional', kind, '$ifNull', ({ list }) => list(kind, 2, 3)),
    form('conditional', kind, '$switch', ({ of, chance }) => ({
      branches: chance.many(1, 2, () => ({ case: of('bool'), then: of(kind) })),
      ...(chance.yes(0.85) ? { default: of(kind) } : {}),
    })),
  ]),

  form('string', 'string', '$concat', several('string', 1, 3)),
  ...forms('string', 'integer', '$indexOfBytes $indexOfCP', ({ of, chance }) => [
    of('string'),
    chance.yes(0.5) ? chance.pick(['a', 'b', '', 'l']) : of('string'),
    ...(chance.yes(0.3) ? [chance.below(4)] : []),
    ...(chance.yes(0.1) ? [chance.below(4), chance.below(9)].slice(1) : []),
  ]),
  ...forms('string', 'string', '$ltrim $rtrim $trim', trim),
  ...forms('string', 'bool', '$regexMatch', match),
  ...forms('string', 'object', '$regexFind', match),
  ...forms('string', 'objects', '$regexFindAll', match),
  ...forms('string', 'string', '$replaceOne $replaceAll', ({ of, chance }) => ({
    input: of('string'),
    find: chance.yes(0.7) ? chance.pick(['a', 'X', 'l', 'o ', '']) : of('string'),
    replacement: chance.yes(0.8) ? chance.pick(['', '-', 'aa']) : of('string'),
  })),
  form('string', 'strings', '$split', ({ of, chance }) => [
    of('string'),
    chance.yes(0.8) ? chance.pick([',', 'X', ' ', 'l']) : of('string'),
  ]),
  ...forms('string', 'integer', '$strLenBytes $strLenCP', one('string')),
  form('string', 'integer', '$strcasecmp', each('string', 'string')),
  ...forms('string', 'string', '$substrCP $substrBytes $substr', ({ of, chance }) => [
    of('string'),
    chance.below(4),
    chance.yes(0.8) ? chance.below(5) : of('integer'),
  ]),
  ...forms('string', 'string', '$toLower $toUpper', one('string')),

  form('array', 'any', '$arrayElemAt', ({ of, chance }) => [
    of(chance.pick(lists)),
    chance.yes(0.8) ? chance.below(6) - 3 : of('number'),
  ]),
  form('array', 'number', '$arrayElemAt', ({ of, chance }) => [of('numbers'), chance.below(4) - 2]),
  ...forms('array', 'any', '$first $last', ({ of, chance }) => of(chance.pick(lists))),
  ...forms('array', 'number', '$first $last', one('numbers')),
  form('array', 'array', '$concatArrays', ({ list, chance }) => list(chance.pick(lists), 1, 3)),
  ...lists.map(kind =>
    form('array', kind, '$filter', ({ of, within, chance }) => {
      const name = chance.pick(['this', 'it']);
      return {
        input: of(kind),
        ...(name === 'it' ? { as: 'it' } : {}),
        cond: within(name, elementOf(kind), 'bool'),
        ...(chance.yes(0.15) ? { limit: 1 + chance.below(2) } : {}),
      };
    }),
  ),
  ...lists.map(kind =>
    form('array', kind === 'objects' ? 'array' : kind, '$map', ({ of, within, chance }) => {
      const name = chance.pick(['this', 'it']);
      return {
        input: of(kind),
        ...(name === 'it' ? { as: 'it' } : {}),
        in: within(name, elementOf(kind), elementOf(kind)),
      };
    }),
  ),
  form('array', 'number', '$reduce', ({ of, chance }) => ({
    input: of('numbers'),
    initialValue: chance.yes(0.8) ? 0 : of('number'),
    in: { [chance.pick(['$add', '$max', '$subtract'])]: ['$$value', '$$this'] },
  })),
  form('array', 'string', '$reduce', ({ of }) => ({
    input: of('strings'),
    initialValue: '',
    in: { $concat: ['$$value', '$$this'] },
  })),
  form('array', 'bool', '$in', ({ of, chance }) => [of('any'), of(chance.pick(lists))]),
  form('array', 'integer', '$indexOfArray', ({ of, chance }) => [
    of('numbers'),
    of('number'),
    ...(chance.yes(0.3) ? [chance.below(3)] : []),
  ]),
  form('array', 'bool', '$isArray', ({ of }) => [of('any')]),
  form('array', 'numbers', '$range', ({ chance, of }) => [
    chance.below(4),
    chance.yes(0.8) ? chance.below(9) : of('integer'),
    ...(chance.yes(0.4) ? [chance.pick([1, 2, -1, -2])] : []),
  ]),
  ...lists.map(kind => form('array', kind, '$reverseArray', one(kind))),
  form('array', 'integer', '$size', ({ of, chance }) => of(chance.pick(lists))),
  ...lists.map(kind =>
    form('array', kind, '$slice', ({ of, chance }) => [
      of(kind),
      chance.below(6) - 3,
      ...(chance.yes(0.4) ? [1 + chance.below(3)] : []),
    ]),
  ),
  ...lists.map(kind =>
    form('array', kind, '$sortArray', ({ of, chance }) => ({ input: of(kind), sortBy: sortBy(chance) })),
  ),
  form('array', 'arrays', '$zip', ({ of, chance }) => ({
    inputs: [of('numbers'), of('strings')],
    ...(chance.yes(0.4) ? { useLongestLength: true, ...(chance.yes(0.5) ? { defaults: [0, 'z'] } : {}) } : {}),
  })),

  ...forms('set', 'bool', '$allElementsTrue $anyElementTrue', ({ of, chance }) => [of(chance.pick(lists))]),
  ...forms('set', 'array', '$setDifference', ({ of, chance }) => [of(chance.pick(lists)), of('array')]),
  ...forms('set', 'array', '$setUnion $setIntersection', ({ list, chance }) => list(chance.pick(lists), 1, 3)),
  form('set', 'numbers', '$setUnion', ({ list }) => list('numbers', 1, 2)),
  form('set', 'bool', '$setEquals', ({ list, chance }) => list(chance.pick(lists), 2, 3)),
  form('set', 'bool', '$setIsSubset', each('numbers', 'numbers')),

  form('object', 'object', '$mergeObjects', several('object', 1, 3)),
  form('object', 'objects', '$objectToArray', one('object')),
  form('object', 'object', '$arrayToObject', ({ of, chance }) =>
    chance.pick<() => Tree>([
      () => [
        [
          ['x', of('number')],
          ['y', of('string')],
        ],
      ],
      () => [[{ k: 'x', v: of('any') }]],
      () => ({ $objectToArray: of('object') }),
      () => of('arrays'),
    ])(),
  ),
  form('object', 'any', '$getField', ({ of, chance }) =>
    chance.yes(0.3) ? chance.pick(['n', 's', 'none']) : { field: chance.pick(['x', 'y', 'none']), input: of('object') },
  ),
  form('object', 'object', '$setField', ({ of, chance }) => ({
    field: chance.pick(['x', 'k', 'a.b']),
    input: of('object'),
    value: chance.yes(0.2) ? '$$REMOVE' : of('any'),
  })),
  form('object', 'object', '$unsetField', ({ of, chance }) => ({
    field: chance.pick(['x', 'y']),
    input: of('object'),
  })),
  form('object', 'any', '$literal', ({ constant }) => constant('any')),
  ...(['number', 'any', 'string'] as const).map(kind =>
    form('object', kind, '$let', ({ of, within, chance }) => {
      const holds = chance.pick<Kind>(['number', 'string', 'numbers']);
      return { vars: { it: of(holds) }, in: within('it', holds, kind) };
    }),
  ),
  form('object', 'integer', '$bsonSize', one('object')),
  form('object', 'integer', '$binarySize', one('string')),

  ...forms(
    'date',
    'integer',
    '$year $month $week $dayOfYear $dayOfMonth $dayOfWeek $hour $minute $second $millisecond $isoWeek $isoDayOfWeek',
    datePart,
  ),
  form('date', 'integer', '$isoWeekYear', datePart),
  ...forms('date', 'date', '$dateAdd $dateSubtract', dateShift),
  form('date', 'integer', '$dateDiff', operands => ({
    startDate: operands.of('date'),
    endDate: operands.of('date'),
    unit: operands.chance.pick(units),
    ...operands.maybe({ timezone: zone(operands), startOfWeek: () => operands.chance.pick(weekdays) }),
  })),
  form('date', 'date', '$dateTrunc', operands => ({
    date: operands.of('date'),
    unit: operands.chance.pick(units),
    ...operands.maybe({
      binSize: () => 1 + operands.chance.below(5),
      timezone: zone(operands),
      startOfWeek: () => operands.chance.pick(weekdays),
    }),
  })),
  form('date', 'date', '$dateFromParts', operands => {
    const { chance } = operands;
    if (chance.yes(0.25))
      return {
        isoWeekYear: 2000 + chance.below(30),
        ...operands.maybe({
          isoWeek: () => chance.below(60),
          isoDayOfWeek: () => chance.below(9),
          hour: () => chance.below(30),
        }),
      };
    return {
      year: 1990 + chance.below(50),
      ...operands.maybe({
        month: () => chance.below(16) - 1,
        day: () => chance.below(40) - 2,
        hour: () => chance.below(30) - 2,
        minute: () => chance.below(70),
        second: () => chance.below(70),
        millisecond: () => chance.below(1200),
        timezone: zone(operands),
      }),
    };
  }),
  form('date', 'object', '$dateToParts', operands => ({
    date: operands.of('date'),
    ...operands.maybe({ timezone: zone(operands), iso8601: () => operands.chance.yes(0.5) }),
  })),
  form('date', 'string', '$dateToString', operands => ({
    date: operands.of('date'),
    ...operands.maybe({
      format: () => operands.chance.pick(dateFormats),
      timezone: zone(operands),
      onNull: () => 'nil',
    }),
  })),
  form('date', 'date', '$dateFromString', ({ of, chance }) =>
    chance.pick<() => Tree>([
      () => ({ dateString: of('string'), onError: null, onNull: null }),
      () => ({
        dateString: chance.pick([
          '2020-02-29',
          '2020-02-29T10:11:12Z',
          '2020-02-29T10:11:12.5+02:00',
          '20200229',
          '2020-02-30',
          'x',
        ]),
      }),
      () => ({ dateString: chance.pick(['29/02/2020', '01/13/2020']), format: '%d/%m/%Y', onError: 'bad' }),
      () => ({ dateString: '2020-02-29 10:11', format: '%Y-%m-%d %H:%M', timezone: chance.pick(zones) }),
    ])(),
  ),
  ...forms('date', 'any', '$tsSecond $tsIncrement', ({ chance, of }) =>
    chance.yes(0.7) ? { $timestamp: { t: 1 + chance.below(3), i: 1 } } : of('any'),
  ),

  ...forms('conversion', 'number', '$toInt $toLong $toDouble $toDecimal', ({ of, chance }) =>
    of(chance.pick<Kind>(['number', 'number', 'string', 'bool', 'date', 'any'])),
  ),
  form('conversion', 'string', '$toString', ({ of, chance }) =>
    of(chance.pick<Kind>(['number', 'date', 'bool', 'scalar'])),
  ),
  form('conversion', 'bool', '$toBool', ({ of }) => of('any')),
  form('conversion', 'date', '$toDate', ({ of, chance }) => of(chance.pick<Kind>(['number', 'string', 'date']))),
  form('conversion', 'any', '$toObjectId', ({ of }) => of('string')),
  form('conversion', 'string', '$type', ({ of }) => of('any')),
  form('conversion', 'bool', '$isNumber', ({ of }) => of('any')),
  form('conversion', 'any', '$convert', ({ of, chance }) => ({
    input: of(chance.pick<Kind>(['number', 'string', 'any', 'date', 'bool'])),
    to: chance.yes(0.9) ? chance.pick(conversions) : chance.pick([1, 2, 8, 9, 16, 18, 19]),
    ...caught(chance),
  })),

  ...forms('gathering', 'number', '$sum $avg $stdDevPop $stdDevSamp', ({ of, list, chance }) =>
    chance.yes(0.5) ? of('numbers') : list('number', 1, 3),
  ),
  ...forms('gathering', 'any', '$min $max', ({ of, list, chance }) =>
    chance.yes(0.5) ? of('array') : list('any', 1, 3),
  ),
  ...forms('gathering', 'number', '$min $max', ({ of, list, chance }) =>
    chance.yes(0.5) ? of('numbers') : list('number', 1, 3),
  ),
  ...forms('gathering', 'numbers', '$maxN $minN $firstN $lastN', ({ of, chance }) => ({
    n: chance.yes(0.9) ? 1 + chance.below(3) : of('number'),
    input: of('numbers'),
  })),
  ...forms('gathering', 'number', '$median', ({ of }) => ({ input: of('numbers'), method: 'approximate' })),
  ...forms('gathering', 'numbers', '$percentile', ({ of, chance }) => ({
    input: of('numbers'),
    p: [chance.pick<Tree>([double('0.5'), double('0.0'), 1, double('0.9')])],
    method: 'approximate',
  })),

  ...forms('bitwise', 'number', '$bitAnd $bitOr $bitXor', several('integer', 1, 3)),
  form('bitwise', 'number', '$bitNot', one('integer')),
];

/** Returns whether a value of the first kind can be used where the second kind is needed. */
export const fits = (given: Kind, asked: Kind): boolean => {
  if (given === asked || asked === 'any') return true;
  if (asked === 'number') return given === 'integer';
  if (asked === 'scalar') return ['number', 'integer', 'string', 'bool', 'date'].includes(given);
  return asked === 'array' && ['numbers', 'strings', 'objects', 'arrays'].includes(given);
};

export const constantOf = (chance: Chance, kind: Kind): Tree => {
  const value = valueOf(chance, kind, 1);
  const readAsPath = typeof value === 'string' && value.startsWith('$');
  return readAsPath || chance.yes(0.15) ? { $literal: value } : value;
};
