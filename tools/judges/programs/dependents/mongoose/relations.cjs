'use strict';
const { step, thrownBy } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const { ObjectId } = Schema.Types;
  const person = new Schema({ _id: Number, name: String, boss: { type: Number, ref: 'Person' }, tags: [String] });
  person.virtual('reports', { ref: 'Person', localField: '_id', foreignField: 'boss' });
  person.virtual('assistant', { ref: 'Person', localField: '_id', foreignField: 'boss', justOne: true });
  person.virtual('others', {
    ref: 'Person',
    localField: 'boss',
    foreignField: 'boss',
    match: doc => ({ _id: { $ne: doc._id } }),
    options: { sort: { _id: -1 }, limit: 2 },
  });
  person.virtual('number', {
    ref: 'Person',
    localField: '_id',
    foreignField: 'boss',
    count: true,
    match: { tags: 'x' },
  });
  const Person = mongoose.model('Person', person);
  const task = new Schema({
    _id: Number,
    owner: { type: Number, ref: doc => (doc?.kind === 'none' ? 'Missing' : 'Person') },
    kind: String,
    team: [{ _id: false, who: { type: Number, ref: 'Person' }, role: String }],
    nested: { deep: [{ type: Number, ref: 'Person' }] },
    byName: { type: Map, of: new Schema({ who: { type: Number, ref: 'Person' } }, { _id: false }) },
    subject: { type: ObjectId, refPath: 'subjectModel' },
    subjectModel: String,
  });
  const Task = mongoose.model('Task', task);
  await Person.create([
    { _id: 1, name: 'boss' },
    { _id: 2, name: 'two', boss: 1, tags: ['x'] },
    { _id: 3, name: 'three', boss: 1 },
    { _id: 4, name: 'four', boss: 2, tags: ['x'] },
    { _id: 5, name: 'five', boss: 1, tags: ['x'] },
  ]);
  await Task.create([
    {
      _id: 1,
      owner: 2,
      team: [
        { who: 3, role: 'a' },
        { who: 99, role: 'b' },
        { who: 4, role: 'c' },
      ],
      nested: { deep: [4, 2] },
      byName: { a: { who: 5 } },
    },
    { _id: 2, owner: 77 },
    { _id: 3, owner: 1, team: [{ who: 1 }] },
  ]);
  const plain = found => JSON.parse(JSON.stringify(found));

  await step('relations: virtuals', async () =>
    (await Person.find().sort('_id').populate('reports assistant others number')).map(each => [
      each.reports.map(({ _id }) => _id).sort(),
      each.assistant?._id === undefined ? undefined : 'one',
      each.others?.map(({ _id }) => _id),
      each.number,
    ]),
  );
  await step('relations: deep', async () =>
    plain(
      await Task.findById(1)
        .populate({ path: 'owner', populate: { path: 'boss', select: 'name' } })
        .populate([
          { path: 'team.who', select: 'name', match: { tags: 'x' } },
          { path: 'nested.deep', options: { sort: { _id: 1 } } },
          { path: 'byName.$*.who', select: 'name -_id' },
        ])
        .lean(),
    ),
  );
  await step('relations: documents that are missing', async () => [
    (await Task.find().sort('_id').populate('owner')).map(({ owner }) => owner?.name),
    (await Task.findById(1).populate({ path: 'team.who', options: { retainNullValues: true } })).team.map(
      ({ who }) => who?.name,
    ),
    (await Task.findById(2).populate({ path: 'owner', transform: (doc, id) => doc ?? `no ${id}` })).owner,
  ]);
  await step('relations: limits', async () => [
    (
      await Person.find({ _id: { $in: [1, 2] } })
        .sort('_id')
        .populate({ path: 'reports', options: { limit: 1, sort: '_id' } })
    ).map(each => each.reports.length),
    (
      await Person.find({ _id: { $in: [1, 2] } })
        .sort('_id')
        .populate({ path: 'reports', perDocumentLimit: 2, options: { sort: '_id' } })
    ).map(each => each.reports.map(({ _id }) => _id)),
    (await Person.findById(1).populate({ path: 'reports', options: { skip: 1, sort: '-_id' } })).reports.map(
      ({ _id }) => _id,
    ),
  ]);
  await step('relations: other models and databases', async () => {
    const other = mongoose.connection.useDb('relations', { useCache: true });
    await other.dropDatabase();
    const Elsewhere = other.model('Elsewhere', new Schema({ _id: Number, place: String }));
    await Elsewhere.create({ _id: 2, place: 'far' });
    const found = await Task.findById(1).populate({ path: 'owner', model: Elsewhere });
    await other.dropDatabase();
    return found.owner.place;
  });
  await step('relations: errors', async () => [
    await thrownBy(() => Task.findById(1).populate('absent')),
    await thrownBy(() =>
      Task.findById(1)
        .populate({ path: 'absent', strictPopulate: false })
        .then(({ _id }) => _id),
    ),
    await thrownBy(() => Task.findById(1).populate({ path: 'owner', model: 'Unknown' })),
    await thrownBy(() => Person.populate(null, 'boss').then(String)),
  ]);
  await step('relations: of documents', async () => {
    const one = await Task.findById(1).populate('owner');
    one.owner.name = 'renamed';
    await one.owner.save();
    await one.populate({ path: 'owner', forceRepopulate: false });
    one.owner = 3;
    const saved = await one.save();
    const many = await Task.populate(await Task.find().sort('_id'), ['owner', { path: 'team.who' }]);
    const aggregated = await Task.aggregate([{ $match: { _id: 3 } }]);
    await Task.populate(aggregated, { path: 'owner' });
    return [
      saved.owner,
      one.populated('owner'),
      one.$populated?.('team.who'),
      many.map(each => each.owner?._id),
      aggregated[0].owner.name,
      one.$getPopulatedDocs().length,
      (await one.populate(['owner', 'nested.deep'])).nested.deep.map(({ _id }) => _id),
    ];
  });
  await step('relations: with cursors', async () => {
    const seen = [];
    await Task.find()
      .sort('_id')
      .populate('owner')
      .cursor({ batchSize: 2 })
      .eachAsync(each => void seen.push(each.owner?.name));
    await Task.find()
      .sort('_id')
      .populate('team.who')
      .cursor()
      .eachAsync(each => void seen.push(each.map(({ team }) => team.map(({ who }) => who?._id))), { batchSize: 2 });
    return seen;
  });
  await step('relations: $lookup', () =>
    Task.aggregate([
      { $match: { _id: { $lte: 2 } } },
      { $lookup: { from: 'people', localField: 'owner', foreignField: '_id', as: 'found' } },
      {
        $lookup: {
          from: 'people',
          let: { o: '$owner' },
          pipeline: [
            { $match: { $expr: { $eq: ['$boss', '$$o'] } } },
            { $project: { name: 1 } },
            { $sort: { _id: 1 } },
          ],
          as: 'under',
        },
      },
      {
        $graphLookup: {
          from: 'people',
          startWith: '$owner',
          connectFromField: 'boss',
          connectToField: '_id',
          as: 'up',
          depthField: 'depth',
        },
      },
      { $project: { found: '$found.name', under: '$under._id', up: { $size: '$up' } } },
      { $sort: { _id: 1 } },
    ]),
  );
};
