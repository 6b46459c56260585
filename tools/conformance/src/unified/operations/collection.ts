import type { Collection } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { call } from '../facade.js';
import { opened, watched } from './cursor.js';
import { row } from './table.js';
import type { Table } from './table.js';

const write = 'comment rawData let';
const reads = 'comment rawData maxTimeMS collation hint readConcern readPreference';
const finds = `${reads} sort skip limit batchSize projection let max min returnKey showRecordId allowDiskUse cursorType maxAwaitTimeMS timeoutMode noCursorTimeout`;
const updates = `${write} upsert collation hint arrayFilters bypassDocumentValidation sort`;
const modifies = `${updates} projection returnDocument maxTimeMS`;
const aggregates = `${reads} batchSize let allowDiskUse bypassDocumentValidation timeoutMode maxAwaitTimeMS cursorType`;
const streams =
  'batchSize collation comment fullDocument fullDocumentBeforeChange maxAwaitTimeMS resumeAfter startAfter startAtOperationTime showExpandedEvents';

const toArray = (cursor: unknown): unknown => call(cursor as object, 'toArray');

const names = async (cursor: unknown): Promise<unknown> =>
  ((await toArray(cursor)) as readonly { readonly name: string }[]).map(({ name }) => name);

/** The official driver's API has it no more; its command is there. */
const mapReduce = async (all: Collection, given: Document, options: Document): Promise<unknown> => {
  const { map, reduce, out } = given as Readonly<Record<string, unknown>>;
  const command = { mapReduce: all.collectionName, map, reduce, out };
  const { results } = (await call(all.db, 'command', command, options)) as Document;
  return results;
};

export const onCollections: Table<Collection> = {
  aggregate: row(
    'pipeline',
    aggregates,
    (all, { pipeline }, options) => toArray(call(all, 'aggregate', pipeline, options)),
    'documents',
  ),
  bulkWrite: row('requests', `${write} ordered bypassDocumentValidation`, (all, { requests }, options) =>
    call(all, 'bulkWrite', requests, options),
  ),
  count: row('filter', `${reads} skip limit`, (all, { filter }, options) => call(all, 'count', filter, options)),
  countDocuments: row('filter', `${reads} skip limit`, (all, { filter }, options) =>
    call(all, 'countDocuments', filter, options),
  ),
  createChangeStream: row('pipeline', streams, (all, { pipeline }, options) =>
    watched(call(all, 'watch', pipeline, options)),
  ),
  createFindCursor: row('filter', finds, (all, { filter }, options) => opened(call(all, 'find', filter, options))),
  createIndex: row('keys', 'name comment rawData unique maxTimeMS', (all, { keys }, options) =>
    call(all, 'createIndex', keys, options),
  ),
  createSearchIndex: row('model', '', (all, { model }, options) => call(all, 'createSearchIndex', model, options)),
  createSearchIndexes: row('models', '', (all, { models }, options) =>
    call(all, 'createSearchIndexes', models, options),
  ),
  deleteMany: row('filter', `${write} collation hint`, (all, { filter }, options) =>
    call(all, 'deleteMany', filter, options),
  ),
  deleteOne: row('filter', `${write} collation hint`, (all, { filter }, options) =>
    call(all, 'deleteOne', filter, options),
  ),
  distinct: row('fieldName filter', reads, (all, { fieldName, filter }, options) =>
    call(all, 'distinct', fieldName, filter, options),
  ),
  dropIndex: row('name', 'comment rawData maxTimeMS', (all, { name }, options) =>
    call(all, 'dropIndex', name, options),
  ),
  dropIndexes: row('', 'comment rawData maxTimeMS', (all, _, options) => call(all, 'dropIndexes', options)),
  dropSearchIndex: row('name', '', (all, { name }, options) => call(all, 'dropSearchIndex', name, options)),
  estimatedDocumentCount: row('', 'comment rawData maxTimeMS', (all, _, options) =>
    call(all, 'estimatedDocumentCount', options),
  ),
  find: row('filter', finds, (all, { filter }, options) => toArray(call(all, 'find', filter, options)), 'documents'),
  findOne: row('filter', finds, (all, { filter }, options) => call(all, 'findOne', filter, options)),
  findOneAndDelete: row('filter', modifies, (all, { filter }, options) =>
    call(all, 'findOneAndDelete', filter, options),
  ),
  findOneAndReplace: row('filter replacement', modifies, (all, { filter, replacement }, options) =>
    call(all, 'findOneAndReplace', filter, replacement, options),
  ),
  findOneAndUpdate: row('filter update', modifies, (all, { filter, update }, options) =>
    call(all, 'findOneAndUpdate', filter, update, options),
  ),
  insertMany: row('documents', `${write} ordered bypassDocumentValidation`, (all, { documents }, options) =>
    call(all, 'insertMany', documents, options),
  ),
  insertOne: row('document', `${write} bypassDocumentValidation`, (all, { document }, options) =>
    call(all, 'insertOne', document, options),
  ),
  listIndexes: row(
    '',
    'batchSize comment rawData timeoutMode maxTimeMS',
    (all, _, options) => toArray(call(all, 'listIndexes', options)),
    'documents',
  ),
  listIndexNames: row('', 'batchSize comment rawData timeoutMode maxTimeMS', (all, _, options) =>
    names(call(all, 'listIndexes', options)),
  ),
  listSearchIndexes: row(
    'name?',
    'aggregationOptions',
    (all, { name, aggregationOptions }) => {
      const given: readonly unknown[] = name === undefined ? [aggregationOptions] : [name, aggregationOptions];
      return toArray(call(all, 'listSearchIndexes', ...given));
    },
    'documents',
  ),
  mapReduce: row('map reduce out', '', mapReduce, 'documents'),
  rename: row('to', 'dropTarget comment', (all, { to }, options) => call(all, 'rename', to, options)),
  replaceOne: row('filter replacement', updates, (all, { filter, replacement }, options) =>
    call(all, 'replaceOne', filter, replacement, options),
  ),
  updateMany: row('filter update', updates, (all, { filter, update }, options) =>
    call(all, 'updateMany', filter, update, options),
  ),
  updateOne: row('filter update', updates, (all, { filter, update }, options) =>
    call(all, 'updateOne', filter, update, options),
  ),
  updateSearchIndex: row('name definition', '', (all, { name, definition }) =>
    call(all, 'updateSearchIndex', name, definition),
  ),
};
