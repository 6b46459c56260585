import { expect, test } from 'vitest';
import { parsePipeline } from '../src/agg/pipeline.js';
import type { Doc } from '../src/value/doc.js';
import {
  checkPipelines as check,
  checkRefusedPipelines as checkRefused,
  date,
  environmentOf,
  expectRefusal,
  refused,
  runPipeline,
} from './agg-cases.js';
import type { Refusal } from './agg-cases.js';
import type { Fields } from './query-cases.js';
import { asDoc } from './query-cases.js';
import { noteMetadata } from '../src/query/metadata.js';
import { double, type Shorthand, text, v } from './shorthand.js';
import { withoutPauses } from '../src/work/pause.js';

const staff: readonly Fields[] = [
  { _id: 1, name: 'Dev' },
  { _id: 2, name: 'Eliot', boss: 'Dev' },
  { _id: 3, name: 'Ron', boss: 'Eliot' },
  { _id: 4, name: 'Andrew', boss: 'Eliot' },
  { _id: 5, name: 'Asya', boss: 'Ron' },
];

const graph = (more: Fields): Shorthand => ({
  $graphLookup: {
    from: 'staff',
    startWith: '$boss',
    connectFromField: 'boss',
    connectToField: 'name',
    as: 'up',
    ...more,
  },
});

const asya = { _id: 5, boss: 'Ron' };

check(
  '$graphLookup follows connections breadth first',
  [
    [
      [graph({}), { $project: { up: '$up.name' } }],
      [asya, { _id: 1 }],
      [
        { _id: 5, up: ['Ron', 'Eliot', 'Dev'] },
        { _id: 1, up: [] },
      ],
    ],
    [[graph({ depthField: 'n.d' }), { $project: { up: '$up.n.d' } }], [asya], [{ _id: 5, up: [0n, 1n, 2n] }]],
    [[graph({ maxDepth: 0 }), { $project: { up: '$up._id' } }], [asya], [{ _id: 5, up: [3] }]],
    [[graph({ maxDepth: double(1) }), { $project: { up: '$up._id' } }], [asya], [{ _id: 5, up: [3, 2] }]],
    [
      [graph({ restrictSearchWithMatch: { name: { $ne: 'Eliot' } } }), { $project: { up: '$up._id' } }],
      [asya],
      [{ _id: 5, up: [3] }],
    ],
    [
      [graph({ startWith: ['Ron', '$boss', 'Dev'] }), { $project: { up: '$up._id' } }],
      [{ _id: 4, boss: 'Eliot' }],
      [{ _id: 4, up: [1, 2, 3] }],
    ],
    [
      [graph({ as: 'a.b' }), { $project: { 'a.b._id': 1 } }],
      [{ _id: 2, boss: 'Dev' }],
      [{ _id: 2, a: { b: [{ _id: 1 }] } }],
    ],
  ],
  { staff },
);

check(
  '$graphLookup follows every element of arrays, and follows cycles once',
  [
    [
      [
        {
          $graphLookup: {
            from: 'roads',
            startWith: '$at',
            connectFromField: 'to.town',
            connectToField: 'towns',
            as: 'r',
            depthField: 'd',
          },
        },
        { $project: { r: { $map: { input: '$r', in: ['$$this._id', '$$this.d'] } } } },
      ],
      [{ _id: 0, at: 'a' }],
      [
        {
          _id: 0,
          r: [
            [1, 0n],
            [2, 1n],
            [3, 1n],
          ],
        },
      ],
    ],
    [
      [
        {
          $graphLookup: {
            from: 'roads',
            startWith: null,
            connectFromField: 'x',
            connectToField: 'maybe',
            as: 'r',
          },
        },
        { $project: { r: '$r._id' } },
      ],
      [{ _id: 0 }],
      [{ _id: 0, r: [4] }],
    ],
  ],
  {
    roads: [
      { _id: 1, towns: ['a', 'x'], to: [{ town: 'b' }, { town: 'c' }] },
      { _id: 2, towns: ['b'], to: [{ town: 'a' }] },
      { _id: 3, towns: ['c', 'y'], to: [] },
      { _id: 4, towns: ['z'], maybe: null },
    ],
  },
);

test('$graphLookup queries an index for each step', () => {
  const asked: string[] = [];
  const environment = {
    ...environmentOf({}),
    indexed: (name: string, path: string) => `${name}.${path}` === 'staff.name',
    find: (_name: string, filter: Doc) => {
      asked.push(text(filter));
      const wanted = text(filter);
      return staff.map(asDoc).filter(doc => wanted.includes(text(doc.get('name'))));
    },
  };
  const pipeline = parsePipeline([v(graph({})), v({ $project: { up: '$up._id' } })]);
  expect([...withoutPauses(pipeline.run([asDoc(asya)], environment))].map(text)).toEqual(['{_id: 5, up: [3, 2, 1]}']);
  expect(pipeline.collections).toEqual(['staff']);
  expect(asked).toEqual([
    '{name: {$in: ["Ron"], $exists: true}}',
    '{name: {$in: ["Eliot"], $exists: true}}',
    '{name: {$in: ["Dev"], $exists: true}}',
  ]);
});

test('$graphLookup compares by the collation', () => {
  const collation = {
    compare: (a: string, b: string) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1),
    key: (s: string) => s.toLowerCase(),
  };
  const stages = [graph({ startWith: 'ELIOT' }), { $project: { up: '$up._id' } }];
  expect(runPipeline(stages, [asya], { staff }, { collation })).toEqual(['{_id: 5, up: [2, 1]}']);
});

test('$graphLookup rejects results above 100 MiB and documents without an _id', () => {
  const big = 'x'.repeat(40 * 1024 * 1024);
  const docs = [1, 2, 3].map(_id => ({ _id, name: 'n', big }));
  expectRefusal(
    () => runPipeline([graph({ startWith: 'n' })], [{ _id: 1 }], { staff: docs }),
    refused(40099, '$graphLookup reached maximum memory consumption'),
  );
  expectRefusal(
    () => runPipeline([graph({ startWith: 'n' })], [{ _id: 1 }], { staff: [{ name: 'n' }] }),
    refused(40271, "Documents in the 'staff' namespace must contain an _id for de-duplication in $graphLookup"),
  );
});

checkRefused('$graphLookup rejects invalid specifications', [
  [[{ $graphLookup: 5 }], refused(9, 'the $graphLookup stage specification must be an object, but found int')],
  [
    [{ $graphLookup: { as: 'a' } }],
    refused(9, `missing 'from' option to $graphLookup stage specification: { as: "a" }`),
  ],
  [[graph({ from: 5 })], refused(9, "$graphLookup 'from' field must be a string, but found int")],
  [[graph({ x: 5 })], refused(40104, 'Unknown argument to $graphLookup: x')],
  [[graph({ as: 5 })], refused(40103, 'expected string as argument for as, found: int')],
  [[graph({ maxDepth: 'x' })], refused(40100, 'maxDepth must be numeric, found type: string')],
  [[graph({ maxDepth: -1 })], refused(40101, 'maxDepth requires a nonnegative argument, found: -1')],
  [[graph({ maxDepth: 1.5 })], refused(40102, 'maxDepth could not be represented as a long long: 1')],
  [[graph({ restrictSearchWithMatch: 1 })], refused(40185, 'restrictSearchWithMatch must be an object, found int')],
  [
    [{ $graphLookup: { from: 'a', as: 'b' } }],
    refused(
      40105,
      "$graphLookup requires 'from', 'as', 'startWith', 'connectFromField', and 'connectToField' to be specified.",
    ),
  ],
]);

const dense = (range: Shorthand, partitionByFields?: readonly string[]): Shorthand => ({
  $densify: { field: 't', range, ...(partitionByFields === undefined ? {} : { partitionByFields }) },
});

check('$densify generates the missing documents', [
  [[dense({ step: 2, bounds: 'full' })], [{ t: 7, x: 1 }, { t: 1 }], [{ t: 1 }, { t: 3 }, { t: 5 }, { t: 7, x: 1 }]],
  [
    [dense({ step: 2, bounds: 'full' })],
    [{ t: 1 }, { t: 4 }, { t: 6 }],
    [{ t: 1 }, { t: 3 }, { t: 4 }, { t: 5 }, { t: 6 }],
  ],
  [[dense({ step: 1, bounds: 'full' })], [{ t: 1 }, { t: null }, {}], [{ t: null }, {}, { t: 1 }]],
  [[dense({ step: 0.5, bounds: 'full' })], [{ t: 1 }, { t: 2 }], [{ t: 1 }, { t: 1.5 }, { t: 2 }]],
  [[dense({ step: 2, bounds: [0, 5] })], [], [{ t: 0 }, { t: 2 }, { t: 4 }]],
  [
    [dense({ step: 2, bounds: [2, 7] })],
    [{ t: 1 }, { t: 4, x: 1 }, { t: 9 }],
    [{ t: 1 }, { t: 2 }, { t: 4, x: 1 }, { t: 6 }, { t: 9 }],
  ],
  [[dense({ step: 1, bounds: [1, 3] })], [{ t: 1 }], [{ t: 1 }, { t: 2 }]],
  [
    [dense({ step: 1, bounds: 'partition' }, ['k'])],
    [
      { k: 'a', t: 1 },
      { k: 'b', t: 7 },
      { k: 'a', t: 3 },
      { k: 'b', t: 5 },
    ],
    [
      { k: 'a', t: 1 },
      { k: 'a', t: 2 },
      { k: 'a', t: 3 },
      { k: 'b', t: 5 },
      { k: 'b', t: 6 },
      { k: 'b', t: 7 },
    ],
  ],
  [
    [dense({ step: 1, bounds: 'full' }, ['k.n'])],
    [
      { k: { n: 'a' }, t: 1 },
      { k: { n: 'b' }, t: 2 },
      { k: { n: 'b' }, t: 3 },
    ],
    [
      { k: { n: 'a' }, t: 1 },
      { k: { n: 'b' }, t: 1 },
      { k: { n: 'b' }, t: 2 },
      { k: { n: 'b' }, t: 3 },
      { k: { n: 'a' }, t: 2 },
      { k: { n: 'a' }, t: 3 },
    ],
  ],
  [
    [dense({ step: 1, bounds: [1, 3] }, ['k'])],
    [
      { k: 1, t: 0 },
      { k: 2, t: 2 },
    ],
    [
      { k: 1, t: 0 },
      { k: 2, t: 1 },
      { k: 2, t: 2 },
      { k: 1, t: 1 },
      { k: 1, t: 2 },
    ],
  ],
  [
    [dense({ step: 1, unit: 'month', bounds: 'full' })],
    [{ t: date('2024-01-31') }, { t: date('2024-04-01') }],
    [{ t: date('2024-01-31') }, { t: date('2024-02-29') }, { t: date('2024-03-29') }, { t: date('2024-04-01') }],
  ],
  [
    [dense({ step: 12, unit: 'hour', bounds: [date('2024-01-01'), date('2024-01-02')] })],
    [],
    [{ t: date('2024-01-01T00:00:00Z') }, { t: date('2024-01-01T12:00:00Z') }],
  ],
]);

checkRefused('$densify rejects invalid ranges', [
  [[{ $densify: 1 }], refused(9, 'The $densify stage specification must be an object, found int')],
  [[{ $densify: { field: 'a' } }], refused(40414, "BSON field '$densify.range' is missing but a required field")],
  [[{ $densify: { field: 'a', range: {}, x: 1 } }], refused(40415, "BSON field '$densify.x' is an unknown field.")],
  [
    [{ $densify: { field: 1, range: {} } }],
    refused(14, "BSON field '$densify.field' is the wrong type 'int', expected type 'string'"),
  ],
  [
    [dense({ step: 'x', bounds: 'full' })],
    refused(
      14,
      "BSON field '$densify.range.step' is the wrong type 'string', expected types '[int, decimal, double, long]'",
    ),
  ],
  ...['a', 'a.b'].map((name): readonly [readonly Shorthand[], Refusal] => [
    [{ $densify: { field: 'a', partitionByFields: ['b', name], range: { step: 1, bounds: 'full' } } }],
    refused(8993000, "BSON field '$densify.partitionByFields' contains the field that is being densified"),
  ]),
  [
    [{ $densify: { field: 'a.b', partitionByFields: ['a'], range: { step: 1, bounds: 'full' } } }],
    refused(9554500, "The field that is being densified contains the BSON field '$densify.partitionByFields'"),
  ],
  [
    [dense({ step: 0, bounds: 'full' })],
    refused(5733401, 'The step parameter in a range statement must be a strictly positive numeric value'),
  ],
  [
    [dense({ step: 1.5, unit: 'day', bounds: 'full' })],
    refused(6586400, 'The step parameter in a range statement must be a whole number when densifying a date range'),
  ],
  [[dense({ step: 1, bounds: 'all' })], refused(5946802, "Bounds string must either be 'full' or 'partition'")],
  [
    [dense({ step: 1, bounds: 5 })],
    refused(
      5733404,
      "The bounds in a range statement must be the string 'full', 'partition', or an ascending array of two numbers or two dates",
    ),
  ],
  [
    [dense({ step: 1, bounds: [1] })],
    refused(5733403, 'A bounding array in a range statement must have exactly two elements'),
  ],
  [
    [dense({ step: 1, bounds: [2, 1] })],
    refused(5733402, 'A bounding array must be an ascending array of either two dates or two numbers'),
  ],
  [[dense({ step: 1, unit: 'day', bounds: [1, 2] })], refused(5733409, 'Numeric bounds may not have unit parameter')],
  [
    [dense({ step: 1, bounds: [1, 2.5] })],
    refused(5876900, 'Upper bound, lower bound, and step must all have the same type'),
  ],
  [
    [dense({ step: 1, bounds: [date('2024-01-01'), date('2024-01-02')] })],
    refused(5733410, 'A bounding array of dates must specify a unit'),
  ],
  [[dense({ step: 1, bounds: ['a', 'b'] })], refused(5946800, 'Explicit bounds must be numeric or dates')],
  [
    [dense({ step: 1, bounds: 'partition' })],
    refused(
      5733408,
      "One cannot specify the bounds as 'partition' without specifying a non-empty array of partitionByFields. You may have meant to specify 'full' bounds.",
    ),
  ],
]);

test.each<readonly [string, Shorthand, readonly Fields[], number, string]>([
  ['text', dense({ step: 1, bounds: 'full' }), [{ t: 'x' }], 5733201, 'Densify field type must be numeric or a date'],
  [
    'numbers by days',
    dense({ step: 1, unit: 'day', bounds: 'full' }),
    [{ t: 1 }],
    6053600,
    'Encountered numeric densify value in collection when step has a date unit.',
  ],
  [
    'dates by numbers',
    dense({ step: 1, bounds: 'full' }),
    [{ t: date('2024-01-01') }],
    6053600,
    'Encountered date densify value in collection when step does not have a date unit.',
  ],
])('$densify rejects %s', (_title, stage, docs, code, message) => {
  expectRefusal(() => runPipeline([stage], docs), refused(code, message));
});

test('$densify generates at most 500000 documents', () => {
  const docs = parsePipeline([v(dense({ step: 1, bounds: [0, 600_000] }))]).run([], environmentOf());
  let made = 0;
  expectRefusal(
    () => {
      const all = docs[Symbol.iterator]();
      while (all.next().done !== true) made += 1;
    },
    refused(
      5897900,
      "Generated 500001 documents in $densify, which is over the limit of 500000. Increase the 'internalQueryMaxAllowedDensifyDocs' parameter to allow more generated documents",
    ),
  );
  expect(made).toBe(500_000);
});

const fill = (spec: Fields): Shorthand => ({ $fill: spec });

check('$fill replaces null and missing values', [
  [
    [fill({ output: { a: { value: 0 }, b: { value: '$a' } } })],
    [{ a: 1, b: null }, { b: 2 }],
    [
      { a: 1, b: 1 },
      { b: 2, a: 0 },
    ],
  ],
  [
    [fill({ sortBy: { t: 1 }, output: { a: { method: 'locf' } } })],
    [{ t: 2 }, { t: 1, a: 5 }],
    [
      { t: 1, a: 5 },
      { t: 2, a: 5 },
    ],
  ],
  [
    [fill({ partitionByFields: ['k'], sortBy: { t: 1 }, output: { a: { method: 'linear' }, b: { value: 'x' } } })],
    [
      { k: 1, t: 1, a: 1 },
      { k: 2, t: 2 },
      { k: 1, t: 2 },
      { k: 1, t: 3, a: 2 },
    ],
    [
      { k: 1, t: 1, a: 1, b: 'x' },
      { k: 1, t: 2, a: 1.5, b: 'x' },
      { k: 1, t: 3, a: 2, b: 'x' },
      { k: 2, t: 2, a: null, b: 'x' },
    ],
  ],
  [
    [fill({ partitionBy: '$k', output: { a: { method: 'locf' } } })],
    [{ k: 1, a: 1 }, { k: 2 }, { k: 1 }],
    [
      { k: 1, a: 1 },
      { k: 1, a: 1 },
      { k: 2, a: null },
    ],
  ],
]);

checkRefused('$fill rejects invalid specifications', [
  [[fill({})], refused(40414, "BSON field '$fill.output' is missing but a required field")],
  [[{ $fill: 1 }], refused(9, 'The $fill stage specification must be an object, found int')],
  [
    [fill({ output: {} })],
    refused(6050203, "The output field in '$fill' must contain an object with at least one element"),
  ],
  [
    [fill({ output: { a: 1 } })],
    refused(6050200, 'Each fill output specification must be an object with exactly one field'),
  ],
  [
    [fill({ output: { a: { value: 1, method: 'locf' } } })],
    refused(6050201, "Each fill output specification must have exactly one of 'method' or 'value' fields, not both"),
  ],
  [[fill({ output: { a: { method: 'x' } } })], refused(6050202, 'Method must be either locf or linear')],
  [
    [fill({ partitionBy: '$a', partitionByFields: ['a'], output: { a: { value: 1 } } })],
    refused(6050204, "Maximum one of 'partitionBy' and 'partitionByFields can be specified in '$fill'"),
  ],
]);

check('$match with $sampleRate selects documents at random (here every second one)', [
  [[{ $match: { $sampleRate: 0.6, a: { $gt: 1 } } }], [{ a: 1 }, { a: 2 }], [{ a: 2 }]],
  [[{ $match: { $sampleRate: 0.4 } }], [{ a: 1 }], []],
  [[{ $match: { $sampleRate: 0 } }], [{ a: 1 }], []],
  [[{ $match: { $sampleRate: 1 } }], [{ a: 1 }], [{ a: 1 }]],
]);

checkRefused('$sampleRate rejects invalid arguments', [
  [[{ $match: { $sampleRate: 'x' } }], refused(2, 'argument to $sampleRate must be a numeric type')],
  [[{ $match: { $sampleRate: 1.5 } }], refused(2, 'numeric argument to $sampleRate must be in [0, 1]')],
  [
    [{ $match: { a: { $elemMatch: { $or: [{ $sampleRate: 0.5 }] } } } }],
    refused(2, '$sampleRate can only be applied to the top-level document'),
  ],
]);

checkRefused('rejects JavaScript operators without an engine', [
  [
    [{ $group: { _id: 1, a: { $accumulator: { init: '0', accumulate: '1', accumulateArgs: [], merge: '2' } } } }],
    refused(31264, 'Cannot run server-side javascript without the javascript engine enabled'),
  ],
]);

test.each<Shorthand>([
  { $unwind: '$a' },
  { $unwind: { path: '$b', preserveNullAndEmptyArrays: true } },
  { $unwind: { path: '$c', preserveNullAndEmptyArrays: true, includeArrayIndex: 'i' } },
  { $redact: '$$DESCEND' },
  { $lookup: { from: 'staff', as: 'all', pipeline: [] } },
  graph({}),
  { $setWindowFields: { output: { n: { $sum: 1 } } } },
  { $addFields: { x: 1 } },
])('%j keeps the metadata of its documents', stage => {
  const doc = asDoc({ a: [1], b: [], c: 2, boss: 'Dev' });
  noteMetadata(doc, { textScore: 1.5 });
  const pipeline = parsePipeline([v(stage), v({ $project: { score: { $meta: 'textScore' } } })]);
  expect([...withoutPauses(pipeline.run([doc], environmentOf({ staff })))].map(text)).toEqual(['{score: 1.5}']);
});
