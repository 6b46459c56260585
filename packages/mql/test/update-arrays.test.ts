import { describe, expect, test } from 'vitest';
import type { Shorthand } from './shorthand.js';
import { decimal, double, refusal, text } from './shorthand.js';
import type { Fields } from './update-cases.js';
import { asDoc, outcome } from './update-cases.js';

type Case = readonly [update: Shorthand, doc: Fields, expected: Fields | 'unchanged'];

const check = (title: string, cases: readonly Case[]): void => {
  describe(title, () => {
    test.each(
      cases.map(
        ([update, doc, expected]) => [text(asDoc(update as Fields)), text(asDoc(doc)), update, doc, expected] as const,
      ),
    )('%s on %s', (_update, _doc, update, doc, expected) => {
      expect(outcome(doc, { update })).toBe(expected === 'unchanged' ? 'unchanged' : text(asDoc(expected)));
    });
  });
};

const on = (a: Shorthand): Fields => ({ a });
const pushed = (modifiers: { readonly [key: string]: Shorthand }): Shorthand => ({ $push: { a: modifiers } });

check('$push', [
  [{ $push: { a: 3 } }, on([1, 2]), on([1, 2, 3])],
  [{ $push: { a: [3, 4] } }, on([1]), on([1, [3, 4]])],
  [{ $push: { a: { b: 1 } } }, on([]), on([{ b: 1 }])],
  [{ $push: { a: 1 } }, {}, on([1])],
  [{ $push: { 'a.b': 1 } }, {}, { a: { b: [1] } }],
  [{ $push: { 'a.0.b': 1 } }, on([{ b: [0] }]), on([{ b: [0, 1] }])],
  [pushed({ $each: [3, 4] }), on([1]), on([1, 3, 4])],
  [pushed({ $each: [] }), on([1]), 'unchanged'],
  [pushed({ $each: [] }), {}, on([])],
  [pushed({ $sort: 1 }), on([3]), on([3, { $sort: 1 }])],
  [pushed({ $slice: 1 }), on([3]), on([3, { $slice: 1 }])],
  [pushed({ $sort: 1, $each: [2] }), on([3]), on([2, 3])],
]);

check('$push with $position: "a negative number indicates the position counting from the end"', [
  [pushed({ $each: [5], $position: 0 }), on([1, 2]), on([5, 1, 2])],
  [pushed({ $each: [5, 6], $position: 1 }), on([1, 2]), on([1, 5, 6, 2])],
  [pushed({ $each: [5], $position: 9 }), on([1, 2]), on([1, 2, 5])],
  [pushed({ $each: [5], $position: -1 }), on([1, 2]), on([1, 5, 2])],
  [pushed({ $each: [5], $position: -9 }), on([1, 2]), on([5, 1, 2])],
  [pushed({ $each: [5], $position: double(1) }), on([1, 2]), on([1, 5, 2])],
  [pushed({ $each: [5], $position: decimal('1') }), on([1, 2]), on([1, 5, 2])],
  [pushed({ $each: [5], $position: 3 }), {}, on([5])],
]);

check('$push with $slice: "to update the array with the last (first) elements only"', [
  [pushed({ $each: [3], $slice: 2 }), on([1, 2]), 'unchanged'],
  [pushed({ $each: [3], $slice: 2 }), on([1]), on([1, 3])],
  [pushed({ $each: [3], $slice: -2 }), on([1, 2]), on([2, 3])],
  [pushed({ $each: [3], $slice: 0 }), on([1, 2]), on([])],
  [pushed({ $each: [3], $slice: 9 }), on([1, 2]), on([1, 2, 3])],
  [pushed({ $each: [], $slice: -1 }), on([1, 2]), on([2])],
  [pushed({ $each: [], $slice: 5 }), on([1, 2]), 'unchanged'],
  [pushed({ $each: [], $slice: decimal('1') }), on([1, 2]), on([1])],
]);

check('$push with $sort', [
  [pushed({ $each: [2], $sort: 1 }), on([3, 1]), on([1, 2, 3])],
  [pushed({ $each: [2], $sort: -1 }), on([3, 1]), on([3, 2, 1])],
  [
    pushed({ $each: [{ x: [2, 9] }], $sort: { x: 1 } }),
    on([{ x: [3, 1] }, { x: 7 }]),
    on([{ x: 7 }, { x: [2, 9] }, { x: [3, 1] }]),
  ],
  [pushed({ $each: [], $sort: 1 }), on([1, 2]), 'unchanged'],
  [pushed({ $each: [3, 1, 2], $sort: double(1) }), {}, on([1, 2, 3])],
  [pushed({ $each: [], $sort: 1 }), on([3, null, 1]), on([null, 1, 3])],
  [pushed({ $each: [], $sort: 1 }), on([1, 'string', null, true, { a: 1 }]), on([null, 1, 'string', { a: 1 }, true])],
  [
    pushed({ $each: [], $sort: 1 }),
    on([
      [3, 1],
      [1, 2],
      [2, 3],
    ]),
    on([
      [1, 2],
      [2, 3],
      [3, 1],
    ]),
  ],
  [
    pushed({ $each: [], $sort: 1 }),
    on([decimal('NaN'), 1, double(NaN), decimal('2')]),
    on([decimal('NaN'), double(NaN), 1, decimal('2')]),
  ],
  [pushed({ $each: [{ s: 2 }], $sort: { s: 1 } }), on([{ s: 3 }, { s: 1 }]), on([{ s: 1 }, { s: 2 }, { s: 3 }])],
  [
    pushed({ $each: [], $sort: { s: -1, t: 1 } }),
    on([{ s: 1, t: 2 }, { s: 1, t: 1 }, { s: 2 }]),
    on([{ s: 2 }, { s: 1, t: 1 }, { s: 1, t: 2 }]),
  ],
  [
    pushed({ $each: [], $sort: { s: 1 } }),
    on([
      { n: 1, s: 5 },
      { n: 2, s: 5 },
    ]),
    'unchanged',
  ],
  [
    pushed({ $each: [], $sort: { s: 1 } }),
    on([{ s: 3 }, { n: 'none' }, { s: 1 }]),
    on([{ n: 'none' }, { s: 1 }, { s: 3 }]),
  ],
  [pushed({ $each: [], $sort: { s: 1 } }), on([{ s: 5 }, 3, { s: 1 }, 'text']), on([3, 'text', { s: 1 }, { s: 5 }])],
  [pushed({ $each: [], $sort: { 'a.s': 1 } }), on([{ s: 3 }, { s: 1 }]), 'unchanged'],
  [
    pushed({ $each: [{ b: { c: 1 } }], $sort: { 'b.c': 1 } }),
    on([{ b: { c: 2 } }]),
    on([{ b: { c: 1 } }, { b: { c: 2 } }]),
  ],
  [pushed({ $each: [9, 0], $position: 0, $sort: -1, $slice: 3 }), on([5, 7]), on([9, 7, 5])],
]);

check('$addToSet: "adds a value to an array unless the value is already present"', [
  [{ $addToSet: { a: 3 } }, on([1, 2]), on([1, 2, 3])],
  [{ $addToSet: { a: 2 } }, on([1, 2]), 'unchanged'],
  [{ $addToSet: { a: double(2) } }, on([1, 2]), 'unchanged'],
  [{ $addToSet: { a: '2' } }, on([2]), on([2, '2'])],
  [{ $addToSet: { a: 1 } }, {}, on([1])],
  [{ $addToSet: { a: [1, 2] } }, on([1, 2]), on([1, 2, [1, 2]])],
  [{ $addToSet: { a: { x: 1, y: 2 } } }, on([{ x: 1, y: 2 }]), 'unchanged'],
  [
    { $addToSet: { a: { y: 2, x: 1 } } },
    on([{ x: 1, y: 2 }]),
    on([
      { x: 1, y: 2 },
      { y: 2, x: 1 },
    ]),
  ],
  [{ $addToSet: { a: { $each: [2, 3, 3, 4n] } } }, on([1, 2]), on([1, 2, 3, 4n])],
  [{ $addToSet: { a: { $each: [1, 1] } } }, {}, on([1])],
  [{ $addToSet: { a: { $each: [] } } }, {}, on([])],
  [{ $addToSet: { a: { $each: [] } } }, on([1]), 'unchanged'],
  [{ $addToSet: { a: { b: 1, $each: [2] } } }, on([]), on([{ b: 1, $each: [2] }])],
  [{ $addToSet: { a: 1 } }, on([1, 1]), 'unchanged'],
]);

check('$pop with 1 removes the last element, with -1 the first', [
  [{ $pop: { a: 1 } }, on([1, 2, 3]), on([1, 2])],
  [{ $pop: { a: -1 } }, on([1, 2, 3]), on([2, 3])],
  [{ $pop: { a: double(1) } }, on([1]), on([])],
  [{ $pop: { a: 1n } }, on([1, 2]), on([1])],
  [{ $pop: { a: 1 } }, on([]), 'unchanged'],
  [{ $pop: { a: 1 } }, {}, 'unchanged'],
  [{ $pop: { 'a.b': -1 } }, { a: { b: [1, 2] } }, { a: { b: [2] } }],
]);

check('$pull: "all instances of a value or values that match a specified condition"', [
  [{ $pull: { a: 2 } }, on([1, 2, 3, 2, double(2)]), on([1, 3])],
  [{ $pull: { a: 9 } }, on([1]), 'unchanged'],
  [{ $pull: { a: 1 } }, on([1, [1, 2], 3]), on([[1, 2], 3])],
  [{ $pull: { a: 1 } }, {}, 'unchanged'],
  [{ $pull: { a: null } }, on([1, null]), on([1])],
  [{ $pull: { a: { $eq: null } } }, on([1, null]), on([1])],
  [{ $pull: { a: { $gte: 3 } } }, on([1, 3, 5, 'x']), on([1, 'x'])],
  [{ $pull: { a: { $gte: 3, $lt: 5 } } }, on([1, 3, 5]), on([1, 5])],
  [{ $pull: { a: { $in: ['x', 1] } } }, on(['x', 'y', 1]), on(['y'])],
  [{ $pull: { a: { $ne: 1 } } }, on([1, 2]), on([1])],
  [{ $pull: { a: { $elemMatch: { b: 1 } } } }, on([[{ b: 1 }], [{ b: 2 }]]), on([[{ b: 2 }]])],
  [{ $pull: { a: /^x/ } }, on(['xa', 'ya']), on(['ya'])],
  [{ $pull: { a: [1, 2] } }, on([[1, 2], [2, 1], 1]), on([[2, 1], 1])],
  [{ $pull: { a: {} } }, on([1, 2]), 'unchanged'],
  [{ $pull: { a: {} } }, on([{ b: 1 }, {}]), on([])],
  [{ $pull: { a: { b: 1, c: 2 } } }, on([{ b: 1, c: 2 }, { c: 2, b: 1, d: 0 }, { b: 1 }]), on([{ b: 1 }])],
  [{ $pull: { a: { b: { $gte: 8 } } } }, on([{ b: 9 }, { b: 1 }]), on([{ b: 1 }])],
  [{ $pull: { a: { b: { $elemMatch: { q: 2 } } } } }, on([{ b: [{ q: 2 }] }, { b: [] }]), on([{ b: [] }])],
  [{ $pull: { a: 2, b: 'y' } }, { a: [1, 2], b: ['x', 'y'] }, { a: [1], b: ['x'] }],
  [
    { $pull: { a: { $ref: 'c', $id: 1 } } },
    on([
      { $ref: 'c', $id: 1 },
      { $ref: 'c', $id: 2 },
    ]),
    on([{ $ref: 'c', $id: 2 }]),
  ],
  [
    { $pull: { a: { $id: 1 } } },
    on([
      { $ref: 'c', $id: 1 },
      { $ref: 'c', $id: 2 },
    ]),
    on([{ $ref: 'c', $id: 2 }]),
  ],
  [
    { $pull: { a: { $ref: 'c' } } },
    on([
      { $ref: 'c', $id: 1 },
      { $ref: 'd', $id: 2 },
    ]),
    on([{ $ref: 'd', $id: 2 }]),
  ],
  [{ $pull: { a: { $db: 'd' } } }, on([{ $ref: 'c', $id: 1, $db: 'd' }, { $id: 1 }]), on([{ $id: 1 }])],
  [{ $pull: { a: { $or: [{ $id: 1 }, { $ref: 'd' }] } } }, on([{ $ref: 'c', $id: 1 }, { $ref: 'd' }, 1]), on([1])],
  [{ $pull: { a: { $comment: 'x', b: 1 } } }, on([{ b: 1 }, { b: 2 }, 1]), on([{ b: 2 }, 1])],
  [{ $pull: { a: { $alwaysTrue: 1 } } }, on([{ b: 1 }, 1]), on([1])],
  [{ $pull: { a: { $type: 'string' } } }, on([1, 'x']), on([1])],
  // A condition that begins with an operator that combines filters is a filter for documents.
  [{ $pull: { a: { $or: [{ x: 1 }, { y: 1 }] } } }, on([{ x: 1 }, { y: 1 }, { z: 1 }, 1]), on([{ z: 1 }, 1])],
  [{ $pull: { a: { $and: [{ x: 1 }, { y: 1 }] } } }, on([{ x: 1, y: 1 }, { x: 1 }]), on([{ x: 1 }])],
  [{ $pull: { a: { $nor: [{ x: 1 }] } } }, on([{ x: 1 }, { y: 1 }, 1]), on([{ x: 1 }, 1])],
  [{ $pull: { a: { $or: [{ x: 1 }], y: 1 } } }, on([{ x: 1 }, { x: 1, y: 1 }]), on([{ x: 1 }])],
]);

check('$pullAll: "elements that exactly match"', [
  [{ $pullAll: { a: [0, 5] } }, on([0, 2, 5, 5, 1]), on([2, 1])],
  [{ $pullAll: { a: [{ x: 1 }] } }, on([{ x: 1 }, { x: 1, y: 1 }]), on([{ x: 1, y: 1 }])],
  [{ $pullAll: { a: [[1]] } }, on([[1], 1]), on([1])],
  [{ $pullAll: { a: [] } }, on([1]), 'unchanged'],
  [{ $pullAll: { a: [1] } }, {}, 'unchanged'],
]);

describe('rejects array modifiers with the code and the message of MongoDB', () => {
  const negation = '. If you are trying to negate an entire expression, use $nor.';
  const dollar = ". If you have a field name that starts with a '$' symbol, consider using $getField or $setField.";
  const sort = 'The $sort is invalid: use 1/-1 to sort the whole element, or {field:1/-1} to sort embedded fields';
  test.each<readonly [Shorthand, Fields, string]>([
    [
      { $push: { a: 1 } },
      { _id: 1, a: 5 },
      "2 BadValue: The field 'a' must be an array but is of type int in document {_id: 1}",
    ],
    [
      { $push: { a: 1 } },
      { _id: 1, a: null },
      "2 BadValue: The field 'a' must be an array but is of type null in document {_id: 1}",
    ],
    [
      pushed({ $each: 1 }),
      on([]),
      '2 BadValue: The argument to $each in $push must be an array but it was of type: int',
    ],
    [pushed({ $each: [1], $xxx: 1 }), on([]), '2 BadValue: Unrecognized clause in $push: $xxx'],
    [
      pushed({ $each: [1], $slice: 'x' }),
      on([]),
      '2 BadValue: The value for $slice must be an integer value but was given type: string',
    ],
    [
      pushed({ $each: [1], $slice: 2.5 }),
      on([]),
      '2 BadValue: The value for $slice must be an integer value but was given type: double',
    ],
    [
      pushed({ $each: [1], $slice: double(NaN) }),
      on([]),
      '2 BadValue: The value for $slice must be an integer value but was given type: double',
    ],
    [
      pushed({ $each: [1], $position: 'x' }),
      on([]),
      '2 BadValue: The value for $position must be an integer value, not of type: string',
    ],
    [
      pushed({ $each: [1], $position: 1.5 }),
      on([]),
      '2 BadValue: The value for $position must be an integer value, not of type: double',
    ],
    [pushed({ $each: [], $sort: 0 }), on([]), `2 BadValue: ${sort}`],
    [pushed({ $each: [], $sort: 2 }), on([]), `2 BadValue: ${sort}`],
    [pushed({ $each: [], $sort: 'x' }), on([]), `2 BadValue: ${sort}`],
    [pushed({ $each: [], $sort: { a: 0 } }), on([]), '2 BadValue: The $sort element value must be either 1 or -1'],
    [pushed({ $each: [], $sort: { a: 'asc' } }), on([]), '2 BadValue: The $sort element value must be either 1 or -1'],
    [
      pushed({ $each: [], $sort: {} }),
      on([]),
      '2 BadValue: The $sort pattern is empty when it should be a set of fields.',
    ],
    [
      pushed({ $each: [], $sort: { 'a.': 1 } }),
      on([]),
      '2 BadValue: The $sort field is a dotted field but has an empty part: a.',
    ],
    [pushed({ $each: [], $sort: { '': 1 } }), on([]), '2 BadValue: The $sort field cannot be empty'],
    [
      { $addToSet: { a: 1 } },
      on(5),
      "2 BadValue: Cannot apply $addToSet to non-array field. Field named 'a' has non-array type int",
    ],
    [
      { $addToSet: { a: { $each: 1 } } },
      on([]),
      '14 TypeMismatch: The argument to $each in $addToSet must be an array but it was of type int',
    ],
    [
      { $addToSet: { a: { $each: [4], $sort: 1 } } },
      on([]),
      '2 BadValue: Found unexpected fields after $each in $addToSet: { $each: [ 4 ], $sort: 1 }',
    ],
    [{ $pop: { a: 2 } }, on([]), '9 FailedToParse: $pop expects 1 or -1, found: 2'],
    [{ $pop: { a: 0 } }, on([]), '9 FailedToParse: $pop expects 1 or -1, found: 0'],
    [{ $pop: { a: 'x' } }, on([]), '9 FailedToParse: Expected a number in: a: "x"'],
    [{ $pop: { a: 1.5 } }, on([]), '9 FailedToParse: Expected an integer: a: 1.5'],
    [{ $pop: { a: 1 } }, on(5), "14 TypeMismatch: Path 'a' contains an element of non-array type 'int'"],
    [{ $pull: { a: 1 } }, on(5), '2 BadValue: Cannot apply $pull to a non-array value'],
    [{ $pull: { a: { $each: [1], $sort: 1 } } }, on([]), `2 BadValue: unknown top level operator: $each${dollar}`],
    [{ $pull: { a: { $not: { $gt: 1 } } } }, on([2]), `2 BadValue: unknown top level operator: $not${negation}`],
    [{ $pull: { a: { $eq: 1, $or: [{ b: 1 }] } } }, on([1]), '2 BadValue: unknown operator: $or'],
    [{ $pull: { a: { b: { $id: 1 } } } }, on([]), '2 BadValue: unknown operator: $id'],
    [{ $pull: { a: { $jsonSchema: {} } } }, on([]), '224 Location224: $jsonSchema is not allowed in this context'],
    [{ $pull: { a: { $or: [{ $expr: 1 }] } } }, on([]), '224 Location224: $expr is not allowed in this context'],
    [{ $pull: { a: { $text: { $search: 'x' } } } }, on([]), '2 BadValue: $text is not allowed in this context'],
    [{ $pull: { a: { $where: 'true' } } }, on([]), '2 BadValue: $where is not allowed in this context'],
    [{ $pull: { a: { $expr: 1 } } }, on([]), '224 Location224: $expr is not allowed in this context'],
    [{ $pullAll: { a: [1] } }, on('x'), '2 BadValue: Cannot apply $pull to a non-array value'],
    [{ $pullAll: { a: 1 } }, on([]), '2 BadValue: $pullAll requires an array argument but was given a int'],
    [
      { $pullAll: { a: { $each: [1] } } },
      on([]),
      '2 BadValue: $pullAll requires an array argument but was given a object',
    ],
  ])('%j on %j', (update, doc, expected) => {
    expect(refusal(() => outcome(doc, { update }))).toBe(expected);
  });
});
