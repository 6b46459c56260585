/** The members that programs use, with the values of their arguments and options. */
import { wordsIn } from '../words.js';

/** A member of a kind of object. */
export interface Member {
  readonly kind: Kind;
  readonly name: string;
  /** The names of argument types. `?` marks an optional argument, and braces mark options. Absent: a property. */
  readonly takes?: readonly string[];
  /** The kind of the result, if it has members. */
  readonly makes?: Kind;
  /** Whether the member belongs to `h`, and receives the object as its first argument. */
  readonly helps: boolean;
}

const lines = {
  coll: `
    insertOne(doc,{insert}) insertOne(doc,{insert}) insertMany(docs,{insertMany}) updateOne(filter,update,{update})
    updateMany(filter,update,{update}) replaceOne(filter,replacement,{update}) deleteOne(filter,{delete}) deleteMany(?filter,{delete})
    findOne(?filter,{find}) findOneAndUpdate(filter,update,{findAnd}) findOneAndReplace(filter,replacement,{findAnd})
    findOneAndDelete(filter,{findAnd}) countDocuments(?filter,{count}) estimatedDocumentCount({estimate}) count(?filter,{count})
    distinct(key,?filter,{distinct}) find(?filter,{find})->find find(?filter,{find})->find aggregate(?pipeline,{aggregate})->aggregation
    bulkWrite(models,{bulkWrite}) bulkWrite(models,{bulkWrite})
    createIndex(index,{createIndex}) createIndexes(indexes,{command}) dropIndex(indexName,{command}) dropIndexes({command})
    listIndexes({list})->list indexes({indexInformation}) indexExists(indexNames,{list}) indexInformation({indexInformation})
    rename(name,{rename}) drop({command}) isCapped({list}) options({list})
    namespace collectionName dbName readConcern writeConcern readPreference hint bsonOptions
    initializeOrderedBulkOp({bulkWrite})->bulk initializeUnorderedBulkOp({bulkWrite})->bulk watch(?changePipeline,{watch})->changes
    listSearchIndexes(?name,{list})->list createSearchIndex(searchIndex) dropSearchIndex(name) updateSearchIndex(name,empty)`,
  find: `
    toArray() toArray() toArray() next() hasNext() tryNext() h.all() forEach(each) close() count({count}) explain(?verbosity,{explain})
    limit(number)->find skip(number)->find batchSize(number)->find sort(sort,?direction)->find project(projection)->find
    filter(filter)->find hint(hint)->find min(bound)->find max(bound)->find returnKey(flag)->find showRecordId(flag)->find
    comment(text)->find maxTimeMS(milliseconds)->find maxAwaitTimeMS(milliseconds)->find collation(collation)->find
    allowDiskUse(?flag)->find addQueryModifier(modifier,modified)->find map(mapper)->find addCursorFlag(cursorFlag,flag)->find
    withReadPreference(readPreference)->find withReadConcern(readConcern)->find rewind() clone()->find
    bufferedCount() readBufferedDocuments(?number) id namespace.db namespace.collection namespace.toString() closed killed readPreference readConcern loadBalanced
    stream(?transform)->readable`,
  aggregation: `
    toArray() toArray() next() hasNext() tryNext() h.all() forEach(each) close() explain(?verbosity,{explain}) pipeline
    addStage(stage)->aggregation match(filter)->aggregation limit(number)->aggregation skip(number)->aggregation
    project(projection)->aggregation sort(sort)->aggregation unwind(path)->aggregation group(group)->aggregation
    out(out)->aggregation lookup(lookup)->aggregation redact(redact)->aggregation geoNear(empty)->aggregation
    batchSize(number)->aggregation maxTimeMS(milliseconds)->aggregation map(mapper)->aggregation rewind() clone()->aggregation
    bufferedCount() readBufferedDocuments(?number) id namespace.toString() closed killed stream(?transform)->readable
    addCursorFlag(cursorFlag,flag)->aggregation withReadPreference(readPreference)->aggregation`,
  list: `toArray() next() hasNext() tryNext() close() batchSize(number)->list id closed namespace.db clone()->list h.all()`,
  runCommand: `toArray() next() hasNext() tryNext() close() setBatchSize(number)->runCommand setComment(text)->runCommand
    setMaxTimeMS(milliseconds)->runCommand maxTimeMS(milliseconds) batchSize(number) id closed h.all()`,
  readable: `h.read() h.read() destroyed readableObjectMode`,
  bulk: `
    insert(doc)->bulk insert(doc)->bulk find(filter)->found find(filter)->found raw(model)->bulk execute({bulkWrite})->bulkResult
    execute({bulkWrite})->bulkResult length isOrdered batches bsonOptions writeConcern`,
  found: `
    update(update)->bulk updateOne(update)->bulk replaceOne(replacement)->bulk delete()->bulk deleteOne()->bulk upsert()->found
    collation(collation)->found arrayFilters(arrayFilters)->found hint(hint)->found`,
  bulkResult: `
    insertedCount matchedCount modifiedCount deletedCount upsertedCount insertedIds upsertedIds ok isOk() getUpsertedIdAt(number)
    getRawResponse() hasWriteErrors() getWriteErrors() getWriteErrorAt(number) getWriteErrorCount() getWriteConcernError() toString()`,
  session: `
    startTransaction({transaction}) startTransaction({transaction}) commitTransaction() commitTransaction() abortTransaction()
    endSession({empty}) withTransaction(work,{transaction}) inTransaction() hasEnded id serverSession.isDirty explicit snapshotEnabled supports
    isPinned equals(session) advanceClusterTime(empty) advanceOperationTime(timestamp) incrementTransactionNumber() toBSON()
    defaultTransactionOptions loadBalanced transaction.state transaction.isActive clientOptions.retryWrites`,
  changes: `
    tryNext() tryNext() tryNext() close() closed resumeToken pipeline type namespace.toString() stream() bufferedCount() hasNext() next()`,
  db: `
    command(command,{runCommand}) command(command,{runCommand}) collection(name,{handle})->coll createCollection(name,{createCollection})->coll
    dropCollection(name,{command}) dropDatabase({command}) renameCollection(name,name,{rename})->coll listCollections(?listFilter,{listCollections})->list
    collections({listCollections}) stats({stats}) aggregate(dbPipeline,{aggregate})->aggregation runCursorCommand(cursorCommand,{runCursor})->runCommand
    createIndex(name,index,{createIndex}) indexInformation(name,{indexInformation}) admin()->admin watch(?changePipeline,{watch})->changes
    profilingLevel({command}) setProfilingLevel(level,{command}) removeUser(name,{command})
    databaseName namespace readConcern writeConcern readPreference secondaryOk bsonOptions options`,
  admin: `
    command(command,{runCommand}) ping({command}) listDatabases({listDatabases}) buildInfo({command}) serverStatus({command})
    serverInfo({command}) validateCollection(name,{validate}) removeUser(name,{command}) replSetGetStatus({command})`,
  client: `
    db(?name,{handle})->db db(?name,{handle})->db startSession({session})->session startSession({session})->session
    withSession(?sessionOptions,work) bulkWrite(clientModels,{clientBulk}) bulkWrite(clientModels,{clientBulk}) watch(?changePipeline,{watch})->changes
    readConcern writeConcern readPreference bsonOptions serverApi options.retryWrites options.appName options.maxPoolSize`,
  bucket: `
    openUploadStream(file,{upload})->upload openUploadStream(file,{upload})->upload openUploadStreamWithId(fileId,file,{upload})->upload
    openDownloadStream(fileId,{download})->download openDownloadStreamByName(file,{downloadByName})->download
    find(?filter,{find})->find delete(fileId) rename(fileId,file) drop()`,
  upload: `h.write(chunk) h.write(chunk,chunk) h.write(chunk) id filename gridFSFile length abort() options chunkSizeBytes`,
  download: `h.read() h.read() start(number) end(number) abort()`,
} as const;

export type Kind = keyof typeof lines;

const parse = (kind: Kind, text: string): Member => {
  const [, name, args, makes] = /^([\w.]+?)(?:\((.*)\))?(?:->(\w+))?$/.exec(text)!;
  return {
    kind,
    name: name!,
    helps: name!.startsWith('h.'),
    ...(args !== undefined && { takes: args === '' ? [] : args.split(',') }),
    ...(makes !== undefined && { makes: makes as Kind }),
  };
};

export const members = Object.fromEntries(
  Object.entries(lines).map(([kind, text]) => [kind, wordsIn(text).map(line => parse(kind as Kind, line))]),
) as unknown as Readonly<Record<Kind, readonly Member[]>>;

/**
 * Values of each argument type, separated by bars. The first are common, and the last are borderline.
 */
const argumentTexts = {
  doc: `
    { a: 1 } | { _id: 1 } | { _id: 2, a: 2, b: [1, 2] } | {} | { a: { b: 'x' } } | { _id: null } | { _id: undefined, a: 1 } |
    { _id: new ObjectId('5f0000000000000000000001'), l: Long.fromNumber(5), d: new Double(1.5) } | { $a: 1 } | { 'a.b': 1 } |
    { a: undefined } | { a: () => 1 } | new Map([["a", 1]]) | h.stored({ a: 1 }) | { a: 5n } | { a: -0 } | { a: new Int32(1) } |
    { a: new Date(0), r: /x/i, n: null } | { a: Buffer.from("ab"), u: new UUID("00000000-0000-4000-8000-000000000000") } |
    Object.create(null) | { a: Symbol.iterator } | { a: Decimal128.fromString("1.5"), m: new MinKey() } |
    { a: new Binary(new Uint8Array([1])) } | { a: NaN, b: 2 ** 53, c: 2 ** 31 } | { a: h.circle() } | Object.freeze({ a: 1 })`,
  docs: `
    [{ _id: 1, a: 1 }, { _id: 2, a: 2 }, { _id: 3, a: 3 }] | [{ a: 1 }] | [{ _id: 1 }, { _id: 1 }, { _id: 4 }] | [] | [{}, {}] |
    [null] | [undefined] | [{ _id: undefined }] | [5] | new Set([{ a: 1 }])`,
  filter: `
    {} | { a: 1 } | { _id: 1 } | { a: { $gt: 0 } } | { _id: { $in: [1, 2] } } | { x: 99 } | { a: undefined } | { $bad: 1 } |
    { a: { $bad: 1 } } | { _id: new ObjectId('5f0000000000000000000001') } | { a: /x/ } | new Map([["a", 1]]) | { a: null } |
    { $where: () => true } | new ObjectId('5f0000000000000000000001')`,
  update: `
    { $set: { a: 2 } } | { $inc: { a: 1 } } | { $push: { b: 3 } } | { $set: { a: 5 }, $unset: { b: 1 } } | [{ $set: { c: "$a" } }] |
    { a: 1 } | {} | [] | { $bad: { a: 1 } } | { $set: {} } | { $set: { a: undefined } } | { $set: { _id: 9 } } |
    { $set: { "b.$[i]": 0 } } | { $inc: { a: "x" } } | { a: 1, $set: { b: 1 } } | { $set: { b: 1 }, a: 1 } |
    new Map([["$set", { a: 1 }]]) | [{}]`,
  replacement: `
    { a: 9 } | {} | { _id: 1, a: 7 } | { $set: { a: 1 } } | { a: 1, $b: 1 } | { a: undefined } | [] | { _id: 77 } | Object.create(null)`,
  key: `'a' | '_id' | 'b' | 'a.b' | ''`,
  pipeline: `
    [] | [{ $match: { a: 1 } }] | [{ $group: { _id: "$a", n: { $sum: 1 } } }, { $sort: { _id: 1 } }] |
    [{ $sort: { _id: 1 } }, { $limit: 2 }] | [{ $out: "out" }] | [{ $merge: "merged" }] | [{ $bad: 1 }] | [{}] |
    [{ $match: { a: undefined } }] | [null]`,
  dbPipeline: `[{ $documents: [{ a: 1 }, { a: 2 }] }] | [] | [{ $match: {} }] | [{ $listLocalSessions: {} }, { $limit: 0 }]`,
  changePipeline: `
    [] | [{ $match: { operationType: "insert" } }] | [{ $project: { documentKey: 1 } }] | [{ $project: { _id: 0 } }] | [{ $bad: 1 }]`,
  models: `
    [{ insertOne: { document: { _id: 1 } } }, { insertOne: { document: { _id: 1 } } }, { insertOne: { document: { _id: 5 } } }] |
    [{ updateOne: { filter: { _id: 1 }, update: { $set: { a: 9 } } } }, { deleteOne: { filter: { _id: 2 } } }] |
    [{ updateMany: { filter: {}, update: { $inc: { a: 1 } }, upsert: true } }] |
    [{ updateOne: { filter: { _id: 50 }, update: { $set: { a: 1 } }, upsert: true } }, { replaceOne: { filter: { _id: 51 }, replacement: { a: 1 }, upsert: true } }] |
    [{ replaceOne: { filter: { _id: 1 }, replacement: { a: 3 }, sort: { a: 1 } } }] |
    [{ deleteMany: { filter: {} } }, { insertOne: { document: {} } }] | [] | [{ updateOne: { filter: {}, update: { a: 1 } } }] |
    [{ replaceOne: { filter: {}, replacement: { $set: { a: 1 } } } }] | [{ insertOne: { a: 1 } }] | [{ bad: {} }] | [{}] | [null] |
    [{ insertOne: {} }] | [{ deleteOne: {} }] |
    [{ updateOne: { filter: {}, update: { $set: { "b.$[i]": 1 } }, arrayFilters: [{ i: 1 }] } }] |
    [{ updateOne: { filter: { a: 1 }, update: { $set: { a: 1 } }, hint: "nope" } }] |
    [{ updateOne: { filter: { a: 1 }, update: { $set: { a: 1 } }, collation: { locale: "en" } } }] |
    [{ updateOne: { filter: {}, update: { $bad: 1 } } }, { insertOne: { document: { _id: 60 } } }]`,
  model: `
    { insertOne: { document: { _id: 1 } } } | { updateOne: { filter: {}, update: { $set: { a: 1 } } } } |
    { deleteMany: { filter: {} } } | { insertOne: { a: 1 } } | { bad: {} } | {} | { updateOne: { filter: {}, update: { a: 1 } } } |
    { replaceOne: { filter: {}, replacement: { a: 1 } } }`,
  clientModels: `
    [{ name: 'insertOne', namespace: v.db.databaseName + '.c', document: { _id: 1 } }, { name: 'insertOne', namespace: v.db.databaseName + '.c', document: { _id: 1 } }] |
    [{ name: 'updateMany', namespace: v.db.databaseName + '.c', filter: {}, update: { $set: { a: 1 } }, upsert: true }] |
    [{ name: 'deleteMany', namespace: v.db.databaseName + '.c', filter: {} }, { name: 'insertOne', namespace: v.db.databaseName + '.d', document: {} }] |
    [] | [{ name: 'bad', namespace: 'p.c' }] |
    [{ name: 'replaceOne', namespace: v.db.databaseName + '.c', filter: {}, replacement: { $set: { a: 1 } } }] |
    [{ name: 'updateOne', namespace: v.db.databaseName + '.c', filter: {}, update: { a: 1 } }] | [{ name: 'insertOne', document: {} }]`,
  index: `
    { a: 1 } | 'a' | ['a', 'b'] | [['a', 1], ['b', -1]] | { a: -1, b: 1 } | { a: 'text' } | {} | { a: '2dsphere' } |
    new Map([["a", 1]]) | [{ a: 1 }, 'b'] | { a: "bad" } | [] | { '$**': 1 }`,
  indexes: `
    [{ key: { a: 1 } }] | [{ key: { a: 1 }, name: 'x' }, { key: { b: 1 }, unique: true }] | [] | [{}] | [{ key: new Map([["a", 1]]) }] |
    [{ key: { a: 1 }, bad: 1 }]`,
  indexName: `'a_1' | 'nope' | '_id_' | '*' | ''`,
  indexNames: `'a_1' | ['a_1', '_id_'] | '_id_' | [] | ['nope']`,
  searchIndex: `{ name: 's', definition: { mappings: { dynamic: true } } }`,
  name: `'c' | 'other' | 'c' | '' | 'a.b' | '$a' | 'system.x' | '.a' | 'a..b' | 'a b'`,
  empty: `{}`,
  number: `1 | 2 | 0 | 10 | -1 | 0.5 | Long.fromNumber(2) | 2n | null | undefined`,
  milliseconds: `1000 | 100 | 0`,
  sort: `
    { a: 1 } | { _id: -1 } | 'a' | ['a', 'b'] | [['a', 1], ['_id', 'desc']] | { a: 'ascending' } | new Map([["a", -1]]) | {} |
    { a: { $meta: 'textScore' } } | ['a', 1] | ['a', 'desc'] | [] | { a: 'up' } | null | undefined | { a: 2 } | [["a"]] | { a: "1" }`,
  direction: `1 | -1 | 'desc' | 'ascending' | 'up' | 2`,
  projection: `{ a: 1 } | { _id: 0 } | { a: 1, b: 0 } | {} | ['a'] | { a: "$b" }`,
  hint: `'_id_' | { _id: 1 } | 'nope' | { nope: 1 } | undefined | null`,
  bound: `{ _id: 2 } | { a: 1 }`,
  flag: `true | false | undefined | 1`,
  text: `'note' | '' | { a: 1 } | 5`,
  collation: `{ locale: 'en' } | { locale: 'en', strength: 2 } | {} | { locale: 'nope' } | 'en'`,
  modifier: `'$comment' | 'comment' | '$hint' | '$maxTimeMS' | '$bad' | '$query' | '$orderby'`,
  modified: `'note' | { a: 1 } | 5`,
  mapper: `x => x.a | x => ({ m: x }) | () => null | () => undefined | () => { throw new Error('mine'); } | async x => x`,
  transform: `{ transform: x => ({ t: x.a }) } | undefined | {}`,
  each: `() => undefined | () => false | () => { throw new Error('mine'); }`,
  cursorFlag: `'tailable' | 'noCursorTimeout' | 'awaitData' | 'partial' | 'exhaust' | 'oplogReplay' | 'bad'`,
  readPreference: `
    'primary' | 'secondaryPreferred' | 'nearest' | { mode: 'primaryPreferred' } | new ReadPreference("secondary") |
    ReadPreference.PRIMARY | 'bad' | { mode: "bad" } | {}`,
  readConcern: `{ level: 'local' } | { level: 'majority' } | 'majority' | {} | { level: 'bad' } | new ReadConcern("local")`,
  verbosity: `
    'queryPlanner' | 'executionStats' | 'bad' | true | false | { verbosity: 'queryPlanner' } |
    { verbosity: 'queryPlanner', maxTimeMS: 100 }`,
  stage: `{ $match: { a: 1 } } | { $limit: 1 } | { $bad: 1 } | {} | { $out: "o" }`,
  path: `'$b' | { path: '$b' } | 'b'`,
  group: `{ _id: "$a" } | {}`,
  out: `'out' | { db: 'other', coll: 'x' }`,
  lookup: `{ from: 'd', localField: 'a', foreignField: 'a', as: 'x' }`,
  redact: `'$$KEEP'`,
  arrayFilters: `[{ i: 1 }] | [] | {}`,
  work: `
    async s => { await v.coll.insertOne({ t: 1 }, { session: s }); return 5; } | async () => { throw new Error("mine"); } |
    async s => { await s.abortTransaction(); } | async s => v.coll.findOne({}, { session: s }) |
    async s => { await v.coll.insertMany([{ _id: 1 }, { _id: 1 }], { session: s }); } | async () => undefined | () => 5`,
  sessionOptions: `{} | { causalConsistency: false } | { snapshot: true }`,
  session: `v.session | {} | null`,
  timestamp: `new Timestamp({ t: 1, i: 1 }) | {}`,
  command: `
    { ping: 1 } | { count: 'c' } | { find: 'c', limit: 2 } | { insert: 'c', documents: [{ _id: 8 }] } | { bad: 1 } | {} |
    { update: 'c', updates: [{ q: {}, u: { $set: { a: 1 } } }] } | new Map([['ping', 1]]) | { ping: 1, writeConcern: { w: 1 } } |
    { listCollections: 1, nameOnly: true } | { distinct: 'c', key: 'a' } | { ping: 1, lsid: 5 } | { drop: 'nope' } |
    { aggregate: 'c', pipeline: [] }`,
  cursorCommand: `
    { find: 'c', batchSize: 1 } | { aggregate: 'c', pipeline: [], cursor: { batchSize: 1 } } | { ping: 1 } | { listCollections: 1 } |
    { find: 'c' }`,
  listFilter: `{} | { name: 'c' } | { type: "collection" }`,
  level: `'off' | 'slow_only' | 'all' | 'bad' | 1`,
  clientName: `'x'`,
  file: `'f' | 'g' | ''`,
  fileId: `1 | new ObjectId('5f0000000000000000000001') | 'x' | v.upload?.id`,
  chunk: `'text' | '0123456789' | ''`,
} as const;

const valuesIn = (text: string): readonly string[] => text.trim().split(/\s*\|\s+/);

const lists = (texts: Readonly<Record<string, string>>): Readonly<Record<string, readonly string[]>> =>
  Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, valuesIn(text)]));

export const values: Readonly<Record<string, readonly string[]>> = lists(argumentTexts);

const flagOptions = `
    upsert ordered bypassDocumentValidation forceServerObjectId includeResultMetadata returnKey showRecordId
    allowDiskUse allowPartialResults singleBatch noCursorTimeout tailable awaitData ignoreUndefined serializeFunctions
    promoteLongs promoteValues promoteBuffers useBigInt64 bsonRegExp raw checkKeys full nameOnly
    authorizedCollections authorizedDatabases dropTarget verboseResults unique sparse background hidden capped
    snapshot causalConsistency retryWrites showExpandedEvents timeout`;

const { hint, sort, projection, collation, readPreference, readConcern, arrayFilters } = argumentTexts;
const { text: comment, milliseconds, number, verbosity } = argumentTexts;

const optionTexts = {
  ...{ hint, sort, projection, collation, readPreference, readConcern, arrayFilters, comment, explain: verbosity },
  ...{ maxTimeMS: milliseconds, maxAwaitTimeMS: milliseconds, limit: number, skip: number, batchSize: number },
  session: `v.session`,
  writeConcern: `
    { w: 1 } | { w: 'majority' } | { w: 0 } | { w: 1, j: true } | { w: 1, wtimeoutMS: 100 } | { j: false } | {} | 'majority' |
    { w: 1, wtimeout: 50 } | { w: 1, journal: true } | new WriteConcern(1) | { w: 9 }`,
  revision: `-1 | 0 | 1 | 5`,
  let: `{ x: 1 } | {}`,
  min: `{ _id: 1 }`,
  max: `{ _id: 3 }`,
  returnDocument: `'before' | 'after' | 'bad'`,
  name: `'x' | ''`,
  expireAfterSeconds: `60 | 0 | -1`,
  partialFilterExpression: `{ a: 1 }`,
  weights: `{ a: 2 }`,
  default_language: `'en'`,
  version: `2`,
  wildcardProjection: `{ a: 1 }`,
  commitQuorum: `1 | 'majority'`,
  size: `4096 | 0`,
  max1: `5`,
  validator: `{ a: { $exists: true } }`,
  validationLevel: `'strict' | 'bad'`,
  validationAction: `'error'`,
  viewOn: `'c'`,
  pipeline: `[] | [{ $match: {} }]`,
  timeseries: `{ timeField: 't' }`,
  clusteredIndex: `{ key: { _id: 1 }, unique: true }`,
  changeStreamPreAndPostImages: `{ enabled: true }`,
  filter: `{ a: 1 } | { name: 'p' }`,
  scale: `1 | 1024`,
  fullDocument: `'updateLookup' | 'default' | 'whenAvailable' | 'bad'`,
  fullDocumentBeforeChange: `'whenAvailable' | 'off'`,
  startAtOperationTime: `new Timestamp({ t: 1, i: 1 })`,
  resumeAfter: `v.changes?.resumeToken | { _data: "82" } | {}`,
  defaultTransactionOptions: `{ writeConcern: { w: 'majority' } } | { readConcern: { level: "snapshot" } }`,
  maxCommitTimeMS: `1000`,
  chunkSizeBytes: `4 | 1 | 255 | 0`,
  metadata: `{ a: 1 } | null`,
  id: `1 | 'x'`,
  start: `0 | 2 | 100 | -1`,
  end: `2 | 100 | 0 | -1`,
  fieldsAsRaw: `{ a: true }`,
  cursor: `{ batchSize: 1 } | {}`,
  out: `'x'`,
  timeoutMode: `'iteration'`,
  dbName: `'other'`,
  unknown: `1`,
  mode: `'batch' | 'cursor'`,
  bucketName: `'b'`,
  pkFactory: `{ createPk: () => 5 }`,
  storageEngine: `{}`,
  indexOptionDefaults: `{}`,
};

/** Values of each option. */
export const optionValues: Readonly<Record<string, readonly string[]>> = {
  ...lists(optionTexts),
  ...Object.fromEntries(wordsIn(flagOptions).map(name => [name, ['true', 'false']])),
};

const op = `
  session readPreference ignoreUndefined serializeFunctions promoteLongs promoteValues promoteBuffers useBigInt64 bsonRegExp raw
  checkKeys`;
const write = 'session writeConcern comment ignoreUndefined serializeFunctions checkKeys raw unknown maxTimeMS';
const change = `${write} hint let collation bypassDocumentValidation`;
const read = `${op} readConcern comment maxTimeMS collation`;
const cursor = `${read} batchSize maxAwaitTimeMS noCursorTimeout tailable awaitData hint let allowDiskUse explain unknown`;

const sets = {
  insert: `${write} bypassDocumentValidation forceServerObjectId explain`,
  insertMany: `${write} bypassDocumentValidation forceServerObjectId ordered ordered`,
  update: `${change} upsert upsert upsert arrayFilters sort explain promoteLongs useBigInt64 readConcern`,
  delete: `${change} ordered explain`,
  find: `
    ${cursor} limit sort projection skip min max returnKey showRecordId singleBatch allowPartialResults timeout fieldsAsRaw`,
  findAnd: `
    ${change} upsert returnDocument returnDocument projection sort includeResultMetadata includeResultMetadata arrayFilters
    promoteLongs useBigInt64 promoteValues explain`,
  count: `${read} hint skip limit explain`,
  estimate: read,
  distinct: `${read} hint explain`,
  aggregate: `${cursor} bypassDocumentValidation writeConcern cursor out`,
  bulkWrite: `${write} ordered ordered bypassDocumentValidation forceServerObjectId let`,
  createIndex: `
    session unique sparse background hidden name expireAfterSeconds partialFilterExpression weights default_language version
    wildcardProjection commitQuorum collation maxTimeMS comment writeConcern unknown`,
  command: `${op} writeConcern comment maxTimeMS`,
  list: 'session batchSize comment maxTimeMS readPreference promoteLongs',
  indexInformation: 'full full session comment maxTimeMS',
  rename: 'dropTarget dropTarget session writeConcern',
  watch: `
    fullDocument fullDocumentBeforeChange showExpandedEvents startAtOperationTime resumeAfter batchSize maxAwaitTimeMS comment
    collation readPreference session`,
  explain: 'maxTimeMS session comment',
  transaction: 'readConcern writeConcern readPreference maxCommitTimeMS',
  empty: 'unknown',
  runCommand: `
    readPreference session raw promoteLongs promoteValues useBigInt64 comment maxTimeMS readConcern writeConcern dbName`,
  handle: `
    readConcern writeConcern readPreference ignoreUndefined promoteLongs promoteValues raw useBigInt64 serializeFunctions pkFactory
    unknown`,
  createCollection: `
    capped size validator validationLevel validationAction viewOn pipeline timeseries clusteredIndex expireAfterSeconds collation
    changeStreamPreAndPostImages ${write} storageEngine indexOptionDefaults`,
  listCollections: 'nameOnly nameOnly authorizedCollections batchSize session comment filter maxTimeMS',
  stats: 'scale session comment',
  runCursor: 'readPreference session batchSize comment maxAwaitTimeMS promoteLongs',
  listDatabases: 'nameOnly nameOnly filter authorizedDatabases session comment',
  validate: 'full background session',
  session: 'causalConsistency snapshot defaultTransactionOptions',
  clientBulk: 'ordered verboseResults bypassDocumentValidation let session writeConcern comment maxTimeMS',
  upload: 'chunkSizeBytes metadata id writeConcern',
  download: 'start end skip sort',
  downloadByName: 'start end revision',
};

export const optionSets: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(sets).map(([name, text]) => [name, wordsIn(text)]),
);

const weightOf = `
  coll 38 find 16 aggregation 8 list 2 runCommand 2 readable 1 bulk 6 found 5 bulkResult 2 session 9 changes 3 db 8 admin 3 client 5
  bucket 3 upload 2 download 2`;

/** The weight of each kind among the steps of a program. */
export const weights: readonly (readonly [number, Kind])[] = [...weightOf.matchAll(/([a-zA-Z]+) (\d+)/g)].map(
  ([, kind, weight]) => [Number(weight), kind as Kind],
);
