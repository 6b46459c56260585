import type { Document } from 'bson';
import { judgeReply } from './judge.js';
import { frameOfCommand } from './message.js';
import type { Watch } from './play.js';
import type { Target, Violation } from './target.js';
import type { WireClient } from './wire-client.js';
import { openClient } from './wire-client.js';

/** A command that is right, and for which an afternoon would not be enough, or the memory of the machine. */
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
  'products of $unwind, counted': [...unwound(5), { $count: 'n' }],
  'products of $unwind, grouped': [...unwound(5), { $group: { _id: ['$l0', '$l1', '$l2', '$l3', '$l4'] } }],
  'products of $unwind, gathered': [...unwound(5), { $group: { _id: null, all: { $push: '$$ROOT' } } }],
  'products of $unwind, sorted': [...unwound(5), { $sort: { l4: -1, l0: 1 } }],
  'products of $unwind in $facet': [{ $facet: { a: [...unwound(5)] } }],
  'products of $unwind in buckets': [...unwound(5), { $bucketAuto: { groupBy: '$l1', buckets: 5 } }],
  'products of $unwind in a sample': [...unwound(5), { $sample: { size: 5 } }],
  'products of $unwind, given': unwound(5),
  'products of $unwind, none of which matches': [...unwound(5), { $match: { l0: -1 } }],
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
  '$lookup with a pipeline for each': [
    ...joined(2),
    {
      $lookup: { from: 'many', let: { x: '$j0' }, pipeline: [{ $match: { $expr: { $eq: ['$l', '$$x'] } } }], as: 'j' },
    },
    { $count: 'n' },
  ],
  '$graphLookup from everywhere': [
    ...joined(3),
    { $graphLookup: { from: 'many', startWith: hundreds, connectFromField: 'l', connectToField: '_id', as: 'g' } },
    { $count: 'n' },
  ],
  '$densify over years of seconds': [
    { $set: { t: new Date(0) } },
    { $densify: { field: 't', range: { step: 1, unit: 'second', bounds: [new Date(0), new Date(1e12)] } } },
    { $count: 'n' },
  ],
  'lists in lists in lists': [{ $project: { r: nested(6, 1_000) } }],
  'lists in lists, of no consequence': [{ $match: { $expr: { $eq: [nested(6, 1_000), 1] } } }],
  'a union of millions': [{ $project: { r: { $setUnion: [range(2_000_000), range(3_000_000)] } } }],
  'unions of a hundred thousand': [
    { $project: { r: { $map: { input: range(1_000), in: { $setIntersection: [range(100_000), range(100_000)] } } } } },
  ],
  'a list that grows one by one': [
    {
      $project: {
        r: { $reduce: { input: range(200_000), initialValue: [], in: { $concatArrays: ['$$value', ['$$this']] } } },
      },
    },
  ],
  'an object that grows one by one': [
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
  'an object of a hundred thousand fields': [
    {
      $project: {
        r: { $arrayToObject: { $map: { input: range(100_000), in: [{ $toString: '$$this' }, '$$this'] } } },
      },
    },
    { $set: { 'r.x': 1 } },
    { $project: { r: { $objectToArray: '$r' } } },
  ],
  'a text that grows one by one': [
    { $project: { r: { $reduce: { input: range(3_000_000), initialValue: '', in: { $concat: ['$$value', 'x'] } } } } },
  ],
  'searches in long texts': [
    { $project: { r: { $map: { input: range(100_000), in: { $indexOfCP: [long, `${long.slice(1)}b`] } } } } },
  ],
  'patterns on long texts': [
    { $project: { r: { $map: { input: range(100_000), in: { $regexMatch: { input: long, regex: '(a+)+b' } } } } } },
  ],
  'tame patterns on long texts': [
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
  'sorting the same again and again': [
    { $project: { r: { $map: { input: range(10_000), in: { $sortArray: { input: range(100_000), sortBy: -1 } } } } } },
  ],
  'sorting texts again and again': [
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
  'a thousand sums of a thousand': [
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
  '$in of thirty thousand': { find: 'many', filter: { l: { $in: value } } },
  '$nin of thirty thousand with a collation': {
    find: 'many',
    filter: { l: { $nin: value } },
    collation: { locale: 'en' },
  },
  '$all of thirty thousand': { find: 'many', filter: { l: { $all: value } } },
  '$or of twenty thousand': { find: 'many', filter: { $or: list(20_000, i => ({ l: i + 1_000 })) } },
  '$where that never ends': { find: 'many', filter: { $where: 'while (true) {}' } },
  'counting what never matches': { count: 'many', query: { $expr: { $eq: [nested(3, 100), 1] } } },
  'values of what never matches': { distinct: 'many', key: 'l', query: { $expr: { $eq: [nested(3, 100), 1] } } },
  'an update that computes': {
    update: 'many',
    updates: [{ q: {}, u: [{ $set: { r: nested(6, 1_000) } }], multi: true }],
  },
  'a findAndModify that computes': { findAndModify: 'many', query: {}, update: [{ $set: { r: nested(6, 1_000) } }] },
  'an update of many fields': {
    update: 'one',
    updates: [
      { q: {}, u: { $set: Object.fromEntries(list(50_000, i => [`f${String(i)}`, i]) as [string, unknown][]) } },
    ],
  },
  'a projection that computes': { find: 'many', projection: { r: nested(6, 1_000) } },
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

/** What bombs work on. */
export const prepare = async (client: WireClient): Promise<void> => {
  await client.ask(frameOf({ insert: 'one', documents: [{ _id: 1 }] }));
  const documents = list(1_000, i => ({ _id: i, l: [i, i + 1, i + 2], s: `s${String(i)}` }));
  await client.ask(frameOf({ insert: 'many', documents }));
};

/** With `maxTimeMS` a bomb ends by itself; without, when whoever sent it goes away. */
const limits: readonly (number | undefined)[] = [100, undefined];

/** How long whoever sent a bomb without a limit stays, in milliseconds. */
const stay = 1_500;

/** How long the server may take to end what has a limit, in milliseconds of its work. */
const mostLate = 2_000;

/** Sends one, and looks whether others are served meanwhile. */
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
          what: `maxTimeMS: ${maxTimeMS} has not ended it after ${target.busy() - before} ms: ${name}`,
        };
    }
    client.close();
    const wrong = reply && judgeReply(reply);
    if (wrong !== undefined) return { ...wrong, what: `${wrong.what}: ${name}` };
  }
  return undefined;
};
