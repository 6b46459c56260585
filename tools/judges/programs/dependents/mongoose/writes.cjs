'use strict';
const { step, thrownBy, errorOf, uri } = require('../report.cjs');

const withMetadata = result => result.then(({ value, lastErrorObject, ok }) => ({ value, lastErrorObject, ok }));
const keysOf = value => Object.keys(value).sort();

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const schema = new Schema(
    { _id: Number, name: { type: String, unique: true }, n: Number, list: [Number], nested: { a: Number } },
    { collection: 'items' },
  );
  const Item = mongoose.model('Item', schema);
  await Item.init();
  const fresh = async () => {
    await Item.deleteMany({});
    await Item.create([
      { _id: 1, name: 'one', n: 1, list: [1, 2] },
      { _id: 2, name: 'two', n: 2 },
      { _id: 3, name: 'three', n: 3 },
    ]);
  };
  const errorParts = error => ({
    ...errorOf(error),
    isServer: error instanceof mongoose.mongo.MongoServerError,
    isBulk: error instanceof mongoose.mongo.MongoBulkWriteError,
    writeErrors: error.writeErrors?.map?.(each => ({
      class: each.constructor.name,
      index: each.index,
      code: each.code,
      errmsg: each.errmsg,
      err: keysOf(each.err ?? {}),
      json: JSON.stringify(each),
      operation: each.getOperation?.(),
    })),
    result:
      error.result === undefined
        ? undefined
        : {
            class: error.result.constructor.name,
            keys: keysOf(error.result),
            result: { ...error.result.result, insertedIds: undefined },
          },
    insertedDocs: error.insertedDocs?.map(({ _id }) => _id),
    counts: [
      error.insertedCount,
      error.matchedCount,
      error.modifiedCount,
      error.deletedCount,
      error.upsertedCount,
      error.insertedIds,
      error.upsertedIds,
    ],
  });
  const errorsOf = work => work().then(value => ({ returned: value }), errorParts);

  await fresh();
  await step('create with a duplicate key', () => errorsOf(() => Item.create({ _id: 9, name: 'one' })));
  await step('create without order', () =>
    errorsOf(() =>
      Item.create(
        [
          { _id: 20, name: 'x' },
          { _id: 21, name: 'x' },
        ],
        { ordered: false },
      ),
    ),
  );
  await step('create with aggregateErrors', async () =>
    (
      await Item.create(
        [
          { _id: 22, name: 'one' },
          { _id: 23, name: 'y' },
        ],
        { aggregateErrors: true },
      )
    ).map(each => each.name),
  );
  await fresh();
  await step('insertMany', async () =>
    (
      await Item.insertMany([
        { _id: 4, name: 'four' },
        { _id: 5, name: 'five' },
      ])
    ).map(each => [each._id, each.isNew]),
  );
  await step('insertMany, lean and raw', async () => [
    await Item.insertMany([{ _id: 6, name: 'six' }], { lean: true }),
    await Item.insertMany([{ _id: 7, name: 'seven' }], { rawResult: true }),
  ]);
  await step('insertMany of nothing', async () => [
    await Item.insertMany([]),
    await Item.insertMany([], { rawResult: true }),
  ]);
  await step('insertMany, ordered, with a duplicate', () =>
    errorsOf(() =>
      Item.insertMany([
        { _id: 30, name: 'a' },
        { _id: 31, name: 'a' },
        { _id: 32, name: 'b' },
      ]),
    ),
  );
  await fresh();
  await step('insertMany, unordered, with duplicates', () =>
    errorsOf(() =>
      Item.insertMany(
        [
          { _id: 30, name: 'a' },
          { _id: 31, name: 'a' },
          { _id: 1, name: 'b' },
          { _id: 33, name: 'c' },
        ],
        { ordered: false },
      ),
    ),
  );
  await fresh();
  await step('insertMany, unordered, with invalid documents, raw', async () => {
    const result = await Item.insertMany(
      [
        { _id: 40, name: 'a' },
        { _id: 41, n: 'x' },
        { _id: 42, name: 'c' },
      ],
      { ordered: false, rawResult: true },
    );
    return { result, validation: result.mongoose.validationErrors.map(({ name }) => name) };
  });
  await fresh();
  await step('insertMany, unordered, mixed, raw', () =>
    errorsOf(() =>
      Item.insertMany(
        [
          { _id: 40, name: 'one' },
          { _id: 41, n: 'x' },
          { _id: 42, name: 'c' },
        ],
        { ordered: false, rawResult: true },
      ),
    ),
  );
  await step('insertMany, unordered, mixed, throwing', () =>
    errorsOf(() => Item.insertMany([{ _id: 50, n: 'x' }], { ordered: false, throwOnValidationError: true })),
  );
  await fresh();
  await step('updateOne, updateMany', async () => [
    await Item.updateOne({ _id: 1 }, { n: '5', $push: { list: { $each: ['7', 8], $position: 0 } } }),
    await Item.updateMany({ _id: { $gt: 1 } }, { $inc: { n: 10 }, $set: { 'nested.a': '1' } }),
    await Item.updateOne({ _id: 8 }, { name: 'eight' }, { upsert: true }),
    await Item.updateOne({ _id: 99 }, { name: 'x' }),
    await Item.updateOne({ _id: 1 }, {}),
    await Item.updateMany({}, [{ $set: { n: { $add: ['$n', 1] } } }], { updatePipeline: true }),
    await Item.replaceOne({ _id: 8 }, { name: 'acht', n: 8 }),
  ]);
  await step('after the updates', () => Item.find().sort('_id').lean());
  await step('update errors', async () => [
    await errorsOf(() => Item.updateOne({ _id: 2 }, { name: 'one' })),
    await thrownBy(() => Item.updateOne({ _id: 1 }, { $set: { _id: 5 } })),
    await thrownBy(() => Item.updateOne({ _id: 1 }, { $push: { n: 1 } }, { strict: false })),
    await thrownBy(() => Item.updateOne({ _id: 1 }, { $nope: { n: 1 } })),
    await thrownBy(() => Item.updateOne({ _id: 1 }, { unknown: 1 }, { strict: 'throw' })),
  ]);
  await step('array filters and positional updates', async () => {
    await Item.updateOne({ _id: 1 }, { list: [1, 2, 3, 4] });
    await Item.updateOne({ _id: 1 }, { $set: { 'list.$[big]': 0 } }, { arrayFilters: [{ big: { $gt: 2 } }] });
    await Item.updateOne({ _id: 1, list: 2 }, { $inc: { 'list.$': 5 } });
    return (await Item.findById(1)).list.toObject();
  });
  await step('findOneAnd…', async () => [
    (await Item.findOneAndUpdate({ _id: 1 }, { n: 50 })).n,
    (await Item.findOneAndUpdate({ _id: 1 }, { $inc: { n: 1 } }, { returnDocument: 'after' })).n,
    await withMetadata(
      Item.findOneAndUpdate(
        { _id: 77 },
        { name: 'new' },
        { upsert: true, returnDocument: 'after', includeResultMetadata: true },
      ),
    ),
    await Item.findOneAndUpdate({ _id: 78 }, { name: 'none' }),
    (await Item.findOneAndReplace({ _id: 77 }, { name: 'newer' }, { returnDocument: 'after' })).toObject(),
    (await Item.findByIdAndDelete(77)).toObject(),
    await Item.findOneAndDelete({ _id: 77 }),
    await withMetadata(Item.findOneAndDelete({ _id: 8 }, { includeResultMetadata: true })),
    (await Item.findOneAndUpdate({}, { n: 0 }, { sort: { _id: -1 }, projection: 'name' })).toObject(),
  ]);
  await step('findOneAndUpdate with a duplicate key', () =>
    errorsOf(() => Item.findOneAndUpdate({ _id: 2 }, { name: 'one' })),
  );
  await step('deletes', async () => [
    await Item.deleteOne({ _id: 3 }),
    await Item.deleteMany({ _id: { $in: [1, 3] } }),
    await Item.deleteOne({ _id: 1 }),
  ]);
  await fresh();
  await step('bulkWrite', async () => {
    const result = await Item.bulkWrite([
      { insertOne: { document: { _id: 10, name: 'ten' } } },
      { updateOne: { filter: { _id: 1 }, update: { n: '11' } } },
      { updateMany: { filter: {}, update: { $inc: { n: 1 } } } },
      { updateOne: { filter: { _id: 11 }, update: { name: 'eleven' }, upsert: true } },
      { replaceOne: { filter: { _id: 2 }, replacement: { name: 'zwei' } } },
      { deleteOne: { filter: { _id: 3 } } },
      { deleteMany: { filter: { _id: { $gt: 50 } } } },
    ]);
    return {
      class: result.constructor.name,
      keys: keysOf(result),
      counts: [
        result.insertedCount,
        result.matchedCount,
        result.modifiedCount,
        result.deletedCount,
        result.upsertedCount,
      ],
      ids: [result.insertedIds, result.upsertedIds],
      methods: [
        result.isOk(),
        result.hasWriteErrors(),
        result.getWriteErrorCount(),
        result.getWriteErrors(),
        result.getWriteErrorAt(0),
        result.getUpsertedIdAt(0),
        result.getWriteConcernError(),
      ],
      raw: result.getRawResponse(),
      result: result.result,
      json: JSON.stringify(result),
      mongoose: result.mongoose,
    };
  });
  await step('bulkWrite of nothing', async () => [
    await Item.bulkWrite([]),
    await Item.bulkWrite([], { ordered: false }),
  ]);
  await step('bulkWrite, ordered, with an error', () =>
    errorsOf(() =>
      Item.bulkWrite([
        { insertOne: { document: { _id: 60, name: 'a' } } },
        { insertOne: { document: { _id: 60, name: 'b' } } },
        { insertOne: { document: { _id: 61, name: 'c' } } },
      ]),
    ),
  );
  await step('bulkWrite, unordered, with errors', () =>
    errorsOf(() =>
      Item.bulkWrite(
        [
          { insertOne: { document: { _id: 60, name: 'a' } } },
          { updateOne: { filter: { _id: 2 }, update: { name: 'one' } } },
          { deleteOne: { filter: { _id: 60 } } },
          { updateOne: { filter: { _id: 70 }, update: { name: 'one' }, upsert: true } },
        ],
        { ordered: false },
      ),
    ),
  );
  await step('bulkWrite, invalid operations', async () => [
    await thrownBy(() => Item.bulkWrite([{ nope: {} }])),
    await thrownBy(() => Item.bulkWrite([{ insertOne: { document: { _id: 'x' } } }])),
    await thrownBy(() => Item.bulkWrite([{ updateOne: { filter: { _id: 1 } } }])),
    await thrownBy(() =>
      Item.bulkWrite([{ insertOne: { document: { _id: 'x' } } }], { ordered: false, throwOnValidationError: true }),
    ),
    await thrownBy(() => Item.bulkWrite({})),
  ]);
  await step('bulkWrite, unordered, all invalid', async () => {
    const result = await Item.bulkWrite([{ insertOne: { document: { _id: 'x' } } }], { ordered: false });
    return [result.constructor.name, result.insertedCount, result.mongoose.validationErrors.length, result.result];
  });
  await fresh();
  await step('bulkSave', async () => {
    const items = await Item.find().sort('_id');
    for (const item of items) item.n += 100;
    const added = new Item({ _id: 100, name: 'added' });
    const result = await Item.bulkSave([...items, added]);
    return [result.insertedCount, result.modifiedCount, items.map(item => item.isModified()), added.isNew];
  });
  await step('bulkSave with an error', () =>
    errorsOf(() => Item.bulkSave([new Item({ _id: 101, name: 'one' }), new Item({ _id: 102, name: 'ok' })])),
  );
  await step('increment and version', async () => {
    const item = await Item.findById(1);
    item.increment();
    await item.save();
    return item.__v;
  });
  await step('w: 0', async () => {
    const result = await Item.collection.insertOne({ _id: 200, name: 'unacknowledged' }, { writeConcern: { w: 0 } });
    return result;
  });
  await step('w: 0 of a connection', async () => {
    const connection = await mongoose.createConnection(uri, { dbName: 'tour', w: 0 }).asPromise();
    const Unheard = connection.model('Unheard', new Schema({ n: Number, list: [Number] }));
    const document = await Unheard.create({ n: 1, list: [1, 2] });
    document.n = 2;
    await document.save();
    document.list.set(0, 5);
    await document.save();
    const results = [
      await Unheard.updateOne({}, { n: 3 }),
      await Unheard.updateMany({ n: 9 }, { n: 3 }, { upsert: true }),
      await document.updateOne({ n: 4 }),
      await document.deleteOne(),
      await Unheard.deleteMany({ n: 8 }),
    ];
    await connection.close();
    return [document.toObject(), results];
  });
  await step('native bulk operations', async () => {
    const bulk = Item.collection.initializeOrderedBulkOp();
    bulk.insert({ _id: 300, name: 'bulk' });
    bulk.find({ _id: 300 }).updateOne({ $set: { n: 1 } });
    bulk.find({ _id: 301 }).upsert().replaceOne({ name: 'replaced' });
    const result = await bulk.execute();
    return [
      bulk.constructor.name,
      bulk.length,
      result.insertedCount,
      result.upsertedIds,
      await thrownBy(() => bulk.execute()),
      await thrownBy(() => Item.collection.initializeUnorderedBulkOp().execute()),
    ];
  });
  await step('documents that are too large', async () => [
    await thrownBy(() => Item.collection.insertOne({ _id: 400, big: 'x'.repeat(17 * 1024 * 1024) })),
    await thrownBy(() => Item.collection.insertMany([{ _id: 401, big: 'x'.repeat(17 * 1024 * 1024) }])),
    await thrownBy(() =>
      Item.collection.bulkWrite([{ insertOne: { document: { _id: 402, big: 'x'.repeat(17 * 1024 * 1024) } } }]),
    ),
    await thrownBy(() => Item.collection.updateOne({ _id: 1 }, { $set: { big: 'x'.repeat(17 * 1024 * 1024) } })),
    await thrownBy(() => Item.collection.findOne({ big: 'x'.repeat(17 * 1024 * 1024) })),
  ]);
  await step('values that do not fit BSON', async () => [
    await thrownBy(() => Item.collection.insertOne({ _id: 410, n: 2n ** 64n })),
    await thrownBy(() => Item.collection.insertOne({ 'a\0b': 1 })),
    await thrownBy(() => Item.collection.insertOne({ n: new mongoose.mongo.Int32(2 ** 40).value })),
    await thrownBy(() => {
      const loop = { _id: 412 };
      loop.loop = loop;
      return Item.collection.insertOne(loop);
    }),
    await thrownBy(() => Item.collection.insertMany([])),
    await thrownBy(() => Item.collection.insertMany({})),
    await thrownBy(() => Item.collection.bulkWrite([])),
    await thrownBy(() => Item.collection.insertOne(undefined)),
  ]);
};
