'use strict';
const { step, thrownBy } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const schema = new Schema(
    {
      _id: Number,
      name: String,
      n: Number,
      bits: Number,
      list: [Number],
      parts: [{ _id: false, a: Number, b: String }],
      at: { type: [Number], index: '2d' },
      area: { type: Object },
      table: { type: Map, of: new Schema({ x: Number }, { _id: false }) },
      nested: { deep: { value: Number } },
      gone: String,
    },
    { versionKey: false, collection: 'helpers' },
  );
  schema.index({ area: '2dsphere' });
  const Thing = mongoose.model('Helped', schema);
  await Thing.init();
  const square = (x, y, size) => [
    [
      [x, y],
      [x + size, y],
      [x + size, y + size],
      [x, y + size],
      [x, y],
    ],
  ];
  await Thing.insertMany(
    Array.from({ length: 12 }, (_, i) => ({
      _id: i,
      name: `thing ${String.fromCharCode(97 + (i % 5))}`,
      n: i % 4,
      bits: i,
      list: [i, i + 1, i + 2],
      parts: [
        { a: i, b: 'x' },
        { a: i * 2, b: i % 2 ? 'odd' : 'even' },
      ],
      at: [i, i],
      area: { type: 'Polygon', coordinates: square(i, i, 1) },
      table: { k: { x: i } },
      nested: { deep: { value: i * 10 } },
      ...(i % 3 === 0 && { gone: 'here' }),
    })),
  );
  const ids = query => query.then(found => found.map(({ _id }) => _id));
  const sorted = query => ids(query.sort('_id'));

  await step('helpers: comparisons', async () => [
    await sorted(Thing.where('n').equals(2)),
    await sorted(Thing.where('n').ne(2).where('_id').lt(6)),
    await sorted(Thing.where('n').nin([0, 1, 2])),
    await sorted(Thing.where('n').gt(1).lte(3)),
    await sorted(Thing.where('_id').mod(5, 2)),
    await sorted(Thing.where('gone').exists()),
    await sorted(Thing.where('gone').exists(false).where('_id').gte(6)),
    await sorted(Thing.where('name').regex(/A$/i)),
    await sorted(Thing.where('list').all([4, 5])),
    await sorted(Thing.where('list').size(3).where('_id').lt(3)),
    await sorted(Thing.where('parts').elemMatch({ a: { $gt: 8 }, b: 'even' })),
    await sorted(Thing.where('parts').elemMatch(part => part.where('a', 3).where('b', 'x'))),
    await sorted(Thing.find({ n: [1, 2] })),
    await sorted(Thing.find({ bits: { $bitsAllSet: 3 } })),
    await sorted(Thing.find({ bits: { $bitsAnyClear: [0, 1] } })),
    await sorted(Thing.find({ n: { $type: 'number' }, _id: { $in: ['1', '2'] } })),
    await sorted(Thing.find({ 'nested.deep.value': { $not: { $gte: 20 } } })),
    await sorted(Thing.find({ 'table.k.x': 4 })),
    await sorted(Thing.find({ $expr: { $gt: ['$bits', { $multiply: ['$n', 3] }] } })),
    await sorted(Thing.find({ $nor: [{ n: 1 }, { n: 2 }], $or: [{ _id: 0 }, { _id: 3 }] })),
    await sorted(Thing.$where('this.n === 3')),
  ]);
  await step('helpers: places', async () => [
    await sorted(Thing.where('at').within().box([1, 1], [3, 3])),
    await sorted(
      Thing.where('at')
        .within()
        .circle({ center: [5, 5], radius: 1.5 }),
    ),
    await sorted(Thing.where('at').within().polygon([0, 0], [4, 0], [4, 4])),
    await sorted(
      Thing.where('at')
        .within()
        .circle({ center: [5, 5], radius: 0.03, spherical: true }),
    ),
    await ids(
      Thing.where('at')
        .near({ center: [2, 2], maxDistance: 2 })
        .limit(3),
    ),
    await ids(
      Thing.where('at')
        .near({ center: [2, 2], maxDistance: 0.05, spherical: true })
        .limit(3),
    ),
    await sorted(
      Thing.where('area')
        .intersects()
        .geometry({
          type: 'LineString',
          coordinates: [
            [0.5, 0.5],
            [2.5, 2.5],
          ],
        }),
    ),
    await sorted(
      Thing.where('area')
        .within()
        .geometry({ type: 'Polygon', coordinates: square(-1, -1, 4) }),
    ),
  ]);
  await step('helpers: projections', async () => [
    await Thing.findById(1).select('name -_id').lean(),
    await Thing.findById(1)
      .select({ list: { $slice: [1, 1] }, name: 1 })
      .lean(),
    await Thing.findById(1).slice('list', -1).select('list').lean(),
    await Thing.findById(2)
      .select({ parts: { $elemMatch: { b: 'even' } } })
      .lean(),
    await Thing.findOne({ _id: 3, 'parts.a': 6 }).select('parts.$').lean(),
    (await Thing.findById(1).select('-parts -area -table -list -at')).toObject(),
    await Thing.findById(1)
      .select({ double: { $multiply: ['$n', 2] }, _id: 0 })
      .lean(),
    (await Thing.findById(1).select('name')).$__.selected,
    (await Thing.findById(1).select('name')).isSelected('n'),
    Thing.find().select('name').selectedInclusively(),
    Thing.find().select('-name').selectedExclusively(),
    await thrownBy(() => Thing.findById(1).select({ name: 1, n: 0 })),
    await Thing.findById(1).setOptions({ sanitizeProjection: true }).select({ name: '$n' }).lean(),
  ]);
  await step('helpers: options', async () => {
    const query = Thing.find()
      .limit(2)
      .skip(1)
      .sort([['_id', -1]])
      .w(1)
      .j(true)
      .wtimeout(500)
      .maxTimeMS(1000)
      .read('s')
      .readConcern('l')
      .comment('x')
      .hint({ _id: 1 })
      .collation({ locale: 'en' })
      .lean();
    const copy = query.toConstructor();
    return [
      query.getOptions(),
      query.mongooseOptions(),
      await ids(Thing.find().merge(Thing.where('n').equals(1)).sort('_id')),
      (await copy().read('primary')).length,
      await Thing.find()
        .sort('-_id')
        .limit(1)
        .transform(found => found.map(each => each.name)),
      query.get('n'),
      query.getQuery(),
      query.projection(),
      query.model.modelName,
      query.op,
    ];
  });
  await step('helpers: writeConcern of a write', async () => [
    await Thing.updateOne({ _id: 1 }, { name: 'w' }).writeConcern({ w: 'majority', wtimeout: 1000 }),
    await Thing.updateOne({ _id: 1 }, { name: 'w' }).w(1).j(false).wtimeout(10),
    await Thing.deleteOne({ _id: 99 }).w('majority'),
  ]);
  await step('helpers: distinct and counts', async () => [
    (await Thing.distinct('parts.b')).sort(),
    (await Thing.find({ n: 1 }).distinct('list')).sort((a, b) => a - b),
    await Thing.find({ n: { $gt: 1 } }).countDocuments(),
    await Thing.countDocuments().limit(5),
    await Thing.countDocuments({ n: 1 }).skip(1),
    await Thing.countDocuments({ name: /A$/ }).collation({ locale: 'en', strength: 1 }),
    await Thing.estimatedDocumentCount({ maxTimeMS: 1000 }),
    await Thing.exists({ n: 77 }),
    (await Thing.exists({ n: 1 }))._id !== undefined,
  ]);
  await step('helpers: sorts', async () => [
    await ids(Thing.find().sort({ n: 'descending', _id: 'asc' }).limit(4)),
    await ids(
      Thing.find()
        .sort(
          new Map([
            ['n', 1],
            ['_id', -1],
          ]),
        )
        .limit(4),
    ),
    await ids(
      Thing.find()
        .sort([
          ['n', -1],
          ['_id', 1],
        ])
        .limit(2),
    ),
    await thrownBy(() => Thing.find().sort({ n: 'up' })),
    await ids(Thing.find().sort('n').sort('-_id').limit(2)),
  ]);
  await step('helpers: lean', async () => {
    const [found] = await Thing.find({ _id: 1 }).lean();
    return [
      found.constructor.name,
      found.table.constructor.name,
      found.list.constructor.name,
      Object.getPrototypeOf(found) === Object.prototype,
      await Thing.find({ _id: 1 })
        .select('list')
        .lean({ transform: doc => ({ ...doc, seen: true }) }),
    ];
  });
  await step('helpers: safe filters', async () => [
    await ids(Thing.find({ n: { $gt: 2 } }).setOptions({ sanitizeFilter: true })).catch(({ name }) => name),
    await sorted(Thing.find({ n: mongoose.trusted({ $gt: 2 }) }).setOptions({ sanitizeFilter: true })),
    await sorted(Thing.find({ unknown: 1, n: 3 })),
    await sorted(Thing.find({ unknown: 1, n: 3 }).setOptions({ strictQuery: false })),
    await thrownBy(() => Thing.find({ unknown: 1 }).setOptions({ strictQuery: 'throw' })),
    await sorted(Thing.find({ _id: { $in: [] } })),
    await sorted(Thing.find({ name: undefined, n: 3 })),
    await sorted(Thing.find({ gone: null, n: 3 })),
  ]);
  await step('helpers: middleware of queries', async () => {
    const calls = [];
    const hooked = new Schema({ _id: Number, n: Number }, { versionKey: false, collection: 'hooked' });
    for (const name of ['find', 'findOne', 'updateOne', 'deleteOne', 'findOneAndUpdate', 'replaceOne', 'distinct']) {
      hooked.pre(name, function before() {
        calls.push(`pre ${name} ${this.op}`);
      });
      hooked.post(name, result => void calls.push(`post ${name} ${typeof result}`));
    }
    hooked.post('findOneAndUpdate', (error, _doc, next) => {
      calls.push(`error ${error.name} ${error.code}`);
      next(error);
    });
    hooked.pre('bulkWrite', operations => void calls.push(`pre bulkWrite ${operations.length}`));
    hooked.pre('createCollection', () => void calls.push('pre createCollection'));
    hooked.index({ n: 1 }, { unique: true });
    const Hooked = mongoose.model('Hooked', hooked);
    await Hooked.init();
    await Hooked.create([
      { _id: 1, n: 1 },
      { _id: 2, n: 2 },
    ]);
    await Hooked.find();
    await Hooked.findById(1);
    await Hooked.updateOne({ _id: 1 }, { n: 5 });
    await Hooked.replaceOne({ _id: 1 }, { n: 6 });
    await Hooked.distinct('n');
    await Hooked.bulkWrite([{ deleteOne: { filter: { _id: 9 } } }]);
    const error = await thrownBy(() => Hooked.findOneAndUpdate({ _id: 1 }, { n: 2 }));
    await Hooked.deleteOne({ _id: 1 });
    return [calls, error];
  });
  const planned = async query => {
    const [plan] = [await query].flat();
    if (plan === null || typeof plan !== 'object') return plan;
    return Object.keys(plan).filter(key => ['queryPlanner', 'executionStats', 'stages', 'ok'].includes(key));
  };
  await step('helpers: explain', async () => {
    return [
      await planned(Thing.find({ n: 1 }).explain()),
      await planned(Thing.findOne({ n: 1 }).explain('executionStats')),
      await planned(Thing.countDocuments({ n: 1 }).explain('queryPlanner')),
      await planned(Thing.distinct('n').explain('queryPlanner')),
      await planned(Thing.updateOne({ n: 1 }, { n: 1 }).explain('queryPlanner')),
      await planned(Thing.deleteMany({ n: 100 }).explain('queryPlanner')),
      await planned(Thing.aggregate([{ $match: { n: 1 } }]).explain('executionStats')),
      await thrownBy(() => Thing.find().explain('nonsense')),
    ];
  });
  await step('helpers: explain of findOneAndUpdate', () =>
    planned(Thing.findOneAndUpdate({ n: 1 }, { n: 1 }).explain('queryPlanner')),
  );
  await step('helpers: signals', async () => {
    const aborted = AbortSignal.abort(new Error('not now'));
    return [
      await thrownBy(() => Thing.find({}, null, { signal: aborted })),
      await thrownBy(() => Thing.findOne({}).setOptions({ signal: aborted })),
      await thrownBy(() => Thing.aggregate([{ $match: {} }]).option({ signal: aborted })),
      (await Thing.find({}, null, { signal: new AbortController().signal })).length,
    ];
  });
  await step('helpers: static methods', async () => [
    Thing.hydrate({ _id: 1, name: 'h' }).isNew,
    Thing.castObject({ n: '1', list: ['2'] }),
    await thrownBy(() => Thing.validate({ n: 'x' })),
    Thing.applyDefaults({ name: 'd' }),
    Thing.inspect(),
    Thing.translateAliases({ name: 1 }),
    await Thing.startSession().then(async session => {
      await session.endSession();
      return session.hasEnded;
    }),
    Thing.collection.collectionName,
    Thing.db === mongoose.connection,
  ]);
};
