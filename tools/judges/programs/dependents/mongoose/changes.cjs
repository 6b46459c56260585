'use strict';
const { step, thrownBy, errorOf } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const schema = new Schema(
    {
      _id: Number,
      name: { type: String, required: true },
      n: { type: Number, min: 0 },
      grid: [{ _id: false, key: String, cells: [{ _id: false, x: Number, on: Boolean }] }],
      tags: [String],
      when: Date,
      kept: { type: String, immutable: true },
      made: { type: Number, default: 7 },
    },
    { timestamps: { createdAt: 'born', updatedAt: 'changed' }, collection: 'changes', optimisticConcurrency: true },
  );
  const Change = mongoose.model('Change', schema);
  await Change.init();
  const fresh = async () => {
    await Change.deleteMany({});
    await Change.insertMany(
      Array.from({ length: 4 }, (_, i) => ({
        _id: i,
        name: `c${i}`,
        n: i,
        kept: 'k',
        tags: ['a', 'b'],
        grid: [
          { key: 'p', cells: [{ x: 1 }, { x: 2 }] },
          { key: 'q', cells: [{ x: 3 }, { x: 4 }] },
        ],
      })),
    );
  };
  const read = (id, fields = '-born -changed') => Change.findById(id).select(fields).lean();

  await fresh();
  await step('changes: nested array filters', async () => {
    const result = await Change.updateOne(
      { _id: 1 },
      { $set: { 'grid.$[row].cells.$[cell].on': 'true' }, $push: { 'grid.$[row].cells': { x: '9' } } },
      { arrayFilters: [{ 'row.key': 'q' }, { 'cell.x': { $gte: 4 } }] },
    ).catch(errorOf);
    const apart = await Change.updateOne(
      { _id: 1 },
      { $set: { 'grid.$[row].cells.$[cell].on': true } },
      { arrayFilters: [{ 'row.key': 'q' }, { 'cell.x': { $gte: 4 } }] },
    );
    await Change.updateOne({ _id: 2 }, { $set: { 'grid.$[].cells.$[].on': false } });
    const found = [await read(1, 'grid'), await read(2, 'grid')];
    const errors = [
      await thrownBy(() => Change.updateOne({ _id: 1 }, { $set: { 'grid.$[z].key': 'x' } })),
      await thrownBy(() =>
        Change.updateOne({ _id: 1 }, { $set: { n: 1 } }, { arrayFilters: [{ 'unused.x': 1 }], strictQuery: false }),
      ),
    ];
    return [result, apart, found, errors];
  });
  await step('changes: operators', async () => {
    await Change.updateOne(
      { _id: 3 },
      {
        $inc: { n: '2' },
        $max: { made: 9 },
        $addToSet: { tags: { $each: ['b', 'c'] } },
        $unset: { kept: 1 },
        $currentDate: { when: true },
      },
    );
    await Change.updateOne({ _id: 3 }, { $mul: { n: 10 }, $min: { made: 8 } });
    await Change.updateOne({ _id: 3 }, { $pop: { tags: 1 }, $bit: { made: { xor: 1 } } });
    await Change.updateOne({ _id: 3 }, { $pull: { tags: { $in: ['a'] } } });
    await Change.updateOne({ _id: 3 }, { $pullAll: { tags: ['zz'] } });
    await Change.updateOne({ _id: 3 }, { $push: { tags: { $each: ['z', 'y'], $sort: 1, $slice: -2 } } });
    await Change.updateOne({ _id: 3 }, { $rename: { made: 'renamed' } }, { strict: false });
    const { when, ...rest } = await Change.collection.findOne(
      { _id: 3 },
      { projection: { born: 0, changed: 0, grid: 0 } },
    );
    return [when instanceof Date, rest];
  });
  await fresh();
  await step('changes: upserts', async () => {
    const first = await Change.updateOne({ _id: 50 }, { name: 'up', n: 1 }, { upsert: true });
    const bare = await Change.updateOne({ _id: 51 }, { name: 'bare' }, { upsert: true, setDefaultsOnInsert: false });
    const invalid = await thrownBy(() =>
      Change.updateOne({ _id: 52 }, { n: -1 }, { upsert: true, runValidators: true }),
    );
    const inserted = await Change.findOneAndUpdate(
      { _id: 53 },
      { $setOnInsert: { name: 'ins' } },
      { upsert: true, returnDocument: 'after', includeResultMetadata: true },
    );
    return [
      first,
      bare,
      invalid,
      await read(50),
      await read(51),
      inserted.lastErrorObject,
      inserted.value.name,
      inserted.ok,
    ];
  });
  await step('changes: timestamps', async () => {
    const doc = await Change.findById(50);
    const { born, changed } = doc;
    await new Promise(resolve => setTimeout(resolve, 3));
    doc.n = 10;
    await doc.save();
    const later = doc.changed > changed;
    await doc.save({ timestamps: false });
    await Change.bulkWrite([{ updateOne: { filter: { _id: 50 }, update: { n: 11 }, timestamps: false } }]);
    const kept = await read(50, 'changed');
    await Change.bulkWrite([{ updateOne: { filter: { _id: 50 }, update: { n: 12 } } }]);
    const moved = await read(50, 'changed born');
    return [later, +kept.changed === +doc.changed, moved.changed >= doc.changed, +moved.born === +born];
  });
  await step('changes: bulkWrite and strict', async () => {
    const one = await Change.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { unknown: 1, n: 20 } } }]);
    const two = await Change.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { unknown: 1 } } }], {
      strict: false,
    });
    const three = await thrownBy(() =>
      Change.bulkWrite([{ updateOne: { filter: { _id: 1 }, update: { nope: 1 } } }], { strict: 'throw' }),
    );
    const four = await Change.bulkWrite([{ insertOne: { document: { _id: 60, n: -5 } } }], { skipValidation: true });
    const five = await thrownBy(() => Change.bulkWrite([{ insertOne: { document: { _id: 61, n: -5 } } }]));
    return [
      one.modifiedCount,
      two.modifiedCount,
      three,
      four.insertedIds,
      five,
      await Change.collection.findOne({ _id: 1 }, { projection: { unknown: 1, n: 1 } }),
      await Change.collection.countDocuments({ _id: { $in: [60, 61] } }),
    ];
  });
  await fresh();
  await step('changes: bulkSave', async () => {
    const docs = await Change.find().sort('_id');
    docs[0].n = 100;
    docs[1].tags.push('z');
    await Change.updateOne({ _id: 1 }, { $inc: { __v: 1 } });
    const error = await Change.bulkSave(docs).then(
      result => ({ result: [result.modifiedCount, result.matchedCount] }),
      each => ({ ...errorOf(each), numAffected: each.numAffected, result: each.bulkWriteResult?.matchedCount }),
    );
    const fine = await Change.find().sort('_id');
    for (const doc of fine) doc.n += 1;
    const result = await Change.bulkSave(fine, { ordered: false, timestamps: false });
    return [error, result.modifiedCount, fine.map(({ __v }) => __v)];
  });
  await step('changes: save', async () => {
    const doc = await Change.findById(2);
    doc.n = -1;
    const invalid = await thrownBy(() => doc.save());
    await doc.save({ validateBeforeSave: false });
    const other = await Change.findById(2);
    other.n = 3;
    await other.save();
    doc.tags = ['w'];
    const conflict = await thrownBy(() => doc.save());
    const partly = await Change.findById(3);
    partly.name = 'new';
    partly.n = 30;
    await partly.save({ pathsToSave: ['name'] });
    const added = new Change({ _id: 70, name: 'added' });
    const states = [added.isNew, added.$isNew];
    await added.save();
    states.push(added.isNew);
    const twice = await thrownBy(() => new Change({ _id: 70, name: 'again' }).save());
    return [invalid, conflict, await read(3, 'name n'), states, twice];
  });
  await step('changes: parallel saves', async () => {
    const doc = await Change.findById(3);
    doc.name = 'one';
    const first = doc.save();
    const second = await thrownBy(() => doc.save());
    await first;
    return second;
  });
  await step('changes: document methods', async () => {
    const doc = await Change.findById(3);
    const query = doc.updateOne({ name: 'by document' });
    const filter = query.getFilter();
    const replaced = await doc.replaceOne({ name: 'replaced' });
    const { acknowledged, modifiedCount } = await query;
    const again = await Change.findById(3);
    again.set({ name: 'overwritten' }).overwrite?.({ name: 'ow' });
    await again.save();
    const deleted = await again.deleteOne();
    return [filter, replaced.modifiedCount, acknowledged, modifiedCount, deleted, again.$isDeleted()];
  });
  await fresh();
  await step('changes: findOneAnd…', async () => [
    (
      await Change.findOneAndUpdate(
        { _id: 1 },
        { $set: { 'grid.$[r].key': 'zz' } },
        { arrayFilters: [{ 'r.key': 'q' }], returnDocument: 'after' },
      )
    ).grid.map(({ key }) => key),
    (await Change.findOneAndUpdate({ n: { $gte: 0 } }, { n: 50 }, { sort: '-_id', projection: { n: 1 }, lean: true }))
      .n,
    await Change.findByIdAndUpdate(99, { n: 1 }),
    await thrownBy(() => Change.findByIdAndUpdate(1, { n: -2 }, { runValidators: true })),
    (
      await Change.findOneAndUpdate({ _id: 2 }, [{ $set: { n: { $add: ['$n', 5] } } }], {
        updatePipeline: true,
        returnDocument: 'after',
      })
    ).n,
    await Change.findOneAndReplace(
      { _id: 2 },
      { name: 'R' },
      { returnDocument: 'after', lean: true, projection: 'name n' },
    ),
    (await Change.findByIdAndDelete(2, { projection: 'name' })).toObject(),
    await thrownBy(() => Change.findOneAndUpdate({ _id: 2 }, { n: 1 }).orFail()),
    await thrownBy(() => Change.findOneAndUpdate({ _id: 1 }, { n: 1 }).orFail(() => new Error('own error'))),
  ]);
  await step('changes: insertMany', async () => {
    const lines = [];
    lines.push((await Change.insertMany([{ _id: 80, name: 'x' }], { limit: 1, ordered: true })).length);
    lines.push(
      await Change.insertMany([{ _id: 81, name: 'y' }, { _id: 81, name: 'z' }, { n: 1 }], {
        ordered: false,
        rawResult: true,
      }).then(
        ({ mongoose: extra, ...rest }) => [rest, extra.validationErrors.length],
        error => [
          errorOf(error),
          error.mongoose?.validationErrors?.length,
          error.writeErrors?.length,
          error.results?.length,
        ],
      ),
    );
    lines.push(await thrownBy(() => Change.insertMany([{ _id: 82, n: 'x' }])));
    lines.push(await thrownBy(() => Change.insertMany({ _id: 83, name: 'single' }).then(([{ name }]) => name)));
    lines.push(
      (
        await Change.insertMany(
          [
            { _id: 84, name: 'a' },
            { _id: 85, name: 'b' },
          ],
          { lean: true },
        )
      ).length,
    );
    return lines;
  });
  await step('changes: discriminators', async () => {
    const Base = mongoose.model(
      'Base',
      new Schema({ _id: Number, n: Number }, { discriminatorKey: 'kind', versionKey: false }),
    );
    const Left = Base.discriminator('Left', new Schema({ left: { type: Number, required: true } }));
    const Right = Base.discriminator('Right', new Schema({ right: { type: String, unique: true } }));
    await Promise.all([Base.init(), Left.init(), Right.init()]);
    await Base.insertMany([{ _id: 1, kind: 'Left', left: '1' }, { _id: 2, kind: 'Right', right: 'r' }, { _id: 3 }]);
    const bulk = await Base.bulkWrite([
      { insertOne: { document: { _id: 4, kind: 'Left', left: '4' } } },
      { updateOne: { filter: { _id: 1, kind: 'Left' }, update: { left: '10' } } },
    ]);
    await Left.updateMany({}, { $inc: { left: 1 } });
    const overwritten = await Base.findByIdAndUpdate(
      3,
      { kind: 'Right', right: 'new' },
      {
        overwriteDiscriminatorKey: true,
        returnDocument: 'after',
        runValidators: true,
      },
    );
    return [
      bulk.insertedCount,
      bulk.modifiedCount,
      (await Base.find().sort('_id')).map(each => [each.constructor.modelName, each.toObject()]),
      overwritten.constructor.modelName,
      (await Right.listIndexes()).map(({ key, partialFilterExpression }) => [key, partialFilterExpression]),
      await Left.syncIndexes(),
      await thrownBy(() => Right.create({ _id: 5, right: 'r' })),
      await Left.distinct('left'),
      await Left.aggregate([{ $count: 'n' }]),
      await Left.deleteMany(),
    ];
  });
  await step('changes: a shard key and a read preference of the schema', async () => {
    const Sharded = mongoose.model(
      'Sharded',
      new Schema(
        { a: Number, b: Number },
        { shardKey: { a: 1 }, read: 'primaryPreferred', writeConcern: { w: 1 }, versionKey: false },
      ),
    );
    const doc = await Sharded.create({ a: 1, b: 1 });
    doc.b = 2;
    await doc.save();
    return [
      (await Sharded.findById(doc._id)).b,
      Sharded.find().cursor().options.readPreference,
      await Sharded.deleteOne({ a: 1 }),
    ];
  });
};
