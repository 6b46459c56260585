import { describe, expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import type { Shorthand } from './shorthand.js';
import { checkQueries } from './query-cases.js';
import { d, decimal, double, refusal, text, v } from './shorthand.js';

const schema = (fields: { readonly [key: string]: Shorthand }) => ({ $jsonSchema: fields });

checkQueries('$jsonSchema: types and scalars', [
  [schema({}), [{}, { a: 1 }], []],
  [schema({ required: ['a', 'b'] }), [{ a: 1, b: null }], [{ a: 1 }, {}]],
  [schema({ properties: { a: { bsonType: 'int' } } }), [{ a: 1 }, {}], [{ a: 'x' }, { a: [1] }, { a: 1n }]],
  [schema({ properties: { a: { bsonType: ['int', 'null'] } } }), [{ a: 1 }, { a: null }], [{ a: 'x' }]],
  [schema({ properties: { a: { type: 'number' } } }), [{ a: 1 }, { a: decimal('1') }, { a: 1n }], [{ a: '1' }]],
  [schema({ properties: { a: { type: ['boolean', 'object'] } } }), [{ a: true }, { a: {} }], [{ a: [] }]],
  [schema({ bsonType: 'object', title: 't', description: 'd' }), [{}], []],
  [schema({ bsonType: 'array' }), [], [{}]],
  [
    schema({ properties: { a: { enum: ['x', null, { b: 1 }] } } }),
    [{ a: 'x' }, { a: null }, { a: { b: 1 } }],
    [{ a: 'y' }, { a: ['x'] }],
  ],
  [schema({ properties: { a: { minimum: 2 } } }), [{ a: 2 }, { a: 'x' }], [{ a: 1 }, { a: double(1.9) }]],
  [schema({ properties: { a: { minimum: 2, exclusiveMinimum: true } } }), [{ a: 2.1 }], [{ a: 2 }]],
  [schema({ properties: { a: { maximum: 2 } } }), [{ a: 2n }], [{ a: 3 }]],
  [schema({ properties: { a: { maximum: 2, exclusiveMaximum: true } } }), [{ a: 1 }], [{ a: 2 }]],
  [schema({ properties: { a: { maximum: 2, exclusiveMaximum: false } } }), [{ a: 2 }], [{ a: 3 }]],
  [schema({ properties: { a: { multipleOf: 2.5 } } }), [{ a: 5 }, { a: 'x' }], [{ a: 6 }, { a: double(Infinity) }]],
  [
    schema({ properties: { a: { minLength: 2, maxLength: 3 } } }),
    [{ a: 'ab' }, { a: '😀😀😀' }, { a: 1 }],
    [{ a: 'a' }, { a: 'abcd' }],
  ],
  [schema({ properties: { a: { pattern: '^x' } } }), [{ a: 'xy' }, { a: 1 }], [{ a: 'yx' }]],
]);

checkQueries('$jsonSchema: arrays, documents and combinations', [
  [
    schema({ properties: { a: { items: { bsonType: 'int' } } } }),
    [{ a: [1, 2] }, { a: [] }, { a: 'x' }],
    [{ a: [1, 'x'] }],
  ],
  [
    schema({ properties: { a: { items: [{ type: 'string' }, { type: 'number' }] } } }),
    [{ a: ['x', 1, null] }, { a: [] }],
    [{ a: [1] }],
  ],
  [
    schema({ properties: { a: { items: [{ type: 'string' }], additionalItems: false } } }),
    [{ a: ['x'] }],
    [{ a: ['x', 1] }],
  ],
  [
    schema({ properties: { a: { items: [{}], additionalItems: { type: 'string' } } } }),
    [{ a: [1, 'x'] }],
    [{ a: [1, 1] }],
  ],
  [schema({ properties: { a: { minItems: 1, maxItems: 2 } } }), [{ a: [1] }, { a: 1 }], [{ a: [] }, { a: [1, 2, 3] }]],
  [
    schema({ properties: { a: { uniqueItems: true } } }),
    [{ a: [1, '1'] }],
    [
      { a: [1, double(1)] },
      { a: [{ b: 1 }, { b: 1 }] },
      {
        a: [
          { b: 1, c: [{ d: 1, e: 2 }] },
          { c: [{ e: 2, d: 1 }], b: 1 },
        ],
      },
    ],
  ],
  [
    schema({ properties: { a: { enum: [{ b: 1, c: { d: 1, e: 2 } }] } } }),
    [{ a: { b: 1, c: { d: 1, e: 2 } } }, { a: { c: { e: 2, d: 1 }, b: 1 } }],
    [{ a: { b: 1 } }, { a: { b: 1, c: { d: 1, e: 2, f: 3 } } }],
  ],
  [schema({ properties: { a: { uniqueItems: false } } }), [{ a: [1, 1] }], []],
  [
    schema({ properties: { a: { properties: { b: { type: 'string' } }, required: ['b'] } } }),
    [{ a: { b: 'x' } }, { a: 1 }],
    [{ a: {} }, { a: { b: 1 } }],
  ],
  [schema({ properties: { a: {} }, additionalProperties: false }), [{ a: 1 }, {}], [{ b: 1 }]],
  [schema({ properties: { a: {} }, additionalProperties: { type: 'string' } }), [{ a: 1, b: 'x' }], [{ b: 1 }]],
  [
    schema({ patternProperties: { '^s': { type: 'string' } }, additionalProperties: false }),
    [{ s1: 'x' }],
    [{ s1: 1 }, { t: 'x' }],
  ],
  [schema({ minProperties: 1, maxProperties: 2 }), [{ a: 1 }], [{}, { a: 1, b: 1, c: 1 }]],
  [schema({ dependencies: { a: ['b'] } }), [{ a: 1, b: 1 }, { c: 1 }], [{ a: 1 }]],
  [schema({ dependencies: { a: { required: ['b'] } } }), [{ a: 1, b: 1 }, {}], [{ a: 1 }]],
  [schema({ allOf: [{ required: ['a'] }, { required: ['b'] }] }), [{ a: 1, b: 1 }], [{ a: 1 }]],
  [schema({ anyOf: [{ required: ['a'] }, { required: ['b'] }] }), [{ a: 1 }, { b: 1 }], [{}]],
  [schema({ oneOf: [{ required: ['a'] }, { required: ['b'] }] }), [{ a: 1 }], [{ a: 1, b: 1 }, {}]],
  [schema({ not: { required: ['a'] } }), [{ b: 1 }], [{ a: 1 }]],
]);

describe('rejects a schema with the code and the message of MongoDB', () => {
  test.each([
    [5, '14 TypeMismatch: $jsonSchema must be an object'],
    [{ foo: 1 }, '9 FailedToParse: Unknown $jsonSchema keyword: foo'],
    [{ $ref: 'x' }, "9 FailedToParse: $jsonSchema keyword '$ref' is not currently supported"],
    [{ type: 'integer' }, "9 FailedToParse: $jsonSchema type 'integer' is not currently supported."],
    [{ type: 'int' }, '2 BadValue: Unknown type name alias: int'],
    [{ type: 1 }, "14 TypeMismatch: $jsonSchema keyword 'type' must be either a string or an array of strings"],
    [{ bsonType: 1 }, "14 TypeMismatch: $jsonSchema keyword 'bsonType' must be either a string or an array of strings"],
    [
      { type: 'object', bsonType: 'object' },
      "9 FailedToParse: Cannot specify both $jsonSchema keywords 'bsonType' and 'type'",
    ],
    [{ minimum: 'x' }, "14 TypeMismatch: $jsonSchema keyword 'minimum' must be a number"],
    [
      { exclusiveMinimum: true },
      "9 FailedToParse: $jsonSchema keyword 'minimum' must be a present if exclusiveMinimum is present",
    ],
    [{ maximum: 1, exclusiveMaximum: 1 }, "14 TypeMismatch: $jsonSchema keyword 'exclusiveMaximum' must be a boolean"],
    [{ required: [] }, "9 FailedToParse: $jsonSchema keyword 'required' cannot be an empty array"],
    [{ required: 'a' }, "14 TypeMismatch: $jsonSchema keyword 'required' must be an array, but found string"],
    [
      { required: [1] },
      "14 TypeMismatch: $jsonSchema keyword 'required' must be an array of strings, but found an element of type int",
    ],
    [{ properties: 1 }, "14 TypeMismatch: $jsonSchema keyword 'properties' must be an object"],
    [{ properties: { a: 1 } }, "14 TypeMismatch: Nested schema for $jsonSchema property 'a' must be an object"],
    [
      { bsonType: ['int', 'int'] },
      "9 FailedToParse: $jsonSchema keyword 'bsonType' array cannot contain duplicate values",
    ],
    [
      { type: ['string', 'string'] },
      "9 FailedToParse: $jsonSchema keyword 'type' array cannot contain duplicate values",
    ],
    [
      {
        enum: [
          { a: 1, b: 2 },
          { b: 2, a: 1 },
        ],
      },
      "9 FailedToParse: $jsonSchema keyword 'enum' array cannot contain duplicate values",
    ],
    [
      { required: ['a\0b'] },
      "9867600 Location9867600: $jsonSchema keyword 'required' cannot contain a property name with an embedded null byte",
    ],
    [{ enum: [] }, "9 FailedToParse: $jsonSchema keyword 'enum' cannot be an empty array"],
    [{ allOf: [] }, "2 BadValue: $jsonSchema keyword 'allOf' must be a non-empty array"],
    [{ minLength: -1 }, '9 FailedToParse: Expected a non-negative number in: minLength: -1'],
    [{ multipleOf: 0 }, "9 FailedToParse: $jsonSchema keyword 'multipleOf' must have a positive value"],
    [{ uniqueItems: 1 }, "14 TypeMismatch: $jsonSchema keyword 'uniqueItems' must be a boolean"],
  ] as const)('%j', (argument, expected) => {
    expect(refusal(() => parseQuery(d({ $jsonSchema: v(argument) })))).toBe(expected);
  });
});

test('$jsonSchema can be combined with other conditions', () => {
  const matcher = parseQuery(d({ $and: [schema({ required: ['a'] }), { b: 1 }] }));
  expect([{ a: 1, b: 1 }, { a: 1 }, { b: 1 }].map(doc => matcher.matches(d(doc)))).toEqual([true, false, false]);
  expect(matcher.predicates.map(({ path, op, value }) => `${path} ${op} ${text(value)}`)).toEqual(['b eq 1']);
});
