'use strict';
const { step, thrownBy } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const schema = new Schema(
    {
      title: String,
      year: Number,
      tags: [String],
      cast: [{ name: String, role: String }],
      rating: { votes: Number, mean: Number },
      place: { type: { type: String }, coordinates: [Number] },
    },
    { collection: 'films' },
  );
  schema.index({ place: '2dsphere' });
  schema.index({ title: 'text' });
  const Film = mongoose.model('Film', schema);
  await Film.init();
  await Film.insertMany(
    Array.from({ length: 20 }, (_, i) => ({
      _id: new mongoose.Types.ObjectId((0x65a1b2c3 + i).toString(16) + '0000000000000000'),
      title: `Film number ${i}${i % 4 === 0 ? ' special' : ''}`,
      year: 1990 + (i % 7),
      tags: ['all', i % 2 ? 'odd' : 'even'],
      cast: [{ name: `Actor ${i % 3}`, role: 'lead' }],
      rating: { votes: i * 10, mean: i / 4 },
      place: { type: 'Point', coordinates: [i / 10, 10 + i / 10] },
    })),
  );
  const titles = query => query.then(films => films.map(({ title }) => title));

  await step('find with operators', () =>
    titles(Film.find({ year: { $in: [1990, '1991'] }, tags: 'even', 'rating.votes': { $gt: 10 } }).sort({ title: 1 })),
  );
  await step('the query builder', () =>
    titles(
      Film.where('year')
        .gte(1992)
        .lte(1995)
        .where('tags')
        .in(['odd'])
        .sort('-year title')
        .skip(1)
        .limit(4)
        .select('title year'),
    ),
  );
  await step('$or, $and, $nor, $not', () =>
    titles(
      Film.find()
        .or([{ year: 1990 }, { year: 1996 }])
        .nor([{ tags: 'odd' }])
        .and([{ 'rating.mean': { $not: { $gt: 3 } } }])
        .sort('_id'),
    ),
  );
  await step('$elemMatch and $size', () =>
    titles(
      Film.find({ cast: { $elemMatch: { name: 'Actor 1', role: 'lead' } }, tags: { $size: 2 } })
        .sort('_id')
        .limit(3),
    ),
  );
  await step('projections', () =>
    Film.findOne({ year: 1990 })
      .sort('_id')
      .select({ title: 1, cast: { $slice: 1 }, 'rating.votes': 1, _id: 0 })
      .lean(),
  );
  await step('regular expressions', () => titles(Film.find({ title: /SPECIAL$/i }).sort('_id')));
  await step('text search', () =>
    Film.find({ $text: { $search: 'special' } }, { score: { $meta: 'textScore' }, title: 1, _id: 0 })
      .sort({ score: { $meta: 'textScore' }, _id: 1 })
      .lean(),
  );
  await step('geo: near', () =>
    titles(
      Film.find({ place: { $near: { $geometry: { type: 'Point', coordinates: [0.5, 10.5] }, $maxDistance: 40_000 } } }),
    ),
  );
  await step('geo: where().near()', () =>
    titles(
      Film.where('place').near({
        center: { type: 'Point', coordinates: [0.2, 10.2] },
        maxDistance: 20_000,
        spherical: true,
      }),
    ),
  );
  await step('geo: within', () =>
    titles(Film.find({ place: { $geoWithin: { $centerSphere: [[1, 11], 0.005] } } }).sort('_id')),
  );
  await step('geo: $geoNear', () =>
    Film.aggregate([
      {
        $geoNear: {
          near: { type: 'Point', coordinates: [1, 11] },
          distanceField: 'far',
          spherical: true,
          maxDistance: 30_000,
        },
      },
      { $project: { _id: 0, title: 1, far: { $round: ['$far', 0] } } },
    ]),
  );
  await step('counts', async () => [
    await Film.countDocuments({ tags: 'odd' }),
    await Film.estimatedDocumentCount(),
    await Film.exists({ year: 1 }),
    (await Film.exists({ year: 1990 })) !== null,
  ]);
  await step('distinct', async () => (await Film.distinct('year', { tags: 'odd' })).sort());
  await step('cursors', async () => {
    const seen = [];
    for await (const film of Film.find().sort('_id').limit(3).cursor({ batchSize: 2 })) seen.push(film.year);
    for await (const film of Film.find().sort('_id').limit(2)) seen.push(film.title);
    await Film.find()
      .sort('_id')
      .limit(4)
      .cursor()
      .eachAsync(film => void seen.push(film.rating.votes), { parallel: 2 });
    await Film.find()
      .sort('_id')
      .limit(5)
      .cursor()
      .eachAsync(films => void seen.push(films.length), { batchSize: 2 });
    return seen;
  });
  await step('cursor methods', async () => {
    const cursor = Film.find()
      .sort('_id')
      .limit(2)
      .lean()
      .cursor({ transform: film => film.title });
    const events = [];
    cursor.on('cursor', native => events.push(['cursor', native.constructor.name]));
    for (const event of ['close', 'error']) cursor.on(event, () => events.push(event));
    const read = [await cursor.next(), await cursor.next(), await cursor.next()];
    await cursor.close();
    return { read, events, after: await thrownBy(() => cursor.next()) };
  });
  await step('a stream of documents', async () => {
    const seen = [];
    await new Promise((resolve, reject) => {
      Film.find()
        .sort('_id')
        .limit(3)
        .cursor()
        .on('data', film => seen.push(film.title))
        .on('end', resolve)
        .on('error', reject);
    });
    return seen;
  });
  await step('an error of a cursor', async () => thrownBy(() => Film.find({ $where: 'nope(' }).cursor().next()));
  await step('a tailable cursor of a plain collection', () => thrownBy(() => Film.find().tailable().cursor().next()));
  await step(
    'addCursorFlag',
    async () => (await Film.find().limit(1).cursor().addCursorFlag('noCursorTimeout', true).next()) !== null,
  );
  await step('aggregate', () =>
    Film.aggregate()
      .match({ year: { $gte: 1991 } })
      .unwind('tags')
      .group({ _id: { year: '$year', tag: '$tags' }, count: { $sum: 1 }, best: { $max: '$rating.mean' } })
      .sort({ '_id.year': 1, '_id.tag': 1 })
      .limit(5),
  );
  await step('aggregate: facets, buckets, lookup', () =>
    Film.aggregate([
      {
        $facet: {
          years: [{ $sortByCount: '$year' }, { $sort: { _id: 1 } }, { $limit: 2 }],
          votes: [{ $bucket: { groupBy: '$rating.votes', boundaries: [0, 50, 100, 500], output: { n: { $sum: 1 } } } }],
          joined: [
            { $sort: { _id: 1 } },
            { $limit: 1 },
            { $lookup: { from: 'films', localField: 'year', foreignField: 'year', as: 'same' } },
            { $project: { _id: 0, n: { $size: '$same' } } },
          ],
        },
      },
    ]),
  );
  await step('aggregate: cursor and append', async () => {
    const seen = [];
    const aggregate = Film.aggregate([{ $sort: { _id: 1 } }])
      .append({ $limit: 3 })
      .option({ allowDiskUse: true });
    for await (const { title } of aggregate.cursor({ batchSize: 1 })) seen.push(title);
    return seen;
  });
  await step('aggregate: errors', async () => [
    await thrownBy(() => Film.aggregate([{ $nope: {} }])),
    await thrownBy(() => Film.aggregate([{ $project: { x: { $divide: [1, 0] } } }])),
  ]);
  await step('explain', async () => {
    const found = await Film.find({ year: 1990 }).explain('queryPlanner');
    const aggregated = await Film.aggregate([{ $match: { year: 1990 } }]).explain();
    return [
      Array.isArray(found) ? found.length : Object.keys(found).includes('queryPlanner'),
      Object.keys(aggregated).includes('queryPlanner'),
    ];
  });
  await step('options of queries', async () => [
    (await Film.find({ title: 'FILM NUMBER 1' }).collation({ locale: 'en', strength: 2 })).length,
    (await Film.find().hint({ _id: 1 }).maxTimeMS(5000).comment('tour').batchSize(3).read('primaryPreferred').limit(5))
      .length,
    await thrownBy(() => Film.find().hint({ nope: 1 })),
    await thrownBy(() => Film.find({ $nope: 1 }).setOptions({ strictQuery: false })),
    await thrownBy(() => Film.find({ year: { $nope: 1 } }).setOptions({ strictQuery: false })),
  ]);
  await step('orFail', () => Film.findOne({ title: 'missing' }).orFail());
  await step('findById of null', () => Film.findById(null));
  await step('a query runs once', async () => {
    const query = Film.findOne();
    await query;
    return query;
  });
  await step('getFilter, getOptions, clone', async () => {
    const query = Film.find({ year: 1990 }).limit(1).sort('title');
    return [query.getFilter(), query.getOptions(), (await query.clone()).length, (await query).length];
  });
  await step('native collection', async () => {
    const raw = Film.collection;
    const cursor = raw.find({ year: 1990 }, { projection: { _id: 0, title: 1 } }).sort({ _id: 1 });
    return [
      raw.name,
      raw.collectionName,
      raw.constructor.name,
      await cursor.toArray(),
      await raw.countDocuments(),
      (await raw.listIndexes().toArray()).map(({ name }) => name),
    ];
  });
};
