import { describe, expect, test } from 'vitest';
import type { Shorthand } from './shorthand.js';
import { refusal, text } from './shorthand.js';
import type { Fields, Update } from './update-cases.js';
import { asDoc, outcome } from './update-cases.js';

type Case = readonly [title: string, doc: Fields, update: Update, expected: Fields | 'unchanged'];

const check = (title: string, cases: readonly Case[]): void => {
  describe(title, () => {
    test.each(cases)('%s', (_title, doc, update, expected) => {
      expect(outcome(doc, update)).toBe(expected === 'unchanged' ? 'unchanged' : text(asDoc(expected)));
    });
  });
};

const on = (a: Shorthand): Fields => ({ _id: 1, a });

check('$: "identifies an element in an array to update without explicitly specifying the position"', [
  ['a value', on([80, 82, 84]), { filter: { a: 82 }, update: { $set: { 'a.$': 0 } } }, on([80, 0, 84])],
  [
    'a field of a document',
    on([
      { k: 'A', v: 1 },
      { k: 'B', v: 2 },
    ]),
    { filter: { 'a.k': 'B' }, update: { $set: { 'a.$.v': 9 } } },
    on([
      { k: 'A', v: 1 },
      { k: 'B', v: 9 },
    ]),
  ],
  [
    'by $elemMatch',
    on([{ x: 1 }, { x: 3, y: 4 }]),
    { filter: { a: { $elemMatch: { x: 3, y: 4 } } }, update: { $inc: { 'a.$.y': 1 } } },
    on([{ x: 1 }, { x: 3, y: 5 }]),
  ],
  [
    'nested arrays: the outer position',
    on([{ b: [1, 2] }, { b: [3, 4] }]),
    { filter: { 'a.b': 3 }, update: { $set: { 'a.$.b': [30, 40] } } },
    on([{ b: [1, 2] }, { b: [30, 40] }]),
  ],
  ['$unset makes null', on([1, 2]), { filter: { a: 1 }, update: { $unset: { 'a.$': 1 } } }, on([null, 2])],
  [
    'with other modifiers',
    on([1, 2]),
    { filter: { a: 2 }, update: { $set: { 'a.$': 9, b: 1 } } },
    { _id: 1, a: [1, 9], b: 1 },
  ],
  ['with another index', on([1, 2]), { filter: { a: 2 }, update: { $set: { 'a.$': 9, 'a.0': 8 } } }, on([8, 9])],
  [
    'with another field at the same index',
    on([{ b: 1 }]),
    { filter: { 'a.b': 1 }, update: { $set: { 'a.$.b': 9, 'a.0.c': 8 } } },
    on([{ b: 9, c: 8 }]),
  ],
  [
    'an array below an index in the query',
    on([{ b: [0, 1] }]),
    { filter: { 'a.0.b': 1 }, update: { $set: { 'a.0.b.$': 2 } } },
    on([{ b: [0, 2] }]),
  ],
  [
    '$elemMatch below an index in the query',
    on([{ b: [{ c: 0 }, { c: 1 }] }]),
    { filter: { 'a.0.b': { $elemMatch: { c: 1 } } }, update: { $set: { 'a.0.b.$.c': 2 } } },
    on([{ b: [{ c: 0 }, { c: 2 }] }]),
  ],
  [
    'an array above an index in the query',
    on([{ b: [0, 1] }]),
    { filter: { 'a.b.1': 1 }, update: { $set: { 'a.$.b.1': 2 } } },
    on([{ b: [0, 2] }]),
  ],
  ...['b.0', 'b.0.c', 'b.0.0', 'b.0.c.0'].map((path): Case => [
    `beside an index in ${path}`,
    { _id: 1, a: [0, 1], b: [path.includes('c') ? { c: path.endsWith('0') ? [0] : 0 } : path === 'b.0' ? 0 : [0]] },
    { filter: { a: 1, [path]: 0 }, update: { $set: { 'a.$': 2 } } },
    { _id: 1, a: [0, 2], b: [path.includes('c') ? { c: path.endsWith('0') ? [0] : 0 } : path === 'b.0' ? 0 : [0]] },
  ]),
  [
    'beside $[id]',
    { _id: 1, a: [1, 2, 3], b: [10, 20] },
    { filter: { a: 2 }, update: { $set: { 'a.$': 99, 'b.$[e]': 0 } }, arrayFilters: [{ e: { $gte: 20 } }] },
    { _id: 1, a: [1, 99, 3], b: [10, 0] },
  ],
]);

check('$[]: "the update operator should modify all elements in the specified array field"', [
  ['values', on([1, 2]), { update: { $inc: { 'a.$[]': 10 } } }, on([11, 12])],
  ['fields', on([{ b: 1 }, { c: 1 }]), { update: { $set: { 'a.$[].b': 5 } } }, on([{ b: 5 }, { c: 1, b: 5 }])],
  [
    'nested',
    on([{ b: [1, 2] }, { b: [] }]),
    { update: { $inc: { 'a.$[].b.$[]': 1 } } },
    on([{ b: [2, 3] }, { b: [] }]),
  ],
  ['arrays in arrays', on([[1], [2, 3]]), { update: { $mul: { 'a.$[].$[]': 2 } } }, on([[2], [4, 6]])],
  ['an empty array', on([]), { update: { $set: { 'a.$[]': 1 } } }, 'unchanged'],
  ['two fields', on([{}]), { update: { $set: { 'a.$[].y': 1, 'a.$[].x': 2 } } }, on([{ x: 2, y: 1 }])],
  ['unset', on([1, 2]), { update: { $unset: { 'a.$[]': 1 } } }, on([null, null])],
  ['push', on([{ b: [1] }]), { update: { $push: { 'a.$[].b': 2 } } }, on([{ b: [1, 2] }])],
]);

check('$[id]: "all elements that match the array filter conditions"', [
  [
    'values',
    on([95, 102, 90, 150]),
    { update: { $set: { 'a.$[e]': 100 } }, arrayFilters: [{ e: { $gte: 100 } }] },
    on([95, 100, 90, 100]),
  ],
  [
    'documents',
    on([{ g: 80 }, { g: 95 }]),
    { update: { $set: { 'a.$[e].m': 1 } }, arrayFilters: [{ 'e.g': { $gte: 85 } }] },
    on([{ g: 80 }, { g: 95, m: 1 }]),
  ],
  [
    'several conditions',
    on([
      { g: 80, s: 1 },
      { g: 95, s: 2 },
    ]),
    { update: { $inc: { 'a.$[e].s': -5 } }, arrayFilters: [{ 'e.g': { $gte: 80 }, 'e.s': { $gte: 2 } }] },
    on([
      { g: 80, s: 1 },
      { g: 95, s: -3 },
    ]),
  ],
  [
    'within $or',
    on([1, 5, 9]),
    { update: { $set: { 'a.$[e]': 0 } }, arrayFilters: [{ $or: [{ e: 1 }, { e: { $gt: 8 } }] }] },
    on([0, 5, 0]),
  ],
  [
    'nested',
    on([
      { t: 'x', q: [1, 9] },
      { t: 'y', q: [9] },
    ]),
    { update: { $inc: { 'a.$[t].q.$[s]': 2 } }, arrayFilters: [{ 't.t': 'x' }, { s: { $gte: 8 } }] },
    on([
      { t: 'x', q: [1, 11] },
      { t: 'y', q: [9] },
    ]),
  ],
  ['none matches', on([1]), { update: { $set: { 'a.$[e]': 0 } }, arrayFilters: [{ e: 5 }] }, 'unchanged'],
  [
    'two filters on different fields of one element',
    on([{ b: 1 }, { b: 2 }]),
    { update: { $set: { 'a.$[x].p': 1, 'a.$[y].q': 1 } }, arrayFilters: [{ 'x.b': { $gte: 1 } }, { 'y.b': 2 }] },
    on([
      { b: 1, p: 1 },
      { b: 2, p: 1, q: 1 },
    ]),
  ],
  [
    'with $[]',
    on([{ b: 1 }, { b: 2 }]),
    { update: { $set: { 'a.$[].p': 1, 'a.$[y].q': 1 } }, arrayFilters: [{ 'y.b': 2 }] },
    on([
      { b: 1, p: 1 },
      { b: 2, p: 1, q: 1 },
    ]),
  ],
  [
    'elements that are arrays',
    on([[1], [2]]),
    { update: { $push: { 'a.$[e]': 0 } }, arrayFilters: [{ e: 2 }] },
    on([[1], [2, 0]]),
  ],
]);

describe('rejects positional operators with the code and the message of MongoDB', () => {
  const noMatch = '2 BadValue: The positional operator did not find the match needed from the query.';
  test.each<readonly [string, Fields, Update, string]>([
    ['no array in the query', on([1]), { update: { $set: { 'a.$': 9 } } }, noMatch],
    ['$ne', on([1]), { filter: { a: { $ne: 5 } }, update: { $set: { 'a.$': 9 } } }, noMatch],
    ['$nin', on([1]), { filter: { a: { $nin: [5] } }, update: { $set: { 'a.$': 9 } } }, noMatch],
    ['$not', on([1]), { filter: { a: { $not: { $eq: 5 } } }, update: { $set: { 'a.$': 9 } } }, noMatch],
    ['an index', on([0]), { filter: { 'a.0': 0 }, update: { $set: { 'a.$': 1 } } }, noMatch],
    ['an index and a field', on([{ b: 0 }]), { filter: { 'a.0.b': 0 }, update: { $set: { 'a.$.b': 1 } } }, noMatch],
    ['two indexes', on([[0]]), { filter: { 'a.0.0': 0 }, update: { $set: { 'a.$.0': 1 } } }, noMatch],
    [
      'indexes at two levels',
      on([{ b: [0] }]),
      { filter: { 'a.0.b.0': 0 }, update: { $set: { 'a.$.b.0': 1 } } },
      noMatch,
    ],
    ['an insert', {}, { insert: true, filter: { a: 5 }, update: { $set: { 'a.$': 9 } } }, noMatch],
    [
      'twice',
      on([1]),
      { update: { $set: { 'a.$.b.$': 9 } } },
      "2 BadValue: Too many positional (i.e. '$') elements found in path 'a.$.b.$'",
    ],
    [
      'first',
      on([1]),
      { update: { $set: { '$.a': 9 } } },
      "2 BadValue: Cannot have positional (i.e. '$') element in the first position in path '$.a'",
    ],
    [
      'the same position twice',
      on([1]),
      { filter: { a: 1 }, update: { $set: { 'a.$': 9, 'a.0': 8 } } },
      "40 ConflictingUpdateOperators: Update created a conflict at 'a.0'",
    ],
    [
      '$[] of a scalar',
      on('x'),
      { update: { $set: { 'a.$[]': 9 } } },
      '2 BadValue: Cannot apply array updates to non-array element a: "x"',
    ],
    [
      '$[] of null',
      on(null),
      { update: { $set: { 'a.$[]': 9 } } },
      '2 BadValue: Cannot apply array updates to non-array element a: null',
    ],
    [
      '$[] of nothing',
      { _id: 1 },
      { update: { $set: { 'a.$[]': 9 } } },
      "2 BadValue: The path 'a' must exist in the document in order to apply array updates.",
    ],
    [
      '$[] of nothing, deeper',
      { _id: 1, a: {} },
      { update: { $set: { 'a.b.$[].c': 9 } } },
      "2 BadValue: The path 'a.b' must exist in the document in order to apply array updates.",
    ],
    [
      '$inc of null',
      on([1, null]),
      { update: { $inc: { 'a.$[]': 5 } } },
      "14 TypeMismatch: Cannot apply $inc to a value of non-numeric type. {_id: 1} has the field '1' of non-numeric type null",
    ],
    [
      'an unknown filter',
      on([1]),
      { update: { $set: { 'a.$[x]': 9 } } },
      "2 BadValue: No array filter found for identifier 'x' in path 'a.$[x]'",
    ],
    [
      'another filter',
      on([1]),
      { update: { $set: { 'a.$[x]': 9 } }, arrayFilters: [{ y: 1 }] },
      "2 BadValue: No array filter found for identifier 'x' in path 'a.$[x]'",
    ],
    [
      'an unused filter',
      on([1]),
      { update: { $set: { b: 9 } }, arrayFilters: [{ y: 1 }] },
      "9 FailedToParse: The array filter for identifier 'y' was not used in the update { $set: { b: 9 } }",
    ],
    [
      'an empty filter',
      on([1]),
      { update: { $set: { b: 9 } }, arrayFilters: [{}] },
      '9 FailedToParse: Cannot use an expression without a top-level field name in arrayFilters',
    ],
    [
      'two names in a filter',
      on([1]),
      { update: { $set: { 'a.$[x]': 9 } }, arrayFilters: [{ x: 1, y: 1 }] },
      "9 FailedToParse: Error parsing array filter :: caused by :: Expected a single top-level field name, found 'x' and 'y'",
    ],
    [
      'two filters of one name',
      on([1]),
      { update: { $set: { 'a.$[x]': 9 } }, arrayFilters: [{ x: 1 }, { 'x.b': 1 }] },
      '9 FailedToParse: Found multiple array filters with the same top-level field name x',
    ],
    [
      'a bad name',
      on([1]),
      { update: { $set: { 'a.$[1x]': 9 } }, arrayFilters: [{ '1x': 1 }] },
      "2 BadValue: Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found '1x'",
    ],
    [
      'an empty name',
      on([1]),
      { update: { $set: { 'a.$[]': 9 } }, arrayFilters: [{ '': 1 }] },
      "2 BadValue: Error parsing array filter :: caused by :: The top-level field name must be an alphanumeric string beginning with a lowercase letter, found ''",
    ],
    [
      'a bad operator in a filter',
      on([1]),
      { update: { $set: { 'a.$[x]': 9 } }, arrayFilters: [{ x: { $foo: 1 } }] },
      '2 BadValue: Error parsing array filter :: caused by :: unknown operator: $foo',
    ],
    [
      '$expr in a filter',
      on([1]),
      { update: { $set: { 'a.$[x]': 9 } }, arrayFilters: [{ $expr: 1 }] },
      '224 Location224: Error parsing array filter :: caused by :: $expr is not allowed in this context',
    ],
    [
      'filters that overlap at one field',
      on([1]),
      { update: { $set: { 'a.$[x]': 9, 'a.$[y]': 8 } }, arrayFilters: [{ x: 1 }, { y: 1 }] },
      "40 ConflictingUpdateOperators: Update created a conflict at 'a.0'",
    ],
    [
      '$[] and a position',
      on([1]),
      { update: { $set: { 'a.$[]': 9, 'a.0': 8 } } },
      "40 ConflictingUpdateOperators: Updating the path 'a.0' would create a conflict at 'a'",
    ],
    [
      '$[] twice',
      on([1]),
      { update: { $set: { 'a.$[]': 9 }, $inc: { 'a.$[]': 8 } } },
      "40 ConflictingUpdateOperators: Updating the path 'a.$[]' would create a conflict at 'a.$[]'",
    ],
  ])('%s', (_title, doc, update, expected) => {
    expect(refusal(() => outcome(doc, update))).toBe(expected);
  });
});
