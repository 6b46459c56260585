import { describe, expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import { BinaryValue, UNDEFINED } from '../src/value/value.js';
import type { Fields } from './query-cases.js';
import { asDoc } from './query-cases.js';
import { decimal, double, refusal, text } from './shorthand.js';

const topLevel = (name: string): string =>
  `2 BadValue: unknown top level operator: ${name}. If you have a field name that starts with a '$' symbol, consider using $getField or $setField.`;

const cases: readonly (readonly [filter: Fields, refusal: string])[] = [
  [{ $foo: 1 }, topLevel('$foo')],
  [{ $size: 2 }, topLevel('$size')],
  [{ $gt: 1 }, topLevel('$gt')],
  [{ $: 1 }, topLevel('$')],
  [
    { $not: { a: 1 } },
    '2 BadValue: unknown top level operator: $not. If you are trying to negate an entire expression, use $nor.',
  ],
  [{ a: { $foo: 1 } }, '2 BadValue: unknown operator: $foo'],
  [{ a: { $id: 1 } }, '2 BadValue: unknown operator: $id'],
  [{ a: { $ref: 'c' } }, '2 BadValue: unknown operator: $ref'],
  [{ a: { $gt: 1, b: 2 } }, '2 BadValue: unknown operator: b'],
  [{ a: { $nor: [{ b: 1 }] } }, '2 BadValue: unknown operator: $nor'],
  [{ a: { $and: [] } }, '2 BadValue: unknown operator: $and'],
  [{ $and: null }, '2 BadValue: $and must be an array'],
  [{ $or: { a: 1 } }, '2 BadValue: $or must be an array'],
  [{ $nor: 1 }, '2 BadValue: $nor must be an array'],
  [{ $and: [] }, '2 BadValue: $and/$or/$nor must be a nonempty array'],
  [{ $or: [] }, '2 BadValue: $and/$or/$nor must be a nonempty array'],
  [{ $or: [1] }, '2 BadValue: $or/$and/$nor entries need to be full objects'],
  [{ $nor: [[{ a: 1 }]] }, '2 BadValue: $or/$and/$nor entries need to be full objects'],
  [{ $nor: [{ a: 1 }, { a: { $invalid: 1 } }] }, '2 BadValue: unknown operator: $invalid'],
  [{ $expr: 1 }, '224 Location224: $expr is not allowed in this context'],
  [{ a: { $elemMatch: { $or: [{ $expr: 1 }] } } }, '2 BadValue: $expr can only be applied to the top-level document'],
  [{ $text: { $search: 'x' } }, '2 BadValue: $text is not allowed in this context'],
  [{ $where: 'true' }, '2 BadValue: $where is not allowed in this context'],
  [
    { a: { $elemMatch: { $and: [{ $where: 'true' }] } } },
    '2 BadValue: $where can only be applied to the top-level document',
  ],
  [{ $sampleRate: 0.5 }, '2 BadValue: $sampleRate is not allowed in this context'],
  [
    { a: { $near: [0, 0] } },
    '5626500 Location5626500: $geoNear, $near, and $nearSphere are not allowed in this context, as these operators require sorting geospatial data. If you do not need sort, consider using $geoWithin instead.',
  ],
  [{ a: { $geoWithin: {} } }, "2 BadValue: geo query doesn't have any geometry"],
  [{ $alwaysTrue: 2 }, '9 FailedToParse: $alwaysTrue must be an integer value of 1'],
  [{ a: UNDEFINED }, '2 BadValue: cannot compare to undefined'],
  [{ a: { $gt: UNDEFINED } }, '2 BadValue: cannot compare to undefined'],
  [{ a: { $in: [UNDEFINED] } }, '2 BadValue: InMatchExpression equality cannot be undefined'],
  [{ a: { $ne: /x/ } }, "2 BadValue: Can't have regex as arg to $ne."],
  [{ a: { $gt: /x/ } }, "2 BadValue: Can't have RegEx as arg to predicate over field 'a'."],
  [{ a: { $in: 1 } }, '2 BadValue: $in needs an array'],
  [{ a: { $nin: { b: 1 } } }, '2 BadValue: $nin needs an array'],
  [{ a: { $in: [{ $gt: 1 }] } }, '2 BadValue: cannot nest $ under $in'],
  [{ a: { $nin: [{ $gt: 1 }] } }, '2 BadValue: cannot nest $ under $nin'],
  [{ a: { $not: 5 } }, '2 BadValue: $not needs a regex or a document'],
  [{ a: { $not: null } }, '2 BadValue: $not needs a regex or a document'],
  [{ a: { $not: [1] } }, '2 BadValue: $not needs a regex or a document'],
  [{ a: { $not: {} } }, '2 BadValue: $not cannot be empty'],
  [{ a: { $not: { b: 1 } } }, '2 BadValue: unknown operator: b'],
  [{ a: { $not: { $where: 'true' } } }, '2 BadValue: unknown operator: $where'],
  [{ a: { $all: 1 } }, '2 BadValue: $all needs an array'],
  [{ a: { $all: [{ $gt: 1 }] } }, '2 BadValue: no $ expressions in $all'],
  [{ a: { $all: [1, { $elemMatch: { b: 1 } }] } }, '2 BadValue: no $ expressions in $all'],
  [{ a: { $all: [{ $elemMatch: { b: 1 } }, 1] } }, '2 BadValue: $all/$elemMatch has to be consistent'],
  [{ a: { $elemMatch: 1 } }, '2 BadValue: $elemMatch needs an Object'],
  [{ a: { $elemMatch: [1] } }, '2 BadValue: $elemMatch needs an Object'],
  [{ a: { $elemMatch: { $gt: 1, b: 1 } } }, '2 BadValue: unknown operator: b'],
  [{ a: { $size: '1' } }, '2 BadValue: Failed to parse $size. Expected a number in: $size: "1"'],
  [{ a: { $size: { $gt: 1 } } }, '2 BadValue: Failed to parse $size. Expected a number in: $size: { $gt: 1 }'],
  [{ a: { $size: 2.1 } }, '2 BadValue: Failed to parse $size. Expected an integer: $size: 2.1'],
  [{ a: { $size: -1 } }, '2 BadValue: Failed to parse $size. Expected a non-negative number in: $size: -1'],
  [
    { a: { $size: double(NaN) } },
    '2 BadValue: Failed to parse $size. Expected an integer, but found NaN in: $size: nan.0',
  ],
  [
    { a: { $size: double(Infinity) } },
    '2 BadValue: Failed to parse $size. Cannot represent as a 64-bit integer: $size: inf.0',
  ],
  [
    { a: { $size: decimal('3.5') } },
    '2 BadValue: Failed to parse $size. Cannot represent as a 64-bit integer: $size: 3.5',
  ],
  [{ a: { $size: 5000000000n } }, '2 BadValue: Failed to parse $size. Cannot represent $size: 5000000000 in an int'],
  [{ a: { $type: 'float' } }, '2 BadValue: Unknown type name alias: float'],
  [
    { a: { $type: 'missing' } },
    "2 BadValue: 'missing' is not a legal type name. To query for non-existence of a field, use {$exists:false}.",
  ],
  [{ a: { $type: 42 } }, '2 BadValue: Invalid numerical type code: 42'],
  [{ a: { $type: 0 } }, '2 BadValue: Invalid numerical type code: 0. Instead use {$exists:false}.'],
  [{ a: { $type: ['binData', double(NaN)] } }, '2 BadValue: Invalid numerical type code: nan'],
  [{ a: { $type: double(-Infinity) } }, '2 BadValue: Invalid numerical type code: -inf'],
  [{ a: { $type: -1.123 } }, '2 BadValue: Invalid numerical type code: -1.123'],
  [{ a: { $type: null } }, '14 TypeMismatch: type must be represented as a number or a string'],
  [{ a: { $type: [] } }, '9 FailedToParse: a must match at least one type'],
  [{ a: { $mod: 1 } }, '2 BadValue: malformed mod, needs to be an array'],
  [{ a: { $mod: [] } }, '2 BadValue: malformed mod, not enough elements'],
  [{ a: { $mod: [1] } }, '2 BadValue: malformed mod, not enough elements'],
  [{ a: { $mod: [1, 2, 3] } }, '2 BadValue: malformed mod, too many elements'],
  [{ a: { $mod: ['1', 2] } }, '2 BadValue: malformed mod, divisor not a number'],
  [{ a: { $mod: [1, '2'] } }, '2 BadValue: malformed mod, remainder not a number'],
  [{ a: { $mod: [0, 1] } }, '2 BadValue: divisor cannot be 0'],
  [{ a: { $mod: [0.5, 1] } }, '2 BadValue: divisor cannot be 0'],
  [
    { a: { $mod: [double(NaN), 1] } },
    '2 BadValue: malformed mod, divisor value is invalid :: caused by :: Unable to coerce NaN/Inf to integral type',
  ],
  [
    { a: { $mod: [1, double(Infinity)] } },
    '2 BadValue: malformed mod, remainder value is invalid :: caused by :: Unable to coerce NaN/Inf to integral type',
  ],
  [
    { a: { $mod: [9.223372036854778e18, 0] } },
    '2 BadValue: malformed mod, divisor value is invalid :: caused by :: Out of bounds coercing to integral value',
  ],
  [{ a: { $regex: 1 } }, '2 BadValue: $regex has to be a string'],
  [{ a: { $regex: 'x', $options: 1 } }, '2 BadValue: $options has to be a string'],
  [{ a: { $options: 'i' } }, '2 BadValue: $options needs a $regex'],
  [{ a: { $regex: /x/i, $options: 'i' } }, '51075 Location51075: options set in both $regex and $options'],
  [{ a: { $options: 'i', $regex: /x/i } }, '51074 Location51074: options set in both $regex and $options'],
  [{ a: { $regex: 'x', $options: 'ig' } }, '51108 Location51108: invalid flag in regex options: g'],
  [
    { a: { $regex: '[' } },
    '51091 Location51091: Regular expression is invalid: missing terminating ] for character class',
  ],
  [{ a: { $regex: '(' } }, '51091 Location51091: Regular expression is invalid: missing closing parenthesis'],
  [{ a: { $regex: ')' } }, '51091 Location51091: Regular expression is invalid: unmatched closing parenthesis'],
  [
    { a: { $regex: '*' } },
    '51091 Location51091: Regular expression is invalid: quantifier does not follow a repeatable item',
  ],
  [{ a: { $regex: '\\' } }, '51091 Location51091: Regular expression is invalid: \\ at end of pattern'],
  [{ a: { $regex: 'a\0b' } }, '51109 Location51109: Regular expression cannot contain an embedded null byte'],
  [
    { a: { $regex: 'a', $options: '\0' } },
    '51110 Location51110: Regular expression options string cannot contain an embedded null byte',
  ],
  [
    { v: { $bitsAllSet: '123' } },
    '2 BadValue: v takes an Array, a number, or a BinData but received: $bitsAllSet: "123"',
  ],
  [
    { v: { $bitsAnySet: null } },
    '2 BadValue: v takes an Array, a number, or a BinData but received: $bitsAnySet: null',
  ],
  [{ v: { $bitsAllClear: 1.2 } }, '9 FailedToParse: Expected an integer: $bitsAllClear: 1.2'],
  [{ v: { $bitsAnyClear: double(-1) } }, '9 FailedToParse: Expected a non-negative number in: $bitsAnyClear: -1.0'],
  [{ v: { $bitsAllSet: [-1] } }, '2 BadValue: Failed to parse bit position. Expected a non-negative number in: 0: -1'],
  [{ v: { $bitsAllSet: [1, '123'] } }, '2 BadValue: Failed to parse bit position. Expected a number in: 1: "123"'],
];

describe('rejects a filter with the code and the message of MongoDB', () => {
  test.each(cases.map(([filter, expected]) => [text(asDoc(filter)), filter, expected] as const))(
    '%s',
    (_title, filter, expected) => {
      expect(refusal(() => parseQuery(asDoc(filter)))).toBe(expected);
    },
  );
});

test('$text requires an index', () => {
  const expression = () => () => null;
  expect(refusal(() => parseQuery(asDoc({ $text: { $search: 'x' } }), { expression }))).toBe(
    '27 IndexNotFound: text index required for $text query',
  );
});

test('accepts a value that looks like an operator', () => {
  const accepted: readonly Fields[] = [
    { a: { $ref: 'c', $id: 1, $db: 'd' } },
    { a: { $eq: { $gt: 1 } } },
    { a: {} },
    { a: { $in: [] } },
    { a: { $bitsAllSet: new BinaryValue(0, Uint8Array.of(1)) } },
    { a: { $regex: 'x', $options: '' } },
    { a: { $regex: /x/, $options: 'i' } },
    { 'a.$b': 1 },
  ];
  expect(accepted.map(filter => refusal(() => parseQuery(asDoc(filter))))).toEqual(accepted.map(() => 'accepted'));
});
