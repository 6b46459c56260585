/** Commands that take long. */
import type { Document } from 'bson';
import { BSONRegExp } from 'bson';

/** A command that takes long, with the commands that prepare it. */
export interface Costly {
  readonly name: string;
  readonly command: Document;
  readonly db?: string;
  readonly before?: readonly Document[];
  /** Commands of the same connection that follow it at once. */
  readonly more?: readonly Document[];
}

const list = <T>(length: number, item: (i: number) => T): readonly T[] => Array.from({ length }, (_, i) => item(i));

const aggregate = (...pipeline: readonly Document[]): Document => ({ aggregate: 'many', pipeline, cursor: {} });

const js = { map: 'function () { emit(this.g, 1); }', reduce: 'function (key, values) { return values.length; }' };

const ring = (points: number): Document => ({
  type: 'Polygon',
  coordinates: [
    list(points, i => {
      const angle = (2 * Math.PI * (i % (points - 1))) / (points - 1);
      return [10 * Math.cos(angle), 10 * Math.sin(angle)];
    }),
  ],
});

const all = { $set: { changed: true } };
const never = { $expr: { $gt: [{ $add: ['$n', 1] }, 1e9] } };
const bulk = (...ops: readonly Document[]): Document => ({ bulkWrite: 1, ops, nsInfo: [{ ns: 'test.many' }] });
const inside = (points: number): Document => ({ p: { $geoWithin: { $geometry: ring(points) } } });

/** The commands, over a collection `many` with this number of documents. */
export const costly = (size: number): readonly Costly[] => [
  { name: 'find with $where', command: { find: 'many', filter: { $where: 'this.n < 0' } } },
  { name: 'find with a filter that never matches', command: { find: 'many', filter: never } },
  { name: 'find with a sort', command: { find: 'many', sort: { s: 1, n: -1 }, batchSize: 1 } },
  { name: 'a pattern of 14 MB', command: { find: 'many', filter: { s: new BSONRegExp('a'.repeat(14_000_000)) } } },
  {
    name: 'a pattern with a class of 5 MB',
    command: { find: 'many', filter: { s: new BSONRegExp(`[${'ab'.repeat(2_500_000)}]x`) } },
  },
  { name: 'a polygon of 300,000 points', command: { find: 'few', filter: inside(300_000) } },
  { name: 'a polygon of 20,000 points', command: { find: 'few', filter: inside(20_000) } },
  {
    name: 'explain with $where',
    command: { explain: { find: 'many', filter: { $where: 'this.n < 0' } }, verbosity: 'executionStats' },
  },
  {
    name: 'explain with a filter that never matches',
    command: { explain: { find: 'many', filter: never }, verbosity: 'executionStats' },
  },
  {
    name: 'explain of an aggregate',
    command: { explain: aggregate({ $group: { _id: '$s' } }), verbosity: 'executionStats' },
  },
  { name: 'mapReduce with inline results', command: { mapReduce: 'many', ...js, out: { inline: 1 } } },
  { name: 'mapReduce into a collection', command: { mapReduce: 'many', ...js, out: 'out' } },
  { name: '$sort', command: aggregate({ $sort: { s: 1 } }, { $limit: 1 }) },
  { name: '$group', command: aggregate({ $group: { _id: '$s', n: { $sum: '$n' } } }, { $count: 'n' }) },
  { name: '$bucketAuto', command: aggregate({ $bucketAuto: { groupBy: { $divide: ['$n', 1e300] }, buckets: 50 } }) },
  {
    name: '$bucketAuto with a granularity',
    command: aggregate({ $bucketAuto: { groupBy: { $add: ['$n', 1e-300] }, buckets: 50, granularity: 'R80' } }),
  },
  {
    name: '$lookup with nested loops',
    command: aggregate(
      { $limit: 300 },
      {
        $lookup: { from: 'many', let: { n: '$n' }, pipeline: [{ $match: { $expr: { $eq: ['$$n', '$m'] } } }], as: 'x' },
      },
      { $count: 'n' },
    ),
  },
  {
    name: '$lookup by a field',
    command: aggregate({ $lookup: { from: 'few', localField: 'g', foreignField: 'g', as: 'x' } }, { $count: 'n' }),
  },
  {
    name: '$graphLookup',
    command: aggregate(
      { $limit: 3 },
      {
        $graphLookup: {
          from: 'many',
          startWith: '$n',
          connectFromField: 'next',
          connectToField: 'n',
          as: 'x',
          maxDepth: 20,
        },
      },
      { $count: 'n' },
    ),
  },
  {
    name: '$setWindowFields',
    command: aggregate(
      {
        $setWindowFields: {
          partitionBy: '$g',
          sortBy: { n: 1 },
          output: { x: { $sum: '$n', window: { documents: [-50, 50] } } },
        },
      },
      { $count: 'n' },
    ),
  },
  {
    name: '$densify',
    command: aggregate({ $densify: { field: 'n', range: { step: 0.2, bounds: 'full' } } }, { $count: 'n' }),
  },
  {
    name: '$fill',
    command: aggregate({ $fill: { sortBy: { n: 1 }, output: { z: { method: 'locf' } } } }, { $count: 'n' }),
  },
  {
    name: '$facet',
    command: aggregate({
      $facet: { a: [{ $group: { _id: '$s' } }, { $count: 'n' }], b: [{ $sort: { s: -1 } }, { $limit: 1 }] },
    }),
  },
  { name: '$unionWith', command: aggregate({ $unionWith: 'many' }, { $count: 'n' }) },
  { name: '$unwind', command: aggregate({ $set: { r: { $range: [0, 20] } } }, { $unwind: '$r' }, { $count: 'n' }) },
  { name: '$sample', command: aggregate({ $sample: { size: 1000 } }, { $count: 'n' }) },
  { name: '$out', command: aggregate({ $out: 'out' }) },
  { name: '$merge', command: aggregate({ $merge: 'merged' }) },
  { name: '$merge into the same documents', command: aggregate({ $merge: 'merged' }) },
  { name: 'count', command: { count: 'many', query: never } },
  { name: 'distinct', command: { distinct: 'many', key: 'g' } },
  { name: 'distinct of every document', command: { distinct: 'many', key: 'n', query: { n: { $lt: 200_000 } } } },
  {
    name: 'update of every document',
    command: { update: 'many', updates: [{ q: {}, u: { $inc: { n: 0, z: 1 } }, multi: true }] },
  },
  {
    name: 'update with a pipeline',
    command: { update: 'many', updates: [{ q: {}, u: [{ $set: { z: { $add: ['$n', 2] } } }], multi: true }] },
  },
  { name: 'update that matches nothing', command: { update: 'many', updates: [{ q: never, u: all, multi: true }] } },
  {
    name: 'update of many statements',
    command: { update: 'many', updates: list(Math.min(size, 50_000), i => ({ q: { _id: i }, u: all })) },
  },
  { name: 'findAndModify that matches nothing', command: { findAndModify: 'many', query: never, update: all } },
  {
    name: 'findAndModify with a sort',
    command: { findAndModify: 'many', query: {}, sort: { s: 1, n: -1 }, update: all },
  },
  {
    name: 'bulkWrite of every document',
    command: bulk({ update: 0, filter: {}, updateMods: { $inc: { z: 1 } }, multi: true }),
    db: 'admin',
  },
  { name: 'bulkWrite that matches nothing', command: bulk({ delete: 0, filter: never, multi: true }), db: 'admin' },
  { name: 'createIndexes', command: { createIndexes: 'many', indexes: [{ key: { s: 1, n: 1 }, name: 's_n' }] } },
  {
    name: 'createIndexes with a wildcard',
    command: { createIndexes: 'many', indexes: [{ key: { '$**': 1 }, name: 'all' }] },
  },
  { name: 'listIndexes', command: { listIndexes: 'many' } },
  { name: 'validate', command: { validate: 'many', full: true } },
  { name: 'dbHash', command: { dbHash: 1 } },
  { name: 'collStats', command: { collStats: 'many' } },
  { name: 'dbStats', command: { dbStats: 1 } },
  { name: 'collMod', command: { collMod: 'many', validator: { n: { $gte: 0 } }, validationLevel: 'moderate' } },
  { name: 'dropIndexes', command: { dropIndexes: 'many', index: '*' } },
  {
    name: 'collMod to a unique index',
    before: [
      { createIndexes: 'many', indexes: [{ key: { n: 1 }, name: 'n' }] },
      { collMod: 'many', index: { name: 'n', prepareUnique: true } },
    ],
    command: { collMod: 'many', index: { name: 'n', unique: true } },
  },
  {
    name: 'cloneCollectionAsCapped',
    command: { cloneCollectionAsCapped: 'many', toCollection: 'clone', size: 100_000_000 },
  },
  { name: 'convertToCapped', command: { convertToCapped: 'clone', size: 50_000_000 } },
  {
    name: 'renameCollection',
    db: 'admin',
    command: { renameCollection: 'test.out', to: 'test.renamed', dropTarget: true },
  },
  {
    name: 'renameCollection to another database',
    db: 'admin',
    command: { renameCollection: 'test.renamed', to: 'second.renamed', dropTarget: true },
  },
  {
    name: 'insert of 100,000 documents',
    command: { insert: 'inserted', documents: list(Math.min(size, 100_000), n => ({ _id: n, n })) },
  },
  {
    name: 'delete of many statements',
    command: { delete: 'inserted', deletes: list(Math.min(size, 50_000), _id => ({ q: { _id }, limit: 1 })) },
  },
  { name: 'delete that matches nothing', command: { delete: 'many', deletes: [{ q: never, limit: 0 }] } },
  { name: 'delete of every document', command: { delete: 'merged', deletes: [{ q: {}, limit: 0 }] } },
  { name: 'hello, 5,000 times', command: { hello: 1 }, more: list(5_000, () => ({ hello: 1 })) },
  {
    name: 'listCollections of 5,000 collections',
    before: list(5_000, i => ({ create: `c${i}` })),
    command: { listCollections: 1, nameOnly: false, cursor: { batchSize: 10_000 } },
  },
  { name: 'dbStats of 5,000 collections', command: { dbStats: 1 } },
  { name: 'currentOp', db: 'admin', command: { currentOp: 1, $all: true } },
  {
    name: 'createUser with 5,000 roles',
    command: { createUser: 'u', pwd: 'p', roles: list(5_000, i => ({ role: 'read', db: `d${i}` })) },
  },
  { name: 'usersInfo with privileges of 5,000 roles', command: { usersInfo: 'u', showPrivileges: true } },
  {
    name: 'createRole with 5,000 privileges',
    db: 'admin',
    command: {
      createRole: 'r',
      roles: [],
      privileges: list(5_000, i => ({ resource: { db: `d${i}`, collection: '' }, actions: ['find'] })),
    },
  },
  { name: 'rolesInfo', db: 'admin', command: { rolesInfo: 'r', showPrivileges: true } },
  { name: 'dropDatabase', command: { dropDatabase: 1 } },
];
