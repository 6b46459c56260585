import type { Collection } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { call } from '../facade.js';
import { opened, watched } from './cursor.js';
import { documents, method, row, toArray } from './table.js';
import type { Table } from './table.js';

const write = 'comment rawData let';
const reads = 'comment rawData maxTimeMS collation hint readConcern readPreference';
const finds = `${reads} sort skip limit batchSize projection let max min returnKey showRecordId allowDiskUse cursorType maxAwaitTimeMS timeoutMode noCursorTimeout`;
const updates = `${write} upsert collation hint arrayFilters bypassDocumentValidation sort`;
const modifies = `${updates} projection returnDocument maxTimeMS`;
const aggregates = `${reads} batchSize let allowDiskUse bypassDocumentValidation timeoutMode maxAwaitTimeMS cursorType`;
const lists = 'batchSize comment rawData timeoutMode maxTimeMS';
const streams =
  'batchSize collation comment fullDocument fullDocumentBeforeChange maxAwaitTimeMS resumeAfter startAfter startAtOperationTime showExpandedEvents';

const names = async (cursor: unknown): Promise<unknown> =>
  ((await toArray(cursor)) as readonly { readonly name: string }[]).map(({ name }) => name);

/** Runs the mapReduce command: the official driver's API no longer has a method for it. */
const mapReduce = async (all: Collection, given: Document, options: Document): Promise<unknown> => {
  const { map, reduce, out } = given as Readonly<Record<string, unknown>>;
  const command = { mapReduce: all.collectionName, map, reduce, out };
  const { results } = (await call(all.db, 'command', command, options)) as Document;
  return results;
};

export const onCollections: Table<Collection> = {
  aggregate: method('pipeline', aggregates, documents),
  bulkWrite: method('requests', `${write} ordered bypassDocumentValidation`),
  count: method('filter', `${reads} skip limit`),
  countDocuments: method('filter', `${reads} skip limit`),
  createChangeStream: method('pipeline', streams, { as: 'watch', then: watched }),
  createFindCursor: method('filter', finds, { as: 'find', then: opened }),
  createIndex: method('keys', 'name comment rawData unique maxTimeMS'),
  createSearchIndex: method('model', ''),
  createSearchIndexes: method('models', ''),
  deleteMany: method('filter', `${write} collation hint`),
  deleteOne: method('filter', `${write} collation hint`),
  distinct: method('fieldName filter', reads),
  dropIndex: method('name', 'comment rawData maxTimeMS'),
  dropIndexes: method('', 'comment rawData maxTimeMS'),
  dropSearchIndex: method('name', ''),
  estimatedDocumentCount: method('', 'comment rawData maxTimeMS'),
  find: method('filter', finds, documents),
  findOne: method('filter', finds),
  findOneAndDelete: method('filter', modifies),
  findOneAndReplace: method('filter replacement', modifies),
  findOneAndUpdate: method('filter update', modifies),
  insertMany: method('documents', `${write} ordered bypassDocumentValidation`),
  insertOne: method('document', `${write} bypassDocumentValidation`),
  listIndexes: method('', lists, documents),
  listIndexNames: method('', lists, { as: 'listIndexes', then: names }),
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
  rename: method('to', 'dropTarget comment'),
  replaceOne: method('filter replacement', updates),
  updateMany: method('filter update', updates),
  updateOne: method('filter update', updates),
  updateSearchIndex: row('name definition', '', (all, { name, definition }) =>
    call(all, 'updateSearchIndex', name, definition),
  ),
};
