import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { parsePipeline, parseTransform } from '../src/agg/pipeline.js';
import { Doc } from '../src/value/doc.js';
import { DateValue, UNDEFINED, type Value } from '../src/value/value.js';
import {
  ambience,
  checkPipelines as check,
  checkRefusedPipelines as checkRefused,
  environmentOf,
  expectRefusal,
  refused,
  type Refusal,
  runPipeline,
} from './agg-cases.js';
import { d, decimal, double, type Shorthand, text, v } from './shorthand.js';
import { withoutPauses } from '../src/work/pause.js';

check('$match, $sort, $limit, $skip, $count', [
  [[{ $match: { a: { $gt: 1 } } }], [{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 2 }, { a: 3 }]],
  [[{ $match: {} }], [{ a: 1 }], [{ a: 1 }]],
  [
    [{ $match: { $expr: { $gt: ['$a', '$b'] } } }],
    [
      { a: 1, b: 2 },
      { a: 2, b: 1 },
    ],
    [{ a: 2, b: 1 }],
  ],
  [[{ $skip: 0 }, { $match: { a: 2 } }], [{ a: 1 }, { a: 2 }], [{ a: 2 }]],
  [
    [{ $sort: { a: -1, b: 1 } }],
    [
      { a: 1, b: 2 },
      { a: 2, b: 2 },
      { a: 2, b: 1 },
    ],
    [
      { a: 2, b: 1 },
      { a: 2, b: 2 },
      { a: 1, b: 2 },
    ],
  ],
  [
    [{ $sort: { a: 1 } }, { $limit: 2 }],
    [{ a: 3 }, { a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 2 }],
  ],
  [[{ $sort: { a: 1 } }, { $skip: 1 }, { $limit: 1 }], [{ a: 3 }, { a: 1 }, { a: 2 }], [{ a: 2 }]],
  [[{ $limit: 1 }, { $sort: { a: 1 } }], [{ a: 3 }, { a: 1 }], [{ a: 3 }]],
  [[{ $limit: double(2) }, { $skip: 1n }], [{ a: 1 }, { a: 2 }, { a: 3 }], [{ a: 2 }]],
  [[{ $skip: 5 }], [{ a: 1 }], []],
  [[{ $count: 'n' }], [{ a: 1 }, { a: 2 }], [{ n: 2 }]],
  [[{ $match: { a: 9 } }, { $count: 'n' }], [{ a: 1 }], []],
  [
    [{ $sortByCount: '$a' }],
    [{ a: 1 }, { a: 2 }, { a: 2 }],
    [
      { _id: 2, count: 2 },
      { _id: 1, count: 1 },
    ],
  ],
  [[{ $sortByCount: { $toUpper: '$a' } }], [{ a: 'x' }, { a: 'X' }], [{ _id: 'X', count: 2 }]],
  [[], [{ a: 1 }], [{ a: 1 }]],
]);

check('$project', [
  [[{ $project: { a: 1 } }], [{ _id: 1, a: 2, b: 3 }], [{ _id: 1, a: 2 }]],
  [[{ $project: { _id: 0, a: true } }], [{ _id: 1, a: 2, b: 3 }], [{ a: 2 }]],
  [[{ $project: { b: 0 } }], [{ _id: 1, a: 2, b: 3 }], [{ _id: 1, a: 2 }]],
  [[{ $project: { 'a.b': 1 } }], [{ _id: 1, a: [{ b: 1, c: 2 }, 5, { c: 3 }] }], [{ _id: 1, a: [{ b: 1 }, {}] }]],
  [[{ $project: { _id: 0, sum: { $add: ['$a', '$b'] }, a: 1 } }], [{ a: 1, b: 2 }], [{ a: 1, sum: 3 }]],
  [[{ $project: { _id: 0, x: '$a.b', y: 'text' } }], [{ a: { b: 1 } }], [{ x: 1, y: 'text' }]],
  [[{ $project: { _id: 0, x: '$missing', y: ['$a', '$missing'] } }], [{ a: 1 }], [{ y: [1, null] }]],
  [[{ $project: { _id: 0, a: { b: '$c', d: { $add: [1, 1] } } } }], [{ a: 5, c: 7 }], [{ a: { b: 7, d: 2 } }]],
  [[{ $project: { _id: 0, a: { $cond: [true, '$$REMOVE', 1] } } }], [{ a: 5 }], [{}]],
  [[{ $project: { a: { b: 0 } } }], [{ _id: 1, a: { b: 1, c: 2 } }], [{ _id: 1, a: { c: 2 } }]],
]);

check('$addFields, $set, $unset, $replaceRoot, $replaceWith', [
  [[{ $addFields: { c: { $add: ['$a', '$b'] } } }], [{ a: 1, b: 2 }], [{ a: 1, b: 2, c: 3 }]],
  [[{ $set: { a: '$b', b: '$a' } }], [{ a: 1, b: 2 }], [{ a: 2, b: 1 }]],
  [
    [{ $set: { 'a.b': 5 } }],
    [{ a: { c: 1 } }, { a: 3 }, { a: [{}, 4] }, {}],
    [{ a: { c: 1, b: 5 } }, { a: { b: 5 } }, { a: [{ b: 5 }, { b: 5 }] }, { a: { b: 5 } }],
  ],
  [[{ $set: { a: { b: 1, c: { d: '$x' } } } }], [{ x: 9 }], [{ x: 9, a: { b: 1, c: { d: 9 } } }]],
  [[{ $set: { a: '$$REMOVE' } }], [{ a: 1, b: 2 }], [{ b: 2 }]],
  [[{ $set: { a: '$missing' } }], [{ a: 1 }], [{}]],
  [[{ $set: { a: { $literal: {} } } }], [{}], [{ a: {} }]],
  [[{ $unset: 'a' }], [{ a: 1, b: 2 }], [{ b: 2 }]],
  [[{ $unset: ['a.b', 'c'] }], [{ a: [{ b: 1, x: 2 }], c: 3 }], [{ a: [{ x: 2 }] }]],
  [[{ $replaceRoot: { newRoot: '$a' } }], [{ a: { b: 1 } }], [{ b: 1 }]],
  [[{ $replaceRoot: { newRoot: { $mergeObjects: [{ x: 0, y: 0 }, '$$ROOT'] } } }], [{ x: 5 }], [{ x: 5, y: 0 }]],
  [[{ $replaceWith: { k: '$a' } }], [{ a: 1 }], [{ k: 1 }]],
]);

check('$unwind', [
  [
    [{ $unwind: '$a' }],
    [{ _id: 1, a: [1, 2] }],
    [
      { _id: 1, a: 1 },
      { _id: 1, a: 2 },
    ],
  ],
  [[{ $unwind: { path: '$a' } }], [{ a: [] }, { a: null }, {}, { a: UNDEFINED }, { a: 5 }], [{ a: 5 }]],
  [
    [{ $unwind: { path: '$a', preserveNullAndEmptyArrays: true } }],
    [{ x: 1, a: [] }, { a: null }, { x: 2 }, { a: [7] }],
    [{ x: 1 }, { a: null }, { x: 2 }, { a: 7 }],
  ],
  [
    [{ $unwind: { path: '$a', includeArrayIndex: 'i' } }],
    [{ a: ['x', 'y'] }, { a: 'z' }],
    [
      { a: 'x', i: 0n },
      { a: 'y', i: 1n },
      { a: 'z', i: null },
    ],
  ],
  [
    [{ $unwind: { path: '$a', includeArrayIndex: 'n.i', preserveNullAndEmptyArrays: true } }],
    [{ a: [] }],
    [{ n: { i: null } }],
  ],
  [[{ $unwind: { path: '$a', includeArrayIndex: 'n.i' } }], [{ n: [{ j: 1 }], a: [5] }], [{ n: { i: 0n }, a: 5 }]],
  [
    [{ $unwind: '$a.b' }],
    [{ a: { b: [1, 2], c: 3 } }, { a: [{ b: [1] }] }],
    [{ a: { b: 1, c: 3 } }, { a: { b: 2, c: 3 } }],
  ],
  [[{ $unwind: '$a' }, { $unwind: '$a' }], [{ a: [[1, 2], [3]] }], [{ a: 1 }, { a: 2 }, { a: 3 }]],
]);

const sales: readonly { readonly [key: string]: Shorthand }[] = [
  { item: 'abc', price: 10, quantity: 2, at: new DateValue(0) },
  { item: 'jkl', price: 20, quantity: 1, at: new DateValue(0) },
  { item: 'abc', price: 5, quantity: 10, at: new DateValue(86_400_000) },
];

check('$group: keys', [
  [[{ $group: { _id: '$item' } }], sales, [{ _id: 'abc' }, { _id: 'jkl' }]],
  [[{ $group: { _id: null, n: { $sum: 1 } } }], sales, [{ _id: null, n: 3 }]],
  [[{ $group: { _id: null, n: { $sum: 1 } } }], [], []],
  [
    [{ $group: { _id: { day: { $dayOfYear: '$at' }, item: '$item' }, n: { $sum: 1 } } }],
    sales,
    [
      { _id: { day: 1, item: 'abc' }, n: 1 },
      { _id: { day: 1, item: 'jkl' }, n: 1 },
      { _id: { day: 2, item: 'abc' }, n: 1 },
    ],
  ],
  [
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ a: 1 }, { a: 1n }, { a: double(1) }, { a: decimal('1.00') }, { a: true }, { a: '1' }],
    [
      { _id: 1, n: 4 },
      { _id: true, n: 1 },
      { _id: '1', n: 1 },
    ],
  ],
  [
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ a: double(NaN) }, { a: decimal('NaN') }, { a: double(-0) }, { a: 0 }],
    [
      { _id: double(NaN), n: 2 },
      { _id: double(-0), n: 2 },
    ],
  ],
  [
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ a: 0.5 }, { a: decimal('0.5') }, { a: 0.1 }, { a: decimal('0.1') }],
    [
      { _id: 0.5, n: 2 },
      { _id: 0.1, n: 1 },
      { _id: decimal('0.1'), n: 1 },
    ],
  ],
  [
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ a: 9007199254740993n }, { a: decimal('9007199254740993') }, { a: double(9007199254740992) }],
    [
      { _id: 9007199254740993n, n: 2 },
      { _id: double(9007199254740992), n: 1 },
    ],
  ],
  [
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{}, { a: null }, { a: 1 }],
    [
      { _id: null, n: 2 },
      { _id: 1, n: 1 },
    ],
  ],
  [[{ $group: { _id: { a: '$a' }, n: { $sum: 1 } } }], [{}, { a: null }], [{ _id: { a: null }, n: 2 }]],
  // Only an _id of several fields distinguishes null from a missing value.
  [
    [{ $group: { _id: { a: '$a', b: '$b' }, n: { $sum: 1 } } }],
    [{ b: 1 }, { a: null, b: 1 }, { b: 1 }],
    [
      { _id: { b: 1 }, n: 2 },
      { _id: { a: null, b: 1 }, n: 1 },
    ],
  ],
  [
    [{ $group: { _id: '$a', n: { $sum: 1 } } }],
    [{ a: [1, 2] }, { a: [1, 2] }, { a: [2, 1] }],
    [
      { _id: [1, 2], n: 2 },
      { _id: [2, 1], n: 1 },
    ],
  ],
  [[{ $group: { _id: '$$ROOT.a.b', n: { $sum: 1 } } }], [{ a: { b: 1 } }, { a: { b: 1 } }], [{ _id: 1, n: 2 }]],
  [[{ $group: { _id: {}, n: { $sum: 1 } } }], sales, [{ _id: {}, n: 3 }]],
]);

check('$group: accumulators', [
  [
    [
      {
        $group: {
          _id: '$item',
          total: { $sum: { $multiply: ['$price', '$quantity'] } },
          avg: { $avg: '$quantity' },
          n: { $count: {} },
        },
      },
    ],
    sales,
    [
      { _id: 'abc', total: 70, avg: double(6), n: 2 },
      { _id: 'jkl', total: 20, avg: double(1), n: 1 },
    ],
  ],
  [
    [
      {
        $group: { _id: null, first: { $first: '$a' }, last: { $last: '$a' }, min: { $min: '$a' }, max: { $max: '$a' } },
      },
    ],
    [{}, { a: 3 }, { a: 1 }, { a: null }],
    [{ _id: null, first: null, last: null, min: 1, max: 3 }],
  ],
  [
    [{ $group: { _id: null, push: { $push: '$a' }, set: { $addToSet: '$a' } } }],
    [{ a: 1 }, {}, { a: null }, { a: 1n }, { a: [1] }],
    [{ _id: null, push: [1, null, 1n, [1]], set: [1, null, [1]] }],
  ],
  [
    [{ $group: { _id: null, s: { $sum: '$a' }, t: { $sum: 'x' } } }],
    [{ a: 2147483647 }, { a: 1 }, { a: 'x' }, {}, { a: [5] }],
    [{ _id: null, s: 2147483648n, t: 0 }],
  ],
  [
    [{ $group: { _id: null, s: { $sum: '$a' } } }],
    [{ a: 9223372036854775807n }, { a: 1n }],
    [{ _id: null, s: double(9223372036854775808) }],
  ],
  [
    [{ $group: { _id: null, s: { $sum: '$a' } } }],
    [{ a: 9223372036854775807n }, { a: 1n }, { a: -1n }],
    [{ _id: null, s: 9223372036854775807n }],
  ],
  [
    [{ $group: { _id: null, m: { $mergeObjects: '$a' } } }],
    [{ a: { x: 1, y: 2 } }, {}, { a: { x: 3 } }],
    [{ _id: null, m: { x: 3, y: 2 } }],
  ],
  [
    [{ $group: { _id: null, p: { $stdDevPop: '$a' }, s: { $stdDevSamp: '$a' } } }],
    [{ a: 2 }, { a: 4 }, { a: 'x' }],
    [{ _id: null, p: double(1), s: Math.SQRT2 }],
  ],
  [[{ $group: { _id: null, s: { $stdDevSamp: '$a' } } }], [{ a: 2 }], [{ _id: null, s: null }]],
  [
    [
      {
        $group: {
          _id: null,
          top: { $top: { sortBy: { a: -1 }, output: ['$b', '$a'] } },
          bottom: { $bottom: { sortBy: { a: -1 }, output: '$b' } },
        },
      },
    ],
    [{ a: 1, b: 'x' }, { a: 3, b: 'y' }, { a: 2 }],
    [{ _id: null, top: ['y', 3], bottom: 'x' }],
  ],
  [
    [
      {
        $group: {
          _id: null,
          top: { $topN: { n: 2, sortBy: { a: -1 }, output: '$a' } },
          bottom: { $bottomN: { n: 2, sortBy: { a: -1 }, output: '$a' } },
        },
      },
    ],
    [{ a: 1 }, { a: 3 }, { a: 2 }],
    [{ _id: null, top: [3, 2], bottom: [2, 1] }],
  ],
  // The earlier of equal documents are kept, in order; the least, and latest of equals, is dropped.
  [
    [
      {
        $group: {
          _id: null,
          top: { $topN: { n: 2, sortBy: { a: 1 }, output: '$b' } },
          bottom: { $bottomN: { n: 2, sortBy: { a: 1 }, output: '$b' } },
          last: { $bottom: { sortBy: {}, output: '$b' } },
        },
      },
    ],
    [
      { a: 1, b: 'v' },
      { a: 1, b: 'w' },
      { a: 2, b: 'x' },
      { a: 1, b: 'y' },
      { a: 2, b: 'z' },
    ],
    [{ _id: null, top: ['v', 'w'], bottom: ['x', 'z'], last: 'v' }],
  ],
  [
    [{ $group: { _id: null, r: { $bottomN: { n: 2, sortBy: { a: 1 }, output: '$b' } } } }],
    [
      { a: 1, b: 'v' },
      { a: 1, b: 'w' },
      { a: 2, b: 'x' },
    ],
    [{ _id: null, r: ['w', 'x'] }],
  ],
  [
    [
      {
        $group: {
          _id: null,
          f: { $firstN: { input: '$a', n: 2 } },
          l: { $lastN: { input: '$a', n: 2 } },
          x: { $maxN: { input: '$a', n: 2 } },
          m: { $minN: { input: '$a', n: 2 } },
        },
      },
    ],
    [{ a: 1 }, { a: 3 }, {}, { a: 2 }],
    [{ _id: null, f: [1, 3], l: [null, 2], x: [3, 2], m: [1, 2] }],
  ],
  [
    [{ $group: { _id: { k: '$k' }, f: { $firstN: { input: '$a', n: { $cond: [{ $eq: ['$k', 1] }, 1, 3] } } } } }],
    [
      { k: 1, a: 1 },
      { k: 1, a: 2 },
      { k: 2, a: 3 },
      { k: 2, a: 4 },
    ],
    [
      { _id: { k: 1 }, f: [1] },
      { _id: { k: 2 }, f: [3, 4] },
    ],
  ],
  [
    [
      {
        $group: {
          _id: null,
          m: { $median: { input: '$a', method: 'approximate' } },
          p: { $percentile: { input: '$a', p: [0.25, 0.9], method: 'approximate' } },
        },
      },
    ],
    [{ a: 1 }, { a: 2 }, { a: 3 }, { a: 'x' }, { a: 4 }],
    [{ _id: null, m: double(2), p: [double(1), double(4)] }],
  ],
  [
    [{ $group: { _id: null, c: { $concatArrays: '$a' }, u: { $setUnion: '$a' } } }],
    [{ a: [1, 2] }, { a: [2, 3] }, {}],
    [{ _id: null, c: [1, 2, 2, 3], u: [1, 2, 3] }],
  ],
  [
    [{ $sort: { a: 1 } }, { $group: { _id: null, first: { $first: '$a' } } }],
    [{ a: 2 }, { a: 1 }],
    [{ _id: null, first: 1 }],
  ],
  // Only the first document is evaluated.
  [[{ $group: { _id: null, first: { $first: { $strLenCP: '$a' } } } }], [{ a: 'xy' }, {}], [{ _id: null, first: 2 }]],
]);

const orders: readonly { readonly [key: string]: Shorthand }[] = [
  { _id: 1, item: 'almonds', quantity: 2 },
  { _id: 2, item: 'pecans', quantity: 1 },
  { _id: 3 },
];
const collections = {
  inventory: [
    { _id: 1, sku: 'almonds', instock: 120 },
    { _id: 2, sku: 'bread', instock: 80 },
    { _id: 3, sku: null },
    { _id: 4 },
    { _id: 5, sku: ['almonds', 'pecans'], instock: 5 },
  ],
  other: [
    { _id: 10, x: 1 },
    { _id: 11, x: 2 },
  ],
};

check(
  '$lookup',
  [
    [
      [
        { $lookup: { from: 'inventory', localField: 'item', foreignField: 'sku', as: 'found' } },
        { $project: { ids: '$found._id' } },
      ],
      orders,
      [
        { _id: 1, ids: [1, 5] },
        { _id: 2, ids: [5] },
        { _id: 3, ids: [3, 4] },
      ],
    ],
    [
      [
        { $lookup: { from: 'inventory', localField: 'items', foreignField: 'sku', as: 'found' } },
        { $project: { ids: '$found._id' } },
      ],
      [
        { _id: 1, items: ['bread', 'almonds', 'almonds'] },
        { _id: 2, items: [] },
        { _id: 3, items: [['almonds', 'pecans']] },
      ],
      [
        { _id: 1, ids: [1, 2, 5] },
        { _id: 2, ids: [3, 4] },
        { _id: 3, ids: [5] },
      ],
    ],
    [
      [{ $lookup: { from: 'nowhere', localField: 'a', foreignField: 'b', as: 'found' } }],
      [{ a: 1 }],
      [{ a: 1, found: [] }],
    ],
    [
      [{ $lookup: { from: 'inventory', localField: 'a.b', foreignField: '_id', as: 'x.y' } }],
      [{ a: [{ b: 2 }, { b: 9 }] }],
      [{ a: [{ b: 2 }, { b: 9 }], x: { y: [{ _id: 2, sku: 'bread', instock: 80 }] } }],
    ],
    [
      [
        { $lookup: { from: 'inventory', localField: 'a', foreignField: '_id', as: 'r' } },
        { $project: { _id: 0, r: '$r._id' } },
      ],
      [{ a: 2n }, { a: double(2) }, { a: decimal('2.0') }, { a: '2' }],
      [{ r: [2] }, { r: [2] }, { r: [2] }, { r: [] }],
    ],
    [
      [
        {
          $lookup: {
            from: 'inventory',
            let: { q: '$quantity', sku: '$item' },
            pipeline: [
              { $match: { $expr: { $and: [{ $eq: ['$sku', '$$sku'] }, { $gte: ['$instock', '$$q'] }] } } },
              { $project: { _id: 0, instock: 1, left: { $subtract: ['$instock', '$$q'] } } },
            ],
            as: 'stock',
          },
        },
      ],
      [
        { _id: 1, item: 'almonds', quantity: 2 },
        { _id: 2, item: 'bread', quantity: 99 },
      ],
      [
        { _id: 1, item: 'almonds', quantity: 2, stock: [{ instock: 120, left: 118 }] },
        { _id: 2, item: 'bread', quantity: 99, stock: [] },
      ],
    ],
    [
      [{ $lookup: { from: 'other', pipeline: [{ $match: { x: { $gt: 1 } } }], as: 'o' } }],
      [{ _id: 1 }, { _id: 2 }],
      [
        { _id: 1, o: [{ _id: 11, x: 2 }] },
        { _id: 2, o: [{ _id: 11, x: 2 }] },
      ],
    ],
    [
      [
        {
          $lookup: {
            from: 'inventory',
            localField: 'item',
            foreignField: 'sku',
            let: { n: '$quantity' },
            pipeline: [
              { $match: { $expr: { $gt: ['$instock', { $multiply: ['$$n', 10] }] } } },
              { $project: { instock: 1 } },
            ],
            as: 's',
          },
        },
        { $project: { s: 1 } },
      ],
      [{ _id: 1, item: 'almonds', quantity: 2 }],
      [{ _id: 1, s: [{ _id: 1, instock: 120 }] }],
    ],
    [
      [
        {
          $lookup: {
            from: 'other',
            let: { a: '$a' },
            pipeline: [
              {
                $lookup: {
                  from: 'other',
                  pipeline: [{ $match: { $expr: { $eq: ['$x', '$$a'] } } }, { $project: { _id: 1 } }],
                  as: 'in',
                },
              },
              { $project: { in: 1 } },
            ],
            as: 'out',
          },
        },
      ],
      [{ a: 1 }, { a: 2 }],
      [
        {
          a: 1,
          out: [
            { _id: 10, in: [{ _id: 10 }] },
            { _id: 11, in: [{ _id: 10 }] },
          ],
        },
        {
          a: 2,
          out: [
            { _id: 10, in: [{ _id: 11 }] },
            { _id: 11, in: [{ _id: 11 }] },
          ],
        },
      ],
    ],
    [
      [{ $lookup: { pipeline: [{ $documents: [{ k: 1 }, { k: 2 }] }, { $match: { k: 2 } }], as: 'd' } }],
      [{ _id: 1 }],
      [{ _id: 1, d: [{ k: 2 }] }],
    ],
    [
      [
        {
          $lookup: {
            localField: 'a',
            foreignField: 'k',
            let: { n: '$n' },
            pipeline: [{ $documents: [{ k: 1 }, { k: 2, n: '$$n' }, { k: [2, 3] }] }, { $match: { k: { $gt: 1 } } }],
            as: 'd',
          },
        },
      ],
      [
        { a: 1, n: 1 },
        { a: 2, n: 2 },
        { a: [1, 3], n: 3 },
      ],
      [
        { a: 1, n: 1, d: [] },
        { a: 2, n: 2, d: [{ k: 2, n: 2 }, { k: [2, 3] }] },
        { a: [1, 3], n: 3, d: [{ k: [2, 3] }] },
      ],
    ],
    // An array on the path of the result is replaced.
    [
      [{ $lookup: { pipeline: [{ $documents: [{ k: 1 }] }], as: 'a.b' } }],
      [{ a: [{ c: 1 }] }, { a: { c: 1 } }],
      [{ a: { b: [{ k: 1 }] } }, { a: { c: 1, b: [{ k: 1 }] } }],
    ],
  ],
  collections,
);

check(
  '$facet, $unionWith, $documents, $redact',
  [
    [
      [
        {
          $facet: {
            count: [{ $count: 'n' }],
            top: [{ $sort: { a: -1 } }, { $limit: 1 }],
            none: [{ $match: { a: 99 } }],
          },
        },
      ],
      [{ a: 1 }, { a: 2 }],
      [{ count: [{ n: 2 }], top: [{ a: 2 }], none: [] }],
    ],
    [[{ $facet: { all: [] } }], [{ a: 1 }], [{ all: [{ a: 1 }] }]],
    [[{ $unionWith: 'other' }], [{ a: 1 }], [{ a: 1 }, { _id: 10, x: 1 }, { _id: 11, x: 2 }]],
    [
      [{ $unionWith: { coll: 'other', pipeline: [{ $match: { x: 2 } }, { $project: { _id: 0 } }] } }],
      [{ a: 1 }],
      [{ a: 1 }, { x: 2 }],
    ],
    [[{ $unionWith: { pipeline: [{ $documents: [{ y: 1 }] }] } }], [{ a: 1 }], [{ a: 1 }, { y: 1 }]],
    [[{ $documents: [{ x: 10 }, { x: { $add: [1, 1] } }] }, { $match: { x: 2 } }], [], [{ x: 2 }]],
    [
      [{ $redact: { $cond: [{ $eq: ['$level', 5] }, '$$PRUNE', '$$DESCEND'] } }],
      [
        { level: 1, a: { level: 5, x: 1 }, b: [{ level: 5 }, { level: 2, y: 1 }, 7, [{ level: 5 }, 8]], c: 3 },
        { level: 5 },
      ],
      [{ level: 1, b: [{ level: 2, y: 1 }, 7, [8]], c: 3 }],
    ],
    [
      [{ $redact: { $cond: ['$keep', '$$KEEP', '$$DESCEND'] } }],
      [{ keep: true, a: { keep: false } }],
      [{ keep: true, a: { keep: false } }],
    ],
  ],
  collections,
);

check('$bucket, $bucketAuto', [
  [
    [
      {
        $bucket: {
          groupBy: '$year',
          boundaries: [1840, 1850, 1860],
          default: 'Other',
          output: { n: { $sum: 1 }, names: { $push: '$name' } },
        },
      },
    ],
    [
      { year: 1841, name: 'a' },
      { year: 1849, name: 'b' },
      { year: 1850, name: 'c' },
      { year: 1860, name: 'd' },
    ],
    [
      { _id: 1840, n: 2, names: ['a', 'b'] },
      { _id: 1850, n: 1, names: ['c'] },
      { _id: 'Other', n: 1, names: ['d'] },
    ],
  ],
  [[{ $bucket: { groupBy: '$a', boundaries: [0, 5] } }], [{ a: 1 }, { a: 4.5 }], [{ _id: 0, count: 2 }]],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 2 } }],
    [{ p: 1 }, { p: 2 }, { p: 3 }, { p: 4 }],
    [
      { _id: { min: 1, max: 3 }, count: 2 },
      { _id: { min: 3, max: 4 }, count: 2 },
    ],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 3, output: { s: { $sum: '$p' } } } }],
    [{ p: 1 }, { p: 1 }, { p: 1 }, { p: 1 }, { p: 2 }],
    [
      { _id: { min: 1, max: 2 }, s: 4 },
      { _id: { min: 2, max: 2 }, s: 2 },
    ],
  ],
  [[{ $bucketAuto: { groupBy: '$p', buckets: 5 } }], [{ p: 7 }], [{ _id: { min: 7, max: 7 }, count: 1 }]],
  [[{ $bucketAuto: { groupBy: '$p', buckets: 5 } }], [], []],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 2, granularity: '1-2-5' } }],
    [{ p: 3 }, { p: 8 }, { p: 30 }, { p: 90 }],
    [
      { _id: { min: double(2), max: double(10) }, count: 2 },
      { _id: { min: double(10), max: double(100) }, count: 2 },
    ],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 2, granularity: 'POWERSOF2' } }],
    [{ p: 3 }, { p: 5 }, { p: 30 }, { p: 90 }],
    [
      { _id: { min: 2, max: 8 }, count: 2 },
      { _id: { min: 8, max: 128 }, count: 2 },
    ],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 2, granularity: 'POWERSOF2' } }],
    [{ p: double(0.25) }, { p: 1 }, { p: (1n << 62n) - 1n }, { p: 1n << 62n }],
    [
      { _id: { min: double(0.125), max: 2 }, count: 2 },
      { _id: { min: 2, max: double(2 ** 63) }, count: 2 },
    ],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 1, granularity: 'POWERSOF2' } }],
    [{ p: decimal('3') }, { p: decimal('8') }],
    [{ _id: { min: decimal(`2.${'0'.repeat(33)}`), max: decimal(`16.${'0'.repeat(32)}`) }, count: 2 }],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 8, granularity: 'R80' } }],
    [{ p: Number.MIN_VALUE }],
    [{ _id: { min: double(0), max: 1.02e-321 }, count: 1 }],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 1, granularity: 'E6' } }],
    [{ p: 1.7e308 }],
    [{ _id: { min: 1.5e308, max: double(Infinity) }, count: 1 }],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 1, granularity: 'R5' } }],
    [{ p: decimal('0.3') }, { p: decimal('300') }],
    [{ _id: { min: decimal('0.250000000000000'), max: decimal('400.0000000000000') }, count: 2 }],
  ],
  [
    [{ $bucketAuto: { groupBy: '$p', buckets: 2, granularity: '1-2-5' } }],
    [{ p: 0 }, { p: 5 }, { p: 0 }, { p: 0 }],
    [
      { _id: { min: 0, max: double(2) }, count: 3 },
      { _id: { min: double(2), max: double(10) }, count: 1 },
    ],
  ],
]);

checkRefused("rejects invalid stages with MongoDB 8.2's codes and messages", [
  [[5], refused(14, `Each element of the 'pipeline' array must be an object`)],
  [[{}], refused(40323, 'A pipeline stage specification object must contain exactly one field.')],
  [
    [{ $match: {}, $limit: 1 }],
    refused(40323, 'A pipeline stage specification object must contain exactly one field.'),
  ],
  [[{ $foo: 1 }], refused(40324, `Unrecognized pipeline stage name: '$foo'`)],
  [[{ $lookDown: {} }], refused(40324, `Unrecognized pipeline stage name: '$lookDown'`)],
  [[{ $geoNear: {} }], refused(5860400, "$geoNear requires a 'near' argument")],
  [
    [{ $vectorSearch: {} }],
    refused(
      31082,
      /^Using \$search and \$vectorSearch aggregation stages requires additional configuration\. Please connect to Atlas/,
    ),
  ],
  [
    [{ $queryStats: {} }],
    refused(115, '$queryStats is not supported by this server: it reads statistics that this server does not collect'),
  ],
  [[{ $match: 5 }], refused(15959, 'the match filter must be an expression in an object')],
  [[{ $match: { $foo: 1 } }], refused(2, /unknown top level operator: \$foo/)],
  [[{ $sort: 5 }], refused(15973, 'the $sort key specification must be an object')],
  [[{ $sort: {} }], refused(15976, '$sort stage must have at least one sort key')],
  [[{ $sort: { a: 2 } }], refused(15975, '$sort key ordering must be 1 (for ascending) or -1 (for descending)')],
  [[{ $limit: 0 }], refused(15958, 'the limit must be positive')],
  [[{ $limit: 'x' }], refused(5107201, 'invalid argument to $limit stage: Expected a number in: $limit: "x"')],
  [
    [{ $limit: -2 }],
    refused(5107201, 'invalid argument to $limit stage: Expected a non-negative number in: $limit: -2'),
  ],
  [
    [{ $limit: double(1e300) }],
    refused(5107201, /^invalid argument to \$limit stage: Cannot represent as a 64-bit integer: \$limit: /),
  ],
  [[{ $skip: 1.5 }], refused(5107200, 'invalid argument to $skip stage: Expected an integer: $skip: 1.5')],
  [
    [{ $skip: decimal('1.5') }],
    refused(5107200, 'invalid argument to $skip stage: Cannot represent as a 64-bit integer: $skip: 1.5'),
  ],
  [
    [{ $skip: double(NaN) }],
    refused(5107200, 'invalid argument to $skip stage: Expected an integer, but found NaN in: $skip: nan'),
  ],
  [[{ $skip: [1] }], refused(5107200, 'invalid argument to $skip stage: Expected a number in: $skip: [ 1 ]')],
  [[{ $count: 5 }], refused(40156, 'the count field must be a non-empty string')],
  [[{ $count: '' }], refused(40157, 'the count field must be a non-empty string')],
  [[{ $count: '$x' }], refused(40158, 'the count field cannot be a $-prefixed path')],
  [[{ $count: 'a\0' }], refused(40159, 'the count field cannot contain a null byte')],
  [[{ $count: 'a.b' }], refused(40160, `the count field cannot contain '.'`)],
  [[{ $sortByCount: 5 }], refused(40149, 'the sortByCount field must be specified as a string or as an object')],
  [
    [{ $sortByCount: 'a' }],
    refused(40148, 'the sortByCount field must be defined as a $-prefixed path or an expression inside an object'),
  ],
  [
    [{ $sortByCount: { a: 1 } }],
    refused(40147, 'the sortByCount field must be defined as a $-prefixed path or an expression inside an object'),
  ],
  [[{ $project: 5 }], refused(15969, '$project specification must be an object')],
  [
    [{ $project: {} }],
    refused(51272, 'Invalid $project :: caused by :: projection specification must have at least one field'),
  ],
  [
    [{ $project: { a: 1, b: 0 } }],
    refused(31254, 'Invalid $project :: caused by :: Cannot do exclusion on field b in inclusion projection'),
  ],
  [[{ $project: { a: { $foo: 1 } } }], refused(31325, 'Invalid $project :: caused by :: Unknown expression $foo')],
  [[{ $project: { a: '$$nope' } }], refused(17276, 'Invalid $project :: caused by :: Use of undefined variable: nope')],
  [[{ $addFields: 5 }], refused(40272, '$addFields specification stage must be an object, got int')],
  [[{ $set: 'x' }], refused(40272, '$set specification stage must be an object, got string')],
  [
    [{ $set: { a: 1, 'a.b': 2 } }],
    refused(40176, /^Invalid \$set :: caused by :: specification contains two conflicting paths/),
  ],
  [[{ $set: { a: { $add: [1], b: 2 } } }], refused(40181, /must contain exactly one field/)],
  [[{ $set: { a: { 'b.c': 2 } } }], refused(40183, /cannot use dotted field name 'b.c' in a sub object/)],
  [
    [{ $addFields: { a: { $foo: 1 } } }],
    refused(168, `Invalid $addFields :: caused by :: Unrecognized expression '$foo'`),
  ],
  [
    [{ $addFields: { a: { $abs: [1, 2] } } }],
    refused(16020, 'Invalid $addFields :: caused by :: Expression $abs takes exactly 1 arguments. 2 were passed in.'),
  ],
  [
    [{ $addFields: { a: { $divide: [1, 0] } } }],
    refused(2, `Failed to optimize pipeline :: caused by :: can't $divide by zero`),
  ],
  [
    [{ $addFields: { a: { $divide: [1, 0] } } }, { $foo: 1 }],
    refused(40324, `Unrecognized pipeline stage name: '$foo'`),
  ],
  [[{ $unset: 5 }], refused(31002, '$unset specification must be a string or an array')],
  [[{ $unset: [] }], refused(31119, '$unset specification must be a string or an array with at least one field')],
  [
    [{ $unset: [5] }],
    refused(31120, '$unset specification must be a string or an array containing only string values'),
  ],
  [[{ $unset: '' }], refused(40352, 'FieldPath cannot be constructed with empty string')],
  [[{ $replaceRoot: 5 }], refused(40229, 'expected an object as specification for $replaceRoot stage, got int')],
  [[{ $replaceRoot: {} }], refused(40414, `BSON field '$replaceRoot.newRoot' is missing but a required field`)],
  [[{ $replaceRoot: { a: 1 } }], refused(40415, `BSON field '$replaceRoot.a' is an unknown field.`)],
  [
    [{ $unwind: 5 }],
    refused(15981, 'expected either a string or an object as specification for $unwind stage, got int'),
  ],
  [[{ $unwind: '' }], refused(28812, 'no path specified to $unwind stage')],
  [[{ $unwind: {} }], refused(28812, 'no path specified to $unwind stage')],
  [[{ $unwind: 'a' }], refused(28818, `path option to $unwind stage should be prefixed with a '$': a`)],
  [[{ $unwind: { path: 5 } }], refused(28808, 'expected a string as the path for $unwind stage, got int')],
  [[{ $unwind: { a: 1 } }], refused(28811, 'unrecognized option to $unwind stage: a')],
  [
    [{ $unwind: { path: '$a', preserveNullAndEmptyArrays: 1 } }],
    refused(28809, 'expected a boolean for the preserveNullAndEmptyArrays option to $unwind stage, got int'),
  ],
  [
    [{ $unwind: { path: '$a', includeArrayIndex: '' } }],
    refused(28810, 'expected a non-empty string for the includeArrayIndex  option to $unwind stage, got string'),
  ],
  [
    [{ $unwind: { path: '$a', includeArrayIndex: '$i' } }],
    refused(28822, `includeArrayIndex option to $unwind stage should not be prefixed with a '$': $i`),
  ],
  [[{ $group: 5 }], refused(15947, `a group's fields must be specified in an object`)],
  [[{ $group: {} }], refused(15955, 'a group specification must include an _id')],
  [[{ $group: { a: 1 } }], refused(40234, `The field 'a' must be an accumulator object`)],
  [[{ $group: { _id: 1, a: { b: 1 } } }], refused(40234, `The field 'a' must be an accumulator object`)],
  [[{ $group: { _id: 1, 'a.b': { $sum: 1 } } }], refused(40235, `The field name 'a.b' cannot contain '.'`)],
  [[{ $group: { _id: 1, $a: { $sum: 1 } } }], refused(40236, `The field name '$a' cannot be an operator name`)],
  [[{ $group: { _id: 1, a: { $sum: ['$a'] } } }], refused(40237, 'The $sum accumulator is a unary operator')],
  [
    [{ $group: { _id: 1, a: { $sum: 1, $max: 2 } } }],
    refused(40238, `The field 'a' must specify one accumulator: { $sum: 1, $max: 2 }`),
  ],
  [[{ $group: { _id: 1, a: { $foo: 1 } } }], refused(15952, `unknown group operator '$foo'`)],
  [[{ $group: { _id: { a: 1 } } }], refused(17390, '$group does not support inclusion-style expressions')],
  [[{ $group: { _id: '$$nope' } }], refused(17276, 'Use of undefined variable: nope')],
  [[{ $group: { _id: 1, a: { $count: 1 } } }], refused(14, '$count takes no arguments, i.e. $count:{}')],
  [[{ $group: { _id: 1, a: { $top: 5 } } }], refused(5788001, 'specification must be an object; found $top: 5')],
  [[{ $group: { _id: 1, a: { $top: { n: 1 } } } }], refused(5788002, `Unknown argument to $top 'n'`)],
  [[{ $group: { _id: 1, a: { $topN: { output: 1, sortBy: {} } } } }], refused(5788003, `Missing value for 'n'`)],
  [[{ $group: { _id: 1, a: { $top: { sortBy: { a: 1 } } } } }], refused(5788004, `Missing value for 'output'`)],
  [[{ $group: { _id: 1, a: { $top: { output: 1 } } } }], refused(5788005, `Missing value for 'sortBy'`)],
  [[{ $sample: 5 }], refused(28745, 'the $sample stage specification must be an object')],
  [[{ $sample: { size: 'x' } }], refused(28746, 'size argument to $sample must be a number')],
  [[{ $sample: { size: 0 } }], refused(28747, 'size argument to $sample must be a positive integer')],
  [[{ $sample: { size: double(0.5) } }], refused(28747, 'size argument to $sample must be a positive integer')],
  [[{ $sample: { size: double(NaN) } }], refused(28747, 'size argument to $sample must be a positive integer')],
  [[{ $sample: { size: double(-1e300) } }], refused(28747, 'size argument to $sample must be a positive integer')],
  [[{ $sample: { a: 1 } }], refused(28748, 'unrecognized option to $sample: a')],
  [[{ $sample: {} }], refused(28749, '$sample stage must specify a size')],
  [[{ $facet: 'x' }], refused(40169, 'the $facet specification must be a non-empty object, but found: $facet: "x"')],
  [[{ $facet: {} }], refused(40169, 'the $facet specification must be a non-empty object, but found: $facet: {}')],
  [[{ $facet: { a: 5 } }], refused(40170, 'arguments to $facet must be arrays, a is type int')],
  [
    [{ $facet: { a: [5] } }],
    refused(
      40171,
      'elements of arrays in $facet spec must be non-empty objects, a argument contained an element of type int: 5',
    ),
  ],
  [
    [{ $facet: { a: [{ $facet: { b: [] } }] } }],
    refused(40600, '$facet is not allowed to be used within a $facet stage'),
  ],
  [
    [{ $facet: { a: [{ $lookup: { from: 'c', pipeline: [{ $facet: { b: [] } }], as: 'j' } }] } }],
    refused(40600, '$facet inside of $lookup is not allowed to be used within a $facet stage'),
  ],
  [
    [{ $facet: { a: [{ $unionWith: { pipeline: [{ $documents: [] }] } }] } }],
    refused(40600, '$documents inside of $unionWith is not allowed to be used within a $facet stage'),
  ],
  [
    [{ $lookup: { from: 'c', pipeline: [{ $changeStream: {} }], as: 'j' } }],
    refused(51047, "$changeStream is not allowed within a $lookup's sub-pipeline"),
  ],
  [
    [{ $unionWith: { coll: 'c', pipeline: [{ $changeStream: {} }] } }],
    refused(31441, "$changeStream is not allowed within a $unionWith's sub-pipeline"),
  ],
  [[{ $facet: { a: [{ $out: 'x' }] } }], refused(40600, '$out is not allowed to be used within a $facet stage')],
  [[{ $lookup: 5 }], refused(9, 'the $lookup stage specification must be an object, but found int')],
  [[{ $lookup: { a: 1 } }], refused(9, `must specify 'pipeline' when 'from' is empty`)],
  [[{ $lookup: { from: 'c', zz: 1 } }], refused(40415, `BSON field '$lookup.zz' is an unknown field.`)],
  [[{ $lookup: { from: 'c' } }], refused(40414, `BSON field '$lookup.as' is missing but a required field`)],
  [[{ $lookup: { from: 'c', as: 'x' } }], refused(9, /either 'pipeline' or both/)],
  [[{ $lookup: { from: 'c', as: 'x', localField: 'a' } }], refused(9, /both or neither/)],
  [
    [{ $lookup: { from: 5, as: 'x', pipeline: [] } }],
    refused(9, `$lookup argument 'from: 5' must be a string, is type int`),
  ],
  [
    [{ $lookup: { from: 'c', as: 'x', pipeline: [{ $out: 'y' }] } }],
    refused(51047, `$out is not allowed within a $lookup's sub-pipeline`),
  ],
  [
    [{ $lookup: { from: 'c', as: 'x', let: { v: 1 }, pipeline: [{ $match: { $expr: '$$w' } }] } }],
    refused(17276, 'Use of undefined variable: w'),
  ],
  [
    [{ $lookup: { from: 'c', as: 'x', let: { v: 1 }, pipeline: [] } }, { $match: { $expr: '$$v' } }],
    refused(17276, 'Use of undefined variable: v'),
  ],
  [[{ $unionWith: 5 }], refused(9, 'the $unionWith stage specification must be an object or string, but found int')],
  [[{ $unionWith: { a: 1 } }], refused(40415, `BSON field '$unionWith.a' is an unknown field.`)],
  [
    [{ $unionWith: {} }],
    refused(9, '$unionWith stage without explicit collection must have a pipeline with $documents as first stage'),
  ],
  [
    [{ $unionWith: { coll: 'c', pipeline: [{ $merge: 'x' }] } }],
    refused(31441, `$merge is not allowed within a $unionWith's sub-pipeline`),
  ],
  [[{ $documents: 5 }], refused(5858203, 'an array is expected')],
  [[{ $match: {} }, { $documents: [] }], refused(40602, '$documents is only valid as the first stage in a pipeline')],
  [[{ $collStats: 5 }], refused(40166, '$collStats must take a nested object but found: $collStats: 5')],
  [[{ $match: {} }, { $collStats: {} }], refused(40602, '$collStats is only valid as the first stage in a pipeline')],
  [[{ $bucket: 5 }], refused(40201, 'Argument to $bucket stage must be an object, but found type: int.')],
  [[{ $bucket: { a: 1 } }], refused(40197, 'Unrecognized option to $bucket: a.')],
  [[{ $bucket: { groupBy: '$a' } }], refused(40198, `$bucket requires 'groupBy' and 'boundaries' to be specified.`)],
  [
    [{ $bucket: { groupBy: 5, boundaries: [0, 1] } }],
    refused(40202, /must be defined as a \$-prefixed path or an expression, but found: groupBy: 5\./),
  ],
  [
    [{ $bucket: { groupBy: '$a', boundaries: 5 } }],
    refused(40200, `The $bucket 'boundaries' field must be an array, but found type: int.`),
  ],
  [[{ $bucket: { groupBy: '$a', boundaries: ['$b', 1] } }], refused(40191, /must be an array of constant values/)],
  [
    [{ $bucket: { groupBy: '$a', boundaries: [0] } }],
    refused(40192, `The $bucket 'boundaries' field must have at least 2 values, but found 1 value(s).`),
  ],
  [[{ $bucket: { groupBy: '$a', boundaries: [0, 'x'] } }], refused(40193, /Found conflicting types int and string\.$/)],
  [
    [{ $bucket: { groupBy: '$a', boundaries: [1, 0] } }],
    refused(40194, /elements 0 and 1 are not in ascending order \(1 is not less than 0\)\.$/),
  ],
  [
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5], default: '$b' } }],
    refused(40195, /must be a constant expression/),
  ],
  [
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5], default: 3 } }],
    refused(40199, /must be less than the lowest boundary/),
  ],
  [
    [{ $bucket: { groupBy: '$a', boundaries: [0, 5], output: 5 } }],
    refused(40196, `The $bucket 'output' field must be an object, but found type: int.`),
  ],
  [[{ $bucketAuto: 5 }], refused(40240, 'The argument to $bucketAuto must be an object, but found type: int')],
  [[{ $bucketAuto: { a: 1 } }], refused(40245, 'Unrecognized option to $bucketAuto: a')],
  [
    [{ $bucketAuto: { groupBy: '$a' } }],
    refused(40246, `$bucketAuto requires 'groupBy' and 'buckets' to be specified`),
  ],
  [[{ $bucketAuto: { groupBy: 'a', buckets: 1 } }], refused(40239, /must be defined as a \$-prefixed path/)],
  [
    [{ $bucketAuto: { groupBy: '$a', buckets: 'x' } }],
    refused(40241, `The $bucketAuto 'buckets' field must be a numeric value, but found type: string`),
  ],
  [[{ $bucketAuto: { groupBy: '$a', buckets: 1.5 } }], refused(40242, /must be representable as a 32-bit integer/)],
  [
    [{ $bucketAuto: { groupBy: '$a', buckets: 0 } }],
    refused(40243, `The $bucketAuto 'buckets' field must be greater than 0, but found: 0`),
  ],
  [
    [{ $bucketAuto: { groupBy: '$a', buckets: 1, output: 5 } }],
    refused(40244, `The $bucketAuto 'output' field must be an object, but found type: int`),
  ],
  [
    [{ $bucketAuto: { groupBy: '$a', buckets: 1, granularity: 5 } }],
    refused(40261, `The $bucketAuto 'granularity' field must be a string, but found type: int`),
  ],
  ...(
    [
      { $firstN: { input: '$a', n: '$a' } },
      { $maxN: { input: '$a', n: { $add: [1, '$a'] } } },
      { $topN: { n: '$min', sortBy: { a: 1 }, output: '$a' } },
    ] as const
  ).map((x): readonly [readonly Shorthand[], Refusal] => [
    [{ $bucketAuto: { groupBy: '$a', buckets: 1, output: { x } } }],
    refused(4544714, "Can't refer to the group key in $bucketAuto"),
  ]),
  [
    [{ $bucketAuto: { groupBy: '$a', buckets: 1, granularity: 'x' } }],
    refused(40257, `Unknown rounding granularity 'x'`),
  ],
  [[{ $out: 5 }], refused(16990, '$out only supports a string or object argument, but found int')],
  [[{ $out: {} }], refused(40414, `BSON field '$out.coll' is missing but a required field`)],
  [[{ $out: { k: 1 } }], refused(40415, `BSON field '$out.k' is an unknown field.`)],
  [[{ $out: 'x' }, { $match: {} }], refused(40601, '$out can only be the final stage in the pipeline')],
  [
    [{ $lookup: { from: 'c', as: 'a', pipeline: [{ $out: 'x' }, { $match: {} }] } }],
    refused(40601, '$out can only be the final stage in the pipeline'),
  ],
  [[{ $merge: 5 }], refused(14, '$merge requires a string or object argument, but found int')],
  [[{ $merge: {} }], refused(40414, `BSON field '$merge.into' is missing but a required field`)],
  [[{ $merge: { into: 'x', k: 1 } }], refused(40415, `BSON field '$merge.k' is an unknown field.`)],
  [
    [{ $merge: { into: 'x', on: [] } }],
    refused(51187, `If explicitly specifying $merge 'on', must include at least one field`),
  ],
  [[{ $merge: { into: 'x', on: ['a', 'a'] } }], refused(31465, `Found a duplicate field 'a'`)],
  [[{ $merge: { into: 'x', whenMatched: 'nope' } }], refused(2, /whenMatched/)],
  [[{ $merge: { into: 'x', whenMatched: 'keepExisting', whenNotMatched: 'fail' } }], refused(51181, /not supported$/)],
  [
    [{ $merge: { into: 'x', whenMatched: 'replace', let: { a: 1 } } }],
    refused(51199, `Cannot use 'let' variables with 'whenMatched: replace' mode`),
  ],
  [
    [{ $merge: { into: 'x', whenMatched: [{ $match: {} }] } }],
    refused(72, '$match is not allowed to be used within an update'),
  ],
  [
    [{ $merge: { into: 'x', whenMatched: [], let: { new: 5 } } }],
    refused(51273, `'let' may not define a value for the reserved 'new' variable other than '$$ROOT'`),
  ],
  [
    Array.from({ length: 1001 }, () => ({ $match: {} })),
    refused(5054701, 'Pipeline length must be no longer than 1000 stages'),
  ],
]);

const failing = (stages: readonly Shorthand[], docs: readonly { readonly [key: string]: Shorthand }[]) => (): unknown =>
  runPipeline(stages, docs);

test('throws an evaluation error when the document is reached', () => {
  expectRefusal(
    failing([{ $replaceRoot: { newRoot: '$a' } }], [{ a: 5 }]),
    refused(
      40228,
      `'newRoot' expression  must evaluate to an object, but resulting value was: 5. Type of resulting value: 'int'. Input document: {a: 5}`,
    ),
  );
  expectRefusal(
    failing([{ $replaceWith: '$b' }], [{ a: 5 }]),
    refused(
      40228,
      `'replacement document' must evaluate to an object, but resulting value was: MISSING. Type of resulting value: 'missing'. Input document: {a: 5}`,
    ),
  );
  expectRefusal(failing([{ $redact: '$a' }], [{ a: 5 }]), refused(17053, /but returned 5$/));
  expectRefusal(
    failing([{ $bucket: { groupBy: '$a', boundaries: [0, 1] } }], [{ a: 5 }]),
    refused(40066, /could not find a matching branch/),
  );
  expectRefusal(
    failing([{ $group: { _id: null, m: { $mergeObjects: '$a' } } }], [{ a: 5 }]),
    refused(40400, '$mergeObjects requires object inputs, but input 5 is of type int'),
  );
  expectRefusal(
    failing([{ $bucketAuto: { groupBy: '$a', buckets: 1, granularity: 'R5' } }], [{ a: 'x' }]),
    refused(40258, /numeric boundaries only, but found a value with type: string$/),
  );
  expect(runPipeline([{ $addFields: { a: { $divide: [1, '$b'] } } }], [])).toEqual([]);
});

test('returns the leading stages for the source, and does not repeat stages that the source has performed', () => {
  const pipeline = parsePipeline([
    v({ $match: { a: 1 } }),
    v({ $match: { b: 2 } }),
    v({ $sort: { c: 1 } }),
    v({ $skip: 2 }),
    v({ $limit: 3 }),
  ]);
  expect(text(pipeline.leading.match)).toBe(text(v({ $and: [{ a: 1 }, { b: 2 }] })));
  expect([text(pipeline.leading.sort), pipeline.leading.limit]).toEqual(['{c: 1}', 5]);
  const source = [3, 2, 1].map(c => d({ c }));
  expect([...withoutPauses(pipeline.run(source, environmentOf()))].map(text)).toEqual([]);
  expect([...withoutPauses(pipeline.run(source, environmentOf(), { sorted: false }))].map(text)).toEqual(['{c: 3}']);
  expect([...withoutPauses(pipeline.run(source, environmentOf(), { sorted: true }))].map(text)).toEqual(['{c: 1}']);
  const grouped = parsePipeline([v({ $group: { _id: 1 } }), v({ $sort: { a: 1 } })]).leading;
  expect(grouped).toEqual({ match: undefined, sort: undefined, limit: undefined });
  expect(parsePipeline([v({ $limit: 4 })]).leading.limit).toBe(4);
});

check('$addFields accepts a specification without fields, and empty documents as values', [
  [[{ $addFields: {} }], [{ a: 1 }], [{ a: 1 }]],
  [[{ $set: { b: {}, 'c.d': {}, e: { f: {} } } }], [{ a: 1 }], [{ a: 1, b: {}, c: { d: {} }, e: { f: {} } }]],
]);

check("$meta: 'sortKey' returns the values of the preceding $sort", [
  [
    [{ $sort: { a: -1, b: 1 } }, { $project: { k: { $meta: 'sortKey' } } }],
    [{ a: 1 }, { a: 2, b: 'x' }],
    [{ k: [2, 'x'] }, { k: [1, null] }],
  ],
  [[{ $project: { k: { $meta: 'sortKey' } } }], [{ a: 1 }], [{}]],
]);

test("$meta: 'sortKey' returns the values of a sort that the source has performed", () => {
  const pipeline = parsePipeline([v({ $sort: { c: 1 } }), v({ $project: { k: { $meta: 'sortKey' } } })]);
  expect([...pipeline.metadata]).toEqual(['sortKey']);
  const source = [1, 2].map(c => d({ c }));
  expect([...withoutPauses(pipeline.run(source, environmentOf(), { sorted: true }))].map(text)).toEqual([
    '{k: [1]}',
    '{k: [2]}',
  ]);
});

test.each(['$concatArrays', '$setUnion'])('the accumulator %s rejects null and ignores a missing value', name => {
  const stages = [{ $group: { _id: null, all: { [name]: '$a' } } }];
  expect(runPipeline(stages, [{ a: [1] }, {}, { a: [2] }])).toEqual([text(d({ _id: null, all: [1, 2] }))]);
  const message = `${name} requires array inputs, but input is of type null`;
  expectRefusal(() => runPipeline(stages, [{ a: [1] }, { a: null }]), refused(14, message));
});

test('$limit reads no more documents than it needs', () => {
  let taken = 0;
  const source = function* (): Generator<Doc> {
    for (;;) yield d({ n: taken++ });
  };
  const pipeline = parsePipeline([v({ $addFields: { m: '$n' } }), v({ $unwind: '$m' }), v({ $limit: 3 })]);
  expect([...withoutPauses(pipeline.run(source(), environmentOf()))].length).toBe(3);
  expect(taken).toBe(3);
});

test('returns unchanged documents as the same objects', () => {
  const docs = [d({ a: 2 }), d({ a: 1 })];
  const pipeline = parsePipeline([
    v({ $skip: 0 }),
    v({ $match: { a: { $gt: 0 } } }),
    v({ $sort: { a: 1 } }),
    v({ $limit: 5 }),
  ]);
  const results = [...withoutPauses(pipeline.run(docs, environmentOf()))];
  expect(results[0]).toBe(docs[1]);
  expect(results[1]).toBe(docs[0]);
});

test('$sample selects documents by the injected random source', () => {
  const docs = [1, 2, 3, 4].map(a => d({ a }));
  const sample = (size: number): string[] =>
    [...withoutPauses(parsePipeline([v({ $sample: { size } })]).run(docs, environmentOf()))].map(text);
  // The random source selects the middle of the remaining documents each time.
  expect(sample(2)).toEqual(['{a: 3}', '{a: 1}']);
  expect(sample(9).toSorted()).toEqual(docs.map(text));
  expect(new Set(sample(3)).size).toBe(3);
});

test('returns the collections, the source and the final stage of a pipeline', () => {
  const pipeline = parsePipeline([
    v({ $documents: [] }),
    v({ $lookup: { from: 'a', pipeline: [{ $unionWith: 'b' }], as: 'x' } }),
    v({ $facet: { f: [{ $lookup: { from: 'c', localField: 'x', foreignField: 'y', as: 'z' } }] } }),
    v({ $merge: { into: { db: 'e', coll: 'd' }, on: 'k', whenMatched: 'replace', whenNotMatched: 'discard' } }),
  ]);
  expect(pipeline.collections.toSorted()).toEqual(['a', 'b', 'c']);
  expect(pipeline.ownSource).toBe(true);
  expect(pipeline.stageNames).toEqual(['$documents', '$lookup', '$facet', '$merge']);
  expect(pipeline.terminal).toEqual({
    kind: 'merge',
    into: { db: 'e', collection: 'd' },
    on: ['k'],
    whenMatched: 'replace',
    whenNotMatched: 'discard',
  });
  expect(parsePipeline([v({ $out: 'x' })]).terminal).toEqual({
    kind: 'out',
    into: { db: undefined, collection: 'x' },
    timeseries: undefined,
  });
  expect(parsePipeline([v({ $merge: 'x' })]).terminal).toEqual({
    kind: 'merge',
    into: { db: undefined, collection: 'x' },
    on: undefined,
    whenMatched: 'merge',
    whenNotMatched: 'insert',
  });
});

test('whenMatched with stages combines the existing and the incoming document', () => {
  const { terminal } = parsePipeline([
    v({
      $merge: {
        into: 'x',
        let: { by: '$n' },
        whenMatched: [{ $set: { total: { $add: ['$total', '$$by', '$$new.extra'] } } }],
      },
    }),
  ]);
  if (terminal?.kind !== 'merge' || typeof terminal.whenMatched !== 'function') throw new Error('no update');
  expect(text(terminal.whenMatched(d({ _id: 1, total: 5 }), d({ _id: 1, n: 2, extra: 3 }), ambience))).toBe(
    '{_id: 1, total: 10}',
  );
});

test('an update pipeline maps one document to one, and rejects other stages', () => {
  const transform = parseTransform([v({ $set: { n: { $add: ['$n', '$$by'] } } }), v({ $unset: 'x' })], {
    variables: new Map([['by', 3]]),
  });
  expect(text(transform(d({ n: 1, x: 2 }), ambience))).toBe('{n: 4}');
  expectRefusal(
    () => parseTransform([v({ $match: {} })]),
    refused(72, '$match is not allowed to be used within an update'),
  );
  expectRefusal(() => parseTransform([v({ $nope: {} })]), refused(40324, `Unrecognized pipeline stage name: '$nope'`));
});

test('$lookup uses an index if there is one', () => {
  const asked: string[] = [];
  const pipeline = parsePipeline([v({ $lookup: { from: 'c', localField: 'a', foreignField: 'k', as: 'r' } })]);
  const environment = {
    ...environmentOf(),
    find: (name: string, filter: Doc): Iterable<Doc> => {
      asked.push(`${name} ${text(filter)}`);
      return [d({ k: 1 })];
    },
    indexed: (name: string, path: string): boolean => name === 'c' && path === 'k',
  };
  const results = [...withoutPauses(pipeline.run([d({ a: 1 }), d({ a: [1, 2] })], environment))].map(text);
  expect(asked).toEqual(['c {k: {$eq: 1}}', 'c {k: {$in: [1, 2]}}']);
  expect(results).toEqual(['{a: 1, r: [{k: 1}]}', '{a: [1, 2], r: [{k: 1}]}']);
});

test('accepts stages of the server, and runs $collStats', () => {
  const ownStages = new Map([['$hello', (spec: Value) => () => [d({ hello: spec })]]]);
  const pipeline = parsePipeline([v({ $hello: 5 }), v({ $set: { x: 1 } })], { ownStages });
  expect([...withoutPauses(pipeline.run([], environmentOf()))].map(text)).toEqual(['{hello: 5, x: 1}']);
  expect(pipeline.ownSource).toBe(true);
  expectRefusal(
    () => parsePipeline([v({ $match: {} }), v({ $hello: 5 })], { ownStages }),
    refused(40602, '$hello is only valid as the first stage in a pipeline'),
  );
  const stats = parsePipeline([v({ $collStats: { count: {} } })]);
  expect(
    [...withoutPauses(stats.run([], { ...environmentOf(), collStats: spec => d({ spec, count: 7 }) }))].map(text),
  ).toEqual(['{spec: {count: {}}, count: 7}']);
});

test("groups, sorts and joins strings by the command's collation", () => {
  const collation = {
    compare: (a: string, b: string): number =>
      a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0,
    key: (short: string): string => short.toLowerCase(),
  };
  const docs = [{ a: 'x' }, { a: 'B' }, { a: 'X' }];
  expect(
    runPipeline([{ $group: { _id: '$a', n: { $sum: 1 } } }, { $sort: { _id: 1 } }], docs, {}, { collation }),
  ).toEqual(['{_id: "B", n: 1}', '{_id: "x", n: 2}']);
  const lookup = { $lookup: { from: 'f', localField: 'a', foreignField: 'k', as: 'r' } };
  expect(runPipeline([lookup, { $project: { r: { $size: '$r' } } }], docs, { f: [{ k: 'X' }] }, { collation })).toEqual(
    ['{r: 1}', '{r: 0}', '{r: 1}'],
  );
});

const numbers = fc.array(
  fc.oneof(
    fc.integer(),
    fc.bigInt({ min: -(2n ** 62n), max: 2n ** 62n }),
    fc.double({ noNaN: true, noDefaultInfinity: true, min: -1e9, max: 1e9 }).map(double),
  ),
  { maxLength: 12 },
);

test('$sum does not depend on the order of the documents', () => {
  fc.assert(
    fc.property(numbers, fc.integer(), (values, seed) => {
      const sum = (of: readonly Shorthand[]): readonly string[] =>
        runPipeline(
          [{ $group: { _id: null, s: { $sum: '$a' } } }],
          of.map(a => ({ a })),
        );
      const shuffled = values
        .map((value, i) => [Math.sin(seed + i), value] as const)
        .sort((a, b) => a[0] - b[0])
        .map(([, value]) => value);
      const [a, b] = [sum(values), sum(shuffled)].map(([result]) => result ?? '');
      if (!a!.includes('.') && !a!.includes('e')) expect(b).toBe(a);
      else
        expect(Math.abs(Number(/s: (.*)\}/.exec(a!)![1]) / Number(/s: (.*)\}/.exec(b!)![1]) - 1) || 0).toBeLessThan(
          1e-12,
        );
    }),
  );
});

test('the counts of all groups add up to the count of the documents', () => {
  const value = fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.constantFrom<Shorthand>('a', 'b', null, true, 1n, double(1), decimal('1'), [1], { x: 1 }),
  );
  fc.assert(
    fc.property(fc.array(value, { maxLength: 20 }), values => {
      const docs = values.map(a => ({ a }));
      const stages = [
        { $group: { _id: '$a', n: { $sum: 1 } } },
        { $group: { _id: null, n: { $sum: '$n' }, groups: { $sum: 1 } } },
      ];
      const distinct = runPipeline(
        [{ $group: { _id: null, s: { $addToSet: '$a' } } }, { $project: { _id: 0, n: { $size: '$s' } } }],
        docs,
      );
      const [total] = runPipeline(stages, docs);
      if (values.length === 0) expect(total).toBe(undefined);
      else expect(`${distinct[0]!} ${values.length}`).toBe(total!.replace(/.*n: (\d+), groups: (\d+).*/, '{n: $2} $1'));
    }),
  );
});

test('$sort with $limit returns the first documents of the full sort', () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 20 }),
      fc.integer({ min: 1, max: 9 }),
      (values, limit) => {
        const docs = values.map((a, i) => ({ a, i }));
        const all = runPipeline([{ $sort: { a: 1 } }], docs);
        expect(runPipeline([{ $sort: { a: 1 } }, { $limit: limit }], docs)).toEqual(all.slice(0, limit));
      },
    ),
  );
});

check('$sample drops fractions of its size, and accepts one beyond an int64', [
  [[{ $sample: { size: double(1.5) } }], [{ a: 1 }], [{ a: 1 }]],
  [[{ $sample: { size: double(2 ** 64) } }], [{ a: 1 }], [{ a: 1 }]],
  [[{ $sample: { size: decimal('Infinity') } }], [{ a: 1 }], [{ a: 1 }]],
]);
