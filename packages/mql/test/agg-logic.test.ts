import { expect, test } from 'vitest';
import { createNames } from '../src/agg/names.js';
import { operatorsFor } from '../src/agg/operators.js';
import { evaluateLet } from '../src/agg/compile.js';
import { Doc } from '../src/value/doc.js';
import { BinaryValue, MAX_KEY, MIN_KEY, UNDEFINED } from '../src/value/value.js';
import { ambience, checkExpressions as check, date, evaluate, expectRefusal, missing, refused } from './agg-cases.js';
import { d, decimal, double, oid, text, v } from './shorthand.js';

check('comparison: "compare both value and type, using the BSON comparison order"', [
  [{ $cmp: [1, 2] }, -1],
  [{ $cmp: [2, 2.5] }, -1],
  [{ $cmp: ['b', 'a'] }, 1],
  [{ $cmp: [1, '1'] }, -1],
  [{ $cmp: [null, '$missing'] }, 1],
  [
    {
      $cmp: [
        [1, 2],
        [1, 3],
      ],
    },
    -1,
  ],
  [{ $eq: [1, 1n] }, true],
  [{ $eq: [1, double(1)] }, true],
  [{ $eq: [1, decimal('1.00')] }, true],
  [{ $eq: [double(0.1), decimal('0.1')] }, false],
  [{ $eq: [1, true] }, false],
  [{ $eq: [null, '$missing'] }, false],
  [{ $eq: ['$a', '$b'] }, true],
  [
    {
      $eq: [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
    },
    false,
  ],
  [{ $eq: [[1], 1] }, false],
  [{ $ne: [1, 2] }, true],
  [{ $ne: ['$a', '$a'] }, false, { a: [1] }],
  [{ $gt: ['$qty', 250] }, true, { qty: 300 }],
  [{ $gt: ['$qty', 250] }, false, { qty: 250 }],
  [{ $gt: ['x', 99] }, true],
  [{ $gt: [MIN_KEY, '$missing'] }, false],
  [{ $gte: [250, '$qty'] }, true, { qty: 250 }],
  [{ $lt: ['$missing', null] }, true],
  [{ $lt: [MAX_KEY, 1] }, false],
  [{ $lte: [null, 0] }, true],
  [{ $lt: [date('2020-01-01'), date('2020-01-02')] }, true],
  [{ $lt: ['Z', 'a'] }, true],
  [{ $eq: [1] }, refused(16020, 'Expression $eq takes exactly 2 arguments. 1 were passed in.')],
  [{ $eq: [1, 2, 3] }, refused(16020, 'Expression $eq takes exactly 2 arguments. 3 were passed in.')],
]);

check('$expr returns the value of its expression', [
  [{ $expr: '$a' }, 5, { a: 5 }],
  [{ $expr: { b: '$a' } }, { b: 5 }, { a: 5 }],
  [{ $add: ['$a', { $expr: { $multiply: ['$a', 2] } }] }, 15, { a: 5 }],
]);

check('$and, $or, $not: "evaluates as false: null, 0, and undefined values"', [
  [{ $and: [] }, true],
  [{ $and: [1, 'green'] }, true],
  [{ $and: [[null], [false], [0]] }, true],
  [{ $and: [null, true] }, false],
  [{ $and: [0, true] }, false],
  [{ $and: [UNDEFINED, true] }, false],
  [{ $and: true }, true],
  [{ $and: [double(NaN)] }, true],
  [{ $and: [double(0)] }, false],
  [{ $and: [decimal('0')] }, false],
  [{ $and: [0n] }, false],
  [{ $and: ['$a', '$b'] }, true, { a: 1, b: {} }],
  [{ $and: ['$a', '$b'] }, false, { a: 1 }],
  [{ $or: [] }, false],
  [{ $or: [true, false] }, true],
  [{ $or: [null, 0, UNDEFINED] }, false],
  [{ $or: [''] }, true],
  [{ $not: [true] }, false],
  [{ $not: [[false]] }, false],
  [{ $not: false }, true],
  [{ $not: ['$missing'] }, true],
  [{ $not: [1, 2] }, refused(16020, 'Expression $not takes exactly 1 arguments. 2 were passed in.')],
]);

check('$cond', [
  [{ $cond: { if: true, then: 'a', else: 'b' } }, 'a'],
  [{ $cond: [0, 'a', 'b'] }, 'b'],
  [{ $cond: { if: { $gte: ['$qty', 250] }, then: 30, else: 20 } }, 30, { qty: 300 }],
  [{ $cond: [{ $gte: ['$qty', 250] }, 30, 20] }, 20, { qty: 200 }],
  [{ $cond: [true, '$missing', 1] }, missing],
  [{ $cond: [{ $eq: ['$n', 0] }, null, { $divide: [1, '$n'] }] }, null, { n: 0 }],
  [{ $cond: { if: 1, then: 2 } }, refused(17082, `Missing 'else' parameter to $cond`)],
  [{ $cond: { then: 2, else: 3 } }, refused(17080, `Missing 'if' parameter to $cond`)],
  [{ $cond: { if: 1, else: 3 } }, refused(17081, `Missing 'then' parameter to $cond`)],
  [{ $cond: { if: 1, then: 2, else: 3, maybe: 4 } }, refused(17083, 'Unrecognized parameter to $cond: maybe')],
  [{ $cond: [1, 2] }, refused(16020, 'Expression $cond takes exactly 3 arguments. 2 were passed in.')],
]);

check('$ifNull', [
  [{ $ifNull: ['$description', 'Unspecified'] }, 'Unspecified', {}],
  [{ $ifNull: ['$description', 'Unspecified'] }, 'Unspecified', { description: null }],
  [{ $ifNull: ['$description', 'Unspecified'] }, 'Unspecified', { description: UNDEFINED }],
  [{ $ifNull: ['$description', 'Unspecified'] }, 'x', { description: 'x' }],
  [{ $ifNull: ['$a', '$b', '$c', 1] }, 5, { c: 5 }],
  [{ $ifNull: ['$a', false] }, 0, { a: 0 }],
  [{ $ifNull: ['$a', '$b'] }, missing, {}],
  [{ $ifNull: ['$a', null] }, null, {}],
  [{ $ifNull: ['$a'] }, refused(1257300, '$ifNull needs at least two arguments, had: 1')],
  [{ $ifNull: '$a' }, refused(1257300, '$ifNull needs at least two arguments, had: 1')],
]);

const branches = [
  { case: { $eq: ['$n', 0] }, then: 'none' },
  { case: { $gt: ['$n', 5] }, then: 'many' },
];

check('$switch', [
  [{ $switch: { branches } }, 'none', { n: 0 }],
  [{ $switch: { branches } }, 'many', { n: 6 }],
  [{ $switch: { branches, default: 'some' } }, 'some', { n: 3 }],
  [
    { $switch: { branches } },
    refused(40066, '$switch could not find a matching branch for an input, and no default was specified.'),
    { n: 3 },
  ],
  [{ $switch: 1 }, refused(40060, '$switch requires an object as an argument, found: int')],
  [{ $switch: { branches: 1 } }, refused(40061, `$switch expected an array for 'branches', found: int`)],
  [{ $switch: { branches: [1] } }, refused(40062, '$switch expected each branch to be an object, found: int')],
  [
    { $switch: { branches: [{ case: 1, then: 2, x: 3 }] } },
    refused(40063, '$switch found an unknown argument to a branch: x'),
  ],
  [{ $switch: { branches: [{ then: 2 }] } }, refused(40064, `$switch requires each branch have a 'case' expression`)],
  [{ $switch: { branches: [{ case: 2 }] } }, refused(40065, `$switch requires each branch have a 'then' expression.`)],
  [{ $switch: { branches, other: 1 } }, refused(40067, '$switch found an unknown argument: other')],
  [{ $switch: { branches: [] } }, refused(40068, '$switch requires at least one branch')],
  // Constant conditions are evaluated at compile time: false branches are removed, and the first true branch is the
  // default.
  [
    {
      $switch: {
        branches: [
          { case: false, then: 1 },
          { case: { $eq: [1, 2] }, then: 2 },
        ],
      },
    },
    refused(40069, 'Cannot execute a switch statement where all the cases evaluate to false without a default'),
  ],
  [{ $switch: { branches: [{ case: null, then: 1 }], default: '$n' } }, 3, { n: 3 }],
  // Constants are not folded where they are never reached.
  [{ $switch: { branches: [{ case: { $eq: [1, 2] }, then: { $divide: [1, 0] } }], default: 5 } }, 5],
  [
    {
      $switch: {
        branches: [
          { case: true, then: 5 },
          { case: { $divide: [1, 0] }, then: { $mod: [1, 0] } },
        ],
      },
    },
    5,
  ],
  [{ $switch: { branches: [{ case: '$n', then: { $divide: [1, 0] } }], default: 5 } }, refused(2, /zero/), { n: 0 }],
  [{ $switch: { branches: [{ case: true, then: 5 }], default: { $divide: [1, 0] } } }, refused(2, /zero/)],
  [
    {
      $switch: {
        branches: [
          { case: false, then: 1 },
          { case: 1, then: '$n' },
        ],
      },
    },
    3,
    { n: 3 },
  ],
  [
    { $switch: { branches: [...branches, { case: true, then: 'some' }, { case: true, then: 'more' }] } },
    'some',
    { n: 3 },
  ],
]);

check('$let: "binds variables for use in the specified expression"', [
  [{ $let: { vars: { low: 1, high: '$$low' }, in: '$$high' } }, refused(17276, 'Use of undefined variable: low')],
  [
    { $let: { vars: { total: { $add: ['$price', '$tax'] } }, in: { $multiply: ['$$total', 2] } } },
    double(21),
    { price: 10, tax: 0.5 },
  ],
  [{ $let: { vars: {}, in: 5 } }, 5],
  [{ $let: { vars: { x: '$a' }, in: '$$x.b' } }, [1, 2], { a: [{ b: 1 }, { b: 2 }] }],
  [{ $let: { vars: { x: 1 }, in: { $let: { vars: { x: 2, y: '$$x' }, in: ['$$x', '$$y'] } } } }, [2, 1]],
  [{ $let: { vars: { CURRENT: '$a' }, in: '$b' } }, 7, { a: { b: 7 }, b: 1 }],
  [{ $let: { vars: { x: '$missing' }, in: '$$x' } }, missing],
  [{ $let: { vars: { x: 1 } } }, refused(16877, `Missing 'in' parameter to $let`)],
  [{ $let: { in: 1 } }, refused(16876, `Missing 'vars' parameter to $let`)],
  [{ $let: { vars: {}, in: 1, x: 1 } }, refused(16875, 'Unrecognized parameter to $let: x')],
  [{ $let: 1 }, refused(16874, '$let only supports an object as its argument')],
  [{ $let: { vars: { X: 1 }, in: 1 } }, refused(9, `'X' starts with an invalid character for a user variable name`)],
  [{ $let: { vars: { 'a-b': 1 }, in: 1 } }, refused(9, `'a-b' contains an invalid character for a variable name: '-'`)],
  [{ $let: { vars: { '': 1 }, in: 1 } }, refused(9, 'empty variable names are not allowed')],
]);

check('field paths and variables', [
  ['$a', 1, { a: 1 }],
  ['$a', missing, {}],
  ['$a', null, { a: null }],
  ['$a.b', 2, { a: { b: 2 } }],
  ['$a.b.c', 3, { a: { b: { c: 3 } } }],
  ['$a.b', [1, 2], { a: [{ b: 1 }, { c: 5 }, { b: 2 }, 7, [{ b: 9 }]] }],
  ['$a.b.c', [[1, 2], 3], { a: [{ b: [{ c: 1 }, { c: 2 }] }, { b: { c: 3 } }] }],
  ['$a.0', [], { a: [5, 6] }],
  [
    '$a.$id',
    [1, 2],
    {
      a: [
        { $ref: 'c', $id: 1 },
        { $ref: 'c', $id: 2 },
      ],
    },
  ],
  ['$a.b', missing, { a: 5 }],
  ['$$ROOT', { a: 1 }, { a: 1 }],
  ['$$CURRENT', { a: 1 }, { a: 1 }],
  ['$$ROOT.a.b', 2, { a: { b: 2 } }],
  ['$$REMOVE', missing],
  ['$$NOW', date('2026-03-04T05:06:07.089Z')],
  [{ $type: '$$CLUSTER_TIME' }, 'timestamp'],
  ['plain', 'plain'],
  ['', ''],
  [{ $literal: '$a' }, '$a'],
  [{ $literal: { $add: [1, 2] } }, { $add: [1, 2] }],
  [{ $const: [1, '$x'] }, [1, '$x']],
  [['$a', '$b', 3], [1, null, 3], { a: 1 }],
  [{ x: '$a', y: '$b', z: { w: '$$ROOT.a' } }, { x: 1, z: { w: 1 } }, { a: 1 }],
  [{}, {}],
  [oid(7), oid(7)],
  [new BinaryValue(0, Uint8Array.of(1)), new BinaryValue(0, Uint8Array.of(1))],
  ['$', refused(16872, `'$' by itself is not a valid FieldPath`)],
  ['$a.', refused(40353, `FieldPath must not end with a '.'.`)],
  ['$a..b', refused(15998, 'FieldPath field names may not be empty strings.')],
  ['$a.$b', refused(16410, `FieldPath field names may not start with '$'. Consider using $getField or $setField.`)],
  ['$a\0b', refused(16411, 'FieldPath field names may not contain null bytes.')],
  ['$$', refused(9, 'empty variable names are not allowed')],
  ['$$nope', refused(17276, 'Use of undefined variable: nope')],
  ['$$nope.a', refused(17276, 'Use of undefined variable: nope')],
  ['$$1x', refused(9, `'1x' starts with an invalid character for a user variable name`)],
  [{ $foo: 1 }, refused(168, `Unrecognized expression '$foo'`)],
  [
    { $add: [1], b: 2 },
    refused(15983, 'An object representing an expression must have exactly one field: { $add: [ 1 ], b: 2 }'),
  ],
  [{ b: 2, $add: [1] }, refused(16410, /may not start with '\$'/)],
  [{ 'a.b': 1 }, refused(16412, /may not contain '\.'/)],
  [{ a: { $add: ['x'] } }, refused(14, '$add only supports numeric or date types, not string')],
  [
    { $function: { body: '1', args: [], lang: 'js' } },
    refused(31264, 'Cannot run server-side javascript without the javascript engine enabled'),
  ],
  [{ $meta: 'textScore' }, refused(40218, 'query requires text score metadata, but it is not available')],
]);

test('$rand returns a double from the injected random source and takes no argument', () => {
  expect(text(evaluate({ $rand: {} }))).toBe('0.5');
  expect(text(evaluate({ $rand: [] }))).toBe('0.5');
  expectRefusal(() => evaluate({ $rand: { a: 1 } }), refused(3040501, '$rand does not currently accept arguments'));
  expectRefusal(() => evaluate({ $rand: 1 }), refused(10065, 'invalid parameter: expected an object ($rand)'));
});

test("rejects a duplicate field of an object literal with 16406 'duplicate field name specified in object literal'", () => {
  const spec = Doc.of([
    ['a', 1],
    ['a', 2],
  ]);
  expectRefusal(
    () => evaluate(spec),
    refused(16406, 'duplicate field name specified in object literal: { a: 1, a: 2 }'),
  );
});

test("evaluates the command's let without a document, and its variables are constants", () => {
  const variables = evaluateLet(d({ low: { $add: [1, 2] }, who: 'x' }), {}, ambience);
  expect([...variables].map(([name, value]) => [name, text(value)])).toEqual([
    ['low', '3'],
    ['who', '"x"'],
  ]);
  expect(text(evaluate({ $concat: ['$$who', '$a'] }, { a: 'y' }, { variables }))).toBe('"xy"');
  expectRefusal(() => evaluateLet(d({ a: '$b' }), {}, ambience), refused(4890500, /tried to access a field/));
  expectRefusal(() => evaluateLet(d({ A: 1 }), {}, ambience), refused(9, /invalid character/));
});

test('gives the variables of an inner scope their own slots', () => {
  const outer = createNames(new Map([['a', v(1)]]));
  const { names, slots } = outer.with(['b', 'a']);
  expect(slots).toEqual([0, 1]);
  expect(names.find('a')).toEqual({ kind: 'slot', slot: 1 });
  expect(outer.find('a')).toEqual({ kind: 'value', value: 1 });
  expect(outer.find('b')).toBe(undefined);
  expect([outer.bound, names.bound]).toEqual([false, true]);
});

test('compares strings by the collation', () => {
  const collation = {
    compare: (a: string, b: string): number =>
      a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0,
    key: (short: string): string => short.toLowerCase(),
  };
  const run = (spec: Parameters<typeof evaluate>[0]): string => text(evaluate(spec, {}, { collation }));
  expect(run({ $eq: ['A', 'a'] })).toBe('true');
  expect(run({ $in: ['A', ['a']] })).toBe('true');
  expect(
    run({
      $setUnion: [
        ['A', 'b'],
        ['a', 'B'],
      ],
    }),
  ).toBe('["A", "b"]');
  expect(run({ $max: ['A', 'b', 'C'] })).toBe('"C"');
  expect(run({ $indexOfArray: [['x', 'a'], 'A'] })).toBe('1');
});

test('supports more than 150 operators', () => {
  expect(operatorsFor().size).toBeGreaterThan(150);
});
