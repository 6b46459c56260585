import type { Db } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { call } from '../facade.js';
import { opened, watched, withSetters } from './cursor.js';
import { documents, method, row, toArray } from './table.js';
import type { Table } from './table.js';

const lists = 'filter batchSize comment rawData timeoutMode nameOnly authorizedCollections maxTimeMS';
const creates =
  'capped size max viewOn pipeline timeseries clusteredIndex expireAfterSeconds changeStreamPreAndPostImages validator collation writeConcern encryptedFields';
const commands = 'commandName readPreference';
const cursors = `${commands} batchSize maxTimeMS comment cursorType timeoutMode maxAwaitTimeMS`;

const list = (db: Db, { filter, ...options }: Document): unknown =>
  toArray(call(db, 'listCollections', filter ?? {}, options));

const listNames = async (db: Db, options: Document): Promise<unknown> =>
  ((await list(db, { ...options, nameOnly: true })) as readonly Document[]).map(({ name }) => name as string);

/** Removes `commandName`, which only drivers need whose documents do not keep the order of keys. */
const withoutName = ({ commandName: _, ...options }: Document): Document => options;

const cursor = (db: Db, command: unknown, options: Document): unknown =>
  withSetters(call(db, 'runCursorCommand', command, withoutName(options)), options);

/** Runs `collMod`, for which the driver has no method. */
const modify = (db: Db, given: Document): unknown => {
  const { collection, session, timeoutMS, ...fields } = given as Readonly<Record<string, unknown>>;
  return call(db, 'command', { collMod: collection, ...fields }, { session, timeoutMS });
};

export const onDatabases: Table<Db> = {
  aggregate: method(
    'pipeline',
    'allowDiskUse batchSize bypassDocumentValidation collation comment hint let maxTimeMS rawData timeoutMode',
    documents,
  ),
  createChangeStream: method(
    'pipeline',
    'batchSize comment fullDocument fullDocumentBeforeChange maxAwaitTimeMS resumeAfter startAfter showExpandedEvents',
    { as: 'watch', then: watched },
  ),
  createCollection: method('collection', creates),
  createCommandCursor: row('command', cursors, (db, { command }, options) => opened(cursor(db, command, options))),
  dropCollection: method('collection', 'comment'),
  listCollections: row('', lists, (db, _, options) => list(db, options), 'documents'),
  listCollectionNames: row('', lists, (db, _, options) => listNames(db, options)),
  listCollectionObjects: method('', lists, { as: 'collections' }),
  modifyCollection: row('', 'collection index changeStreamPreAndPostImages validator', modify),
  runCommand: row('command', commands, (db, { command }, options) =>
    call(db, 'command', command, withoutName(options)),
  ),
  runCursorCommand: row(
    'command',
    cursors,
    (db, { command }, options) => toArray(cursor(db, command, options)),
    'documents',
  ),
};
