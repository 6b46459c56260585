// Collections and indexes of special kinds, and what the server reports about them.
'use strict';
const { step, thrownBy } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema, Types, connection } = mongoose;
  const infoOf = async name => (await connection.db.listCollections({ name }).toArray()).map(each => each.options);

  await step('storage: time series', async () => {
    const schema = new Schema(
      { at: Date, sensor: Object, value: Number },
      { timeseries: { timeField: 'at', metaField: 'sensor', granularity: 'hours' }, expires: '1d', autoCreate: false },
    );
    const Reading = mongoose.model('Reading', schema);
    await Reading.createCollection();
    const at = new Date('2020-01-01');
    await Reading.create([1, 2, 3].map(value => ({ at, sensor: { id: value % 2 }, value })));
    return [
      await infoOf('readings'),
      await Reading.aggregate([{ $group: { _id: '$sensor.id', sum: { $sum: '$value' } } }, { $sort: { _id: 1 } }]),
      await thrownBy(() => Reading.collection.insertOne({ value: 4 })),
      await Reading.deleteMany({ 'sensor.id': 1 }),
      await Reading.countDocuments(),
    ];
  });
  await step('storage: a clustered collection', async () => {
    const clusteredIndex = { key: { _id: 1 }, name: 'by id', unique: true };
    const Log = mongoose.model('ClusteredLog', new Schema({ _id: Number }, { clusteredIndex, autoCreate: false }));
    await Log.createCollection();
    await Log.create([{ _id: 2 }, { _id: 1 }]);
    return [await infoOf('clusteredlogs'), await Log.listIndexes(), await Log.find().lean()];
  });
  await step('storage: a capped collection', async () => {
    const Last = mongoose.model('Last', new Schema({ n: Number }, { capped: { size: 4096, max: 3 } }));
    await Last.init();
    for (let n = 0; n < 5; n++) await Last.create({ n });
    const [{ storageStats }] = await Last.aggregate([{ $collStats: { storageStats: {} } }]);
    return [
      await Last.collection.isCapped(),
      await Last.collection.options(),
      (await Last.find()).map(({ n }) => n),
      (await Last.find().sort({ $natural: -1 })).map(({ n }) => n),
      [storageStats.capped, storageStats.max, storageStats.maxSize],
    ];
  });
  await step('storage: a validator made from the schema', async () => {
    const schema = new Schema({
      name: { type: String, required: true },
      tags: [String],
      kind: { type: String, enum: ['a', 'b'] },
      inner: new Schema({ x: { type: Number, required: true } }, { _id: false }),
      counts: { type: Map, of: Number },
      ...{ id: Schema.Types.ObjectId, price: Schema.Types.Decimal128, big: BigInt, bytes: Buffer, day: Date },
    });
    const validator = { $jsonSchema: schema.toJSONSchema({ useBsonType: true }) };
    await connection.createCollection('validated', { validator });
    const Valid = mongoose.model('Valid', schema, 'validated');
    const { collection } = Valid;
    await Valid.create({ name: 'x', tags: ['t'], kind: 'a', inner: { x: 1 }, counts: { k: 1 }, big: 1n, price: '1.5' });
    const rulesOf = async work => {
      try {
        return await work();
      } catch ({ code, errInfo }) {
        return [code, errInfo.details];
      }
    };
    return [
      validator,
      await rulesOf(() => collection.insertOne({ name: 1 })),
      await rulesOf(() => collection.insertOne({ name: 'y', kind: 'c' })),
      await rulesOf(() => collection.updateOne({}, { $set: { 'inner.x': 'text' } })),
      await Valid.updateOne({}, { $set: { 'inner.x': 2 } }),
    ];
  });
  await step('storage: indexes of every kind are not created again', async () => {
    const schema = new Schema(
      {
        place: { type: [Number], index: '2dsphere' },
        flat: { type: [Number], index: '2d' },
        gone: { type: Date, expires: '90m' },
        hashed: { type: String, index: 'hashed' },
        title: String,
        body: String,
        n: Number,
      },
      { autoIndex: false },
    );
    schema.index({ n: 1, title: 'text', body: 'text' }, { weights: { title: 10 }, default_language: 'german' });
    schema.index({ '$**': 1 }, { wildcardProjection: { n: 1 } });
    schema.index({ n: -1 }, { sparse: true });
    schema.index({ n: 1 }, { collation: { locale: 'en', strength: 2 } });
    schema.index({ n: 1, title: 1 }, { partialFilterExpression: { n: { $gt: 1 } } });
    schema.index({ body: 1 }, { hidden: true, unique: true });
    const Every = mongoose.model('EveryIndex', schema);
    await Every.createCollection();
    await Every.createIndexes();
    return [await Every.listIndexes(), await Every.diffIndexes(), await Every.syncIndexes()];
  });
  await step('storage: functions in pipelines', async () => {
    const Word = mongoose.model('Word', new Schema({ text: String, n: Number }));
    await Word.create([
      { text: 'one', n: 1 },
      { text: 'two', n: 2 },
    ]);
    const isGreat = function () {
      return this.n > 1;
    };
    const $accumulator = {
      init: () => 0,
      accumulate: (sum, n) => sum + n,
      accumulateArgs: ['$n'],
      merge: (a, b) => a + b,
      lang: 'js',
    };
    return [
      await Word.aggregate([
        { $sort: { n: 1 } },
        { $project: { _id: 0, loud: { $function: { body: text => `${text}!`, args: ['$text'], lang: 'js' } } } },
      ]),
      await Word.aggregate([{ $group: { _id: null, sum: { $accumulator } } }]),
      (await Word.find({ $where: isGreat })).length,
      await thrownBy(() => Word.find({ $where: 'sleep(2000) || true' }).maxTimeMS(200)),
    ];
  });
  await step('storage: the profile', async () => {
    const Seen = mongoose.model('Seen', new Schema({ n: Number }));
    await Seen.create({ n: 1 });
    await connection.db.setProfilingLevel('all');
    await Seen.find({ n: 1 }).comment('c1');
    await Seen.updateOne({ n: 1 }, { n: 2 }).comment('c2');
    await Seen.aggregate([{ $match: { n: 2 } }]).option({ comment: 'c3' });
    await Seen.deleteOne({ n: 2 }).comment('c4');
    await connection.db.setProfilingLevel('off');
    const profile = connection.db.collection('system.profile');
    const entries = await profile
      .find({ 'command.comment': /^c/ }, { sort: { ts: 1, 'command.comment': 1 } })
      .toArray();
    await profile.drop();
    return entries.map(({ op, ns, command }) => [op, ns, command.comment]).sort();
  });
  await step('storage: explanations', async () => {
    const Plan = mongoose.model('Plan', new Schema({ n: { type: Number, index: true } }));
    await Plan.init();
    await Plan.create([{ n: 1 }, { n: 2 }]);
    const stagesOf = plan => [plan.stage, ...(plan.inputStage === undefined ? [] : stagesOf(plan.inputStage))];
    const told = ({ queryPlanner, executionStats }) => [
      stagesOf(queryPlanner.winningPlan),
      executionStats?.nReturned,
      executionStats?.allPlansExecution,
    ];
    return [
      told(await Plan.find({ n: 1 }).explain()),
      told(await Plan.find({ n: 1 }).explain('executionStats')),
      told(await Plan.find({ n: 1 }).explain('allPlansExecution')),
      told(await Plan.updateOne({ n: 1 }, { n: 5 }).explain('queryPlanner')),
      told(await Plan.deleteMany({ n: { $gt: 0 } }).explain('queryPlanner')),
      told(await Plan.distinct('n').explain('queryPlanner')),
      told(await Plan.find({ n: 1 }).hint({ _id: 1 }).explain('executionStats')),
      await thrownBy(() => Plan.find({ n: 1 }).hint('missing')),
      await Plan.countDocuments(),
    ];
  });
  await step('storage: geometry', async () => {
    const schema = new Schema({ name: String, at: { type: { type: String }, coordinates: [] } });
    schema.index({ at: '2dsphere' });
    const Site = mongoose.model('Site', schema);
    await Site.init();
    const point = (name, ...coordinates) => ({ name, at: { type: 'Point', coordinates } });
    await Site.create([point('a', 11, 12), point('b', 10, 10), point('c', 50, 50)]);
    const names = async query => (await query).map(({ name }) => name);
    const ring = [
      [0, 0],
      [20, 0],
      [20, 20],
      [0, 20],
      [0, 0],
    ];
    const line = [
      [10, 10],
      [20, 20],
    ];
    return [
      await names(Site.find({ at: { $nearSphere: [11, 12] } })),
      await names(
        Site.find()
          .where('at')
          .near({ center: [11, 12], maxDistance: 0.01, spherical: true }),
      ),
      await names(Site.find({ at: { $geoWithin: { $polygon: ring.slice(0, 4) } } }).sort('name')),
      await names(
        Site.find()
          .where('at')
          .within()
          .circle({ center: [11, 12], radius: 0.05, spherical: true }),
      ),
      await names(Site.find().where('at').intersects().geometry({ type: 'LineString', coordinates: line })),
      await thrownBy(() => Site.create(point('d', 200, 200))),
      await thrownBy(() => Site.countDocuments({ at: { $near: [0, 0] } })),
    ];
  });
  await step('storage: ids of elements', async () => {
    const Chat = mongoose.model('Chat', new Schema({ members: [{ $ref: String, $id: Schema.Types.ObjectId }] }));
    const id = new Types.ObjectId();
    await Chat.create({ members: [{ $ref: 'people', $id: id }] });
    return [
      await Chat.exists({ members: { $elemMatch: { $id: id } } }),
      await Chat.exists({ 'members.$id': String(id) }),
      await Chat.exists({ members: { $elemMatch: { $id: new Types.ObjectId() } } }),
    ];
  });
};
