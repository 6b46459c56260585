import { expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import { Doc } from '../src/value/doc.js';
import type { Value } from '../src/value/value.js';
import { BinaryValue, CodeValue, DateValue, MAX_KEY, MIN_KEY, TimestampValue, UNDEFINED } from '../src/value/value.js';
import { checkQueries as check } from './query-cases.js';
import { d, decimal, double, oid } from './shorthand.js';

check('$and, $or, $nor, $not', [
  [{ $and: [{ a: 1 }, { b: 2 }] }, [{ a: 1, b: 2 }], [{ a: 1 }, { b: 2 }]],
  [
    { a: 1, b: 2, c: 3 },
    [{ a: 1, b: 2, c: 3 }],
    [
      { a: 1, b: 2 },
      { b: 2, c: 3 },
    ],
  ],
  [{ $and: [{ a: { $gt: 1 } }, { a: { $lt: 3 } }] }, [{ a: 2 }, { a: [0, 9] }], [{ a: 1 }]],
  [{ $or: [{ a: 1 }, { b: 2 }] }, [{ a: 1 }, { b: 2 }, { a: 1, b: 2 }], [{ a: 2 }]],
  [{ $or: [{ a: 1 }], b: 2 }, [{ a: 1, b: 2 }], [{ a: 1 }]],
  [{ $nor: [{ a: 1 }, { b: 2 }] }, [{}, { a: 2 }], [{ a: 1 }, { b: 2 }]],
  [{ $nor: [{ a: { $exists: true } }] }, [{ b: 1 }], [{ a: null }]],
  [{ $and: [{ $or: [{ a: 1 }, { a: 2 }] }, { $nor: [{ b: 1 }] }] }, [{ a: 1 }, { a: 2, b: 2 }], [{ a: 1, b: 1 }]],
  [{ $and: [{}] }, [{}, { a: 1 }], []],
  [{ $nor: [{}] }, [], [{}, { a: 1 }]],
  [{ a: { $not: { $gt: 5 } } }, [{ a: 5 }, {}, { a: 'x' }, { a: [1, 2] }], [{ a: 6 }, { a: [1, 6] }]],
  [{ a: { $not: { $gt: 1, $lt: 5 } } }, [{ a: 5 }, { a: 1 }, {}], [{ a: 3 }, { a: [0, 9] }]],
  [{ a: { $not: /^x/ } }, [{ a: 'y' }, {}, { a: 5 }], [{ a: 'x' }, { a: ['y', 'xa'] }]],
  [{ a: { $not: { $regex: '^x' } } }, [{ a: 'y' }], [{ a: 'x' }]],
  [{ a: { $not: { $not: { $eq: 42 } } } }, [{ a: 42 }, { a: [1, 42] }], [{ a: 1 }, {}]],
  [{ a: { $not: { $in: [1, 2] } } }, [{ a: 3 }, {}], [{ a: 1 }]],
  [{ a: { $not: { $elemMatch: { b: 1 } } } }, [{ a: [{ b: 2 }] }, {}], [{ a: [{ b: 1 }] }]],
  [{ a: { $not: { $size: 1 } } }, [{ a: [] }, { a: 1 }], [{ a: [1] }]],
  [{ $comment: 'why', a: 1 }, [{ a: 1 }], [{ a: 2 }]],
  [{ $alwaysTrue: 1 }, [{}], []],
  [{ $alwaysFalse: 1 }, [], [{}]],
]);

check('$exists', [
  [{ a: { $exists: true } }, [{ a: null }, { a: [] }, { a: UNDEFINED }, { a: 0 }], [{}, { b: 1 }]],
  [{ a: { $exists: false } }, [{}, { b: 1 }], [{ a: null }]],
  [{ a: { $exists: 1 } }, [{ a: 1 }], [{}]],
  [{ a: { $exists: 0 } }, [{}], [{ a: 1 }]],
  [{ a: { $exists: double(0) } }, [{}], [{ a: 1 }]],
  [{ a: { $exists: null } }, [{}], [{ a: 1 }]],
  [{ a: { $exists: 'false' } }, [{ a: 1 }], [{}]],
  [{ 'a.b': { $exists: true } }, [{ a: { b: 1 } }, { a: [{}, { b: null }] }], [{ a: 1 }, { a: [] }]],
  [{ 'a.1': { $exists: true } }, [{ a: [1, 2] }, { a: { 1: 0 } }], [{ a: [1] }]],
  [{ a: { $exists: true, $nin: [5, 15] } }, [{ a: 1 }], [{ a: 5 }, {}]],
]);

check('$type accepts a name, a number, a list, and "number"', [
  [{ a: { $type: 'int' } }, [{ a: 1 }, { a: ['x', 1] }], [{ a: 1n }, { a: double(1) }, {}]],
  [{ a: { $type: 16 } }, [{ a: 1 }], [{ a: 1n }]],
  [{ a: { $type: double(16) } }, [{ a: 1 }], [{ a: 1n }]],
  [{ a: { $type: 'long' } }, [{ a: 1n }], [{ a: 1 }]],
  [{ a: { $type: 'double' } }, [{ a: 1.5 }], [{ a: 1 }]],
  [{ a: { $type: 'decimal' } }, [{ a: decimal('1') }], [{ a: 1 }]],
  [{ a: { $type: 'number' } }, [{ a: 1 }, { a: 1n }, { a: 1.5 }, { a: decimal('1') }], [{ a: '1' }, { a: null }]],
  [{ a: { $type: 'string' } }, [{ a: 'x' }], [{ a: 1 }]],
  [{ a: { $type: 'object' } }, [{ a: {} }, { a: [{}] }], [{ a: [] }]],
  [{ a: { $type: 'array' } }, [{ a: [] }, { a: [1] }, { a: [[]] }], [{ a: 1 }]],
  [{ a: { $type: 'null' } }, [{ a: null }, { a: [null] }], [{}, { a: UNDEFINED }]],
  [{ a: { $type: 6 } }, [{ a: UNDEFINED }], [{ a: null }, {}]],
  [{ a: { $type: -1 } }, [{ a: MIN_KEY }], [{ a: MAX_KEY }]],
  [{ a: { $type: 'maxKey' } }, [{ a: MAX_KEY }], [{ a: MIN_KEY }]],
  [{ a: { $type: ['bool', 2] } }, [{ a: true }, { a: 'x' }], [{ a: 1 }]],
  [{ a: { $type: 'date' } }, [{ a: new DateValue(0) }], [{ a: new TimestampValue(1, 1) }]],
  [{ a: { $type: 'timestamp' } }, [{ a: new TimestampValue(1, 1) }], [{ a: new DateValue(0) }]],
  [{ a: { $type: 'regex' } }, [{ a: /x/ }], [{ a: 'x' }]],
  [{ a: { $type: 'javascript' } }, [{ a: new CodeValue('x') }], [{ a: new CodeValue('x', Doc.EMPTY) }]],
  [{ a: { $type: 'javascriptWithScope' } }, [{ a: new CodeValue('x', Doc.EMPTY) }], [{ a: new CodeValue('x') }]],
  [{ a: { $type: 'objectId' } }, [{ a: oid(1) }], [{ a: 1 }]],
  [{ a: { $type: 'binData' } }, [{ a: new BinaryValue(0, Uint8Array.of()) }], [{ a: '' }]],
]);

check('$mod ignores fractions', [
  [
    { a: { $mod: [4, 0] } },
    [{ a: 0 }, { a: 12 }, { a: double(8.9) }, { a: 16n }, { a: decimal('4.2') }, { a: [1, 4] }],
    [{ a: 5 }, { a: '4' }, {}, { a: double(NaN) }, { a: double(Infinity) }],
  ],
  [{ a: { $mod: [100, -89] } }, [{ a: -123456789 }], [{ a: 123456789 }]],
  [{ a: { $mod: [-100, 89] } }, [{ a: 123456789 }], [{ a: -123456789 }]],
  [{ a: { $mod: [double(1048500.444), 60] } }, [{ a: 1048560 }], [{ a: 60n * 7n }]],
  [
    { a: { $mod: [9223372036854775807n, 0] } },
    [{ a: 9223372036854775807n }, { a: 0 }, { a: double(-0) }],
    [{ a: double(2 ** 63) }],
  ],
  [{ a: { $mod: [double(2 ** 63), 0] } }, [{ a: double(-(2 ** 63)) }, { a: 0 }], [{ a: 9223372036854775807n }]],
]);

check('$size, $all', [
  [{ a: { $size: 2 } }, [{ a: [1, 2] }, { a: [[], []] }], [{ a: [1] }, { a: [[1, 2]] }, { a: { b: 1, c: 2 } }, {}]],
  [{ a: { $size: double(-0) } }, [{ a: [] }], [{ a: null }, {}]],
  [{ a: { $size: decimal('1') } }, [{ a: [0] }], [{ a: [] }]],
  [{ 'a.b': { $size: 1 } }, [{ a: { b: [1] } }, { a: [{ b: [] }, { b: [5] }] }], [{ a: [{ b: 1 }] }]],
  [{ a: { $all: ['x', 'y'] } }, [{ a: ['y', 'z', 'x'] }], [{ a: ['x'] }, { a: 'x' }, {}]],
  [{ a: { $all: ['x'] } }, [{ a: 'x' }, { a: ['x', 'x'] }], [{ a: [] }]],
  [{ a: { $all: [] } }, [], [{}, { a: [] }, { a: [1] }]],
  [{ a: { $all: [null] } }, [{}, { a: null }, { a: [null, 1] }], [{ a: [] }, { a: 1 }]],
  [{ a: { $all: [['x', 'y']] } }, [{ a: ['x', 'y'] }, { a: [['x', 'y'], 'z'] }], [{ a: ['x'] }]],
  [{ a: { $all: [{ x: 1 }] } }, [{ a: [{ x: 1 }] }], [{ a: [{ x: 1, y: 2 }] }]],
  [{ a: { $all: [/^x/, 'y'] } }, [{ a: ['xa', 'y'] }], [{ a: ['y'] }]],
  [{ a: { $all: [{ $id: 1 }] } }, [{ a: [{ $id: 1 }] }], [{ a: [{ $ref: 'c', $id: 1 }] }]],
  [
    { a: { $all: [{ $elemMatch: { x: 1, y: 2 } }, { $elemMatch: { x: 3 } }] } },
    [{ a: [{ x: 3 }, { x: 1, y: 2 }] }],
    [{ a: [{ x: 1, y: 2 }] }, { a: [{ x: 1 }, { y: 2 }, { x: 3 }] }],
  ],
]);

check('$elemMatch: "at least one element that matches all the specified query criteria"', [
  [{ a: { $elemMatch: { $gte: 80, $lt: 85 } } }, [{ a: [82, 5] }], [{ a: [75, 88] }, { a: 82 }, { a: [[82]] }]],
  [
    { a: { $elemMatch: { x: 1, y: { $gt: 1 } } } },
    [{ a: [{ x: 1, y: 2 }] }],
    [{ a: [{ x: 1 }, { y: 2 }] }, { a: { x: 1, y: 2 } }],
  ],
  [{ a: { $elemMatch: {} } }, [{ a: [{}] }, { a: [[1]] }], [{ a: [] }, { a: [1] }]],
  [{ a: { $elemMatch: { $in: [1, 2] } } }, [{ a: [2] }], [{ a: [3] }]],
  [{ a: { $elemMatch: { $ne: 1 } } }, [{ a: [1, 2] }], [{ a: [1] }, { a: [] }]],
  [{ a: { $elemMatch: { $not: { $gt: 1 } } } }, [{ a: [5, 0] }], [{ a: [5] }]],
  [{ a: { $elemMatch: { $exists: true } } }, [{ a: [null] }], [{ a: [] }]],
  [{ a: { $elemMatch: { $eq: null } } }, [{ a: [null] }], [{ a: [] }, {}]],
  [{ a: { $elemMatch: { $elemMatch: { $gt: 1 } } } }, [{ a: [[0, 2]] }], [{ a: [2] }]],
  [{ a: { $elemMatch: { $size: 1 } } }, [{ a: [[1], 2] }], [{ a: [1] }]],
  [{ a: { $elemMatch: { $or: [{ x: 1 }, { y: 1 }] } } }, [{ a: [{ y: 1 }] }], [{ a: [{ z: 1 }] }]],
  [{ a: { $elemMatch: { $and: [{ x: 1 }, { y: 1 }] } } }, [{ a: [{ x: 1, y: 1 }] }], [{ a: [{ x: 1 }, { y: 1 }] }]],
  [
    { a: { $elemMatch: { $ref: 'c', $id: 1 } } },
    [{ a: [{ $ref: 'c', $id: 1, $db: 'd' }] }],
    [{ a: [{ $ref: 'c', $id: 2 }] }],
  ],
  [{ a: { $elemMatch: { $id: 1 } } }, [{ a: [{ $ref: 'c', $id: 1 }] }], [{ a: [{ $ref: 'c', $id: 2 }] }]],
  [{ a: { $elemMatch: { $ref: 'c' } } }, [{ a: [{ $ref: 'c', $id: 1 }] }], [{ a: [{ $ref: 'd', $id: 1 }] }]],
  [{ a: { $elemMatch: { $db: 'd' } } }, [{ a: [{ $ref: 'c', $id: 1, $db: 'd' }] }], [{ a: [{ $ref: 'c', $id: 1 }] }]],
  [{ a: { $elemMatch: { $id: 1, $ref: 'c' } } }, [{ a: [{ $ref: 'c', $id: 1 }] }], [{ a: { $ref: 'c', $id: 1 } }]],
  [{ a: { $elemMatch: { $id: 1, x: 1 } } }, [{ a: [{ $ref: 'c', $id: 1, x: 1 }] }], [{ a: [{ $ref: 'c', $id: 1 }] }]],
  [{ a: { $elemMatch: { $or: [{ $id: 1 }, { x: 1 }] } } }, [{ a: [{ $ref: 'c', $id: 1 }, 1] }], [{ a: [{ $id: 2 }] }]],
  [{ a: { $elemMatch: { $id: { $gt: 0 } } } }, [{ a: [{ $ref: 'c', $id: { $gt: 0 } }] }], [{ a: [{ $id: 1 }] }]],
  [
    { a: { $all: [{ $elemMatch: { $id: 1 } }, { $elemMatch: { $ref: 'd' } }] } },
    [
      {
        a: [
          { $ref: 'c', $id: 1 },
          { $ref: 'd', $id: 2 },
        ],
      },
    ],
    [{ a: [{ $ref: 'c', $id: 1 }] }],
  ],
  [{ a: { $elemMatch: { $comment: 'x', b: 1 } } }, [{ a: [{ b: 1 }] }], [{ a: [{ b: 2 }] }]],
  [{ a: { $elemMatch: { $jsonSchema: { required: ['b'] } } } }, [{ a: [{ b: 1 }] }], [{ a: [{ c: 1 }] }]],
  [{ a: { $elemMatch: { $regex: '^x' } } }, [{ a: ['y', 'x'] }], [{ a: ['y'] }]],
  [{ a: { $elemMatch: { 0: 1 } } }, [{ a: [[1]] }], [{ a: [1] }]],
  [{ 'a.b': { $elemMatch: { $gt: 1 } } }, [{ a: [{ b: [0, 2] }] }, { a: { b: [2] } }], [{ a: [{ b: 2 }] }]],
  [{ a: { $elemMatch: { b: null } } }, [{ a: [{}] }, { a: [[1]] }], [{ a: [{ b: 1 }] }, { a: [1] }]],
]);

const bytes = (...items: number[]): BinaryValue => new BinaryValue(0, Uint8Array.from(items));

check('$bitsAllSet, $bitsAnySet, $bitsAllClear, $bitsAnyClear test numbers and bytes by masks and positions', [
  [
    { a: { $bitsAllSet: 35 } },
    [{ a: 54 | 35 }, { a: 35n }, { a: double(35) }, { a: bytes(35) }, { a: [1, 35] }],
    [{ a: 54 }, { a: 35.5 }, { a: '35' }, {}],
  ],
  [{ a: { $bitsAllSet: [1, 5] } }, [{ a: 54 }, { a: -1 }, { a: bytes(54) }], [{ a: 20 }]],
  [{ a: { $bitsAllSet: bytes(54) } }, [{ a: 54 }], [{ a: 20 }]],
  [
    { a: { $bitsAnySet: 1 } },
    [{ a: new BinaryValue(2, Uint8Array.of(6)) }, { a: new BinaryValue(1, Uint8Array.of(1)) }],
    [{ a: new BinaryValue(128, Uint8Array.of(6)) }],
  ],
  [{ a: { $bitsAllSet: [200] } }, [{ a: -5 }], [{ a: 5 }, { a: bytes(255) }]],
  [{ a: { $bitsAllSet: [] } }, [{ a: 0 }, { a: bytes() }], [{ a: 'x' }, {}]],
  [{ a: { $bitsAnySet: 35 } }, [{ a: 1 }, { a: 34 }], [{ a: 20 }, { a: 0 }]],
  [{ a: { $bitsAnySet: [] } }, [], [{ a: 1 }]],
  [{ a: { $bitsAllClear: [1, 5] } }, [{ a: 20 }, { a: 0 }, { a: bytes(20) }, { a: bytes() }], [{ a: 54 }]],
  [{ a: { $bitsAllClear: bytes(0, 0, 2) } }, [{ a: 0xffff }], [{ a: 0x20000 }]],
  [{ a: { $bitsAnyClear: 35 } }, [{ a: 54 }, { a: 0 }], [{ a: 35 }, { a: -1 }]],
  [
    { a: { $bitsAnyClear: 9223372036854775807n } },
    [{ a: 1 }, { a: -9223372036854775808n }],
    [{ a: 9223372036854775807n }, { a: -1 }],
  ],
  [
    { a: { $bitsAllSet: 1 } },
    [{ a: decimal('3') }],
    [{ a: decimal('3.5') }, { a: double(2 ** 64) }, { a: double(NaN) }],
  ],
]);

test('$expr uses the expression compiler, and its result counts as a condition', () => {
  const specs: Value[] = [];
  const expression = (spec: Value) => {
    specs.push(spec);
    return (doc: Doc) => doc.get('a');
  };
  const matcher = parseQuery(d({ $expr: { $gt: ['$a', 1] }, b: 1 }), { expression });
  const passes = [1, 0, true, false, null, 'x', double(0), decimal('0'), UNDEFINED].map(a =>
    matcher.matches(
      Doc.of([
        ['a', a],
        ['b', 1],
      ]),
    ),
  );
  expect([specs.length, ...passes, matcher.matches(d({ b: 1 })), matcher.matches(d({ a: 1 }))]).toEqual([
    1,
    true,
    false,
    true,
    false,
    false,
    true,
    false,
    false,
    false,
    false,
    false,
  ]);
});
