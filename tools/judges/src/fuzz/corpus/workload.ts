import type { Collection, Db, MongoClient } from 'mongodb';

const everyType = [
  {
    _id: 1,
    a: 1,
    b: 'text',
    l: [1, 2, 3],
    x: { y: 1, z: [{ x: 1 }] },
    n: 1.5,
    d: new Date(0),
    s: `${'a'.repeat(40)}b`,
  },
  { _id: 2, a: null, l: [], x: { y: null }, n: -1, s: 'word word word!', big: 'x'.repeat(2_000) },
  { _id: 3, a: [1, [2]], l: [{ x: 1 }, { x: 2 }], s: 'é', n: 2 ** 40 },
];

const aggregations: readonly (readonly object[])[] = [
  [{ $match: { a: { $gte: 1 } } }, { $group: { _id: '$b', n: { $sum: '$a' }, all: { $push: '$$ROOT' } } }],
  [{ $project: { r: { $map: { input: '$l', as: 'e', in: { $add: ['$$e', 1] } } } } }],
  [{ $project: { r: { $reduce: { input: '$l', initialValue: 0, in: { $add: ['$$value', 1] } } } } }],
  [{ $project: { r: { $cond: [{ $gt: ['$n', 0] }, { $range: [0, 5] }, { $dateToString: { date: '$d' } }] } } }],
  [{ $project: { r: { $regexFindAll: { input: '$s', regex: 'a+' } } } }],
  [{ $lookup: { from: 'f', localField: 'a', foreignField: 'a', as: 'j' } }, { $unwind: '$j' }],
  [{ $lookup: { from: 'f', let: { v: '$a' }, pipeline: [{ $match: { $expr: { $eq: ['$a', '$$v'] } } }], as: 'j' } }],
  [
    {
      $graphLookup: { from: 'f', startWith: '$a', connectFromField: 'a', connectToField: '_id', as: 'g', maxDepth: 3 },
    },
  ],
  [{ $facet: { one: [{ $sort: { n: -1 } }, { $limit: 2 }], two: [{ $count: 'n' }] } }],
  [{ $bucket: { groupBy: '$n', boundaries: [-10, 0, 10], default: 'other' } }],
  [{ $bucketAuto: { groupBy: '$n', buckets: 2, granularity: 'R5' } }],
  [{ $setWindowFields: { sortBy: { n: 1 }, output: { r: { $sum: '$n', window: { documents: [-1, 'current'] } } } } }],
  [{ $densify: { field: 'n', range: { step: 1, bounds: [0, 5] } } }],
  [{ $fill: { sortBy: { _id: 1 }, output: { a: { method: 'locf' } } } }],
  [{ $unionWith: { coll: 'f', pipeline: [{ $set: { u: true } }] } }, { $sample: { size: 2 } }],
  [{ $redact: { $cond: [{ $eq: ['$a', 1] }, '$$DESCEND', '$$PRUNE'] } }],
  [{ $sortByCount: '$b' }, { $merge: { into: 'out', whenMatched: 'merge' } }],
  [{ $match: { a: 1 } }, { $out: 'out' }],
  [{ $project: { r: { $zip: { inputs: ['$l', { $objectToArray: '$x' }] }, s: { $split: ['$s', ' '] } } } }],
  [{ $project: { r: { $setUnion: ['$l', [1]] }, t: { $pow: ['$n', 2] }, u: { $concat: ['$s', 'x'] } } }],
  [{ $project: { r: { $let: { vars: { v: '$l' }, in: { $concatArrays: ['$$v', '$$v'] } } } } }],
];

const queries: readonly object[] = [
  {},
  { a: 1 },
  { s: /(a+)b/ },
  { s: { $regex: '^a', $options: 'i' } },
  { l: { $elemMatch: { x: { $gt: 1 } } } },
  { $or: [{ a: { $in: [1, null] } }, { $nor: [{ b: { $exists: true } }] }] },
  { $expr: { $gt: ['$n', 1] } },
  { $where: 'this.a == 1' },
  { $jsonSchema: { properties: { a: { bsonType: 'int' } } } },
  { n: { $mod: [2, 0] }, l: { $size: 3, $all: [1, 2] }, a: { $type: 'number', $bitsAllSet: 1 } },
];

const updates: readonly (readonly [object, object, object])[] = [
  [{ _id: 1 }, { $set: { 'x.y': 2 }, $inc: { n: 1 }, $push: { l: { $each: [4, 5], $slice: -4, $sort: 1 } } }, {}],
  [{ 'l.x': 1 }, { $set: { 'l.$.x': 3 } }, {}],
  [{ _id: 3 }, { $set: { 'l.$[e].x': 4 } }, { arrayFilters: [{ 'e.x': { $gt: 1 } }] }],
  [{ _id: 1 }, [{ $set: { r: { $add: ['$n', 1] } } }, { $unset: 'b' }], {}],
  [{ _id: 9 }, { $setOnInsert: { a: 1 }, $addToSet: { l: { $each: [1] } }, $bit: { a: { or: 1 } } }, { upsert: true }],
  [{ _id: 2 }, { $pull: { l: { x: 1 } }, $rename: { s: 't' }, $min: { n: 0 }, $currentDate: { d: true } }, {}],
];

/** Ignores errors, because rejected commands are useful traffic as well. */
const attempt = async (operation: Promise<unknown>): Promise<void> => {
  await operation.catch(() => undefined);
};

const administer = async (db: Db): Promise<void> => {
  await attempt(db.createCollection('capped', { capped: true, size: 4_096, max: 10 }));
  await attempt(db.createCollection('view', { viewOn: 'c', pipeline: [{ $match: { a: 1 } }] }));
  await attempt(db.createCollection('strict', { validator: { a: { $type: 'int' } } }));
  const c = db.collection('c');
  await attempt(c.createIndex({ a: 1, 'l.x': -1 }, { sparse: true }, {}));
  await attempt(c.createIndex({ b: 1 }, { unique: true, partialFilterExpression: { b: { $type: 'string' } } }, {}));
  await attempt(c.listIndexes().toArray());
  await attempt(db.command({ collMod: 'c', index: { keyPattern: { a: 1, 'l.x': -1 }, hidden: true } }));
  await attempt(c.dropIndex('b_1'));
  await attempt(db.listCollections({}, { nameOnly: true }).toArray());
  for (const command of [
    { collStats: 'c' },
    { dbStats: 1 },
    { validate: 'c' },
    { explain: { find: 'c', filter: { a: 1 } }, verbosity: 'executionStats' },
    {
      mapReduce: 'c',
      map: 'function(){ emit(this.a, 1) }',
      reduce: 'function(k, v){ return v.length }',
      out: { inline: 1 },
    },
    { connectionStatus: 1 },
    { profile: 1, slowms: 100 },
    { profile: 0 },
  ])
    await attempt(db.command(command));
  for (const command of [
    { hello: 1, topologyVersion: undefined },
    { buildInfo: 1 },
    { getParameter: '*' },
    { serverStatus: 1 },
    { listDatabases: 1 },
    { listCommands: 1 },
    { whatsmyuri: 1 },
    { renameCollection: `${db.databaseName}.out`, to: `${db.databaseName}.other`, dropTarget: true },
  ])
    await attempt(db.admin().command(command));
  await attempt(db.command({ saslStart: 1, mechanism: 'SCRAM-SHA-256', payload: Buffer.from('n,,n=user,r=nonce') }));
};

const useSessions = async (client: MongoClient, c: Collection<{ _id: number }>): Promise<void> => {
  const session = client.startSession();
  await attempt(c.insertOne({ _id: 30 }, { session }));
  const transaction = async (): Promise<void> => {
    await c.insertOne({ _id: 31 }, { session });
    await c.updateOne({ _id: 31 }, { $set: { a: 1 } }, { session });
    await c.find({ _id: 31 }, { session, batchSize: 1 }).toArray();
  };
  await attempt(
    session.withTransaction(transaction, { readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } }),
  );
  session.startTransaction();
  await attempt(transaction());
  await attempt(session.abortTransaction());
  await session.endSession();
  const snapshot = client.startSession({ snapshot: true });
  await attempt(c.find({}, { session: snapshot }).toArray());
  await snapshot.endSession();
  const stream = c.watch([{ $match: { operationType: 'insert' } }], {
    maxAwaitTimeMS: 1,
    fullDocument: 'updateLookup',
  });
  await attempt(stream.tryNext());
  await attempt(c.insertOne({ _id: 32 }));
  await attempt(stream.tryNext());
  await attempt(stream.close());
};

/** Runs a variety of commands that applications and drivers send. */
export const work = async (client: MongoClient): Promise<void> => {
  const db = client.db('fuzz');
  const c = db.collection<{ _id: number }>('c');
  await c.insertMany([...everyType]);
  await db.collection('f').insertMany([{ a: 1 }, { a: null }]);
  for (const query of queries) await attempt(c.find(query, { batchSize: 2, sort: { n: -1 }, limit: 5 }).toArray());
  await attempt(
    c
      .find({ l: 1 }, { projection: { 'l.$': 1, s: { $slice: 1 } }, hint: '_id_', collation: { locale: 'en' } })
      .toArray(),
  );
  for (const pipeline of aggregations) await attempt(c.aggregate([...pipeline], { batchSize: 1 }).toArray());
  for (const [query, update, options] of updates) await attempt(c.updateMany(query, update, options));
  await attempt(
    c.findOneAndUpdate(
      { _id: 1 },
      { $inc: { n: 1 } },
      { sort: { n: 1 }, projection: { n: 1 }, returnDocument: 'after' },
    ),
  );
  await attempt(c.bulkWrite([{ insertOne: { document: { _id: 20 } } }, { deleteOne: { filter: { _id: 20 } } }]));
  await attempt(client.bulkWrite([{ name: 'insertOne', namespace: 'fuzz.c', document: { a: 21 } }]));
  await attempt(c.distinct('l.x'));
  await attempt(c.countDocuments({ a: 1 }));
  await attempt(c.estimatedDocumentCount());
  const cursor = c.find({}, { batchSize: 1 });
  await cursor.next();
  await cursor.close();
  await useSessions(client, c);
  await administer(db);
  await c.deleteMany({ _id: { $gt: 10 } });
  await db.dropDatabase();
};
