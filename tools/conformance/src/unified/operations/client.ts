import type { MongoClient } from '@tessera/client';
import type { Document } from '@tessera/contracts';
import { call } from '../facade.js';
import { watched } from './cursor.js';
import { method, row } from './table.js';
import type { Table } from './table.js';

const lists = 'filter comment nameOnly authorizedDatabases';

const databases = async (client: MongoClient, options: Document): Promise<readonly Document[]> => {
  const reply = (await call(client.db('admin').admin(), 'listDatabases', options)) as Document;
  return reply['databases'] as readonly Document[];
};

const names = async (client: MongoClient, options: Document): Promise<readonly string[]> =>
  (await databases(client, { ...options, nameOnly: true })).map(({ name }) => name as string);

/** Converts write models: `{ insertOne: { … } }` becomes `{ name: 'insertOne', … }`. */
const models = (given: unknown): readonly Document[] =>
  (given as readonly Document[]).map(model => {
    const [[name, parameters] = ['', {}]] = Object.entries(model) as [string, Document][];
    return { name, ...parameters };
  });

export const onClients: Table<MongoClient> = {
  appendMetadata: row('driverInfoOptions', '', (client, { driverInfoOptions }) =>
    call(client, 'appendMetadata', driverInfoOptions),
  ),
  clientBulkWrite: row(
    'models',
    'ordered verboseResults bypassDocumentValidation comment let writeConcern rawData',
    (client, given, options) => call(client, 'bulkWrite', models(given['models']), options),
  ),
  close: row('', '', client => client.close()),
  createChangeStream: method(
    'pipeline',
    'batchSize comment fullDocument fullDocumentBeforeChange maxAwaitTimeMS resumeAfter startAfter showExpandedEvents',
    { as: 'watch', then: watched },
  ),
  dropDatabase: row('database', '', (client, { database }, options) =>
    call(client.db(database as string), 'dropDatabase', options),
  ),
  listDatabases: row('', lists, (client, _, options) => databases(client, options), 'documents'),
  listDatabaseNames: row('', lists, (client, _, options) => names(client, options)),
  listDatabaseObjects: row('', lists, async (client, _, options) =>
    (await names(client, options)).map(name => client.db(name)),
  ),
};
