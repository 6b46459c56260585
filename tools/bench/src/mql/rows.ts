import { aggregate, createFilter } from '@tessera/mql';
import { Aggregator, Query } from 'mingo';
import type { Documents } from './documents.js';

/** Work that both libraries do on the same documents. */
export interface MqlRow {
  readonly name: string;
  /** Runs the precompiled filter or pipeline on all documents and returns the results. */
  readonly ours: (documents: Documents) => readonly object[];
  readonly theirs: (documents: Documents) => readonly object[];
}

const filterRow = (name: string, filter: object): MqlRow => {
  const { matches } = createFilter(filter);
  const query = new Query(filter);
  return {
    name,
    ours: documents => documents.filter(matches),
    theirs: documents => documents.filter(document => query.test(document as never)),
  };
};

const pipelineRow = (name: string, pipeline: readonly object[]): MqlRow => {
  const aggregator = new Aggregator(pipeline as never);
  return {
    name,
    ours: documents => aggregate(documents, pipeline),
    theirs: documents => aggregator.run(documents as never),
  };
};

/** All rows. Each processes 100,000 documents. */
export const mqlRows: readonly MqlRow[] = [
  filterRow('filter: one comparison', { age: { $gt: 50 } }),
  filterRow('filter: a range and a nested field', { age: { $gt: 20, $lt: 80 }, 'address.city': 'c7' }),
  filterRow('filter: an element of an array', { tags: 'a3' }),
  filterRow('filter: $or', { $or: [{ name: 'name5' }, { score: { $lt: 1 } }] }),
  filterRow('filter: $in and a regular expression', { tags: { $in: ['a1', 'b2'] }, name: /^name1/ }),
  filterRow('filter: $mod', { 'address.zip': { $mod: [7, 3] } }),
  pipelineRow('$group: count, average, maximum', [
    { $group: { _id: '$address.city', n: { $sum: 1 }, mean: { $avg: '$age' }, most: { $max: '$age' } } },
    { $sort: { _id: 1 } },
  ]),
  pipelineRow('$sort: one number', [{ $sort: { score: 1 } }]),
  pipelineRow('$sort: a number and a string', [{ $sort: { age: -1, name: 1 } }]),
  pipelineRow('$match and $project', [
    { $match: { age: { $gt: 30 } } },
    { $project: { name: 1, sum: { $add: ['$age', '$score'] } } },
  ]),
  pipelineRow('$unwind and $sortByCount', [
    { $unwind: '$tags' },
    { $sortByCount: '$tags' },
    { $sort: { count: -1, _id: 1 } },
  ]),
];
