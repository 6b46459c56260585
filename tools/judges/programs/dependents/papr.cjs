// Models of papr with schemas that the server validates.
'use strict';
const { MongoClient } = require('mongodb');
const papr = require('papr');
const { uri, step, done, thrownBy } = require('./report.cjs');

const Papr = papr.default;
const { schema, types } = papr;

(async () => {
  const client = await MongoClient.connect(uri);
  const db = client.db('papr');
  await db.dropDatabase();
  const instance = new Papr();
  const User = instance.model(
    'users',
    schema(
      { name: types.string({ required: true }), age: types.number({ minimum: 18 }), tags: types.array(types.string()) },
      { defaults: { age: 20 }, timestamps: true, validationAction: 'error', validationLevel: 'strict' },
    ),
  );
  instance.initialize(db);
  await step('updateSchemas', async () => {
    await instance.updateSchemas();
    await instance.updateSchemas();
    return (await db.listCollections().toArray()).map(({ name, options }) => [name, Object.keys(options).sort()]);
  });
  const plain = found => found && { name: found.name, age: found.age, created: found.createdAt instanceof Date };
  await step('insert and find', async () => {
    await User.insertOne({ name: 'Ann' });
    await User.insertMany([
      { name: 'Bob', age: 30 },
      { name: 'Cem', age: 40, tags: ['x'] },
    ]);
    return [
      plain(await User.findOne({ name: 'Ann' })),
      (await User.find({ age: { $gt: 25 } }, { sort: { age: -1 } })).map(plain),
      await User.countDocuments({}),
      await User.distinct('name', {}),
      await User.exists({ name: 'x' }),
    ];
  });
  await step('the validator', () => thrownBy(() => User.insertOne({ name: 'Kid', age: 5 })));
  await step('update, upsert, delete', async () => [
    (await User.updateOne({ name: 'Ann' }, { $set: { age: 50 } })).modifiedCount,
    plain(await User.findOneAndUpdate({ name: 'Bob' }, { $inc: { age: 1 } })),
    plain(await User.upsert({ name: 'Dan' }, { $set: { age: 19 } })),
    (await User.bulkWrite([{ insertOne: { document: { name: 'Eve' } } }, { deleteOne: { filter: { name: 'Cem' } } }]))
      .insertedCount,
    await User.bulkWrite([]),
    plain(await User.findOneAndDelete({ name: 'Eve' })),
    (await User.deleteMany({})).deletedCount,
  ]);
  await step('aggregate and cursor', async () => {
    await User.insertMany([{ name: 'A' }, { name: 'B' }]);
    const names = [];
    for await (const { name } of await User.findCursor({}, { sort: { name: 1 } })) names.push(name);
    return [names, await User.aggregate([{ $group: { _id: null, n: { $sum: 1 } } }])];
  });
  await client.close();
  done();
})();
