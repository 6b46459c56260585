import { expect, test } from 'vitest';
import { parseQuery } from '../src/query/parse.js';
import { Doc } from '../src/value/doc.js';
import {
  BinaryValue,
  DateValue,
  MAX_KEY,
  MIN_KEY,
  SymbolValue,
  TimestampValue,
  UNDEFINED,
} from '../src/value/value.js';
import type { Shorthand } from './shorthand.js';
import { decimal, double, oid, v } from './shorthand.js';
import type { Fields } from './query-cases.js';
import { asDoc, checkQueries as check } from './query-cases.js';

check('$eq: "matches documents where the value of a field equals the specified value"', [
  [{}, [{}, { a: 1 }], []],
  [{ a: 1 }, [{ a: 1 }, { a: 1n }, { a: double(1) }, { a: decimal('1.0') }], [{ a: 2 }, { a: '1' }, { a: true }, {}]],
  [{ a: { $eq: 1 } }, [{ a: 1 }, { a: [0, 1] }], [{ a: { b: 1 } }, { a: [[1]] }]],
  [{ a: 'x' }, [{ a: 'x' }, { a: new SymbolValue('x') }, { a: ['y', 'x'] }], [{ a: 'X' }, { a: 'xx' }]],
  [{ a: true }, [{ a: true }], [{ a: 1 }, { a: false }]],
  [{ a: oid(1) }, [{ a: oid(1) }], [{ a: oid(2) }, { a: oid(1).hex }]],
  [
    { a: new DateValue(5) },
    [{ a: new DateValue(5) }],
    [{ a: 5 }, { a: new DateValue(6) }, { a: new TimestampValue(0, 5) }],
  ],
  [{ a: double(NaN) }, [{ a: double(NaN) }, { a: decimal('NaN') }], [{ a: 0 }, { a: null }]],
  [{ a: double(-0) }, [{ a: 0 }, { a: double(0) }], [{ a: false }]],
  [{ a: 9007199254740993n }, [{ a: 9007199254740993n }], [{ a: double(9007199254740992) }, { a: 9007199254740992n }]],
  [{ a: double(0.1) }, [{ a: double(0.1) }], [{ a: decimal('0.1') }]],
  [
    { a: { b: 1, c: 2 } },
    [{ a: { b: 1, c: 2 } }],
    [{ a: { c: 2, b: 1 } }, { a: { b: 1 } }, { a: { b: 1, c: 2, d: 3 } }],
  ],
  [{ a: { b: 1 } }, [{ a: { b: double(1) } }, { a: [{ b: 1 }] }], [{ a: { b: [1] } }]],
  [{ a: {} }, [{ a: {} }, { a: [{}] }], [{ a: { b: 1 } }, { a: [] }, { a: null }]],
  [{ a: [1, 2] }, [{ a: [1, 2] }, { a: [[1, 2], 3] }], [{ a: [2, 1] }, { a: [1, 2, 3] }, { a: [[[1, 2]]] }]],
  [{ a: [] }, [{ a: [] }, { a: [[]] }], [{ a: null }, {}, { a: [null] }]],
  [{ a: MIN_KEY }, [{ a: MIN_KEY }], [{ a: MAX_KEY }, { a: null }]],
  [{ a: { $eq: /x/ } }, [{ a: /x/ }], [{ a: 'x' }, { a: /x/i }, { a: /xy/ }]],
  [{ a: { $eq: { $type: 'special' } } }, [{ a: { $type: 'special' } }], [{ a: 'special' }]],
  [{ a: { $ref: 'c', $id: 1 } }, [{ a: { $ref: 'c', $id: 1 } }], [{ a: { $ref: 'c', $id: 2 } }]],
  [{ a: { b: 1, $gt: 0 } }, [{ a: { b: 1, $gt: 0 } }], [{ a: 1 }]],
  [{ '': 1 }, [{ '': 1 }], [{ a: 1 }]],
  [
    { a: new BinaryValue(0, Uint8Array.of(1)) },
    [{ a: new BinaryValue(0, Uint8Array.of(1)) }],
    [{ a: new BinaryValue(5, Uint8Array.of(1)) }],
  ],
]);

check('null equals null and missing values, and since 8.0 not undefined', [
  [
    { a: null },
    [{}, { a: null }, { a: [1, null] }],
    [{ a: 0 }, { a: [] }, { a: UNDEFINED }, { a: [UNDEFINED] }, { a: false }],
  ],
  [{ a: { $ne: null } }, [{ a: 0 }, { a: [] }, { a: UNDEFINED }], [{}, { a: null }, { a: [1, null] }]],
  [{ a: { $in: [null, 1] } }, [{}, { a: null }, { a: 1 }, { a: [null] }], [{ a: UNDEFINED }, { a: 2 }, { a: [] }]],
  [{ a: { $nin: [null, 1] } }, [{ a: 2 }, { a: [] }], [{}, { a: null }, { a: 1 }]],
  [{ a: { $gte: null } }, [{}, { a: null }], [{ a: 1 }, { a: UNDEFINED }, { a: MIN_KEY }]],
  [{ a: { $lte: null } }, [{}, { a: null }], [{ a: 1 }, { a: '' }]],
  [{ a: { $gt: null } }, [], [{}, { a: null }, { a: 1 }]],
  [{ a: { $lt: null } }, [], [{}, { a: null }, { a: 1 }, { a: MIN_KEY }]],
  [
    { 'a.b': null },
    [{}, { a: null }, { a: 4 }, { a: {} }, { a: { b: null } }, { a: [{ b: 3 }, {}] }, { a: [{ b: null }] }],
    [{ a: { b: 1 } }, { a: [] }, { a: [[]] }, { a: [null, null] }, { a: [1, 'x'] }, { a: [{ b: 1 }, { b: 2 }] }],
  ],
  [
    { 'a.b': { $ne: null } },
    [{ a: { b: 1 } }, { a: [] }, { a: [[]] }, { a: [null, null] }, { a: [{ b: 1 }] }],
    [{}, { a: 4 }, { a: {} }, { a: [{ b: 3 }, {}] }],
  ],
  [{ 'a.b': { $exists: false } }, [{}, { a: 1 }, { a: [] }, { a: [{}] }], [{ a: { b: null } }, { a: [{}, { b: 1 }] }]],
  [{ 'a.0.b': null }, [{ a: [{ b: 1 }] }, {}], [{ a: [] }, { a: [1] }]],
]);

check('$gt, $gte, $lt, $lte: "only on fields where the BSON type matches the query value\'s type"', [
  [
    { a: { $gt: 5 } },
    [{ a: 6 }, { a: 5.5 }, { a: 6n }, { a: decimal('5.01') }, { a: double(Infinity) }, { a: [1, 9] }],
    [{ a: 5 }, { a: '6' }, {}, { a: null }, { a: double(NaN) }, { a: new DateValue(9) }],
  ],
  [{ a: { $gte: 5 } }, [{ a: 5 }, { a: double(5) }], [{ a: 4 }, { a: MAX_KEY }]],
  [
    { a: { $lt: 5 } },
    [{ a: 4 }, { a: double(-Infinity) }],
    [{ a: 5 }, { a: null }, { a: double(NaN) }, { a: MIN_KEY }, { a: false }],
  ],
  [{ a: { $lte: 5n } }, [{ a: 5 }], [{ a: 6 }]],
  [{ a: { $gt: 1, $lt: 3 } }, [{ a: 2 }, { a: [0, 5] }], [{ a: 1 }, { a: 3 }, { a: [0, 1] }]],
  [{ a: { $gte: 'b' } }, [{ a: 'b' }, { a: 'ba' }, { a: 'é' }], [{ a: 'a' }, { a: 'B' }, { a: 5 }]],
  [{ a: { $lt: 'b' } }, [{ a: '' }, { a: 'az' }], [{ a: 'b' }, {}]],
  [{ a: { $gt: '\u{ffff}' } }, [{ a: '\u{10000}' }], [{ a: '\u{fffe}' }]],
  [{ a: { $gte: double(NaN) } }, [{ a: double(NaN) }], [{ a: 1 }]],
  [{ a: { $lte: double(NaN) } }, [{ a: decimal('NaN') }], [{ a: 1 }]],
  [{ a: { $gt: double(NaN) } }, [], [{ a: double(NaN) }, { a: 1 }]],
  [{ a: { $lt: true } }, [{ a: false }], [{ a: true }, { a: 0 }]],
  [{ a: { $gt: new DateValue(5) } }, [{ a: new DateValue(6) }], [{ a: 6 }, { a: new TimestampValue(1, 1) }]],
  [
    { a: { $gt: new TimestampValue(1, 1) } },
    [{ a: new TimestampValue(1, 2) }, { a: new TimestampValue(2, 0) }],
    [{ a: new TimestampValue(1, 1) }],
  ],
  [{ a: { $gt: oid(5) } }, [{ a: oid(6) }], [{ a: oid(5) }, { a: 'f' }]],
  [
    { a: { $gt: { b: 1 } } },
    [{ a: { b: 2 } }, { a: { b: 1, c: 0 } }, { a: { c: 0 } }],
    [{ a: { b: 1 } }, { a: {} }, { a: [] }],
  ],
  [
    { a: { $gt: [1, 2] } },
    [{ a: [1, 3] }, { a: [2] }, { a: [[9], 0] }],
    [{ a: [1, 2] }, { a: [1] }, { a: 5 }, { a: [0, 9] }],
  ],
  [{ a: { $lt: [1] } }, [{ a: [] }, { a: [0] }, { a: [[0]] }], [{ a: [1] }, { a: 0 }]],
  [{ a: { $lt: MAX_KEY } }, [{ a: 1 }, { a: null }, {}, { a: 'x' }], [{ a: MAX_KEY }]],
  [{ a: { $lte: MAX_KEY } }, [{ a: MAX_KEY }, {}], []],
  [{ a: { $gt: MAX_KEY } }, [], [{ a: 1 }, { a: MAX_KEY }, {}]],
  [{ a: { $gte: MAX_KEY } }, [{ a: MAX_KEY }], [{ a: 1 }]],
  [{ a: { $gt: MIN_KEY } }, [{ a: 1 }, {}], [{ a: MIN_KEY }]],
  [{ a: { $lt: MIN_KEY } }, [], [{ a: 1 }, { a: MIN_KEY }]],
]);

check('$ne, $in, $nin', [
  [{ a: { $ne: 1 } }, [{ a: 2 }, {}, { a: [2] }, { a: '1' }], [{ a: 1 }, { a: [2, 1] }]],
  [{ a: { $in: [] } }, [], [{}, { a: 1 }]],
  [{ a: { $nin: [] } }, [{}, { a: 1 }], []],
  [{ a: { $in: [1, 'x'] } }, [{ a: 1 }, { a: 'x' }, { a: 1n }, { a: [5, 'x'] }], [{ a: 2 }, {}]],
  [{ a: { $in: [[1, 2]] } }, [{ a: [1, 2] }, { a: [[1, 2]] }], [{ a: 1 }]],
  [{ a: { $in: [/^x/, 5] } }, [{ a: 'xy' }, { a: 5 }, { a: ['q', 'x'] }, { a: /^x/ }], [{ a: 'yx' }, { a: 6 }]],
  [{ a: { $nin: [/^x/] } }, [{ a: 'yx' }, {}], [{ a: 'x' }]],
  [{ a: { $in: [{ $ref: 'c', $id: 1 }] } }, [{ a: { $ref: 'c', $id: 1 } }], [{ a: 1 }]],
  [
    { a: { $in: [0, 1, 2, 3, 4, 5, 6, 7, 8, 9] } },
    [{ a: 9n }, { a: decimal('3.0') }, { a: [[], 4] }],
    [{ a: 10 }, { a: '1' }, {}, { a: null }],
  ],
  [{ a: { $in: [0, 1, 2, 3, 4, 5, 6, 7, 8, null] } }, [{}, { a: null }, { a: 8 }], [{ a: UNDEFINED }, { a: 10 }]],
  [{ a: { $in: [{ b: 1 }, oid(3)] } }, [{ a: { b: 1 } }, { a: oid(3) }], [{ a: { b: 2 } }, { a: oid(4) }]],
]);

check('a path goes through documents and one level of arrays, and numbers are indexes or names', [
  [
    { 'a.b': 1 },
    [{ a: { b: 1 } }, { a: [{ b: 2 }, { b: 1 }] }, { a: { b: [1] } }],
    [{ a: 1 }, { a: [[{ b: 1 }]] }, { 'a.b': 1 }],
  ],
  [{ 'a.b.c': 1 }, [{ a: [{ b: [{ c: 1 }] }] }, { a: { b: { c: [0, 1] } } }], [{ a: { b: 1 } }]],
  [
    { 'a.0': 1 },
    [{ a: [1, 2] }, { a: { 0: 1 } }, { a: [{ 0: 1 }] }, { a: [5, { 0: 1 }] }],
    [{ a: [2, 1] }, { a: [[1]] }],
  ],
  [{ 'a.0': [1] }, [{ a: [[1]] }], [{ a: [1] }]],
  [{ 'a.1.b': 1 }, [{ a: [0, { b: 1 }] }, { a: { 1: { b: 1 } } }, { a: [0, [{ b: 1 }]] }], [{ a: [{ b: 1 }] }]],
  [{ 'a.0.0': 1 }, [{ a: [[1]] }, { a: { 0: [1] } }], [{ a: [1] }]],
  [{ 'a.00': 1 }, [{ a: { '00': 1 } }], [{ a: [1] }]],
  [
    { 'a.b': { $gt: 1, $lt: 3 } },
    [{ a: [{ b: 0 }, { b: 5 }].concat([{ b: 2 }]) }, { a: [{ b: 0 }, { b: 9 }] }],
    [{ a: [{ b: 0 }] }],
  ],
  [{ 'a.$id': 1 }, [{ a: { $ref: 'c', $id: 1 } }], [{ a: 1 }]],
  [{ $id: 1, $and: [{ $ref: 'c' }] }, [{ $ref: 'c', $id: 1 }], [{ $ref: 'd', $id: 1 }, { $ref: 'c' }]],
  [{ 'a.': 1 }, [{ a: { '': 1 } }], [{ a: 1 }]],
]);

test('finds integer-like, duplicate and unusual keys, and uses the first field of a duplicate key', () => {
  const doc = Doc.of([
    ['b', 1],
    ['0', 2],
    ['__proto__', 3],
    ['b', 4],
  ]);
  const finds = (name: string, value: number): boolean => parseQuery(Doc.of([[name, value]])).matches(doc);
  expect([finds('b', 1), finds('b', 4), finds('0', 2), finds('__proto__', 3)]).toEqual([true, false, true, true]);
});

test('a collation determines which strings are equal and how they are ordered', () => {
  const collation = {
    compare: (a: string, b: string): number =>
      a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0,
    key: (s: string): string => s.toLowerCase(),
  };
  const matches = (filter: Fields, value: Shorthand): boolean =>
    parseQuery(asDoc(filter), { collation }).matches(Doc.of([['a', v(value)]]));
  expect([
    matches({ a: 'X' }, 'x'),
    matches({ a: { $in: ['X'] } }, ['x']),
    matches({ a: { $gt: 'A' } }, 'b'),
    matches({ a: { $ne: 'X' } }, 'x'),
    matches({ a: { b: 'X' } }, { b: 'x' }),
    matches({ a: /X/ }, 'x'),
  ]).toEqual([true, true, true, false, true, false]);
});
