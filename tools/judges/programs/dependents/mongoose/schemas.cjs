'use strict';
const { step, thrownBy, errorOf } = require('../report.cjs');

// Mongoose warns of a deprecated method that this file uses on purpose.
process.removeAllListeners('warning');

module.exports = async mongoose => {
  const { Schema, Types } = mongoose;
  const everything = new Schema(
    {
      name: {
        type: String,
        required: true,
        trim: true,
        lowercase: true,
        minlength: 2,
        maxlength: 20,
        match: /^[a-z ]+$/,
      },
      kind: { type: String, enum: ['a', 'b'], default: 'a' },
      age: { type: Number, min: 0, max: 150 },
      born: Date,
      alive: { type: Boolean, default: true },
      picture: Buffer,
      anything: Schema.Types.Mixed,
      list: [Number],
      parts: [new Schema({ label: String, size: { type: Number, required: true } })],
      one: new Schema({ a: Number, b: { c: String } }, { _id: false }),
      table: { type: Map, of: Number },
      price: Schema.Types.Decimal128,
      big: BigInt,
      double: Schema.Types.Double,
      int: Schema.Types.Int32,
      uuid: Schema.Types.UUID,
      ref: Schema.Types.ObjectId,
      hidden: { type: String, select: false },
      fixed: { type: String, immutable: true },
      alias: { type: String, alias: 'nickname' },
      even: { type: Number, validate: { validator: n => n % 2 === 0, message: ({ value }) => `${value} is odd` } },
      later: { type: Number, validate: async n => n !== 13 },
    },
    { timestamps: true, toJSON: { virtuals: true }, toObject: { getters: true }, collection: 'everything' },
  );
  everything.virtual('title').get(function title() {
    return `${this.name} (${this.age})`;
  });
  everything.method('older', function older(years) {
    return this.age + years;
  });
  everything.static('called', function called(name) {
    return this.find({ name });
  });
  everything.query.adult = function adult() {
    return this.where({ age: { $gte: 18 } });
  };
  const calls = [];
  for (const hook of ['validate', 'save', 'deleteOne', 'updateOne'])
    everything.pre(hook, { document: true, query: false }, () => void calls.push(`pre ${hook}`));
  for (const hook of ['validate', 'save', 'init']) everything.post(hook, () => void calls.push(`post ${hook}`));
  for (const hook of ['find', 'findOne', 'findOneAndUpdate', 'countDocuments', 'distinct', 'updateMany', 'deleteMany'])
    everything.pre(hook, function queryHook() {
      calls.push(`pre ${this.op}`);
    });
  everything.pre('aggregate', function aggregateHook() {
    calls.push(`pre aggregate ${this.pipeline().length}`);
  });
  everything.pre('insertMany', docs => void calls.push(`pre insertMany ${docs.length}`));
  everything.post('save', (error, _doc, next) => {
    calls.push(`error ${error.name}`);
    next(error);
  });
  everything.plugin(schema => schema.add({ plugged: { type: String, default: 'yes' } }));
  const All = mongoose.model('Everything', everything);
  await All.init();

  const full = {
    name: '  Ada L ',
    kind: 'b',
    age: '36',
    born: '1815-12-10',
    alive: 'yes',
    picture: 'bytes',
    anything: { deep: [1, { x: null }] },
    list: ['1', 2],
    parts: [{ label: 'x', size: '3' }],
    one: { a: 1, b: { c: 2 } },
    table: { x: 1, y: '2' },
    price: '12.345',
    big: '9007199254740993',
    double: '1.5',
    int: '7',
    uuid: '09190f70-3d30-11e5-8814-0f4df9a59c41',
    ref: '65a1b2c3d4e5f6a7b8c9d0e1',
    hidden: 'secret',
    fixed: 'stone',
    nickname: 'countess',
    even: 4,
    later: 12,
  };

  await step('create and cast', async () => (await All.create(full)).toObject());
  await step('stored types', async () => {
    const [types] = await All.collection
      .aggregate([
        {
          $project: {
            _id: 0,
            all: {
              $map: { input: { $objectToArray: '$$ROOT' }, in: { $concat: ['$$this.k', ':', { $type: '$$this.v' }] } },
            },
          },
        },
      ])
      .toArray();
    return types.all;
  });
  await step('read back', async () => (await All.findOne({ name: 'ada l' })).toJSON());
  await step('lean', () => All.findOne({ name: 'ada l' }).select('+hidden').lean());
  await step('lean with virtual defaults off', () => All.find().lean({ defaults: false }));
  await step('virtuals, methods, statics, query helpers', async () => {
    const doc = await All.findOne();
    return [
      doc.title,
      doc.older(4),
      (await All.called('ada l')).length,
      await All.find().adult().countDocuments(),
      doc.nickname,
    ];
  });
  await step('values of a document', async () => {
    const doc = await All.findOne();
    return {
      big: typeof doc.big,
      buffer: [doc.picture.constructor.name, doc.picture.toString(), doc.picture.equals(Buffer.from('bytes'))],
      decimal: [doc.price.constructor.name, doc.price.toString(), JSON.stringify(doc.price)],
      double: [doc.double.constructor.name, doc.double.valueOf()],
      uuid: [doc.uuid.constructor.name, String(doc.uuid)],
      id: [doc._id instanceof Types.ObjectId, doc._id instanceof mongoose.mongo.ObjectId, doc.ref._id === doc.ref],
      map: [doc.table instanceof Map, [...doc.table]],
      subdocument: [doc.parts[0].parent() === doc, doc.parts.id(doc.parts[0]._id).size, doc.one.b.c],
    };
  });
  await step('validation errors', async () => {
    const doc = new All({
      name: 'X',
      kind: 'z',
      age: -1,
      born: 'never',
      even: 3,
      later: 13,
      parts: [{}],
      int: 1.5,
      big: 'x',
    });
    const error = await doc.validate().then(
      () => undefined,
      thrown => thrown,
    );
    return Object.fromEntries(
      Object.entries(error.errors).map(([path, { name, kind, message }]) => [path, { name, kind, message }]),
    );
  });
  await step('validation errors of save', () => All.create({}));
  await step('validateSync', () => Object.keys(new All({ name: 'x'.repeat(30) }).validateSync().errors));
  await step('cast errors of queries', async () => [
    await thrownBy(() => All.findOne({ _id: 'nope' })),
    await thrownBy(() => All.find({ age: 'old' })),
    await thrownBy(() => All.updateOne({}, { $set: { age: {} } })),
  ]);
  await step('modified paths and versions', async () => {
    const doc = await All.findOne();
    doc.list.push(3);
    doc.parts.push({ label: 'y', size: 1 });
    doc.table.set('z', 3);
    doc.set('one.a', 5);
    doc.fixed = 'sand';
    doc.anything.deep.push('more');
    doc.markModified('anything');
    const modified = doc.modifiedPaths();
    await doc.save();
    const again = await All.findById(doc._id).lean();
    return {
      modified,
      version: doc.__v,
      list: again.list,
      table: again.table,
      fixed: again.fixed,
      one: again.one,
      anything: again.anything,
    };
  });
  await step('arrays', async () => {
    const doc = await All.findOne();
    doc.list.pull(2);
    await doc.save();
    doc.list.addToSet(9, 9);
    await doc.save();
    doc.list.splice(0, 1);
    await doc.save();
    doc.list.set(0, 42);
    await doc.save();
    return [doc.list.toObject(), doc.__v, (await All.findById(doc._id)).list.toObject()];
  });
  await step('concurrent change of an array', async () => {
    const [one, two] = [await All.findOne(), await All.findOne()];
    one.list = [1, 2, 3];
    await one.save();
    two.list.pull(1);
    two.list.set(0, 8);
    return two.save();
  });
  await step('optimistic concurrency', async () => {
    const Counter = mongoose.model('Counter', new Schema({ n: Number }, { optimisticConcurrency: true }));
    await Counter.create({ _id: new Types.ObjectId('65a1b2c3d4e5f6a7b8c9d0e2'), n: 1 });
    const [one, two] = [await Counter.findOne(), await Counter.findOne()];
    one.n = 2;
    await one.save();
    two.n = 3;
    return two.save();
  });
  await step('save of a deleted document', async () => {
    const doc = await All.create({ name: 'gone' });
    await All.deleteOne({ _id: doc._id });
    doc.age = 1;
    return doc.save();
  });
  await step('document methods', async () => {
    const doc = await All.create({ name: 'short lived' });
    const updated = await doc.updateOne({ $set: { age: 2 } });
    const deleted = await doc.deleteOne();
    return { updated, deleted: typeof deleted, left: await All.exists({ _id: doc._id }) };
  });
  await step('discriminators', async () => {
    const Event = mongoose.model('Event', new Schema({ at: Number }, { discriminatorKey: 'type' }));
    const Click = Event.discriminator('Click', new Schema({ url: { type: String, required: true } }));
    Event.discriminator('Buy', new Schema({ price: Number }), 'purchase');
    await Event.create([{ type: 'Click', at: 1, url: '/x' }, { type: 'purchase', at: 2, price: 3 }, { at: 3 }]);
    const all = await Event.find().sort('at');
    return {
      kinds: all.map(each => [each.constructor.modelName, each.type]),
      clicks: await Click.countDocuments(),
      missing: await thrownBy(() => Click.create({ at: 4 })),
      updated: await Click.updateMany({}, { url: '/y' }),
    };
  });
  await step('embedded discriminators', async () => {
    const shape = new Schema({ label: String }, { discriminatorKey: 'kind', _id: false });
    const drawing = new Schema({ shapes: [shape] });
    drawing.path('shapes').discriminator('circle', new Schema({ radius: Number }, { _id: false }));
    const Drawing = mongoose.model('Drawing', drawing);
    await Drawing.create({
      shapes: [
        { kind: 'circle', radius: '2', other: 1 },
        { label: 'x', radius: 3 },
      ],
    });
    return Drawing.findOne().select('-_id').lean();
  });
  await step('timestamps', async () => {
    const doc = await All.create({ name: 'clock' });
    const before = doc.updatedAt;
    await new Promise(resolve => setTimeout(resolve, 5));
    await All.updateOne({ _id: doc._id }, { age: 1 });
    const after = await All.findById(doc._id);
    const without = await All.findOneAndUpdate(
      { _id: doc._id },
      { age: 2 },
      { timestamps: false, returnDocument: 'after' },
    );
    return [after.updatedAt > before, +after.createdAt === +doc.createdAt, +without.updatedAt === +after.updatedAt];
  });
  await step('unknown types are rejected', async () =>
    errorOf(
      await new Promise(resolve => {
        try {
          resolve(new Schema({ x: { type: 'Nope' } }));
        } catch (error) {
          resolve(error);
        }
      }),
    ),
  );
  await step('middleware calls', () =>
    [...new Set(calls)].map(call => `${call} ${calls.filter(each => each === call).length}`),
  );
};
