import type { Document } from 'bson';
import type { Chance } from '../../chance.js';
import { collectionIn, databaseOf, otherPlace } from './places.js';

type Make = (chance: Chance, db: string, depth: number) => Document;

const whenMatched = (chance: Chance): unknown =>
  chance.pick(['replace', 'keepExisting', 'merge', 'fail', [{ $set: { x: '$$new.s' } }], [{ $unset: 's' }]]);

const written: readonly (readonly [weight: number, make: Make])[] = [
  [2, (chance, db) => ({ $out: otherPlace(chance, db) })],
  [1, (chance, db) => ({ $out: { db, coll: collectionIn(chance, db), timeseries: { timeField: 't' } } })],
  [
    4,
    (chance, db) => ({
      $merge: {
        into: otherPlace(chance, db),
        ...(chance.yes(0.6) && { whenMatched: whenMatched(chance) }),
        ...(chance.yes(0.5) && { whenNotMatched: chance.pick(['insert', 'discard', 'fail']) }),
        ...(chance.yes(0.2) && { let: { new: '$$ROOT' } }),
      },
    }),
  ],
];

const read: readonly (readonly [weight: number, make: Make])[] = [
  [
    4,
    (chance, db, depth) => ({
      $lookup: {
        from: chance.yes(0.8) ? collectionIn(chance, db) : otherPlace(chance, db),
        as: chance.pick(['x', 's']),
        ...(chance.yes(0.5) ? { pipeline: drawPipeline(chance, db, depth - 1) } : {}),
        ...(chance.yes(0.5) ? { localField: 'a', foreignField: 'a' } : { let: { y: '$s' } }),
      },
    }),
  ],
  [
    2,
    (chance, db) => ({
      $graphLookup: {
        from: otherPlace(chance, db),
        startWith: '$a',
        connectFromField: 'a',
        connectToField: chance.pick(['a', '_id']),
        as: 'x',
      },
    }),
  ],
  [
    4,
    (chance, db, depth) =>
      chance.yes(0.4)
        ? { $unionWith: collectionIn(chance, db) }
        : {
            $unionWith: {
              coll: collectionIn(chance, db),
              pipeline: drawPipeline(chance, db, depth - 1),
              ...(chance.yes(0.1) && { db: databaseOf(chance) }),
            },
          },
  ],
  [2, (chance, db, depth) => ({ $facet: { x: drawPipeline(chance, db, depth - 1), y: [] } })],
  [1, () => ({ $match: { $expr: { $gt: [{ $strLenBytes: { $toString: '$s' } }, 3] } } })],
  [1, () => ({ $match: { s: { $gt: '' } } })],
  [1, chance => ({ $project: { x: { $convert: { input: '$s', to: chance.pick(['int', 'date', 'objectId']) } } } })],
  [1, () => ({ $group: { _id: '$s', all: { $push: '$$ROOT' } } })],
  [1, () => ({ $set: { roles: '$$USER_ROLES', at: '$$NOW' } })],
];

const sources: readonly (readonly [weight: number, make: Make])[] = [
  [1, () => ({ $documents: [{ a: 1 }, { a: 2 }] })],
  [1, chance => ({ $collStats: chance.pick([{ storageStats: {} }, { count: {} }, { latencyStats: {} }]) })],
  [1, () => ({ $indexStats: {} })],
  [1, () => ({ $planCacheStats: {} })],
  [1, chance => ({ $currentOp: { allUsers: chance.yes(0.5), idleCursors: true, idleSessions: true } })],
  [
    1,
    chance => ({
      $listLocalSessions: chance.yes(0.5) ? { allUsers: true } : { users: [{ user: 'root', db: 'admin' }] },
    }),
  ],
  [1, () => ({ $listSessions: { allUsers: true } })],
  [
    1,
    chance => ({ $changeStream: chance.pick([{}, { allChangesForCluster: true }, { fullDocument: 'updateLookup' }]) }),
  ],
  [1, chance => ({ [chance.pick(internal)]: {} })],
  [1, (chance, db, depth) => ({ $rankFusion: { input: { pipelines: { x: drawPipeline(chance, db, depth - 1) } } } })],
];

/** Stages that only other servers may send, or that list what all databases contain. */
const internal = [
  '$listCatalog',
  '$listClusterCatalog',
  '$listMqlEntities',
  '$queryStats',
  '$listSampledQueries',
  '$backupCursor',
  '$_internalInhibitOptimization',
  '$mergeCursors',
  '$operationMetrics',
  '$shardedDataDistribution',
  '$documents',
] as const;

/** Draws stages that read and write in all databases, also in nested pipelines. */
export const drawPipeline = (chance: Chance, db: string, depth: number): readonly Document[] => {
  if (depth < 0) return [];
  const source = chance.yes(0.12) ? [chance.weighted(sources)(chance, db, depth)] : [];
  const stages = chance.many(0, depth === 2 ? 2 : 1, () => chance.weighted(read)(chance, db, depth));
  const output = chance.yes(depth === 2 ? 0.3 : 0.03) ? [chance.weighted(written)(chance, db, depth)] : [];
  return [...source, ...stages, ...output];
};
