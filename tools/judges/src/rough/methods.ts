/**
 * The methods that random programs call, with arguments of the right type. Drawing a program replaces some of them with
 * wrong values.
 */

export type Kind =
  | 'client'
  | 'db'
  | 'admin'
  | 'coll'
  | 'cursor'
  | 'session'
  | 'bulk'
  | 'changes'
  | 'bucket'
  | 'upload'
  | 'download'
  | 'readable';

export interface Method {
  readonly on: Kind;
  readonly name: string;
  /** Groups of expressions, one group for each argument. `options` is an object of random options. */
  readonly takes: readonly (readonly string[] | 'options')[];
  readonly makes?: Kind;
  /** Whether the call may stay pending until the client is closed. */
  readonly waits?: true;
  /** Whether the method is synchronous, or its result is not a promise. */
  readonly now?: true;
}

const filters = ['{}', '{ a: 1 }', '{ _id: 1 }', '{ a: { $gt: 0 } }'];
const documents = ['{ a: 1 }', '{ _id: 1 }', '{ _id: null }', '{ _id: undefined }', '{}', '{ a: { b: [1, 2] } }'];
const lists = ['[{ a: 1 }, { a: 2 }]', 'Array.from({ length: 300 }, (_, a) => ({ a }))', '[]'];
const updates = ['{ $set: { a: 2 } }', '{ $inc: { a: 1 } }'];
const pipelines = ['[]', '[{ $match: {} }]', '[{ $limit: 5 }]'];
const fields = ["'a'", "'_id'", "'a.b'"];
const numbers = ['0', '1', '2', '10'];
const names = ["'other'", "'coll'"];
const listeners = ['() => undefined', 'rough.listener'];
const writes = [
  '[{ insertOne: { document: { a: 1 } } }, { deleteOne: { filter: {} } }]',
  '[{ updateOne: { filter: {}, update: { $set: { a: 1 } } } }]',
];

const clientMethods: readonly Method[] = [
  { on: 'client', name: 'connect', takes: [] },
  { on: 'client', name: 'db', takes: [["'rough'", "'other'"], 'options'], makes: 'db', now: true },
  { on: 'client', name: 'startSession', takes: ['options'], makes: 'session', now: true },
  { on: 'client', name: 'withSession', takes: [['async s => { await v.coll.insertOne({}, { session: s }); }']] },
  { on: 'client', name: 'watch', takes: [pipelines, 'options'], makes: 'changes', now: true },
  {
    on: 'client',
    name: 'bulkWrite',
    takes: [
      [
        "[{ name: 'insertOne', namespace: 'rough.coll', document: {} }]",
        "[{ name: 'deleteMany', namespace: 'rough.coll', filter: {} }]",
      ],
      'options',
    ],
  },
  { on: 'client', name: 'close', takes: [] },
  {
    on: 'client',
    name: 'on',
    takes: [["'commandStarted'", "'connectionCheckedOut'", "'close'", "'error'"], listeners],
    now: true,
  },
  { on: 'client', name: 'appendMetadata', takes: [["{ name: 'rough' }"]], now: true },
];

const dbMethods: readonly Method[] = [
  { on: 'db', name: 'command', takes: [['{ ping: 1 }', '{ hello: 1 }', "{ count: 'coll' }"], 'options'] },
  { on: 'db', name: 'admin', takes: [], makes: 'admin', now: true },
  { on: 'db', name: 'collection', takes: [names, 'options'], makes: 'coll', now: true },
  { on: 'db', name: 'aggregate', takes: [['[{ $documents: [{ a: 1 }] }]'], 'options'], makes: 'cursor', now: true },
  { on: 'db', name: 'listCollections', takes: [['{}'], 'options'], makes: 'cursor', now: true },
  { on: 'db', name: 'createCollection', takes: [names, 'options'] },
  { on: 'db', name: 'dropCollection', takes: [names, 'options'] },
  { on: 'db', name: 'stats', takes: ['options'] },
  {
    on: 'db',
    name: 'runCursorCommand',
    takes: [["{ find: 'coll', batchSize: 2 }"], 'options'],
    makes: 'cursor',
    now: true,
  },
  { on: 'db', name: 'watch', takes: [pipelines, 'options'], makes: 'changes', now: true },
  { on: 'admin', name: 'ping', takes: ['options'] },
  { on: 'admin', name: 'listDatabases', takes: ['options'] },
  { on: 'admin', name: 'serverStatus', takes: ['options'] },
];

const collectionMethods: readonly Method[] = [
  { on: 'coll', name: 'insertOne', takes: [documents, 'options'] },
  { on: 'coll', name: 'insertMany', takes: [lists, 'options'] },
  { on: 'coll', name: 'find', takes: [filters, 'options'], makes: 'cursor', now: true },
  { on: 'coll', name: 'findOne', takes: [filters, 'options'] },
  { on: 'coll', name: 'aggregate', takes: [pipelines, 'options'], makes: 'cursor', now: true },
  { on: 'coll', name: 'updateOne', takes: [filters, updates, 'options'] },
  { on: 'coll', name: 'updateMany', takes: [filters, updates, 'options'] },
  { on: 'coll', name: 'replaceOne', takes: [filters, ['{ a: 3 }'], 'options'] },
  { on: 'coll', name: 'deleteOne', takes: [filters, 'options'] },
  { on: 'coll', name: 'deleteMany', takes: [filters, 'options'] },
  { on: 'coll', name: 'findOneAndUpdate', takes: [filters, updates, 'options'] },
  { on: 'coll', name: 'findOneAndDelete', takes: [filters, 'options'] },
  { on: 'coll', name: 'countDocuments', takes: [filters, 'options'] },
  { on: 'coll', name: 'estimatedDocumentCount', takes: ['options'] },
  { on: 'coll', name: 'distinct', takes: [fields, filters, 'options'] },
  { on: 'coll', name: 'bulkWrite', takes: [writes, 'options'] },
  { on: 'coll', name: 'createIndex', takes: [['{ a: 1 }', "'a'"], 'options'] },
  { on: 'coll', name: 'dropIndex', takes: [["'a_1'"], 'options'] },
  { on: 'coll', name: 'indexes', takes: ['options'] },
  { on: 'coll', name: 'listIndexes', takes: ['options'], makes: 'cursor', now: true },
  { on: 'coll', name: 'rename', takes: [names, 'options'] },
  { on: 'coll', name: 'drop', takes: ['options'] },
  { on: 'coll', name: 'watch', takes: [pipelines, 'options'], makes: 'changes', now: true },
  { on: 'coll', name: 'initializeOrderedBulkOp', takes: ['options'], makes: 'bulk', now: true },
  { on: 'coll', name: 'initializeUnorderedBulkOp', takes: ['options'], makes: 'bulk', now: true },
  { on: 'bulk', name: 'insert', takes: [documents], now: true },
  { on: 'bulk', name: 'raw', takes: [['{ insertOne: { document: {} } }']], now: true },
  { on: 'bulk', name: 'execute', takes: ['options'] },
];

const cursorMethods: readonly Method[] = [
  { on: 'cursor', name: 'next', takes: [] },
  { on: 'cursor', name: 'hasNext', takes: [] },
  { on: 'cursor', name: 'tryNext', takes: [] },
  { on: 'cursor', name: 'toArray', takes: [] },
  { on: 'cursor', name: 'forEach', takes: [['() => undefined', '() => false', "() => { throw new Error('rough'); }"]] },
  { on: 'cursor', name: 'close', takes: [] },
  { on: 'cursor', name: 'limit', takes: [numbers], now: true },
  { on: 'cursor', name: 'skip', takes: [numbers], now: true },
  { on: 'cursor', name: 'batchSize', takes: [numbers], now: true },
  { on: 'cursor', name: 'maxTimeMS', takes: [['1000']], now: true },
  { on: 'cursor', name: 'sort', takes: [['{ a: 1 }', "'a'"]], now: true },
  { on: 'cursor', name: 'project', takes: [['{ a: 1 }']], now: true },
  { on: 'cursor', name: 'hint', takes: [["'_id_'"]], now: true },
  { on: 'cursor', name: 'map', takes: [['x => x', "() => { throw new Error('rough'); }"]], now: true },
  { on: 'cursor', name: 'addCursorFlag', takes: [["'tailable'", "'noCursorTimeout'"], ['true']], now: true },
  { on: 'cursor', name: 'explain', takes: [] },
  { on: 'cursor', name: 'rewind', takes: [], now: true },
  { on: 'cursor', name: 'readBufferedDocuments', takes: [numbers], now: true },
  { on: 'cursor', name: 'stream', takes: [], makes: 'readable', now: true },
  { on: 'cursor', name: 'clone', takes: [], makes: 'cursor', now: true },
  { on: 'changes', name: 'next', takes: [], waits: true },
  { on: 'changes', name: 'tryNext', takes: [], waits: true },
  { on: 'changes', name: 'return', takes: [], waits: true },
  { on: 'changes', name: 'on', takes: [["'change'", "'error'", "'close'"], listeners], now: true },
  { on: 'changes', name: 'close', takes: [] },
];

const otherMethods: readonly Method[] = [
  { on: 'session', name: 'startTransaction', takes: ['options'], now: true },
  { on: 'session', name: 'commitTransaction', takes: ['options'] },
  { on: 'session', name: 'abortTransaction', takes: ['options'] },
  { on: 'session', name: 'endSession', takes: ['options'] },
  {
    on: 'session',
    name: 'withTransaction',
    takes: [
      [
        'async s => { await v.coll.insertOne({}, { session: s }); }',
        'async s => { await Promise.all([v.coll.insertOne({}, { session: s }), v.coll.insertOne({}, { session: s })]); }',
      ],
    ],
  },
  { on: 'session', name: 'advanceClusterTime', takes: [['{ clusterTime: 5 }']], now: true },
  { on: 'bucket', name: 'openUploadStream', takes: [["'file'"], 'options'], makes: 'upload', now: true },
  { on: 'bucket', name: 'openDownloadStreamByName', takes: [["'file'"], 'options'], makes: 'download', now: true },
  { on: 'bucket', name: 'find', takes: [filters, 'options'], makes: 'cursor', now: true },
  { on: 'bucket', name: 'delete', takes: [['1'], 'options'] },
  { on: 'bucket', name: 'drop', takes: ['options'] },
  { on: 'upload', name: 'write', takes: [["'text'", 'new Uint8Array(600_000)']], now: true },
  { on: 'upload', name: 'end', takes: [["'text'"]], now: true },
  { on: 'upload', name: 'abort', takes: [] },
  { on: 'upload', name: 'destroy', takes: [], now: true },
  { on: 'download', name: 'read', takes: [], now: true },
  { on: 'download', name: 'abort', takes: [] },
  { on: 'download', name: 'start', takes: [numbers], now: true },
  { on: 'download', name: 'destroy', takes: [], now: true },
  { on: 'readable', name: 'read', takes: [], now: true },
  { on: 'readable', name: 'resume', takes: [], now: true },
  { on: 'readable', name: 'destroy', takes: [], now: true },
];

export const methods: readonly Method[] = [
  ...clientMethods,
  ...dbMethods,
  ...collectionMethods,
  ...cursorMethods,
  ...otherMethods,
];

/** Options of operations, with expressions of the right type. */
export const options: Readonly<Record<string, readonly string[]>> = {
  limit: numbers,
  skip: numbers,
  batchSize: numbers,
  maxTimeMS: ['1000'],
  timeoutMS: ['1', '50', '2000'],
  signal: ['rough.signal(0)', 'rough.signal(1)'],
  session: ['v.session'],
  ordered: ['true', 'false'],
  upsert: ['true', 'false'],
  comment: ["'rough'"],
  sort: ['{ a: 1 }'],
  projection: ['{ a: 1 }'],
  hint: ["'_id_'"],
  collation: ["{ locale: 'en' }"],
  readPreference: ["'primary'", "'secondaryPreferred'"],
  readConcern: ["{ level: 'majority' }"],
  writeConcern: ["{ w: 'majority' }", '{ w: 1 }'],
  chunkSizeBytes: ['1000'],
  maxAwaitTimeMS: ['100'],
  let: ['{ x: 1 }'],
  arrayFilters: ['[]'],
  chunks: ['true'],
};
