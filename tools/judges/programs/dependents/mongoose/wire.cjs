'use strict';
const { step, thrownBy, uri, isSet } = require('../report.cjs');

/** Elements of commands that differ from run to run. */
const volatile = ['lsid', '$clusterTime', 'txnNumber', 'autocommit', 'startTransaction'];

/** Returns a value as the server receives it: maps and objects of the driver's classes are documents. */
const plain = value => {
  if (Array.isArray(value)) return value.map(plain);
  if (value instanceof Map) return plain(Object.fromEntries(value));
  if (value === null || typeof value !== 'object' || value instanceof Date || value._bsontype) return value;
  if (typeof value.toBSON === 'function') return plain(value.toBSON());
  return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, plain(each)]));
};

/** Elements with a default, which the drivers may omit. */
const defaults = [
  'new',
  'upsert',
  'remove',
  'dropTarget',
  'nameOnly',
  'authorizedCollections',
  'bypassDocumentValidation',
];

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const connection = await mongoose.createConnection(uri, { dbName: 'wire', monitorCommands: true }).asPromise();
  await connection.dropDatabase();
  const schema = new Schema(
    {
      _id: Number,
      name: String,
      n: Number,
      list: [Number],
      at: Date,
      when: { type: Date, default: () => new Date(0) },
    },
    { versionKey: false, collection: 'wires' },
  );
  const Wire = connection.model('Wire', schema);
  await Wire.init();
  let seen = [];
  connection.getClient().on('commandStarted', ({ commandName, databaseName, command }) => {
    const session = command.lsid === undefined ? '' : ' in a session';
    const numbered = command.txnNumber === undefined ? '' : ' with a number';
    const rest = plain(
      Object.fromEntries(
        Object.entries(command).filter(
          ([key, value]) => !volatile.includes(key) && !(value === false && defaults.includes(key)),
        ),
      ),
    );
    if (rest.dbStats !== undefined) rest.dbStats = 1;
    if (rest.getMore !== undefined) rest.getMore = 'CURSOR';
    if (rest.cursors !== undefined) rest.cursors = rest.cursors.length;
    if (rest.readConcern?.afterClusterTime !== undefined)
      rest.readConcern = { ...rest.readConcern, afterClusterTime: 'T' };
    seen.push([`${commandName} of ${databaseName}${session}${numbered}`, rest]);
  });
  /** Prints the commands of a call. */
  const commands = (title, work) =>
    step(`commands: ${title}`, async () => {
      seen = [];
      const thrown = await thrownBy(() => work());
      return thrown.returned === undefined && thrown.name !== undefined ? [thrown.name, thrown.code, seen] : seen;
    });

  await commands('create', () => Wire.create({ _id: 1, name: 'a' }));
  await commands('create two', () =>
    Wire.create(
      [
        { _id: 2, name: 'b' },
        { _id: 3, name: 'c' },
      ],
      { ordered: true },
    ),
  );
  await commands('insertMany', () => Wire.insertMany([{ _id: 4 }, { _id: 5 }], { ordered: false, comment: 'many' }));
  await commands('save', async () => {
    const doc = await Wire.findById(1);
    doc.n = 5;
    doc.list.push(1, 2);
    await doc.save({ w: 1, wtimeout: 1000 });
    doc.list = [];
    await doc.save();
    await doc.save();
    doc.name = undefined;
    await doc.save({ writeConcern: { w: 1, j: true } });
  });
  await commands('find', () =>
    Wire.find({ n: { $gt: '3' }, name: null })
      .sort({ n: -1 })
      .skip(1)
      .limit(2)
      .select('name n')
      .collation({ locale: 'de' })
      .maxTimeMS(5000)
      .comment('c')
      .hint({ _id: 1 })
      .batchSize(7)
      .allowDiskUse(true)
      .readConcern('local')
      .lean(),
  );
  await commands('findOne', () => Wire.findOne({ _id: '1' }).slice('list', [0, 2]));
  await commands('batches', async () => {
    for await (const { _id } of Wire.find().sort('_id').cursor({ batchSize: 2 })) if (_id === 3) break;
  });
  await commands('counts', async () => {
    await Wire.countDocuments({ n: 1 }).skip(1).limit(2);
    await Wire.countDocuments();
    await Wire.estimatedDocumentCount();
    await Wire.exists({ _id: 1 });
    await Wire.distinct('n', { _id: { $gt: 0 } }).collation({ locale: 'en' });
  });
  await commands('updates', async () => {
    await Wire.updateOne({ _id: 1 }, { n: 1 }, { upsert: true, comment: 'u' });
    await Wire.updateMany({}, { $inc: { n: 1 } }, { writeConcern: { w: 'majority', wtimeout: 500 } });
    await Wire.updateOne({ _id: 1 }, { $set: { 'list.$[x]': 3 } }, { arrayFilters: [{ x: 1 }], hint: '_id_' });
    await Wire.replaceOne({ _id: 1 }, { name: 'r' }, { collation: { locale: 'en' } });
    await Wire.updateOne({ _id: 1 }, { n: 2 }, { sort: { _id: -1 }, let: { x: 1 } });
  });
  await commands('deletes', async () => {
    await Wire.deleteOne({ _id: 100 }).hint({ _id: 1 });
    await Wire.deleteMany({ _id: { $gt: 100 } }, { comment: { why: 'x' } });
    await Wire.findByIdAndDelete(100);
  });
  await commands('findOneAnd…', async () => {
    await Wire.findOneAndUpdate(
      { _id: 1 },
      { n: 3 },
      { sort: { n: 1 }, projection: { n: 1 }, upsert: true, returnDocument: 'after' },
    );
    await Wire.findOneAndReplace({ _id: 1 }, { name: 'x' }, { returnDocument: 'before' });
    await Wire.findOneAndDelete({ _id: 100 }, { maxTimeMS: 4000, collation: { locale: 'en' } });
  });
  await commands('aggregate', async () => {
    await Wire.aggregate([{ $match: { n: 1 } }])
      .option({ comment: 'agg', maxTimeMS: 3000, let: { a: 1 } })
      .allowDiskUse(true)
      .collation({ locale: 'en' })
      .hint({ _id: 1 })
      .readConcern('majority');
    await Wire.aggregate([{ $match: {} }, { $out: 'copied' }]);
    const cursor = Wire.aggregate([{ $sort: { _id: 1 } }]).cursor({ batchSize: 2 });
    await cursor.next();
    await cursor.close();
  });
  await commands('bulkWrite', () =>
    Wire.bulkWrite(
      [
        { insertOne: { document: { _id: 50, n: '1' } } },
        { insertOne: { document: { _id: 51 } } },
        { updateOne: { filter: { _id: 50 }, update: { n: 2 }, arrayFilters: [], collation: { locale: 'en' } } },
        { updateMany: { filter: {}, update: { $inc: { n: 1 } }, hint: { _id: 1 } } },
        { replaceOne: { filter: { _id: 51 }, replacement: { name: 'x' }, upsert: true } },
        { deleteOne: { filter: { _id: 50 } } },
        { deleteMany: { filter: { _id: 51 } } },
      ],
      { ordered: true, comment: 'bulk' },
    ),
  );
  await commands('bulkWrite, unordered', () =>
    Wire.bulkWrite(
      [
        { deleteOne: { filter: { _id: 60 } } },
        { insertOne: { document: { _id: 60 } } },
        { updateOne: { filter: { _id: 60 }, update: { n: 1 } } },
        { insertOne: { document: { _id: 61 } } },
      ],
      { ordered: false, bypassDocumentValidation: true },
    ),
  );
  await commands('bulkSave', async () => {
    const docs = await Wire.find({ _id: { $in: [2, 3] } }).sort('_id');
    for (const doc of docs) doc.n = 9;
    await Wire.bulkSave(docs);
  });
  await commands('indexes', async () => {
    await Wire.collection.createIndex({ name: 1 }, { unique: false, background: true, name: 'by name' });
    await Wire.listIndexes();
    await Wire.collection.dropIndex('by name');
    await Wire.diffIndexes();
  });
  await commands('collections', async () => {
    await connection.createCollection('extra', { capped: true, size: 4096, collation: { locale: 'en' } });
    await connection.listCollections();
    await connection.dropCollection('extra');
    await connection.dropCollection('missing');
    await connection.db.admin().ping();
    await connection.listDatabases();
    await connection.db.command({ buildInfo: 1 });
    await connection.db.stats();
    await Wire.collection.rename('renamed', { dropTarget: true });
    await connection.db.renameCollection('renamed', 'wires');
  });
  await commands('explain', async () => {
    await Wire.find({ n: 1 }).explain('queryPlanner');
    await Wire.aggregate([{ $match: { n: 1 } }]).explain('queryPlanner');
    await Wire.updateOne({ _id: 1 }, { n: 1 }).explain('queryPlanner');
    await Wire.findOne({ n: 1 }).explain();
  });
  await commands('read preference and concern', async () => {
    await Wire.find().read('secondaryPreferred').readConcern('majority');
    await Wire.find().read('nearest', [{ dc: 'x' }, {}]);
    await Wire.aggregate([{ $match: {} }]).read('primaryPreferred');
    await Wire.countDocuments().read('sp');
  });
  await commands('a session', async () => {
    const session = await connection.startSession();
    await Wire.findOne({ _id: 1 }).session(session);
    await Wire.updateOne({ _id: 1 }, { n: 1 }, { session });
    await Wire.aggregate([{ $match: { _id: 1 } }]).session(session);
    await session.endSession();
  });
  await commands('client bulkWrite', () =>
    connection.bulkWrite([
      { model: Wire, name: 'insertOne', document: { _id: 90, n: 1 } },
      { model: Wire, name: 'updateMany', filter: { _id: 90 }, update: { n: 2 } },
      { model: Wire, name: 'deleteOne', filter: { _id: 90 } },
    ]),
  );
  if (isSet) {
    await commands('a transaction', async () => {
      await connection.transaction(
        async session => {
          await Wire.findById(1).session(session);
          await Wire.updateOne({ _id: 1 }, { n: 7 }, { session });
          await Wire.insertMany([{ _id: 70 }], { session });
        },
        { readConcern: { level: 'majority' } },
      );
      await thrownBy(() =>
        connection.transaction(async session => {
          await Wire.deleteOne({ _id: 70 }, { session });
          throw new Error('no');
        }),
      );
    });
    await commands('a transaction with a write concern', () =>
      connection.transaction(session => Wire.deleteOne({ _id: 70 }, { session }), { writeConcern: { w: 'majority' } }),
    );
    await commands('a change stream', async () => {
      const stream = Wire.watch([{ $match: { operationType: 'insert' } }], {
        fullDocument: 'updateLookup',
        batchSize: 3,
        maxAwaitTimeMS: 10,
      });
      await stream.driverChangeStream?.tryNext?.();
      await stream.close();
    });
  }
  await connection.dropDatabase();
  await connection.close();
};
