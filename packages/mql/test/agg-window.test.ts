import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  checkPipelines as check,
  checkRefusedPipelines as checkRefused,
  date,
  expectRefusal,
  refused,
  runPipeline,
} from './agg-cases.js';
import { decimal, double, type Shorthand, text, v } from './shorthand.js';
import type { Fields } from './query-cases.js';

const rows: readonly Fields[] = [
  { k: 'b', t: 3, q: 5 },
  { k: 'a', t: 2, q: 2 },
  { k: 'a', t: 1, q: 1 },
  { k: 'a', t: 4, q: 4 },
  { k: 'b', t: 1, q: 3 },
];

/**
 * Returns a stage with the single output field `r`, partitioned by `k` and sorted by `t`. The results are the fields
 * `r`.
 */
const over = (output: Shorthand, more: Fields = { partitionBy: '$k', sortBy: { t: 1 } }): readonly Shorthand[] => [
  { $setWindowFields: { ...more, output: { r: output } } },
  { $project: { _id: 0, r: 1 } },
];

const results = (...values: readonly Shorthand[]): readonly Fields[] => values.map(r => ({ r }));

const last2 = { documents: [-1, 'current'] };

check('$setWindowFields partitions, sorts, and writes the fields in order', [
  [
    [
      {
        $setWindowFields: { partitionBy: '$k', sortBy: { t: 1 }, output: { r: { $sum: '$q' }, 'n.m': { $count: {} } } },
      },
    ],
    rows,
    [
      { k: 'a', t: 1, q: 1, r: 7, n: { m: 3 } },
      { k: 'a', t: 2, q: 2, r: 7, n: { m: 3 } },
      { k: 'a', t: 4, q: 4, r: 7, n: { m: 3 } },
      { k: 'b', t: 1, q: 3, r: 8, n: { m: 2 } },
      { k: 'b', t: 3, q: 5, r: 8, n: { m: 2 } },
    ],
  ],
  [
    [{ $setWindowFields: { output: { q: { $sum: '$q' } } } }],
    rows.slice(0, 2),
    [
      { k: 'b', t: 3, q: 7 },
      { k: 'a', t: 2, q: 7 },
    ],
  ],
  [over({ $count: {} }, { partitionBy: '$x' }), [{ x: null }, {}, { x: 1 }], results(2, 2, 1)],
  [over({ $count: {} }, { partitionBy: { s: { $gt: ['$t', 2] } } }), rows, results(3, 3, 3, 2, 2)],
  [over({ $count: {} }, { partitionBy: 5 }), rows.slice(0, 2), results(2, 2)],
  [[{ $setWindowFields: { output: {} } }], [{ a: 1 }], [{ a: 1 }]],
  [
    [{ $setWindowFields: { sortBy: { t: 1 }, output: { 'a.b': { $documentNumber: {} } } } }],
    [{ t: 1, a: [{ c: 1 }, 2] }],
    [{ t: 1, a: [{ c: 1, b: 1 }, { b: 1 }] }],
  ],
]);

check('windows of documents and ranges', [
  [over({ $sum: '$q', window: last2 }), rows, results(1, 3, 6, 3, 8)],
  [over({ $sum: '$q', window: { documents: ['unbounded', 'current'] } }), rows, results(1, 3, 7, 3, 8)],
  [over({ $sum: '$q', window: { documents: ['current', 'unbounded'] } }), rows, results(7, 6, 4, 8, 5)],
  [over({ $sum: '$q', window: { documents: [1, 2] } }), rows, results(6, 4, 0, 5, 0)],
  [over({ $push: '$q', window: { documents: [-3, -1] } }), rows, results([], [1], [1, 2], [], [3])],
  [over({ $sum: '$q', window: {} }), rows, results(7, 7, 7, 8, 8)],
  [over({ $push: '$t', window: { range: [-1, 2] } }), rows, results([1, 2], [1, 2, 4], [4], [1, 3], [3])],
  [over({ $push: '$t', window: { range: ['unbounded', 0] } }), rows, results([1], [1, 2], [1, 2, 4], [1], [1, 3])],
  [
    over({ $push: '$t', window: { range: ['current', 'unbounded'] } }),
    rows,
    results([1, 2, 4], [2, 4], [4], [1, 3], [3]),
  ],
  [over({ $push: '$t', window: { range: [5, 6] } }), rows, results([], [], [], [], [])],
  [
    over({ $push: '$t', window: { range: [-10, -3] } }, { sortBy: { t: 1 } }),
    [{ t: 0 }, { t: 1 }, { t: 4 }, { t: 30 }, { t: 33 }],
    results([], [], [0, 1], [], [30]),
  ],
  [
    over({ $push: '$t', window: { range: [0, 0.2] } }, { sortBy: { t: 1 } }),
    [{ t: 0.1 }, { t: 0.3 }, { t: 0.31 }],
    results([0.1, 0.3], [0.3, 0.31], [0.31]),
  ],
  [
    over({ $count: {}, window: { range: [-1, 0], unit: 'month' } }, { sortBy: { t: 1 } }),
    [{ t: date('2024-01-31') }, { t: date('2024-02-29') }, { t: date('2024-03-30') }],
    results(1, 2, 2),
  ],
  [
    over({ $count: {}, window: { range: [-90, 'current'], unit: 'second' } }, { sortBy: { t: 1 } }),
    [{ t: date('2024-01-01T00:00:00Z') }, { t: date('2024-01-01T00:01:00Z') }, { t: date('2024-01-01T00:02:00Z') }],
    results(1, 2, 2),
  ],
]);

check('functions that accumulate a window', [
  [over({ $avg: '$q', window: last2 }), rows, results(double(1), 1.5, double(3), double(3), double(4))],
  [over({ $avg: '$x', window: last2 }), rows.slice(0, 1), results(null)],
  [over({ $min: '$q', window: last2 }), rows, results(1, 1, 2, 3, 3)],
  [over({ $max: '$q', window: { documents: ['current', 1] } }), rows, results(2, 4, 4, 5, 5)],
  [over({ $max: '$x', window: last2 }), rows.slice(0, 1), results(null)],
  [over({ $addToSet: { $mod: ['$q', 2] }, window: last2 }), rows, results([1], [1, 0], [0], [1], [1])],
  [
    over({ $push: '$x', window: last2 }),
    [
      { k: 1, t: 1, x: 5 },
      { k: 1, t: 2 },
      { k: 1, t: 3 },
    ],
    results([5], [5], []),
  ],
  [over({ $first: '$q', window: last2 }), rows, results(1, 1, 2, 3, 3)],
  [over({ $last: '$q', window: { documents: [1, 1] } }), rows, results(2, 4, null, 5, null)],
  [over({ $firstN: { input: '$q', n: 2 }, window: last2 }), rows, results([1], [1, 2], [2, 4], [3], [3, 5])],
  [over({ $lastN: { input: '$q', n: 1 }, window: last2 }), rows, results([1], [2], [4], [3], [5])],
  [over({ $minN: { input: '$q', n: 2 } }), rows, results([1, 2], [1, 2], [1, 2], [3, 5], [3, 5])],
  [over({ $maxN: { input: '$q', n: 1 }, window: { documents: [-2, -1] } }), rows, results([], [1], [2], [], [3])],
  [over({ $top: { output: '$t', sortBy: { q: -1 } }, window: last2 }), rows, results(1, 2, 4, 1, 3)],
  [over({ $bottom: { output: '$t', sortBy: { q: -1 } }, window: last2 }), rows, results(1, 1, 2, 1, 1)],
  [over({ $topN: { output: '$t', sortBy: { q: -1 }, n: 2 } }), rows, results([4, 2], [4, 2], [4, 2], [3, 1], [3, 1])],
  [over({ $bottomN: { output: '$t', sortBy: { q: 1 }, n: 2 } }), rows, results([2, 4], [2, 4], [2, 4], [1, 3], [1, 3])],
  [over({ $stdDevPop: '$q', window: last2 }), rows, results(double(0), 0.5, double(1), double(0), double(1))],
  [over({ $stdDevSamp: '$q', window: { documents: [0, 1] } }), rows.slice(0, 1), results(null)],
  [
    over({ $covariancePop: ['$t', '$q'], window: last2 }),
    rows,
    results(double(0), 0.25, double(1), double(0), double(1)),
  ],
  [over({ $covarianceSamp: ['$t', '$q'], window: last2 }), rows, results(null, 0.5, double(2), null, double(2))],
  [
    over({ $median: { input: '$q', method: 'approximate' }, window: { documents: [-2, 0] } }),
    rows,
    results(double(1), double(1), double(2), double(3), double(3)),
  ],
  [
    over({ $percentile: { input: '$q', p: [0.1, 0.9], method: 'approximate' } }),
    rows.slice(1, 4),
    results([double(1), double(4)], [double(1), double(4)], [double(1), double(4)]),
  ],
]);

check('a sum discards the type, infinity and rounding errors of values that leave the window', [
  [
    over({ $sum: '$x', window: { documents: [0, 0] } }, { sortBy: { t: 1 } }),
    [1, 2n, 0.5, decimal('1.5'), 2_147_483_647, 'text'].map((x, t) => ({ t, x })),
    results(1, 2n, 0.5, decimal('1.5'), 2_147_483_647, 0),
  ],
  [
    over({ $sum: '$x', window: last2 }, { sortBy: { t: 1 } }),
    [Infinity, -Infinity, 1, NaN, 2, 3].map((x, t) => ({ t, x: double(x) })),
    results(double(Infinity), double(NaN), double(-Infinity), double(NaN), double(NaN), double(5)),
  ],
  [
    over({ $sum: '$x', window: last2 }, { sortBy: { t: 1 } }),
    [1e100, 1, 0.1, 0.2].map((x, t) => ({ t, x: double(x) })),
    results(double(1e100), double(1e100), 1.1, 0.30000000000000004),
  ],
  [
    over({ $sum: '$x', window: last2 }, { sortBy: { t: 1 } }),
    [2_147_483_647, 1, 1].map((x, t) => ({ t, x })),
    results(2_147_483_647, 2_147_483_648n, 2),
  ],
]);

check('functions that depend on the order', [
  [over({ $rank: {} }, { sortBy: { q: 1 } }), [{ q: 2 }, { q: 1 }, { q: 2 }, { q: 3 }], results(1, 2, 2, 4)],
  [over({ $denseRank: {} }, { sortBy: { q: -1 } }), [{ q: 2 }, { q: 1 }, { q: 2 }, { q: 3 }], results(1, 2, 2, 3)],
  [over({ $rank: {} }, { sortBy: { q: 1 } }), [{ q: null }, {}, { q: 0 }], results(1, 1, 3)],
  [over({ $documentNumber: {} }), rows, results(1, 2, 3, 1, 2)],
  [over({ $shift: { output: '$q', by: 1 } }), rows, results(2, 4, null, 5, null)],
  [over({ $shift: { output: '$q', by: -1, default: 'none' } }), rows, results('none', 1, 2, 'none', 3)],
  [over({ $shift: { output: '$x', by: 1 } }), rows.slice(1, 3), [{ r: null }, { r: null }]],
  [over({ $shift: { output: '$x', by: 1, default: 5 } }), rows.slice(1, 3), [{ r: 5 }, { r: 5 }]],
  [
    over({ $locf: '$x' }, { sortBy: { t: 1 } }),
    [{ t: 1 }, { t: 2, x: 5 }, { t: 3, x: null }, { t: 4 }],
    results(null, 5, 5, 5),
  ],
  [
    over({ $linearFill: '$x' }, { sortBy: { t: 1 } }),
    [{ t: 0 }, { t: 1, x: 10 }, { t: 2 }, { t: 4, x: null }, { t: 5, x: 30 }, { t: 6 }],
    results(null, 10, double(15), double(25), 30, null),
  ],
  [
    over({ $linearFill: '$x' }, { sortBy: { t: 1 } }),
    [{ t: date('2024-01-01'), x: 0 }, { t: date('2024-01-02') }, { t: date('2024-01-05'), x: 8 }],
    results(0, double(2), 8),
  ],
  [over({ $expMovingAvg: { input: '$q', N: 3 } }), rows, results(double(1), 1.5, 2.75, double(3), double(4))],
  [over({ $expMovingAvg: { input: '$q', alpha: 0.25 } }), rows.slice(3), results(double(4), double(3))],
  [
    over({ $expMovingAvg: { input: '$q', N: 1 } }, { sortBy: { t: 1 } }),
    [{ t: 1 }, { t: 2, q: decimal('1.5') }, { t: 3 }],
    results(null, decimal('1.5'), decimal('1.5')),
  ],
]);

const hours = [
  { t: date('2024-01-01T00:00:00Z'), w: 1 },
  { t: date('2024-01-01T00:30:00Z'), w: 2 },
  { t: date('2024-01-01T02:00:00Z'), w: 8 },
];

check('functions that use the sort field as the x-axis', [
  [over({ $derivative: { input: '$q' }, window: last2 }), rows, results(null, double(1), double(1), null, double(1))],
  [
    over({ $derivative: { input: '$w', unit: 'hour' }, window: last2 }, { sortBy: { t: 1 } }),
    hours,
    results(null, double((1 / 1_800_000) * 3_600_000), double((6 / 5_400_000) * 3_600_000)),
  ],
  [over({ $integral: { input: '$q' }, window: last2 }), rows, results(0, 1.5, double(6), 0, double(8))],
  [over({ $integral: { input: '$q' } }), rows.slice(0, 1), results(0)],
  [
    over(
      { $integral: { input: '$w', unit: 'hour' }, window: { documents: ['unbounded', 'current'] } },
      { sortBy: { t: 1 } },
    ),
    hours,
    results(double(0), 0.75, 8.25),
  ],
]);

const refusedFunctions = (title: string, cases: readonly (readonly [Shorthand, number, string, Fields?])[]): void => {
  checkRefused(
    title,
    cases.map(([output, code, message, more]) => [over(output, more), refused(code, message)] as const),
  );
};

checkRefused('$setWindowFields rejects invalid specifications', [
  [[{ $setWindowFields: 5 }], refused(9, 'the $setWindowFields stage specification must be an object, found int')],
  [[{ $setWindowFields: {} }], refused(40414, "BSON field '$setWindowFields.output' is missing but a required field")],
  [
    [{ $setWindowFields: { output: {}, x: 1 } }],
    refused(40415, "BSON field '$setWindowFields.x' is an unknown field."),
  ],
  [
    [{ $setWindowFields: { output: 1 } }],
    refused(14, "BSON field '$setWindowFields.output' is the wrong type 'int', expected type 'object'"),
  ],
  [[{ $setWindowFields: { output: { a: 1 } } }], refused(9, "The field 'a' must be an object")],
  [
    [{ $setWindowFields: { output: { a: { $sum: 1 }, 'a.b': { $sum: 1 } } } }],
    refused(6307900, "$setWindowFields 'output' specification contains two conflicting paths"),
  ],
  [
    [{ $setWindowFields: { partitionBy: [1], output: {} } }],
    refused(14, 'An expression used to partition cannot evaluate to value of type array'),
  ],
]);

refusedFunctions('window functions reject unknown arguments', [
  [{ $summ: 1 }, 9, 'Unrecognized window function, $summ'],
  [{}, 9, 'Expected a $-prefixed window function'],
  [{ sum: 1 }, 9, 'Expected a $-prefixed window function, sum'],
  [{ $sum: 1, $avg: 1 }, 9, 'Cannot specify two functions in window function spec'],
  [{ $sum: 1, windoww: {} }, 9, 'Window function found an unknown argument: windoww'],
  [{ $first: 1, x: {} }, 9, '$first got unexpected argument: x'],
  [{ $count: 1 }, 9, '$count only accepts an empty object as input'],
  [{ $locf: 1, window: {} }, 9, "'window' field is not allowed in $locf"],
  [{ $rank: {}, window: {} }, 5371601, 'Rank style window functions take no other arguments'],
  [{ $rank: 1 }, 5371603, "$rank must be specified with '{}' as the value"],
  [
    { $denseRank: {} },
    5371602,
    '$denseRank must be specified with a top level sortBy expression with exactly one element',
    { sortBy: { a: 1, b: 1 } },
  ],
  [{ $shift: { output: 1, by: 1 } }, 9, "'$shift' requires a sortBy", {}],
  [{ $shift: { output: 1 } }, 9, "$shift requires 'by' as an integer value."],
  [{ $shift: { by: 1 } }, 9, "$shift requires an 'output' expression."],
  [{ $shift: { output: 1, by: 1.5 } }, 9, "'$shift:by' field must be an integer, but found  by: 1.5"],
  [{ $derivative: { input: '$q' } }, 9, '$derivative requires explicit window bounds'],
  [{ $derivative: { input: '$q' } }, 9, '$derivative requires a sortBy', {}],
  [{ $integral: { input: '$q' } }, 9, '$integral requires a non-compound sortBy', { sortBy: { a: 1, b: 1 } }],
  [{ $integral: { input: '$q', unit: 'month' } }, 5490710, "unit must be 'week' or smaller"],
  [{ $integral: {} }, 9, "$integral requires an 'input' expression"],
  [{ $expMovingAvg: { input: 1, N: 0 } }, 9, "'N' must be greater than zero. Got 0"],
  [{ $expMovingAvg: { input: 1, alpha: 1 } }, 9, "'alpha' must be between 0 and 1 (exclusive), found alpha: 1"],
  [{ $expMovingAvg: { input: 1, N: 1 } }, 9, "$expMovingAvg requires an explicit 'sortBy'", {}],
  [
    { $linearFill: '$q' },
    605001,
    '$linearFill must be specified with a top level sortBy expression with exactly one element',
    {},
  ],
]);

refusedFunctions('rejects invalid windows', [
  [{ $sum: 1, window: 5 }, 9, "'window' field must be an object"],
  [
    { $sum: 1, window: { documents: [0, 0], range: [0, 0] } },
    9,
    "Window bounds can specify either 'documents' or 'unit', not both.",
  ],
  [
    { $sum: 1, window: { documents: [0, 0], unit: 'day' } },
    9,
    "Window bounds can only specify 'unit' with range-based bounds.",
  ],
  [{ $sum: 1, window: { documents: [0] } }, 9, 'Window bounds must be a 2-element array: documents: [ 0 ]'],
  [{ $sum: 1, window: { documents: [1, 0] } }, 5339900, 'Lower bound must not exceed upper bound: [1, 0]'],
  [{ $sum: 1, window: { documents: [0, 1.5] } }, 9, 'Numeric document-based bounds must be an integer'],
  [{ $sum: 1, window: { documents: ['$a', 1] } }, 9, "Window bounds must be 'unbounded', 'current', or a number."],
  [{ $sum: 1, window: { documents: [{ $add: ['$a', 1] }, 1] } }, 9, 'Window bounds expression must be a constant.'],
  [{ $sum: 1, window: { documents: [0, 1] } }, 5339901, 'Document-based bounds require a sortBy', {}],
  [{ $sum: 1, window: { range: [0, 1] } }, 5339902, 'Range-based bounds require sortBy a single field', {}],
  [
    { $sum: 1, window: { range: [0, 1] } },
    8947401,
    'Range-based bounds require an ascending sortBy',
    { sortBy: { t: -1 } },
  ],
  [{ $sum: 1, window: { range: ['current', null] } }, 9, 'Range-based bounds expression must be a number'],
  [{ $sum: 1, window: { range: [0, 1.5], unit: 'day' } }, 9, "With 'unit', range-based bounds must be an integer"],
  [{ $sum: 1, window: { range: [0, 1], unit: 'eon' } }, 9, 'unknown time unit value: eon'],
]);

test.each<readonly [string, Shorthand, Fields, number, string]>([
  [
    'a range of numbers over dates',
    { $sum: 1, window: { range: [0, 1] } },
    { t: date('2024-01-01') },
    5429413,
    'Invalid range: For windows that involve date or time ranges, a unit must be provided.',
  ],
  [
    'a range of numbers over text',
    { $sum: 1, window: { range: [0, 1] } },
    { t: 'x' },
    5429414,
    'Invalid range: Expected the sortBy field to be a number, but it was string',
  ],
  [
    'a range of days over numbers',
    { $sum: 1, window: { range: [0, 1], unit: 'day' } },
    { t: 1 },
    5429513,
    'Invalid range: Expected the sortBy field to be a Date, but it was int',
  ],
  [
    'a derivative of a missing value',
    { $derivative: { input: '$q' }, window: last2 },
    { t: 1 },
    5624903,
    '$derivative input must not be null or missing',
  ],
  [
    'a derivative over dates without a unit',
    { $derivative: { input: 1 }, window: last2 },
    { t: date('2024-01-01') },
    5624901,
    "$derivative where the sortBy is a Date requires an 'unit'",
  ],
  [
    'a partition that is an array',
    { $sum: 1 },
    { t: 1, k: [1] },
    14,
    'An expression used to partition cannot evaluate to value of type array',
  ],
  [
    'filling text',
    { $linearFill: '$q' },
    { t: 1, q: 'x' },
    14,
    'Value to be filled must be numeric or nullish, but found string',
  ],
])('rejects a document: %s', (_title, output, doc, code, message) => {
  expectRefusal(() => runPipeline(over(output), [doc]), refused(code, message));
});

check('$minMaxScaler scales a number by the least and the greatest of its window', [
  [
    over({ $minMaxScaler: { input: '$q' } }, {}),
    rows,
    results(double(1), double(0.25), double(0), double(0.75), double(0.5)),
  ],
  [
    over({ $minMaxScaler: { input: '$q', min: 10, max: { $add: [10, 10] } }, window: last2 }, { sortBy: { q: 1 } }),
    rows,
    results(10, double(20), double(20), double(20), double(20)),
  ],
]);

checkRefused('$minMaxScaler rejects other arguments and windows', [
  [over({ $minMaxScaler: 5 }), refused(9, 'The argument of $minMaxScaler must be an object')],
  [over({ $minMaxScaler: { input: 1, x: 1 } }), refused(40415, "BSON field '$minMaxScaler.x' is an unknown field.")],
  [over({ $minMaxScaler: {} }), refused(40414, "BSON field '$minMaxScaler.input' is missing but a required field")],
  [
    over({ $minMaxScaler: { input: 1, min: 1 } }),
    refused(9, "$minMaxScaler requires both or neither of 'min' and 'max'"),
  ],
  [
    over({ $minMaxScaler: { input: 1, min: '$q', max: 1 } }),
    refused(9, "'min' and 'max' of $minMaxScaler must be constant numbers, but found \"$q\""),
  ],
  [
    over({ $minMaxScaler: { input: 1, min: 1, max: 1 } }),
    refused(9, "$minMaxScaler requires 'max' to be greater than 'min'"),
  ],
  [
    over({ $minMaxScaler: { input: 1 }, window: { documents: [1, 2] } }),
    refused(9, 'The window of $minMaxScaler must contain the current document'),
  ],
  [
    over({ $minMaxScaler: { input: 1 }, window: { range: ['unbounded', -1] } }),
    refused(9, 'The window of $minMaxScaler must contain the current document'),
  ],
]);

test('$minMaxScaler rejects values that are not numbers', () => {
  expectRefusal(
    () => runPipeline(over({ $minMaxScaler: { input: '$k' } }), rows),
    refused(14, "$minMaxScaler requires 'input' to evaluate to a number, but got string"),
  );
});

test('$linearFill rejects two documents with the same sort value', () => {
  const docs = [{ t: 1, q: 1 }, { t: 1 }];
  expectRefusal(
    () => runPipeline(over({ $linearFill: '$q' }), docs),
    refused(6050106, 'There can be no repeated values in the sort field'),
  );
});

check('$concatArrays and $setUnion combine the arrays of a window, and ignore missing values', [
  [
    over({ $concatArrays: '$a', window: last2 }, { sortBy: { t: 1 } }),
    [{ t: 1, a: [1, [2]] }, { t: 2 }, { t: 3, a: [3] }, { t: 4, a: [3, 4] }],
    results([1, [2]], [1, [2]], [3], [3, 3, 4]),
  ],
  [
    over({ $setUnion: '$a', window: last2 }, { sortBy: { t: 1 } }),
    [{ t: 1, a: [1, 2] }, { t: 2, a: [2, 2] }, { t: 3 }, { t: 4, a: [4] }],
    results([1, 2], [1, 2], [2], [4]),
  ],
]);

check('$mergeObjects merges the documents of a window without a lower bound', [
  [
    over({ $mergeObjects: '$o', window: { documents: ['unbounded', 'current'] } }, { sortBy: { t: 1 } }),
    [{ t: 1, o: { a: 1, b: 1 } }, { t: 2 }, { t: 3, o: { b: 2, c: { d: 1 } } }],
    results({ a: 1, b: 1 }, { a: 1, b: 1 }, { a: 1, b: 2, c: { d: 1 } }),
  ],
  [over({ $mergeObjects: '$o' }, {}), [{ o: { a: 1 } }, { o: { b: 1 } }], results({ a: 1, b: 1 }, { a: 1, b: 1 })],
]);

checkRefused('$mergeObjects rejects a window with a lower bound', [
  [
    over({ $mergeObjects: '$o', window: { documents: [-1, 'current'] } }, { sortBy: { t: 1 } }),
    refused(5461500, "The lower bound of a window of $mergeObjects must be 'unbounded'"),
  ],
]);

test.each(['$concatArrays', '$setUnion'])('the window function %s rejects values that are not arrays', name => {
  for (const [value, type] of [
    [null, 'null'],
    [5, 'int'],
  ] as const)
    expectRefusal(
      () => runPipeline(over({ [name]: '$a' }, {}), [{ a: [1] }, { a: value }]),
      refused(14, `${name} requires array inputs, but input is of type ${type}`),
    );
});

test('compares strings in windows by the collation', () => {
  const [min, max] = [{ $min: '$s' }, { $max: '$s' }].map(output =>
    runPipeline(
      over(output, {}),
      [{ s: 'b' }, { s: 'A' }, { s: 'a' }],
      {},
      {
        collation: {
          compare: (a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : a.toLowerCase() > b.toLowerCase() ? 1 : 0),
          key: s => s.toLowerCase(),
        },
      },
    ),
  );
  expect([min?.[0], max?.[0]]).toEqual([text(v({ r: 'A' })), text(v({ r: 'b' }))]);
});

const bound = (low: number, high: number): fc.Arbitrary<Shorthand> =>
  fc.oneof(fc.constant<Shorthand>('unbounded'), fc.constant<Shorthand>('current'), fc.integer({ min: low, max: high }));

test('a sliding window has the same results as each window on its own', () => {
  const functions: readonly Shorthand[] = [
    { $sum: '$x' },
    { $avg: '$x' },
    { $min: '$x' },
    { $max: '$x' },
    { $push: '$x' },
    { $count: {} },
    { $minN: { input: '$x', n: 2 } },
    { $median: { input: '$x', method: 'approximate' } },
    { $top: { output: '$x', sortBy: { x: 1 } } },
  ];
  fc.assert(
    fc.property(
      fc.array(fc.record({ t: fc.integer({ min: 0, max: 20 }), x: fc.integer({ min: -5, max: 5 }) }), {
        maxLength: 12,
      }),
      fc.constantFrom('documents', 'range'),
      bound(-4, 0),
      bound(0, 4),
      fc.constantFrom(...functions),
      (docs, kind, lower, upper, compute) => {
        const window = { ...(compute as Fields), window: { [kind]: [lower, upper] } };
        const sorted = docs.toSorted((a, b) => a.t - b.t);
        const slid = runPipeline(over(window, { sortBy: { t: 1 } }), docs);
        const alone = sorted.map(({ t }, i) => {
          const inside = sorted.filter((doc, k) => {
            const at = kind === 'documents' ? k - i : doc.t - t;
            const from = lower === 'unbounded' || (lower === 'current' ? k >= i : at >= (lower as number));
            return from && (upper === 'unbounded' || (upper === 'current' ? k <= i : at <= (upper as number)));
          });
          return runPipeline([{ $group: { _id: 1, r: compute } }, { $project: { _id: 0 } }], inside)[0];
        });
        const empty =
          { $sum: '0', $push: '[]', $count: '0', $minN: '[]' }[Object.keys(compute as Fields)[0]!] ?? 'null';
        expect(slid).toEqual(alone.map(result => result ?? `{r: ${empty}}`));
      },
    ),
  );
});
