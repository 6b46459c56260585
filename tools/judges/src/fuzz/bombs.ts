import type { Document } from 'bson';
import { judgeReply } from './judge.js';
import { frameOfCommand } from './message.js';
import type { Watch } from './play.js';
import type { Target, Violation } from './target.js';
import type { WireClient } from './wire-client.js';
import { openClient } from './wire-client.js';

/** A valid command that takes hours or more memory than the machine has. */
export interface Bomb {
  readonly name: string;
  readonly command: Document;
}

const list = (length: number, item: (i: number) => unknown = i => i): readonly unknown[] =>
  Array.from({ length }, (_, i) => item(i));

const hundreds = list(100);
const range = (end: number): object => ({ $range: [0, end] });
const unwound = (times: number): readonly object[] => [
  { $set: Object.fromEntries(list(times, i => [`l${String(i)}`, hundreds]) as [string, unknown][]) },
  ...(list(times, i => ({ $unwind: `$l${String(i)}` })) as object[]),
];
const joined = (times: number, more: object = { pipeline: [] }): readonly object[] =>
  list(times).flatMap((_, i) => [
    { $lookup: { from: 'many', as: `j${String(i)}`, ...more } },
    { $unwind: `$j${String(i)}` },
  ]);
const nested = (times: number, length: number): object =>
  times === 0
    ? { $add: [1, 1] }
    : { $map: { input: range(length), as: `v${String(times)}`, in: nested(times - 1, length) } };
const long = 'a'.repeat(100_000);

const pipelines: Readonly<Record<string, readonly object[]>> = {
  'products of $unwind with $count': [...unwound(5), { $count: 'n' }],
  'products of $unwind with $group': [...unwound(5), { $group: { _id: ['$l0', '$l1', '$l2', '$l3', '$l4'] } }],
  'products of $unwind in one array': [...unwound(5), { $group: { _id: null, all: { $push: '$$ROOT' } } }],
  'products of $unwind with $sort': [...unwound(5), { $sort: { l4: -1, l0: 1 } }],
  'products of $unwind in $facet': [{ $facet: { a: [...unwound(5)] } }],
  'products of $unwind in buckets': [...unwound(5), { $bucketAuto: { groupBy: '$l1', buckets: 5 } }],
  'products of $unwind with $sample': [...unwound(5), { $sample: { size: 5 } }],
  'products of $unwind as results': unwound(5),
  'products of $unwind without a match': [...unwound(5), { $match: { l0: -1 } }],
  'products of $unwind in windows': [
    ...unwound(5),
    {
      $setWindowFields: {
        sortBy: { l0: 1 },
        output: { all: { $push: '$l1', window: { documents: ['unbounded', 'current'] } } },
      },
    },
  ],
  'products of $lookup': [...joined(6), { $count: 'n' }],
  '$lookup with a pipeline per document': [
    ...joined(2),
    {
      $lookup: { from: 'many', let: { x: '$j0' }, pipeline: [{ $match: { $expr: { $eq: ['$l', '$$x'] } } }], as: 'j' },
    },
    { $count: 'n' },
  ],
  '$graphLookup from every value': [
    ...joined(3),
    { $graphLookup: { from: 'many', startWith: hundreds, connectFromField: 'l', connectToField: '_id', as: 'g' } },
    { $count: 'n' },
  ],
  '$densify over years of seconds': [
    { $set: { t: new Date(0) } },
    { $densify: { field: 't', range: { step: 1, unit: 'second', bounds: [new Date(0), new Date(1e12)] } } },
    { $count: 'n' },
  ],
  'nested lists': [{ $project: { r: nested(6, 1_000) } }],
  'nested lists in a filter': [{ $match: { $expr: { $eq: [nested(6, 1_000), 1] } } }],
  'a union of millions of values': [{ $project: { r: { $setUnion: [range(2_000_000), range(3_000_000)] } } }],
  'set operations with 100,000 values': [
    { $project: { r: { $map: { input: range(1_000), in: { $setIntersection: [range(100_000), range(100_000)] } } } } },
  ],
  'a list that grows one element at a time': [
    {
      $project: {
        r: { $reduce: { input: range(200_000), initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } },
      },
    },
  ],
  'an object that grows one field at a time': [
    {
      $project: {
        r: {
          $reduce: {
            input: range(100_000),
            initialValue: {},
            in: { $mergeObjects: ['$$value', { $arrayToObject: [[[{ $toString: '$$this' }, 1]]] }] },
          },
        },
      },
    },
  ],
  'an object with 100,000 fields': [
    {
      $project: {
        r: { $arrayToObject: { $map: { input: range(100_000), in: [{ $toString: '$$this' }, '$$this'] } } },
      },
    },
    { $set: { 'r.x': 1 } },
    { $project: { r: { $objectToArray: '$r' } } },
  ],
  'a string that grows one character at a time': [
    { $project: { r: { $reduce: { input: range(3_000_000), initialValue: '', in: { $concat: ['$$value', 'x'] } } } } },
  ],
  'searches in long strings': [
    { $project: { r: { $map: { input: range(100_000), in: { $indexOfCP: [long, `${long.slice(1)}b`] } } } } },
  ],
  'patterns on long strings': [
    { $project: { r: { $map: { input: range(100_000), in: { $regexMatch: { input: long, regex: '(a+)+b' } } } } } },
  ],
  'simple patterns on long strings': [
    { $project: { r: { $map: { input: range(1_000_000), in: { $regexMatch: { input: long, regex: 'b' } } } } } },
  ],
  'replacements that grow': [
    {
      $project: {
        r: {
          $reduce: {
            input: range(50),
            initialValue: 'aa',
            in: { $replaceAll: { input: '$$value', find: 'a', replacement: 'aaaa' } },
          },
        },
      },
    },
  ],
  'sorting the same list again and again': [
    { $project: { r: { $map: { input: range(10_000), in: { $sortArray: { input: range(100_000), sortBy: -1 } } } } } },
  ],
  'sorting strings again and again': [
    { $set: { r: { $map: { input: range(100_000), in: { $toString: '$$this' } } } } },
    { $project: { r: { $map: { input: range(1_000), in: { $sortArray: { input: '$r', sortBy: 1 } } } } } },
  ],
  'sorting objects again and again': [
    { $set: { r: { $map: { input: range(20_000), in: { a: { $toString: '$$this' } } } } } },
    { $project: { r: { $map: { input: range(1_000), in: { $sortArray: { input: '$r', sortBy: { a: -1 } } } } } } },
  ],
  'comparing long lists': [
    { $project: { r: { $map: { input: range(100_000), in: { $eq: [range(100_000), range(100_000)] } } } } },
  ],
  'a thousand sums of 100,000 values': [
    {
      $project: Object.fromEntries(
        list(1_000, i => [`f${String(i)}`, { $sum: range(100_000) }]) as [string, unknown][],
      ),
    },
  ],
  'a chain of unions': [
    ...unwound(3),
    ...list(20, () => ({ $unionWith: { coll: 'many', pipeline: joined(2) } })),
    { $count: 'n' },
  ] as object[],
};

const value = list(30_000, i => `value ${String(i)}`);

const commands: Readonly<Record<string, Document>> = {
  '$in with 30,000 values': { find: 'many', filter: { l: { $in: value } } },
  '$nin with 30,000 values and a collation': {
    find: 'many',
    filter: { l: { $nin: value } },
    collation: { locale: 'en' },
  },
  '$all with 30,000 values': { find: 'many', filter: { l: { $all: value } } },
  '$or with 20,000 filters': { find: 'many', filter: { $or: list(20_000, i => ({ l: i + 1_000 })) } },
  '$where that never ends': { find: 'many', filter: { $where: 'while (true) {}' } },
  'count with a filter that never matches': { count: 'many', query: { $expr: { $eq: [nested(3, 100), 1] } } },
  'distinct with a filter that never matches': {
    distinct: 'many',
    key: 'l',
    query: { $expr: { $eq: [nested(3, 100), 1] } },
  },
  'an update with a long computation': {
    update: 'many',
    updates: [{ q: {}, u: [{ $set: { r: nested(6, 1_000) } }], multi: true }],
  },
  'a findAndModify with a long computation': {
    findAndModify: 'many',
    query: {},
    update: [{ $set: { r: nested(6, 1_000) } }],
  },
  'an update of many fields': {
    update: 'one',
    updates: [
      { q: {}, u: { $set: Object.fromEntries(list(50_000, i => [`f${String(i)}`, i]) as [string, unknown][]) } },
    ],
  },
  'a projection with a long computation': { find: 'many', projection: { r: nested(6, 1_000) } },
  'a sort of a product': {
    aggregate: 'one',
    pipeline: [...unwound(4), { $sort: { l0: 1 } }, { $merge: { into: 'other' } }],
    cursor: {},
  },
};

export const bombs: readonly Bomb[] = [
  ...Object.entries(pipelines).map(([name, pipeline]) => ({
    name,
    command: { aggregate: 'one', pipeline, cursor: {} },
  })),
  ...Object.entries(commands).map(([name, command]) => ({ name, command })),
];

const frameOf = (command: Document): Buffer => frameOfCommand(command, 'bombs');

/** Inserts the documents that bombs read. */
export const prepare = async (client: WireClient): Promise<void> => {
  await client.ask(frameOf({ insert: 'one', documents: [{ _id: 1 }] }));
  const documents = list(1_000, i => ({ _id: i, l: [i, i + 1, i + 2], s: `s${String(i)}` }));
  await client.ask(frameOf({ insert: 'many', documents }));
};

/** With `maxTimeMS` the server ends a bomb. Without it, the bomb ends when its client disconnects. */
const limits: readonly (number | undefined)[] = [100, undefined];

/** How long the client of a bomb without a limit stays connected, in milliseconds. */
const stay = 1_500;

/** The CPU time that the server may use before it ends a command with a limit, in milliseconds. */
const mostLate = 2_000;

/** Sends a bomb, and checks that other clients are served meanwhile. */
export const drop = async (target: Target, watch: Watch, { name, command }: Bomb): Promise<Violation | undefined> => {
  for (const maxTimeMS of limits) {
    const client = await openClient(target.port);
    const before = target.busy();
    client.send(frameOf(maxTimeMS === undefined ? command : { ...command, maxTimeMS }));
    let reply: Buffer | undefined;
    const end = performance.now() + (maxTimeMS === undefined ? stay : 30_000);
    while (reply === undefined && performance.now() < end) {
      const wrong = await watch.look();
      if (wrong !== undefined) return { ...wrong, what: `${wrong.what}: ${name}` };
      reply = await client.next(20);
      if (maxTimeMS !== undefined && reply === undefined && target.busy() - before > mostLate)
        return {
          kind: 'hang',
          what: `maxTimeMS: ${maxTimeMS} did not end the command after ${target.busy() - before} ms: ${name}`,
        };
    }
    client.close();
    const wrong = reply && judgeReply(reply);
    if (wrong !== undefined) return { ...wrong, what: `${wrong.what}: ${name}` };
  }
  return undefined;
};
