import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { add, compareNumbers } from '../src/value/numbers.js';
import type { NumberValue } from '../src/value/value.js';
import { typeName } from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { d, decimal, double, oid, refusal, text, v } from './shorthand.js';
import { applied, outcome } from './update-cases.js';
import { anyNumber } from './value/arbitrary.js';

const maxInt = 2147483647;
const minInt = -2147483648;
const maxLong = 9223372036854775807n;
const minLong = -9223372036854775808n;

type Case = readonly [
  operator: string,
  existing: Shorthand | undefined,
  operand: Shorthand,
  expected: Shorthand | 'unchanged',
];

const cases: readonly Case[] = [
  ['$inc', 1, 2, 3],
  ['$inc', maxInt, 1, 2147483648n],
  ['$inc', maxInt, maxInt, 4294967294n],
  ['$inc', minInt, -1, -2147483649n],
  ['$inc', maxInt - 1, 1, maxInt],
  ['$inc', minInt + 1, -1, minInt],
  ['$inc', maxLong - 1n, 1, maxLong],
  ['$inc', minLong + 1n, -1, minLong],
  ['$inc', 1n, 1, 2n],
  ['$inc', 1, 1n, 2n],
  ['$inc', 1, 0.5, 1.5],
  ['$inc', 1.5, 1, 2.5],
  ['$inc', 1, double(1), double(2)],
  ['$inc', double(Number.MAX_VALUE), double(Number.MAX_VALUE), double(Infinity)],
  ['$inc', 1, decimal('0.1'), decimal('1.1')],
  ['$inc', decimal('1.10'), 1, decimal('2.10')],
  ['$inc', double(NaN), 1, double(NaN)],
  ['$mul', double(0), -1, 'unchanged'],
  ['$inc', decimal('1.00'), decimal('0'), 'unchanged'],
  ['$mul', decimal('1.5'), decimal('1.0'), 'unchanged'],
  ['$inc', 5, 0, 'unchanged'],
  ['$inc', 5n, 0, 'unchanged'],
  ['$inc', 5, 0n, 5n],
  ['$inc', undefined, 5, 5],
  ['$inc', undefined, 5n, 5n],
  ['$inc', undefined, 2.5, 2.5],
  ['$mul', 3, 4, 12],
  ['$mul', maxInt, 2, 4294967294n],
  ['$mul', 100000, 100000, 10000000000n],
  ['$mul', 3n, 4, 12n],
  ['$mul', 3, 0.5, 1.5],
  ['$mul', 3, decimal('1.25'), decimal('3.75')],
  ['$mul', 5, 1, 'unchanged'],
  ['$mul', 0, 5, 'unchanged'],
  ['$mul', undefined, 5, 0],
  ['$mul', undefined, 5n, 0n],
  ['$mul', undefined, 2.5, double(0)],
  ['$mul', undefined, decimal('5'), decimal('0')],
  ['$mul', undefined, -2.5, double(-0)],
  ['$mul', undefined, double(Number.NaN), double(Number.NaN)],
  ['$mul', undefined, double(Number.POSITIVE_INFINITY), double(Number.NaN)],
  ['$mul', undefined, decimal('-2.5'), decimal('-0.0')],
  ['$bit', 13, { and: 10 }, 8],
  ['$bit', 3, { or: 5 }, 7],
  ['$bit', 1, { xor: 5 }, 4],
  ['$bit', 13n, { and: 10 }, 8n],
  ['$bit', 13, { and: 10n }, 8n],
  ['$bit', -1, { and: 255 }, 255],
  ['$bit', 15, { and: 12, or: 1, xor: 8 }, 5],
  ['$bit', 8, { or: 8 }, 'unchanged'],
  ['$bit', undefined, { and: 5 }, 0],
  ['$bit', undefined, { or: 5 }, 5],
  ['$bit', undefined, { xor: 5n }, 5n],
];

const shown = (value: Shorthand | undefined): string => (value === undefined ? 'nothing' : text(v(value)));

describe('$inc, $mul, $bit: the types of the results', () => {
  test.each(cases.map(one => [one[0], shown(one[1]), shown(one[2]), one] as const))(
    '%s: %s and %s',
    (_operator, _existing, _operand, [operator, existing, operand, expected]) => {
      const doc = existing === undefined ? d({}) : d({ a: existing });
      expect(outcome(doc, { update: { [operator]: { a: operand } } })).toBe(
        expected === 'unchanged' ? expected : text(d({ a: expected })),
      );
    },
  );
});

describe('$inc, $mul, $bit: are rejected with the code and the message of MongoDB', () => {
  test.each<readonly [string, string, Shorthand, Shorthand, string]>([
    [
      '$inc',
      'long overflow',
      maxLong,
      1,
      '2 BadValue: Failed to apply $inc operations to current value ((NumberLong)9223372036854775807) for document {_id: 7}',
    ],
    [
      '$inc',
      'long underflow',
      minLong,
      -1,
      '2 BadValue: Failed to apply $inc operations to current value ((NumberLong)-9223372036854775808) for document {_id: 7}',
    ],
    [
      '$inc',
      'int and long overflow',
      42,
      maxLong,
      '2 BadValue: Failed to apply $inc operations to current value ((NumberInt)42) for document {_id: 7}',
    ],
    [
      '$mul',
      'long overflow',
      maxLong,
      2,
      '2 BadValue: Failed to apply $mul operations to current value ((NumberLong)9223372036854775807) for document {_id: 7}',
    ],
    ['$inc', 'a string operand', 1, 'x', '14 TypeMismatch: Cannot increment with non-numeric argument: {a: "x"}'],
    ['$inc', 'a boolean operand', 1, true, '14 TypeMismatch: Cannot increment with non-numeric argument: {a: true}'],
    ['$mul', 'a null operand', 1, null, '14 TypeMismatch: Cannot multiply with non-numeric argument: {a: null}'],
    [
      '$inc',
      'a string',
      'x',
      1,
      "14 TypeMismatch: Cannot apply $inc to a value of non-numeric type. {_id: 7} has the field 'a' of non-numeric type string",
    ],
    [
      '$mul',
      'null',
      null,
      1,
      "14 TypeMismatch: Cannot apply $mul to a value of non-numeric type. {_id: 7} has the field 'a' of non-numeric type null",
    ],
    [
      '$bit',
      'a number for a document',
      1,
      1,
      '2 BadValue: The $bit modifier is not compatible with a int. You must pass in an embedded document: {$bit: {field: {and/or/xor: #}}',
    ],
    [
      '$bit',
      'an operation named like a property of Object',
      1,
      { toString: 1 },
      "2 BadValue: The $bit modifier only supports 'and', 'or', and 'xor', not 'toString' which is an unknown operator: {toString: 1}",
    ],
    [
      '$bit',
      'an unknown operation',
      1,
      { not: 1 },
      "2 BadValue: The $bit modifier only supports 'and', 'or', and 'xor', not 'not' which is an unknown operator: {not: 1}",
    ],
    [
      '$bit',
      'a double operand',
      1,
      { and: 10.5 },
      "2 BadValue: The $bit modifier field must be an Integer(32/64 bit); a 'double' is not supported here: {and: 10.5}",
    ],
    [
      '$bit',
      'no operation',
      1,
      {},
      '2 BadValue: You must pass in at least one bitwise operation. The format is: {$bit: {field: {and/or/xor: #}}',
    ],
    [
      '$bit',
      'a double field',
      1.5,
      { and: 1 },
      '2 BadValue: Cannot apply $bit to a value of non-integral type.7 has the field a of non-integer type double',
    ],
  ])('%s: %s', (operator, _title, existing, operand, expected) => {
    expect(refusal(() => outcome({ _id: 7, a: existing }, { update: { [operator]: { a: operand } } }))).toBe(expected);
  });

  test('an error names the last part of the path and the document', () => {
    expect(refusal(() => outcome({ _id: oid(1), a: [{ b: 'x' }] }, { update: { $inc: { 'a.0.b': 1 } } }))).toBe(
      "14 TypeMismatch: Cannot apply $inc to a value of non-numeric type. {_id: ObjectId('000000000000000000000001')} has the field 'b' of non-numeric type string",
    );
  });
});

test('$inc adds numbers by the rules of $add, and never narrows the type', () => {
  const rank = ['int', 'long', 'double', 'decimal'];
  fc.assert(
    fc.property(anyNumber, anyNumber, (a, b) => {
      const doc = d({ a });
      const accepted = refusal(() => applied(doc, { update: { $inc: { a: b } } })) === 'accepted';
      if (!accepted) {
        expect(typeName(add(a, b))).toBe('double');
        return;
      }
      const result = applied(doc, { update: { $inc: { a: b } } }).get('a') as NumberValue;
      expect(compareNumbers(result, add(a, b))).toBe(0);
      const widest = Math.max(rank.indexOf(typeName(a)), rank.indexOf(typeName(b)));
      expect(rank.indexOf(typeName(result))).toBeGreaterThanOrEqual(widest);
    }),
    { numRuns: 300 },
  );
});
