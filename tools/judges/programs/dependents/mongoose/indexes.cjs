'use strict';
const { step, thrownBy } = require('../report.cjs');

const named = indexes =>
  indexes.map(index => ({ ...index, v: undefined, background: undefined })).sort((a, b) => (a.name < b.name ? -1 : 1));

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const schema = new Schema(
    {
      email: { type: String, unique: true, sparse: true },
      at: { type: Date, expires: '1h' },
      loc: { type: [Number], index: '2d' },
      words: String,
      a: Number,
      b: Number,
    },
    { autoIndex: false, collection: 'indexed' },
  );
  schema.index({ a: 1, b: -1 }, { name: 'pair', partialFilterExpression: { a: { $gt: 1 } } });
  schema.index({ words: 'text' }, { weights: { words: 3 }, default_language: 'none' });
  schema.index({ b: 1 }, { collation: { locale: 'en', strength: 2 } });
  const Indexed = mongoose.model('Indexed', schema);

  await step('createIndexes', async () => {
    await Indexed.createIndexes();
    return named(await Indexed.listIndexes());
  });
  await step('diffIndexes, syncIndexes, cleanIndexes', async () => {
    await Indexed.collection.createIndex({ extra: 1 });
    return [
      await Indexed.diffIndexes(),
      await Indexed.syncIndexes(),
      await Indexed.cleanIndexes(),
      await Indexed.diffIndexes(),
    ];
  });
  await step('an index that contradicts another', () =>
    mongoose
      .model(
        'Contrary',
        new Schema({ a: Number }, { autoIndex: false, collection: 'indexed' }).index({ a: 1, b: -1 }, { name: 'pair' }),
      )
      .createIndexes(),
  );
  await step('a unique index over duplicates', async () => {
    const Doubled = mongoose.model('Doubled', new Schema({ x: { type: Number, unique: true } }, { autoIndex: false }));
    await Doubled.collection.insertMany([{ x: 1 }, { x: 1 }]);
    const events = [];
    Doubled.on('index', error => events.push(error?.code));
    return [await thrownBy(() => Doubled.ensureIndexes()), events];
  });
  await step('the error of init', async () => {
    const Again = mongoose.model(
      'Again',
      new Schema({ x: { type: Number, unique: true } }, { collection: 'doubleds' }),
    );
    return Again.init();
  });
  await step('indexes of the native collection', async () => {
    const raw = Indexed.collection;
    return [
      await raw.indexExists('pair'),
      await raw.indexInformation(),
      Object.keys(await raw.indexInformation({ full: true })).length,
      (await raw.indexes()).length,
      await raw.dropIndex('pair'),
      await thrownBy(() => raw.dropIndex('pair')),
    ];
  });
  await step('collections', async () => {
    const Capped = mongoose.model(
      'Capped',
      new Schema({ n: Number }, { capped: { size: 4096, max: 2 }, autoCreate: false }),
    );
    await Capped.createCollection();
    await Capped.insertMany([{ n: 1 }, { n: 2 }, { n: 3 }]);
    const Series = mongoose.model(
      'Series',
      new Schema(
        { at: Date, meta: String },
        {
          timeseries: { timeField: 'at', metaField: 'meta', granularity: 'hours' },
          expireAfterSeconds: 86400,
          autoCreate: false,
        },
      ),
    );
    await Series.createCollection();
    const Clustered = mongoose.model(
      'Clustered',
      new Schema({ _id: String }, { clusteredIndex: { key: { _id: 1 }, unique: true }, autoCreate: false }),
    );
    await Clustered.createCollection();
    const found = await mongoose.connection.listCollections();
    return [
      await Capped.find().sort('$natural').select('n -_id').lean(),
      await Capped.collection.isCapped(),
      found
        .filter(({ name }) => ['cappeds', 'series', 'clustereds'].includes(name))
        .map(({ name, type, options }) => ({ name, type, options }))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    ];
  });
  await step('a view', async () => {
    const View = mongoose.model('View', new Schema({ a: Number }, { autoCreate: false, autoIndex: false }));
    await View.createCollection({ viewOn: 'indexed', pipeline: [{ $match: { a: 1 } }] });
    await Indexed.create({ a: 1 });
    return [
      (await View.find().select('-_id')).map(each => each.a),
      await thrownBy(() => View.create({ a: 2 }).then(() => 'created')),
    ];
  });
  await step('a validator of the server', async () => {
    const Strict = mongoose.model('Strict', new Schema({ n: Number }, { autoCreate: false }));
    await Strict.createCollection({
      validator: { $jsonSchema: { required: ['n'], properties: { n: { minimum: 5 } } } },
    });
    return Strict.create({ n: 1 });
  });
  await step('create twice, drop twice', async () => {
    const Twice = mongoose.model('Twice', new Schema({}, { autoCreate: false }));
    await Twice.createCollection();
    await Twice.createCollection();
    return [
      await thrownBy(() => mongoose.connection.db.createCollection('twice').then(made => made.namespace)),
      await thrownBy(() => Twice.collection.drop()),
      await thrownBy(() => Twice.collection.drop()),
    ];
  });
  await step('search indexes', async () => [
    await thrownBy(() => Indexed.createSearchIndex({ name: 's', definition: { mappings: { dynamic: true } } })),
    await thrownBy(() => Indexed.listSearchIndexes()),
  ]);
};
