import { describe, expect, test } from 'vitest';
import { Doc } from '../src/value/doc.js';
import { DateValue, TimestampValue } from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { d, decimal, double, oid, refusal, text } from './shorthand.js';
import type { Fields } from './update-cases.js';
import { asDoc, nowMs, nowTimestamp, outcome } from './update-cases.js';

type Case = readonly [update: Shorthand, doc: Fields, expected: Fields | 'unchanged'];

const check = (title: string, cases: readonly Case[], insert = false): void => {
  describe(title, () => {
    test.each(
      cases.map(
        ([update, doc, expected]) => [text(asDoc(update as Fields)), text(asDoc(doc)), update, doc, expected] as const,
      ),
    )('%s on %s', (_update, _doc, update, doc, expected) => {
      expect(outcome(doc, { update, insert })).toBe(expected === 'unchanged' ? 'unchanged' : text(asDoc(expected)));
    });
  });
};

check('$set: "replaces the value of a field", new fields in lexicographic order, numbers in numeric order', [
  [{ $set: { a: 2 } }, { _id: 1, a: 1, b: 1 }, { _id: 1, a: 2, b: 1 }],
  [{ $set: { a: 1 } }, { a: 1 }, 'unchanged'],
  [{ $set: { a: 1n } }, { a: 1 }, { a: 1n }],
  [{ $set: { a: double(1) } }, { a: 1 }, { a: double(1) }],
  [{ $set: { a: decimal('1.00') } }, { a: decimal('1.0') }, { a: decimal('1.00') }],
  [{ $set: { a: double(NaN) } }, { a: double(NaN) }, 'unchanged'],
  [{ $set: { a: double(-0) } }, { a: double(0) }, { a: double(-0) }],
  [{ $set: { a: { x: 1, y: 2 } } }, { a: { y: 2, x: 1 } }, { a: { x: 1, y: 2 } }],
  [{ $set: { a: { x: 1 } } }, { a: { x: 1 } }, 'unchanged'],
  [{ $set: { a: [1, 'x', oid(1)] } }, { a: [1, 'x', oid(1)] }, 'unchanged'],
  [{ $set: { c: 1, b: 2, a: 3 } }, { _id: 1 }, { _id: 1, a: 3, b: 2, c: 1 }],
  [{ $set: { b: 1, _x: 2, B: 3, aa: 4, a: 5 } }, {}, { B: 3, _x: 2, a: 5, aa: 4, b: 1 }],
  [
    { $set: { 'a.10': 1, 'a.2': 2, 'a.x': 3 } },
    { a: {} },
    Doc.of([
      [
        'a',
        Doc.of([
          ['2', 2],
          ['10', 1],
          ['x', 3],
        ]),
      ],
    ]),
  ],
  [{ $set: { 'a.b': 1 } }, { a: { c: 0 } }, { a: { c: 0, b: 1 } }],
  [{ $set: { 'a.b': 1, 'a.c': 2 } }, {}, { a: { b: 1, c: 2 } }],
  [{ $set: { 'a.b.c.d': 1 } }, { a: { b: {} } }, { a: { b: { c: { d: 1 } } } }],
  [{ $set: { 'a.0': 9 } }, { a: [1, 2] }, { a: [9, 2] }],
  [{ $set: { 'a.2': 9 } }, { a: [1, 2] }, { a: [1, 2, 9] }],
  [{ $set: { 'a.4': 9 } }, { a: [1, 2] }, { a: [1, 2, null, null, 9] }],
  [{ $set: { 'a.1': 9, 'a.3': 8 } }, { a: [] }, { a: [null, 9, null, 8] }],
  [{ $set: { 'a.0': 9 } }, {}, { a: { 0: 9 } }],
  [{ $set: { 'a.0.b': 9 } }, { a: [{ b: 1 }] }, { a: [{ b: 9 }] }],
  [{ $set: { 'a.1.b': 9 } }, { a: [{ b: 1 }] }, { a: [{ b: 1 }, { b: 9 }] }],
  [{ $set: { 'a.0.1': 9 } }, { a: [[1]] }, { a: [[1, 9]] }],
  [{ $set: {} }, { a: 1 }, 'unchanged'],
  [{ $set: { _id: 1 } }, { _id: 1 }, 'unchanged'],
  [{ $set: { 'a.$b': 1 } }, { a: {} }, { a: { $b: 1 } }],
  [{ $set: { a: { $b: 1 } } }, {}, { a: { $b: 1 } }],
  [{ $set: { __proto: 1, constructor: 2 } }, {}, { __proto: 1, constructor: 2 }],
  [
    { $set: { a: 1 }, $unset: { b: 1 }, $inc: { c: 1 } },
    { b: 1, c: 1 },
    { c: 2, a: 1 },
  ],
]);

check('$unset: "deletes a particular field"; an array element becomes null', [
  [{ $unset: { a: '' } }, { _id: 1, a: 1 }, { _id: 1 }],
  [{ $unset: { a: 1, b: true } }, { a: 1, b: 2, c: 3 }, { c: 3 }],
  [{ $unset: { z: 1 } }, { a: 1 }, 'unchanged'],
  [{ $unset: { 'a.b': 1 } }, { a: { b: 1, c: 2 } }, { a: { c: 2 } }],
  [{ $unset: { 'a.b': 1 } }, { a: { b: 1 } }, { a: {} }],
  [{ $unset: { 'a.0': 1 } }, { a: [1, 2] }, { a: [null, 2] }],
  [{ $unset: { 'a.5': 1 } }, { a: [1, 2] }, 'unchanged'],
  [{ $unset: { 'a.b': 1 } }, { a: 5 }, 'unchanged'],
  [{ $unset: { 'a.b': 1 } }, { a: [{ b: 1 }] }, 'unchanged'],
  [{ $unset: { 'a.0.b': 1 } }, { a: [{ b: 1, c: 1 }] }, { a: [{ c: 1 }] }],
]);

check('$setOnInsert changes nothing in an update', [[{ $setOnInsert: { a: 1, 'b.c': 2 } }, { a: 0 }, 'unchanged']]);
check(
  '$setOnInsert sets fields in an insert',
  [[{ $setOnInsert: { a: 1, 'b.c': 2 } }, { _id: 1 }, { _id: 1, a: 1, b: { c: 2 } }]],
  true,
);

check('$min, $max compare values of all types', [
  [{ $min: { a: 5 } }, { a: 6 }, { a: 5 }],
  [{ $min: { a: 5 } }, { a: 5 }, 'unchanged'],
  [{ $min: { a: double(5) } }, { a: 5 }, 'unchanged'],
  [{ $min: { a: 5 } }, { a: 4 }, 'unchanged'],
  [{ $min: { a: 5 } }, {}, { a: 5 }],
  [{ $min: { a: 5 } }, { a: null }, 'unchanged'],
  [{ $min: { a: null } }, { a: 5 }, { a: null }],
  [{ $max: { a: 5 } }, { a: 4 }, { a: 5 }],
  [{ $max: { a: 5 } }, { a: 6n }, 'unchanged'],
  [{ $max: { a: 'x' } }, { a: 5 }, { a: 'x' }],
  [{ $max: { a: 5 } }, { a: null }, { a: 5 }],
  [{ $max: { 'a.b': 1 } }, {}, { a: { b: 1 } }],
  [{ $max: { a: new DateValue(9) } }, { a: new DateValue(5) }, { a: new DateValue(9) }],
  [{ $max: { a: [2] } }, { a: [1, 9] }, { a: [2] }],
]);

check('$currentDate', [
  [{ $currentDate: { a: true } }, { a: 1 }, { a: new DateValue(nowMs) }],
  [{ $currentDate: { a: false } }, {}, { a: new DateValue(nowMs) }],
  [{ $currentDate: { 'a.b': { $type: 'date' } } }, {}, { a: { b: new DateValue(nowMs) } }],
  [{ $currentDate: { a: { $type: 'timestamp' } } }, {}, { a: nowTimestamp }],
  [{ $currentDate: { a: true } }, { a: new DateValue(nowMs) }, 'unchanged'],
]);

check('$rename: "first performs an $unset of both the old name and the new name, and then performs a $set operation"', [
  [{ $rename: { a: 'c' } }, { _id: 1, a: 10, b: 20 }, { _id: 1, b: 20, c: 10 }],
  [{ $rename: { a: 'b' } }, { _id: 1, a: 42, b: 'old' }, { _id: 1, b: 42 }],
  [{ $rename: { z: 'y' } }, { x: 1, y: 2 }, 'unchanged'],
  [{ $rename: { 'a.b': 'a.d' } }, { a: { b: 5, c: 6 } }, { a: { c: 6, d: 5 } }],
  [{ $rename: { x: 'a.b' } }, { x: 99 }, { a: { b: 99 } }],
  [{ $rename: { 'a.b': 'x' } }, { a: { b: 1 } }, { a: {}, x: 1 }],
  [
    { $rename: { a: 'x', b: 'y' }, $set: { c: 1 } },
    { a: 1, b: 2 },
    { c: 1, x: 1, y: 2 },
  ],
  [{ $rename: { 'a.x': 'b' } }, { a: { y: 1 } }, 'unchanged'],
]);

describe('rejects field modifiers with the code and the message of MongoDB', () => {
  const nested = { _id: 'n', v: [{ foo: [{ bar: 'hello' }, { bar: 'world' }] }] };
  const shown = '{v: [ { foo: [ { bar: "hello" }, { bar: "world" } ] } ]}';
  test.each<readonly [Shorthand, Fields, string]>([
    [
      { $foo: { a: 1 } },
      {},
      '9 FailedToParse: Unknown modifier: $foo. Expected a valid update modifier or pipeline-style update specified as an array',
    ],
    [
      { $set: { a: 1 }, b: 1 },
      {},
      '9 FailedToParse: Unknown modifier: b. Expected a valid update modifier or pipeline-style update specified as an array',
    ],
    [
      { $set: 1 },
      {},
      '9 FailedToParse: Modifiers operate on fields but we found type int instead. For example: {$mod: {<field>: ...}} not {$set: 1}',
    ],
    [
      { $currentDate: [1] },
      {},
      '9 FailedToParse: Modifiers operate on fields but we found type array instead. For example: {$mod: {<field>: ...}} not {$currentDate: [ 1 ]}',
    ],
    [{ $set: { '': 1 } }, {}, '56 EmptyFieldName: An empty update path is not valid.'],
    [
      { $set: { 'a.': 1 } },
      {},
      "56 EmptyFieldName: The update path 'a.' contains an empty field name, which is not allowed.",
    ],
    [
      { $pull: { 'a..b': 1 } },
      {},
      "56 EmptyFieldName: The update path 'a..b' contains an empty field name, which is not allowed.",
    ],
    [
      { $set: { a: 1 }, $inc: { a: 1 } },
      {},
      "40 ConflictingUpdateOperators: Updating the path 'a' would create a conflict at 'a'",
    ],
    [
      { $set: { a: 1, 'a.b': 1 } },
      {},
      "40 ConflictingUpdateOperators: Updating the path 'a.b' would create a conflict at 'a'",
    ],
    [
      { $set: { 'a.b.c': 1 }, $unset: { 'a.b': 1 } },
      {},
      "40 ConflictingUpdateOperators: Updating the path 'a.b' would create a conflict at 'a.b'",
    ],
    [
      { $rename: { b: 'z' }, $set: { b: 100 } },
      {},
      "40 ConflictingUpdateOperators: Updating the path 'b' would create a conflict at 'b'",
    ],
    [
      { $rename: { a: 'b', c: 'b' } },
      {},
      "40 ConflictingUpdateOperators: Updating the path 'b' would create a conflict at 'b'",
    ],
    [
      { $set: { _id: 2 } },
      { _id: 1 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { $set: { _id: double(1) } },
      { _id: 1 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { $unset: { _id: 1 } },
      { _id: 1 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { $inc: { _id: 1 } },
      { _id: 1 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { $currentDate: { _id: true } },
      { _id: 1 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { $set: { '_id.a': 2 } },
      { _id: { a: 1 } },
      "66 ImmutableField: Performing an update on the path '_id.a' would modify the immutable field '_id'",
    ],
    [
      { $set: { '_id.b': 2 } },
      { _id: { a: 1 } },
      "66 ImmutableField: Performing an update on the path '_id.b' would modify the immutable field '_id'",
    ],
    [
      { $rename: { _id: 'x' } },
      { _id: 1 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [
      { $rename: { a: '_id' } },
      { _id: 1, a: 2 },
      "66 ImmutableField: Performing an update on the path '_id' would modify the immutable field '_id'",
    ],
    [{ $set: { '_id.a': 2 } }, { _id: 1 }, "28 PathNotViable: Cannot create field 'a' in element {_id: 1}"],
    [{ $set: { 'a.b': 1 } }, { a: 5 }, "28 PathNotViable: Cannot create field 'b' in element {a: 5}"],
    [{ $set: { 'a.b.c': 1 } }, { a: { b: null } }, "28 PathNotViable: Cannot create field 'c' in element {b: null}"],
    [{ $set: { 'a.0.b': 1 } }, { a: ['x'] }, `28 PathNotViable: Cannot create field 'b' in element {0: "x"}`],
    [{ $inc: { 'v.foo': 1 } }, nested, `28 PathNotViable: Cannot create field 'foo' in element ${shown}`],
    [{ $max: { 'v.foo': 1 } }, nested, `28 PathNotViable: Cannot create field 'foo' in element ${shown}`],
    [{ $set: { 'a.-1': 1 } }, { a: [] }, "28 PathNotViable: Cannot create field '-1' in element {a: []}"],
    [{ $set: { 'a.2000000': 1 } }, { a: [] }, "34 CannotBackfillArray: can't backfill more than 1500000 elements"],
    [
      { $set: { $hotel: 1 } },
      { _id: 1 },
      "52 DollarPrefixedFieldName: The dollar ($) prefixed field '$hotel' in '$hotel' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
    ],
    [
      { $currentDate: { a: 1 } },
      {},
      "2 BadValue: int is not valid type for $currentDate. Please use a boolean ('true') or a $type expression ({$type: 'timestamp/date'}).",
    ],
    [{ $currentDate: { a: { x: 1 } } }, {}, '2 BadValue: Unrecognized $currentDate option: x'],
    [
      { $currentDate: { a: { $type: 'x' } } },
      {},
      "2 BadValue: The '$type' string field is required to be 'date' or 'timestamp': {$currentDate: {field : {$type: 'date'}}}",
    ],
    [{ $rename: { a: 1 } }, {}, "2 BadValue: The 'to' field for $rename must be a string: a: 1"],
    [{ $rename: { a: '' } }, {}, '56 EmptyFieldName: An empty update path is not valid.'],
    [{ $rename: { '': 'a' } }, {}, '56 EmptyFieldName: An empty update path is not valid.'],
    [{ $rename: { a: 'a' } }, {}, '2 BadValue: The source and target field for $rename must differ: a: "a"'],
    [
      { $rename: { a: 'a.b' } },
      {},
      '2 BadValue: The source and target field for $rename must not be on the same path: a: "a.b"',
    ],
    [
      { $rename: { 'a.b': 'a' } },
      {},
      '2 BadValue: The source and target field for $rename must not be on the same path: a.b: "a"',
    ],
    [{ $rename: { 'a.$[].x': 'b' } }, {}, '2 BadValue: The source field for $rename may not be dynamic: a.$[].x'],
    [
      { $rename: { a: 'b\0' } },
      {},
      `2 BadValue: The 'to' field for $rename cannot contain an embedded null byte: a: "b\0"`,
    ],
    [{ $rename: { b: 'a.$' } }, {}, '2 BadValue: The destination field for $rename may not be dynamic: a.$'],
    [
      { $rename: { 'v.foo': 'foo' } },
      nested,
      `28 PathNotViable: cannot use the part (v of v.foo) to traverse the element (${shown})`,
    ],
    [
      { $rename: { 'a.b': 'c' } },
      { a: 5 },
      '28 PathNotViable: cannot use the part (a of a.b) to traverse the element ({a: 5})',
    ],
    [
      { $rename: { 'v.0.foo': 'f' } },
      nested,
      `2 BadValue: The source field cannot be an array element, 'v.0.foo' in doc with _id: "n" has an array field called 'v'`,
    ],
    [
      { $rename: { a: 'b.0' } },
      { _id: 1, a: 1, b: [1] },
      "2 BadValue: The destination field cannot be an array element, 'b.0' in doc with _id: 1 has an array field called 'b'",
    ],
  ])('%j on %j', (update, doc, expected) => {
    expect(refusal(() => outcome(doc, { update }))).toBe(expected);
  });

  test('$rename does nothing if an array index on its path does not exist', () => {
    const update = { $rename: { 'a.1.x': 'b' } };
    expect([
      outcome({ a: [] }, { update }),
      outcome({ a: [5, [6]] }, { update: { $rename: { 'a.1.3': 'b' } } }),
    ]).toEqual(['unchanged', 'unchanged']);
  });

  test('$unset and $setOnInsert ignore a scalar on their path, and $pull, $pullAll and $pop reject it', () => {
    expect(outcome({ a: 5, b: [1] }, { update: { $unset: { 'a.x': 1, 'b.x': 1 } } })).toBe('unchanged');
    const refusals = [{ $pull: { 'a.x.y': 1 } }, { $pullAll: { 'b.x': [1] } }, { $pop: { 'a.x': 1 } }].map(update =>
      refusal(() => outcome({ a: 5, b: [1] }, { update })),
    );
    expect(refusals).toEqual([
      '28 PathNotViable: Cannot use the part (x) of (a.x.y) to traverse the element ({a: 5})',
      '28 PathNotViable: Cannot use the part (x) of (b.x) to traverse the element ({b: [ 1 ]})',
      '28 PathNotViable: Cannot use the part (x) of (a.x) to traverse the element ({a: 5})',
    ]);
    expect(outcome({ a: 5 }, { update: { $setOnInsert: { 'a.x': 1 } } })).toBe('unchanged');
  });
});

describe('replacement', () => {
  test.each<readonly [Shorthand, Fields, Fields | 'unchanged']>([
    [{ a: 2 }, { _id: 1, a: 1, b: 1 }, { _id: 1, a: 2 }],
    [{ a: 1 }, { _id: 1, a: 1 }, 'unchanged'],
    [{}, { _id: 1, a: 1 }, { _id: 1 }],
    [{ a: 2, _id: 1 }, { _id: 1 }, { _id: 1, a: 2 }],
    [{ a: double(1) }, { _id: 1, a: 1 }, { _id: 1, a: double(1) }],
    [
      { b: 1, a: 1 },
      { _id: 1, a: 1, b: 1 },
      { _id: 1, b: 1, a: 1 },
    ],
    [{ a: { $x: 1 } }, { _id: 1 }, { _id: 1, a: { $x: 1 } }],
    [
      { t: new TimestampValue(0, 0), n: { t: new TimestampValue(0, 0) } },
      { _id: 1 },
      { _id: 1, t: nowTimestamp, n: { t: new TimestampValue(0, 0) } },
    ],
  ])('%j of %j', (update, doc, expected) => {
    expect(outcome(doc, { update })).toBe(expected === 'unchanged' ? 'unchanged' : text(asDoc(expected)));
  });

  test('keeps the _id and rejects top-level names with a dollar', () => {
    expect(refusal(() => outcome({ _id: 1 }, { update: { _id: 2 } }))).toBe(
      "66 ImmutableField: After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2",
    );
    expect(refusal(() => outcome({ _id: 1 }, { update: { a: 1, $set: { b: 1 } } }))).toBe(
      "52 DollarPrefixedFieldName: The dollar ($) prefixed field '$set' in '$set' is not allowed in the context of an update's replacement document. Consider using an aggregation pipeline with $replaceWith.",
    );
  });

  test('ignores array filters', () => {
    expect(outcome({ _id: 1 }, { update: { a: 1 }, arrayFilters: [{ x: 1 }] })).toBe('{_id: 1, a: 1}');
  });
});

describe('pipeline', () => {
  const pipeline = () => (doc: Doc) => doc.without('_id').with('p', 1);

  test('returns the new document with the same _id', () => {
    expect(outcome({ _id: 1, a: 1 }, { update: [{ $set: { p: 1 } }], pipeline })).toBe(text(d({ _id: 1, a: 1, p: 1 })));
    expect(outcome({ _id: 1, p: 1 }, { update: [{ $set: { p: 1 } }], pipeline })).toBe('unchanged');
    expect(outcome({ _id: 1 }, { update: [], pipeline: () => doc => doc.with('$x', 1) })).toBe(
      text(d({ _id: 1, $x: 1 })),
    );
  });

  test.each<readonly [Shorthand, string]>([
    [[{ $match: { a: 1 } }], '72 InvalidOptions: $match is not allowed to be used within an update'],
    [[{ $set: { a: 1 } }, { $group: {} }], '72 InvalidOptions: $group is not allowed to be used within an update'],
  ])('rejects %j', (update, expected) => {
    expect(refusal(() => outcome({ _id: 1 }, { update, pipeline }))).toBe(expected);
  });

  test('cannot change the _id or use array filters', () => {
    expect(refusal(() => outcome({ _id: 1 }, { update: [], pipeline: () => doc => doc.with('_id', 2) }))).toBe(
      "66 ImmutableField: After applying the update, the (immutable) field '_id' was found to have been altered to _id: 2",
    );
    expect(refusal(() => outcome({ _id: 1 }, { update: [], pipeline, arrayFilters: [{ x: 1 }] }))).toBe(
      '9 FailedToParse: arrayFilters may not be specified for pipeline-syle updates',
    );
  });
});
