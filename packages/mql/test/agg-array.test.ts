import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { Doc } from '../src/value/doc.js';
import type { ExpressionCase } from './agg-cases.js';
import { checkExpressions as check, date, evaluate, missing, refused } from './agg-cases.js';
import { decimal, double, text } from './shorthand.js';

check('$arrayElemAt, $first, $last', [
  [{ $arrayElemAt: [[1, 2, 3], 0] }, 1],
  [{ $arrayElemAt: [[1, 2, 3], -2] }, 2],
  [{ $arrayElemAt: [[1, 2, 3], 15] }, missing],
  [{ $arrayElemAt: [[1, 2, 3], -4] }, missing],
  [{ $arrayElemAt: [[1, 2, 3], double(1)] }, 2],
  [{ $arrayElemAt: [[1, 2, 3], 1n] }, 2],
  [{ $arrayElemAt: [null, 1] }, null],
  [{ $arrayElemAt: ['$missing', 1] }, null],
  [{ $arrayElemAt: [5, 1] }, refused(28689, `$arrayElemAt's first argument must be an array, but is int`)],
  [
    { $arrayElemAt: [[1], 'x'] },
    refused(28690, `$arrayElemAt's second argument must be a numeric value, but is string`),
  ],
  [
    { $arrayElemAt: [[1], 1.5] },
    refused(28691, `$arrayElemAt's second argument must be representable as a 32-bit integer: 1.5`),
  ],
  [{ $first: [[1, 2, 3]] }, 1],
  [{ $first: '$a' }, 1, { a: [1, 2] }],
  [{ $first: '$a' }, missing, { a: [] }],
  [{ $first: '$missing' }, null],
  [{ $first: 'x' }, refused(28689, `$first's argument must be an array, but is string`)],
  [{ $last: [[1, 2, 3]] }, 3],
  [{ $last: [[]] }, missing],
  [{ $last: 5 }, refused(28689, `$last's argument must be an array, but is int`)],
]);

check('$arrayToObject, $objectToArray', [
  [
    {
      $arrayToObject: {
        $literal: [
          ['item', 'abc123'],
          ['qty', 25],
        ],
      },
    },
    { item: 'abc123', qty: 25 },
  ],
  [
    {
      $arrayToObject: {
        $literal: [
          { k: 'item', v: 'abc123' },
          { k: 'qty', v: 25 },
        ],
      },
    },
    { item: 'abc123', qty: 25 },
  ],
  [
    {
      $arrayToObject: {
        $literal: [
          ['a', 1],
          ['b', 2],
          ['a', 3],
        ],
      },
    },
    { a: 3, b: 2 },
  ],
  [{ $arrayToObject: [[]] }, {}],
  [{ $arrayToObject: null }, null],
  [{ $arrayToObject: 5 }, refused(40386, '$arrayToObject requires an array input, found: int')],
  [{ $arrayToObject: [[5]] }, refused(40398, 'Unrecognised input type format for $arrayToObject: int')],
  [{ $arrayToObject: { $literal: [['a', 1], 5] } }, refused(40396, /Array was detected, now found: int$/)],
  [
    { $arrayToObject: { $literal: [['a', 1, 2]] } },
    refused(40397, '$arrayToObject requires an array of size 2 arrays,found array of size: 3'),
  ],
  [{ $arrayToObject: { $literal: [[1, 1]] } }, refused(40395, /Found key type: int$/)],
  [{ $arrayToObject: { $literal: [{ k: 'a', v: 1 }, 5] } }, refused(40391, /Object was detected, now found: int$/)],
  [{ $arrayToObject: { $literal: [{ k: 'a' }] } }, refused(40392, /Found incorrect number of keys:1$/)],
  [
    { $arrayToObject: { $literal: [{ k: 'a', x: 1 }] } },
    refused(40393, /Missing either or both keys from: \{k: "a", x: 1\}$/),
  ],
  [{ $arrayToObject: { $literal: [{ k: 1, v: 1 }] } }, refused(40394, /Found type: int$/)],
  [{ $arrayToObject: { $literal: [['a\0', 1]] } }, refused(4940400, 'Key field cannot contain an embedded null byte')],
  [
    { $objectToArray: { $literal: { item: 'foo', qty: 25 } } },
    [
      { k: 'item', v: 'foo' },
      { k: 'qty', v: 25 },
    ],
  ],
  [{ $objectToArray: {} }, []],
  [{ $objectToArray: null }, null],
  [{ $objectToArray: 5 }, refused(40390, '$objectToArray requires a document input, found: int')],
]);

check('$concatArrays, $reverseArray, $size, $isArray', [
  [{ $concatArrays: [['hello', ' '], ['world']] }, ['hello', ' ', 'world']],
  [{ $concatArrays: [[1], [[2]]] }, [1, [2]]],
  [{ $concatArrays: [] }, []],
  [{ $concatArrays: [[1], null] }, null],
  [{ $concatArrays: [[1], '$missing'] }, null],
  [{ $concatArrays: [[1], 5] }, refused(28664, '$concatArrays only supports arrays, not int')],
  [{ $reverseArray: { $literal: [1, 2, 3] } }, [3, 2, 1]],
  [{ $reverseArray: [[]] }, []],
  [{ $reverseArray: null }, null],
  [{ $reverseArray: 5 }, refused(34435, 'The argument to $reverseArray must be an array, but was of type: int')],
  [{ $size: '$a' }, 2, { a: [1, [2, 3]] }],
  [{ $size: [[]] }, 0],
  [{ $size: '$missing' }, refused(17124, 'The argument to $size must be an array, but was of type: missing')],
  [{ $size: null }, refused(17124, 'The argument to $size must be an array, but was of type: null')],
  [{ $isArray: [[1]] }, true],
  [{ $isArray: ['hello'] }, false],
  [{ $isArray: '$missing' }, false],
  [{ $isArray: [1, 2] }, refused(16020, 'Expression $isArray takes exactly 1 arguments. 2 were passed in.')],
]);

check('$in, $indexOfArray', [
  [{ $in: [2, [1, 2, 3]] }, true],
  [{ $in: [2n, [1, double(2)]] }, true],
  [{ $in: ['abc', ['xyz', 'abc']] }, true],
  [{ $in: ['xy', ['xyz', 'abc']] }, false],
  [{ $in: [['a'], ['a']] }, false],
  [{ $in: [['a'], [['a']]] }, true],
  [{ $in: [/^a/, ['a']] }, false],
  [{ $in: [1, '$missing'] }, refused(40081, '$in requires an array as a second argument, found: missing')],
  [{ $indexOfArray: [['a', 'abc'], 'a'] }, 0],
  [{ $indexOfArray: [['a', 'abc', 'de', ['de']], ['de']] }, 3],
  [{ $indexOfArray: [[1, 2], 5] }, -1],
  [
    {
      $indexOfArray: [
        [1, 2, 3],
        [1, 2],
      ],
    },
    -1,
  ],
  [{ $indexOfArray: [[10, 9, 9, 8, 9], 9, 3] }, 4],
  [{ $indexOfArray: [['a', 'abc', 'b'], 'b', 0, 1] }, -1],
  [{ $indexOfArray: [['a', 'abc', 'b'], 'b', 1, 0] }, -1],
  [{ $indexOfArray: [['a', 'abc', 'b'], 'b', 20] }, -1],
  [{ $indexOfArray: [null, 'foo'] }, null],
  [
    { $indexOfArray: ['foo', 'foo'] },
    refused(40090, '$indexOfArray requires an array as a first argument, found: string'),
  ],
  [
    { $indexOfArray: [['a'], 'a', -1] },
    refused(9711601, '$indexOfArray requires a nonnegative starting index, found: -1'),
  ],
  [{ $indexOfArray: [['a'], 'a', 'x'] }, refused(9711600, /requires an integral starting index/)],
  [
    { $indexOfArray: [['a']] },
    refused(28667, 'Expression $indexOfArray takes at least 2 arguments, and at most 4, but 1 were passed in.'),
  ],
]);

check('$range', [
  [{ $range: [0, 5] }, [0, 1, 2, 3, 4]],
  [{ $range: [0, 10, 2] }, [0, 2, 4, 6, 8]],
  [{ $range: [10, 0, -2] }, [10, 8, 6, 4, 2]],
  [{ $range: [0, 10, -2] }, []],
  [{ $range: [0, 5, double(2)] }, [0, 2, 4]],
  [{ $range: [5, 5] }, []],
  [{ $range: ['x', 1] }, refused(34443, '$range requires a numeric starting value, found value of type: string')],
  [
    { $range: [0.5, 1] },
    refused(34444, '$range requires a starting value that can be represented as a 32-bit integer, found value: 0.5'),
  ],
  [{ $range: [0, 'x'] }, refused(34445, '$range requires a numeric ending value, found value of type: string')],
  [
    { $range: [0, 3000000000n] },
    refused(
      34446,
      '$range requires an ending value that can be represented as a 32-bit integer, found value: 3000000000',
    ),
  ],
  [{ $range: [0, 1, 'x'] }, refused(34447, '$range requires a numeric step value, found value of type:string')],
  [
    { $range: [0, 1, 0.5] },
    refused(34448, '$range requires a step value that can be represented as a 32-bit integer, found value: 0.5'),
  ],
  [{ $range: [0, 1, 0] }, refused(34449, '$range requires a non-zero step value')],
  [{ $range: [0, 2000000000] }, refused(146, /would use too much memory/)],
  [
    { $range: [1] },
    refused(28667, 'Expression $range takes at least 2 arguments, and at most 3, but 1 were passed in.'),
  ],
]);

check('$slice', [
  [{ $slice: [[1, 2, 3], 1, 1] }, [2]],
  [{ $slice: [[1, 2, 3], -2] }, [2, 3]],
  [{ $slice: [[1, 2, 3], 15, 2] }, []],
  [{ $slice: [[1, 2, 3], -15, 2] }, [1, 2]],
  [{ $slice: [[1, 2, 3], 0] }, []],
  [{ $slice: [[1, 2, 3], 2] }, [1, 2]],
  [{ $slice: [[1, 2, 3], -10] }, [1, 2, 3]],
  [{ $slice: [null, 2] }, null],
  [{ $slice: [[1], null] }, null],
  [{ $slice: [[1], 0, null] }, null],
  [{ $slice: [5, 2] }, refused(28724, 'First argument to $slice must be an array, but is of type: int')],
  [{ $slice: [[1], 'x'] }, refused(28725, 'Second argument to $slice must be a numeric value, but is of type: string')],
  [{ $slice: [[1], 0.5] }, refused(28726, `Second argument to $slice can't be represented as a 32-bit integer: 0.5`)],
  [{ $slice: [[1], 0, 'x'] }, refused(28727, 'Third argument to $slice must be numeric, but is of type: string')],
  [{ $slice: [[1], 0, 0.5] }, refused(28728, `Third argument to $slice can't be represented as a 32-bit integer: 0.5`)],
  [{ $slice: [[1], 0, 0] }, refused(28729, 'Third argument to $slice must be positive: 0')],
]);

check('$zip', [
  [{ $zip: { inputs: [['a'], ['b'], ['c']] } }, [['a', 'b', 'c']]],
  [{ $zip: { inputs: [['a'], ['b', 'c']] } }, [['a', 'b']]],
  [
    { $zip: { inputs: [['a'], ['b', 'c']], useLongestLength: true } },
    [
      ['a', 'b'],
      [null, 'c'],
    ],
  ],
  [
    { $zip: { inputs: [[1], [2, 3]], useLongestLength: true, defaults: ['x', 'y'] } },
    [
      [1, 2],
      ['x', 3],
    ],
  ],
  [
    { $zip: { inputs: [[null], [2, 3]], useLongestLength: true, defaults: ['x', 'y'] } },
    [
      [null, 2],
      ['x', 3],
    ],
  ],
  [{ $zip: { inputs: [[1], null] } }, null],
  [{ $zip: { inputs: [[1], '$missing'] } }, null],
  [{ $zip: 5 }, refused(34460, '$zip only supports an object as an argument, found int')],
  [{ $zip: { inputs: 5 } }, refused(34461, 'inputs must be an array of expressions, found int')],
  [
    { $zip: { inputs: [[1]], defaults: 5, useLongestLength: true } },
    refused(34462, 'defaults must be an array of expressions, found int'),
  ],
  [{ $zip: { inputs: [[1]], useLongestLength: 1 } }, refused(34463, 'useLongestLength must be a bool, found int')],
  [{ $zip: { inputs: [[1]], k: 1 } }, refused(34464, '$zip found an unknown argument: k')],
  [{ $zip: { inputs: [] } }, refused(34465, '$zip requires at least one input array')],
  [
    { $zip: { inputs: [[1]], defaults: [1] } },
    refused(34466, 'cannot specify defaults unless useLongestLength is true'),
  ],
  [
    { $zip: { inputs: [[1]], defaults: [1, 2], useLongestLength: true } },
    refused(34467, 'defaults and inputs must have the same length'),
  ],
  [{ $zip: { inputs: [[1], 5] } }, refused(34468, '$zip found a non-array expression in input: 5')],
]);

check('$map, $filter, $reduce', [
  [{ $map: { input: [1, 2], as: 'n', in: { $add: ['$$n', 1] } } }, [2, 3]],
  [{ $map: { input: '$q', in: { $multiply: ['$$this', '$by'] } } }, [2, 4], { q: [1, 2], by: 2 }],
  [{ $map: { input: [1], in: '$missing' } }, [null]],
  [{ $map: { input: null, in: 1 } }, null],
  [
    {
      $map: {
        input: [[1, 2], [3]],
        as: 'row',
        in: { $map: { input: '$$row', in: { $add: ['$$this', { $size: '$$row' }] } } },
      },
    },
    [[3, 4], [4]],
  ],
  [{ $map: { input: 5, in: 1 } }, refused(16883, 'input to $map must be an array not int')],
  [{ $map: 1 }, refused(16878, '$map only supports an object as its argument')],
  [{ $map: { input: [], in: 1, k: 1 } }, refused(16879, 'Unrecognized parameter to $map: k')],
  [{ $map: { in: 1 } }, refused(16880, `Missing 'input' parameter to $map`)],
  [{ $map: { input: [] } }, refused(16882, `Missing 'in' parameter to $map`)],
  [
    { $map: { input: [], as: 'N', in: 1 } },
    refused(9, `'N' starts with an invalid character for a user variable name`),
  ],
  [{ $filter: { input: [1, 'a', 2, null, 3.1], as: 'n', cond: { $isNumber: '$$n' } } }, [1, 2, 3.1]],
  [{ $filter: { input: [1, 2, 3, 4], cond: { $gt: ['$$this', 1] }, limit: 2 } }, [2, 3]],
  [{ $filter: { input: [1, 2], cond: true, limit: null } }, [1, 2]],
  [{ $filter: { input: '$missing', cond: true } }, null],
  [{ $filter: { input: 5, cond: true } }, refused(28651, 'input to $filter must be an array not int')],
  [{ $filter: { input: [1], cond: true, limit: 0 } }, refused(327392, '$filter: limit must be greater than 0: 0')],
  [
    { $filter: { input: [1], cond: true, limit: 0.5 } },
    refused(327391, '$filter: limit must be represented as a 32-bit integral value: 0.5'),
  ],
  [{ $filter: 1 }, refused(28646, '$filter only supports an object as its argument')],
  [{ $filter: { input: [], cond: 1, k: 1 } }, refused(28647, 'Unrecognized parameter to $filter: k')],
  [{ $filter: { cond: 1 } }, refused(28648, `Missing 'input' parameter to $filter`)],
  [{ $filter: { input: [] } }, refused(28650, `Missing 'cond' parameter to $filter`)],
  [{ $reduce: { input: ['a', 'b', 'c'], initialValue: '', in: { $concat: ['$$value', '$$this'] } } }, 'abc'],
  [
    {
      $reduce: {
        input: [1, 2, 3, 4],
        initialValue: { sum: 5, product: 2 },
        in: { sum: { $add: ['$$value.sum', '$$this'] }, product: { $multiply: ['$$value.product', '$$this'] } },
      },
    },
    { sum: 15, product: 48 },
  ],
  [{ $reduce: { input: [], initialValue: 7, in: 1 } }, 7],
  [{ $reduce: { input: null, initialValue: 7, in: 1 } }, null],
  [
    { $reduce: { input: 5, initialValue: 7, in: 1 } },
    refused(40080, `$reduce requires that 'input' be an array, found: 5`),
  ],
  [{ $reduce: 1 }, refused(40075, '$reduce requires an object as an argument, found: int')],
  [{ $reduce: { input: [], initialValue: 1, in: 1, k: 1 } }, refused(40076, '$reduce found an unknown argument: k')],
  [{ $reduce: { initialValue: 1, in: 1 } }, refused(40077, `$reduce requires 'input' to be specified`)],
  [{ $reduce: { input: [], in: 1 } }, refused(40078, `$reduce requires 'initialValue' to be specified`)],
  [{ $reduce: { input: [], initialValue: 1 } }, refused(40079, `$reduce requires 'in' to be specified`)],
]);

check('$sortArray', [
  [
    {
      $sortArray: {
        input: [20, 4, { a: 'Free' }, 6, 21, 5, 'Gratis', { a: null }, { a: { sale: true } }, 10.23],
        sortBy: 1,
      },
    },
    [4, 5, 6, 10.23, 20, 21, 'Gratis', { a: null }, { a: 'Free' }, { a: { sale: true } }],
  ],
  [{ $sortArray: { input: [3, 1, 2], sortBy: -1 } }, [3, 2, 1]],
  [
    { $sortArray: { input: '$team', sortBy: { name: 1 } } },
    [
      { name: 'a', n: 2 },
      { name: 'b', n: 1 },
    ],
    {
      team: [
        { name: 'b', n: 1 },
        { name: 'a', n: 2 },
      ],
    },
  ],
  [
    { $sortArray: { input: '$team', sortBy: { 'x.y': -1, n: 1 } } },
    [
      { n: 1, x: { y: 2 } },
      { n: 0, x: { y: 1 } },
      { n: 3, x: { y: 1 } },
    ],
    {
      team: [
        { n: 3, x: { y: 1 } },
        { n: 1, x: { y: 2 } },
        { n: 0, x: { y: 1 } },
      ],
    },
  ],
  // An array among the values is compared as a whole, not by its least element.
  [
    { $sortArray: { input: '$team', sortBy: { x: 1 } } },
    [{ x: 7 }, { x: [2, 9] }, { x: [3, 1] }],
    { team: [{ x: [3, 1] }, { x: 7 }, { x: [2, 9] }] },
  ],
  [
    { $sortArray: { input: '$team', sortBy: { 'x.1': 1 } } },
    [{ x: 7 }, { x: [3, 1] }, { x: [2, 9] }],
    { team: [{ x: [2, 9] }, { x: [3, 1] }, { x: 7 }] },
  ],
  [{ $sortArray: { input: null, sortBy: 1 } }, null],
  [
    { $sortArray: { input: 5, sortBy: 1 } },
    refused(2942504, 'The input argument to $sortArray must be an array, but was of type: int'),
  ],
  [{ $sortArray: { input: [], sortBy: 2 } }, refused(2942506, 'The $sort element value must be either 1 or -1')],
  [{ $sortArray: 1 }, refused(2942500, '$sortArray requires an object as an argument, found: int')],
  [{ $sortArray: { input: [], sortBy: 1, k: 1 } }, refused(2942501, '$sortArray found an unknown argument: k')],
  [{ $sortArray: { sortBy: 1 } }, refused(2942502, `$sortArray requires 'input' to be specified`)],
  [{ $sortArray: { input: [] } }, refused(2942503, `$sortArray requires 'sortBy' to be specified`)],
]);

check('set operators: "performs set operation on arrays, treating arrays as sets"', [
  [{ $setDifference: [['a', 'b', 'a', 'c'], ['b']] }, ['a', 'c']],
  [{ $setDifference: [[1, 2n], [double(2)]] }, [1]],
  [{ $setDifference: [['a'], [['a']]] }, ['a']],
  [{ $setDifference: [null, [1]] }, null],
  [
    { $setDifference: [5, [1]] },
    refused(17048, 'both operands of $setDifference must be arrays. First argument is of type: int'),
  ],
  [
    { $setDifference: [[1], 5] },
    refused(17049, 'both operands of $setDifference must be arrays. Second argument is of type: int'),
  ],
  [
    {
      $setEquals: [
        ['a', 'b', 'a'],
        ['b', 'a'],
      ],
    },
    true,
  ],
  [{ $setEquals: [['a', 'b'], [['a', 'b']]] }, false],
  [{ $setEquals: [[1], [1], [1, 2]] }, false],
  [{ $setEquals: [[1]] }, refused(17045, '$setEquals needs at least two arguments had: 1')],
  [
    { $setEquals: [[1], 2] },
    refused(5887502, 'All operands of $setEquals must be arrays. 2-th argument is of type: int'),
  ],
  [
    { $setEquals: [[1], '$missing'] },
    refused(17044, 'All operands of $setEquals must be arrays. 2-th argument is of type: missing'),
  ],
  [
    {
      $setIntersection: [
        ['a', 'b', 'a'],
        ['b', 'a'],
      ],
    },
    ['a', 'b'],
  ],
  [
    {
      $setIntersection: [
        [3, 1, 2],
        [2, 3],
      ],
    },
    [2, 3],
  ],
  [{ $setIntersection: [] }, []],
  [{ $setIntersection: [[1], null] }, null],
  [
    { $setIntersection: [[1], 5] },
    refused(17047, 'All operands of $setIntersection must be arrays. One argument is of type: int'),
  ],
  [
    {
      $setIsSubset: [
        ['a', 'b', 'a'],
        ['b', 'a'],
      ],
    },
    true,
  ],
  [{ $setIsSubset: [['a', 'b'], [['a', 'b']]] }, false],
  [
    { $setIsSubset: [null, [1]] },
    refused(17046, 'both operands of $setIsSubset must be arrays. First argument is of type: null'),
  ],
  [
    { $setIsSubset: [[1], null] },
    refused(17042, 'both operands of $setIsSubset must be arrays. Second argument is of type: null'),
  ],
  [
    {
      $setUnion: [
        ['b', 'a'],
        ['a', 'c'],
      ],
    },
    ['a', 'b', 'c'],
  ],
  [{ $setUnion: [[1, [2]], [double(1)]] }, [1, [2]]],
  [{ $setUnion: [] }, []],
  [{ $setUnion: [[1], '$missing'] }, null],
  [{ $setUnion: [[1], 5] }, refused(17043, 'All operands of $setUnion must be arrays. One argument is of type: int')],
  [{ $allElementsTrue: [[true, 1, 'x']] }, true],
  [{ $allElementsTrue: [[]] }, true],
  [{ $allElementsTrue: [[null, false, 0]] }, false],
  [{ $allElementsTrue: 5 }, refused(17040, `$allElementsTrue's argument must be an array, but is int`)],
  [{ $anyElementTrue: [[false, 1]] }, true],
  [{ $anyElementTrue: [[]] }, false],
  [{ $anyElementTrue: '$missing' }, refused(17041, `$anyElementTrue's argument must be an array, but is missing`)],
]);

check('$mergeObjects, $getField, $setField, $unsetField, $bsonSize', [
  [{ $mergeObjects: ['$a', '$b', null, '$missing'] }, { x: 1, y: 3, z: 4 }, { a: { x: 1, y: 2 }, b: { y: 3, z: 4 } }],
  [{ $mergeObjects: '$all' }, { x: 2 }, { all: [{ x: 1 }, { x: 2 }] }],
  [{ $mergeObjects: [] }, {}],
  [{ $mergeObjects: null }, {}],
  [
    { $mergeObjects: [{ a: 1 }, 5] },
    refused(40400, '$mergeObjects requires object inputs, but input 5 is of type int'),
  ],
  [{ $getField: 'price.usd' }, 45.99, Doc.of([['price.usd', double(45.99)]])],
  [{ $getField: { $literal: '$price' } }, 5, Doc.of([['$price', 5]])],
  [{ $getField: { field: 'b', input: '$a' } }, 1, { a: { b: 1 } }],
  [{ $getField: { field: { $concat: ['b', 'c'] }, input: '$a' } }, 1, { a: { bc: 1 } }],
  [{ $getField: { field: 'b', input: '$missing' } }, missing],
  [{ $getField: { field: 'b', input: null } }, null],
  [{ $getField: { field: 'b', input: 5 } }, missing],
  [
    { $getField: { field: '$f', input: '$$ROOT' } },
    refused(3041704, `$getField requires 'field' to evaluate to type String, but got int`),
    { f: 5 },
  ],
  [{ $getField: 0 }, refused(3041704, `$getField requires 'field' to evaluate to type String, but got int`)],
  [{ $getField: { k: 1 } }, refused(3041701, '$getField found an unknown argument: k')],
  [{ $getField: { input: 1 } }, refused(3041702, `$getField requires 'field' to be specified`)],
  [{ $getField: { field: 'a' } }, refused(3041703, `$getField requires 'input' to be specified`)],
  [
    { $setField: { field: 'a.b', input: '$$ROOT', value: 2 } },
    Doc.of([
      ['x', 1],
      ['a.b', 2],
    ]),
    { x: 1 },
  ],
  [{ $setField: { field: 'x', input: '$$ROOT', value: 2 } }, { x: 2, y: 3 }, { x: 1, y: 3 }],
  [{ $setField: { field: 'x', input: '$$ROOT', value: '$$REMOVE' } }, { y: 3 }, { x: 1, y: 3 }],
  [{ $setField: { field: { $literal: '$x' }, input: {}, value: 1 } }, Doc.of([['$x', 1]])],
  [{ $setField: { field: 'x', input: null, value: 1 } }, null],
  [
    { $setField: { field: 'x', input: 5, value: 1 } },
    refused(4161105, `$setField requires 'input' to evaluate to type Object`),
  ],
  [
    { $setField: { field: '$f', input: {}, value: 1 } },
    refused(
      4161108,
      `'$f' is a field path reference which is not allowed in this context. Did you mean {$literal: '$f'}?`,
    ),
  ],
  [
    { $setField: { field: { $concat: ['$a', 'b'] }, input: {}, value: 1 } },
    refused(4161106, `$setField requires 'field' to evaluate to a constant, but got a non-constant argument`),
  ],
  // Only a literal names a field. An expression that folds to a constant does not.
  ...[{ $concat: ['a'] }, { $toUpper: 'a' }, ['a'], {}, '$$REMOVE'].map((field): ExpressionCase => [
    { $setField: { field, input: {}, value: 1 } },
    refused(4161106, `$setField requires 'field' to evaluate to a constant, but got a non-constant argument`),
  ]),
  ...['\0', 'a\0', '\0a', 'a.\0', { $const: 'a\0' }, { $literal: '$a\0' }].flatMap((field): ExpressionCase[] => [
    [
      { $setField: { field, input: {}, value: 1 } },
      refused(9534700, "$setField requires 'field' to contain no null bytes"),
    ],
    [{ $unsetField: { field, input: {} } }, refused(9534700, "$unsetField requires 'field' to contain no null bytes")],
  ]),
  [{ $setField: { field: '$a\0', input: {}, value: 1 } }, refused(16411)],
  [{ $unsetField: { field: '$a.\0', input: {} } }, refused(16411)],
  [
    { $setField: { field: 5, input: {}, value: 1 } },
    refused(4161107, `$setField requires 'field' to evaluate to type String, but got int`),
  ],
  [{ $setField: 5 }, refused(4161100, '$setField only supports an object as its argument')],
  [{ $setField: { k: 1 } }, refused(4161101, '$setField found an unknown argument: k')],
  [{ $setField: { input: {}, value: 1 } }, refused(4161102, `$setField requires 'field' to be specified`)],
  [{ $setField: { field: 'x', input: {} } }, refused(4161103, `$setField requires 'value' to be specified`)],
  [{ $setField: { field: 'x', value: 1 } }, refused(4161109, `$setField requires 'input' to be specified`)],
  [{ $unsetField: { field: 'x', input: '$$ROOT' } }, { y: 3 }, { x: 1, y: 3 }],
  [
    { $unsetField: { field: 'x', input: '$$ROOT', value: 1 } },
    refused(4161101, '$unsetField found an unknown argument: value'),
  ],
  [{ $bsonSize: '$$ROOT' }, 12, { a: 1 }],
  [{ $bsonSize: {} }, 5],
  [{ $bsonSize: null }, null],
  [{ $bsonSize: 5 }, refused(31393, '$bsonSize requires a document input, found: int')],
]);

check('accumulators as expressions accept an array or several operands', [
  [{ $sum: [1, 2, 3] }, 6],
  [{ $sum: '$a' }, 6, { a: [1, 2, 3, 'x'] }],
  [{ $sum: ['$a', '$b'] }, 5, { a: [1, 2], b: 5 }],
  [{ $sum: 'x' }, 0],
  [{ $sum: [2147483647, 1] }, 2147483648n],
  [{ $sum: [9223372036854775807n, 1n] }, double(9223372036854775808)],
  [{ $sum: [double(1e308), double(1e308), double(-1e308)] }, double(Infinity)],
  [{ $sum: [0.1, 0.2, 0.3] }, 0.6],
  [{ $sum: [decimal('0.1'), 0.2] }, decimal('0.3000000000000000111022302462515654')],
  [{ $sum: [decimal('20'), -36893488147419103232] }, decimal('-36893488147419103212')],
  [{ $avg: [decimal('1'), 0.5] }, decimal('0.75')],
  [{ $avg: [1, 2] }, 1.5],
  [{ $avg: [2, 2] }, double(2)],
  [{ $avg: '$a' }, null, { a: ['x'] }],
  [{ $avg: [decimal('1'), 2] }, decimal('1.5')],
  [{ $avg: '$missing' }, null],
  [{ $min: [3, 1, null, '$missing'] }, 1],
  [{ $min: '$a' }, 1, { a: [3, 1] }],
  [{ $min: '$missing' }, null],
  [{ $max: [3, 'x', 1] }, 'x'],
  [{ $max: ['$a', 2] }, [1], { a: [1] }],
  [{ $max: [null, '$missing'] }, null],
  [{ $stdDevPop: [1, 3] }, double(1)],
  [{ $stdDevPop: [5] }, double(0)],
  [{ $stdDevPop: 'x' }, null],
  [{ $stdDevSamp: [1, 3] }, Math.SQRT2],
  [{ $stdDevSamp: [5] }, null],
  [{ $firstN: { input: [1, 2, 3], n: 2 } }, [1, 2]],
  [{ $firstN: { input: [null, 2], n: 5 } }, [null, 2]],
  [{ $lastN: { input: [1, 2, 3], n: 2 } }, [2, 3]],
  [{ $maxN: { input: [1, 5, null, 3], n: 2 } }, [5, 3]],
  [{ $minN: { input: [1, 5, null, 3], n: double(2) } }, [1, 3]],
  [{ $minN: { input: null, n: 2 } }, refused(5788200, 'Input must be an array')],
  [{ $maxN: { input: '$missing', n: 2 } }, refused(5788200, 'Input must be an array')],
  [{ $firstN: { input: '$missing', n: 0 } }, refused(5787908, `'n' must be greater than 0, found 0`)],
  [{ $firstN: { input: 5, n: 2 } }, refused(5788200, 'Input must be an array')],
  [{ $firstN: { input: [1], n: 0 } }, refused(5787908, `'n' must be greater than 0, found 0`)],
  [{ $firstN: { input: [1], n: 'x' } }, refused(5787902, `Value for 'n' must be of integral type, but found "x"`)],
  [{ $firstN: { input: [1], n: 1.5 } }, refused(5787903, `Value for 'n' must be of integral type, but found 1.5`)],
  [{ $firstN: 0 }, refused(5787801, 'specification must be an object; found $firstN: 0')],
  [{ $maxN: 0 }, refused(5787900, 'specification must be an object; found $maxN: 0')],
  [{ $firstN: { k: 1 } }, refused(5787901, `Unknown argument for 'n' operator: k`)],
  [{ $firstN: { input: [1] } }, refused(5787906, `Missing value for 'n'`)],
  [{ $firstN: { n: 1 } }, refused(5787907, `Missing value for 'input'`)],
  [{ $median: { input: [3, 1, 2], method: 'approximate' } }, double(2)],
  [{ $median: { input: [4, 1, 2, 3], method: 'approximate' } }, double(2)],
  [{ $median: { input: ['x'], method: 'approximate' } }, null],
  [
    { $percentile: { input: [10, 20, 30, 40], p: [0, 0.5, 0.95, 1], method: 'approximate' } },
    [double(10), double(20), double(40), double(40)],
  ],
  [{ $percentile: { input: [], p: [0.5], method: 'approximate' } }, [null]],
  [{ $median: 0 }, refused(7436201, 'specification must be an object; found $median: 0')],
  [{ $percentile: 0 }, refused(7436200, 'specification must be an object; found $percentile: 0')],
  [{ $median: { input: [1], method: 'exact' } }, refused(2, /approximate/)],
  [{ $median: { input: [1] } }, refused(40414, `BSON field '$median.method' is missing but a required field`)],
  [
    { $median: { input: [1], method: 'approximate', p: [1] } },
    refused(40415, `BSON field '$median.p' is an unknown field.`),
  ],
  [{ $percentile: { input: [1], p: 0.5, method: 'approximate' } }, refused(7750301, /must be an array of numbers/)],
  [{ $percentile: { input: [1], p: [2], method: 'approximate' } }, refused(7750303, /must be an array of numbers/)],
  [{ $topN: 0 }, refused(168, `Unrecognized expression '$topN'`)],
]);

check('arrays with dates are sorted and compared', [
  [{ $max: [date('2020-01-01'), date('2021-01-01')] }, date('2021-01-01')],
  [
    { $sortArray: { input: [date('2021-01-01'), date('2020-01-01')], sortBy: 1 } },
    [date('2020-01-01'), date('2021-01-01')],
  ],
]);

const small = fc.array(fc.integer({ min: -5, max: 5 }), { maxLength: 8 });

test('$reverseArray applied twice returns the array', () => {
  fc.assert(
    fc.property(small, array => {
      expect(evaluate({ $reverseArray: { $reverseArray: [array] } })).toEqual(array);
    }),
  );
});

test('the union of two sets minus one of them is a subset of the other', () => {
  fc.assert(
    fc.property(small, small, (a, b) => {
      expect(evaluate({ $setIsSubset: [{ $setDifference: [{ $setUnion: [a, b] }, a] }, b] })).toBe(true);
      expect(text(evaluate({ $setIntersection: [a, b] }))).toBe(text(evaluate({ $setIntersection: [b, a] })));
    }),
  );
});

test('$objectToArray reverses $arrayToObject', () => {
  const entries = fc.uniqueArray(fc.tuple(fc.string(), fc.integer()), { selector: ([key]) => key, maxLength: 6 });
  fc.assert(
    fc.property(entries, pairs => {
      const doc = Doc.of(pairs.filter(([key]) => !key.includes('\0')));
      expect(text(evaluate({ $arrayToObject: { $objectToArray: '$a' } }, Doc.of([['a', doc]])))).toBe(text(doc));
    }),
  );
});

test('$sortArray returns the same order as $minN with all elements', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.integer(), fc.string()), { minLength: 1, maxLength: 8 }), array => {
      const input = { $literal: array };
      expect(evaluate({ $sortArray: { input, sortBy: 1 } })).toEqual(evaluate({ $minN: { input, n: array.length } }));
    }),
  );
});
