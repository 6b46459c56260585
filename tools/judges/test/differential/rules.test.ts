import { describe, expect, test } from 'vitest';
import type { Operation, Outcome } from '../../src/differential/operation.js';
import { reference } from '../../src/differential/reference.js';
import type { Fields } from '../../src/differential/tree.js';

/** Documents without any value that a rule is about. */
const documents: readonly Fields[] = [
  { _id: 1, i: 3, s: 'ab', p: [1, 2], o: { x: 4 }, l: [{ x: 1 }, { x: 2 }] },
  { _id: 2, i: 5, s: 'ba', p: [3], o: { x: 6 }, l: [{ x: 3 }] },
];

const command = (family: string, ...commands: readonly Fields[]): readonly Operation[] =>
  commands.map(each => ({ family, command: each }));

const plain: readonly Operation[] = [
  ...command(
    'query',
    { find: 'c', filter: { i: 3 } },
    { find: 'c', filter: { 'o.x': { $gt: 4 } }, sort: { _id: 1 } },
    { find: 'c', filter: {}, sort: { s: 1, _id: 1 } },
    { count: 'c', query: {} },
    { distinct: 'c', key: 'p', query: {} },
    { find: 'c', filter: { i: { $mod: [2, 1] } } },
    { find: 'c', filter: { i: { $not: { $lt: 4 } } } },
  ),
  ...command(
    'update',
    { update: 'c', updates: [{ q: {}, u: { $set: { i: 1 } }, multi: true }] },
    { update: 'c', updates: [{ q: { i: 3 }, u: { $inc: { i: 1 } }, multi: true }] },
    { update: 'c', updates: [{ q: {}, u: { $set: { s: null } }, multi: true }] },
    { update: 'c', updates: [{ q: {}, u: { $push: { p: 4 } }, multi: true }] },
    { delete: 'c', deletes: [{ q: { i: { $gte: 3 } }, limit: 0 }] },
  ),
  ...command(
    'stage',
    { aggregate: 'c', pipeline: [{ $match: { i: 3 } }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $group: { _id: '$s', n: { $sum: '$i' } } }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $sortByCount: '$i' }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $lookup: { from: 'f', localField: 'i', foreignField: 'i', as: 'r' } }], cursor: {} },
    { aggregate: 'c', pipeline: [{ $project: { s: 1 } }, { $sort: { _id: 1 } }], cursor: {} },
  ),
];

const done = (result: readonly Fields[]): Outcome => ({ kind: 'done', result, after: result });

describe('the rules of the reference', () => {
  const { rules } = reference;
  test.each(plain)('do not explain a different result of $command', operation => {
    const pair = { documents, foreign: documents, operation, ours: done([{ _id: 1, i: 3 }]), theirs: done([]) };
    expect(rules.filter(({ holds }) => holds(pair)).map(({ name }) => name)).toEqual([]);
  });

  test.each(plain)('do not explain an error of our server for $command', operation => {
    const ours: Outcome = { kind: 'refused', code: 8, message: 'UnknownError' };
    const pair = { documents, foreign: documents, operation, ours, theirs: done([]) };
    expect(rules.filter(({ holds }) => holds(pair)).map(({ name }) => name)).toEqual([]);
  });
});
