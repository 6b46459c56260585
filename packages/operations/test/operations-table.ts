/** Every operation, with its properties and its command without options. */
import type { Document, Operation } from '@tessera/contracts';
import {
  Aggregate,
  count,
  createCollection,
  createFindOne,
  createIndexes,
  createSearchIndexes,
  createWrite,
  distinct,
  drop,
  dropDatabase,
  dropIndexes,
  dropSearchIndex,
  dropUser,
  explain,
  explainAsCursor,
  find,
  FindAndModify,
  GetMore,
  KillCursors,
  listCollections,
  listDatabases,
  listIndexes,
  renameCollection,
  runCommand,
  runCursorCommand,
  updateSearchIndex,
} from '@tessera/operations';
import type { CursorReply, WriteCommand } from '@tessera/operations';
import { targetOf } from './scripted.js';

export const selection = { mode: 'secondary' } as const;
export const readConcern = { level: 'majority' };
export const writeConcern = { w: 2 };
export const target = targetOf({ selection, readConcern, writeConcern });
export const nothing = (): undefined => undefined;
/** Returns the id, namespace and documents of a batch. */
export const taken = ({ id, namespace, batch }: CursorReply): unknown => {
  const documents: unknown[] = [];
  for (let next = batch.next(); next !== undefined; next = batch.next()) documents.push(next);
  return [id, namespace, documents];
};
export const write = (command: WriteCommand, statement: Document): Operation<unknown> =>
  createWrite({ newId: undefined }, target, command)([statement], 0);

export type Row = readonly [
  title: string,
  operation: Operation<unknown>,
  traits: readonly [name: string, kind: string, retryable: boolean, mode: string],
  command: Document,
];

export const rows: readonly Row[] = [
  [
    ...(['find', find(target, { a: 1 }, undefined, nothing)] as const),
    ['find', 'read', true, 'secondary'],
    { find: 'films', filter: { a: 1 }, readConcern },
  ],
  [
    ...(['findOne', createFindOne(target)({}, undefined)] as const),
    ['find', 'read', true, 'secondary'],
    { find: 'films', filter: {}, limit: 1, singleBatch: true, readConcern },
  ],
  [
    ...(['aggregate', new Aggregate(target, [], {}, nothing)] as const),
    ['aggregate', 'read', true, 'secondary'],
    { aggregate: 'films', pipeline: [], cursor: {}, readConcern },
  ],
  [
    ...(['aggregate that writes', new Aggregate(target, [{ $match: {} }, { $merge: 'x' }], {}, nothing)] as const),
    ['aggregate', 'write', false, 'secondary'],
    { aggregate: 'films', pipeline: [{ $match: {} }, { $merge: 'x' }], cursor: {}, readConcern, writeConcern },
  ],
  [...(['count', count(target, {})] as const), ['count', 'read', true, 'secondary'], { count: 'films', readConcern }],
  [
    ...(['distinct', distinct(target, 'a', {}, {})] as const),
    ['distinct', 'read', true, 'secondary'],
    { distinct: 'films', key: 'a', query: {}, readConcern },
  ],
  [
    ...(['getMore', new GetMore(target, 5n, 'films', {}, nothing)] as const),
    ['getMore', 'read', false, 'secondary'],
    { getMore: 5, collection: 'films' },
  ],
  [
    ...(['killCursors', new KillCursors(target, 'films', 5n)] as const),
    ['killCursors', 'either', false, 'secondary'],
    { killCursors: 'films', cursors: [5] },
  ],
  [
    ...(['insert', write('insert', { _id: 1 })] as const),
    ['insert', 'write', true, 'primary'],
    { insert: 'films', ordered: true, writeConcern, documents: [{ _id: 1 }] },
  ],
  [
    ...(['update', write('update', { q: {}, u: {} })] as const),
    ['update', 'write', true, 'primary'],
    { update: 'films', ordered: true, writeConcern, updates: [{ q: {}, u: {} }] },
  ],
  [
    ...(['delete', write('delete', { q: {}, limit: 1 })] as const),
    ['delete', 'write', true, 'primary'],
    { delete: 'films', ordered: true, writeConcern, deletes: [{ q: {}, limit: 1 }] },
  ],
  [
    ...(['findAndModify', new FindAndModify(target, { remove: true })] as const),
    ['findAndModify', 'write', true, 'primary'],
    { findAndModify: 'films', remove: true, writeConcern },
  ],
  [...(['runCommand', runCommand(target, { ping: 1 })] as const), ['ping', 'either', false, 'primary'], { ping: 1 }],
  [
    ...(['runCommand elsewhere', runCommand(target, { ping: 1, maxTimeMS: 5 }, selection)] as const),
    ['ping', 'either', false, 'secondary'],
    { ping: 1, maxTimeMS: 5 },
  ],
  [
    ...(['runCursorCommand', runCursorCommand(target, { find: 'x' }, selection, nothing)] as const),
    ['find', 'either', false, 'secondary'],
    { find: 'x' },
  ],
  [
    ...(['listCollections', listCollections(target, {}, nothing)] as const),
    ['listCollections', 'read', true, 'primary'],
    { listCollections: 1 },
  ],
  [
    ...(['listDatabases', listDatabases(target, { nameOnly: true })] as const),
    ['listDatabases', 'read', true, 'primary'],
    { listDatabases: 1, nameOnly: true },
  ],
  [
    ...(['listIndexes', listIndexes(target, { comment: 'c' }, nothing)] as const),
    ['listIndexes', 'read', true, 'primary'],
    { listIndexes: 'films', cursor: {}, comment: 'c' },
  ],
  [
    ...(['createIndexes', createIndexes(target, [{ key: { a: 1 } }], { comment: 'c' })] as const),
    ['createIndexes', 'write', false, 'primary'],
    { createIndexes: 'films', indexes: [{ key: { a: 1 } }], comment: 'c', writeConcern },
  ],
  [
    ...(['dropIndexes', dropIndexes(target, 'a_1', { comment: 'c' })] as const),
    ['dropIndexes', 'write', false, 'primary'],
    { dropIndexes: 'films', index: 'a_1', comment: 'c', writeConcern },
  ],
  [
    ...(['create', createCollection(target, { capped: true })] as const),
    ['create', 'write', false, 'primary'],
    { create: 'films', capped: true, writeConcern },
  ],
  [
    ...(['drop', drop(target, { comment: 'c' })] as const),
    ['drop', 'write', false, 'primary'],
    { drop: 'films', comment: 'c', writeConcern },
  ],
  [
    ...(['dropDatabase', dropDatabase(target, { comment: 'c' })] as const),
    ['dropDatabase', 'write', false, 'primary'],
    { dropDatabase: 1, comment: 'c', writeConcern },
  ],
  [
    ...(['renameCollection', renameCollection(target, 'a.b', 'a.c', { dropTarget: true })] as const),
    ['renameCollection', 'write', false, 'primary'],
    { renameCollection: 'a.b', to: 'a.c', dropTarget: true, writeConcern },
  ],
  [
    ...(['dropUser', dropUser(target, 'ann', { comment: 'c' })] as const),
    ['dropUser', 'write', false, 'primary'],
    { dropUser: 'ann', comment: 'c', writeConcern },
  ],
  [
    ...(['createSearchIndexes', createSearchIndexes(target, [{ definition: {} }])] as const),
    ['createSearchIndexes', 'write', false, 'primary'],
    { createSearchIndexes: 'films', indexes: [{ definition: {} }] },
  ],
  [
    ...(['updateSearchIndex', updateSearchIndex(target, 'i', { a: 1 })] as const),
    ['updateSearchIndex', 'write', false, 'primary'],
    { updateSearchIndex: 'films', name: 'i', definition: { a: 1 } },
  ],
  [
    ...(['dropSearchIndex', dropSearchIndex(target, 'i')] as const),
    ['dropSearchIndex', 'write', false, 'primary'],
    { dropSearchIndex: 'films', name: 'i' },
  ],
  [
    ...(['explain', explain(target, count(target, {}), { verbosity: 'queryPlanner' })] as const),
    ['explain', 'read', false, 'secondary'],
    { explain: { count: 'films' }, verbosity: 'queryPlanner' },
  ],
  [
    ...(['explain as a cursor', explainAsCursor(target, count(target, {}), { verbosity: 'x' }, nothing)] as const),
    ['explain', 'read', false, 'secondary'],
    { explain: { count: 'films' }, verbosity: 'x' },
  ],
];
