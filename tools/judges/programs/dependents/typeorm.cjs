// Entities of typeorm, which are stored in MongoDB.
'use strict';
require('reflect-metadata');
const { DataSource, EntitySchema } = require('typeorm');
const { ObjectId } = require('mongodb');
const { uri, step, done, thrownBy } = require('./report.cjs');

const User = new EntitySchema({
  name: 'User',
  columns: {
    id: { type: String, objectId: true, primary: true, generated: true },
    name: { type: String },
    age: { type: Number, nullable: true },
    tags: { type: 'simple-array', nullable: true },
    createdAt: { type: Date, createDate: true },
  },
  indices: [{ name: 'byName', columns: ['name'], unique: true, sparse: false }],
});

(async () => {
  const source = new DataSource({
    type: 'mongodb',
    url: uri.replace('/?', '/typeorm?').replace(/\/$/, '/typeorm'),
    entities: [User],
    synchronize: true,
    dropSchema: true,
  });
  await step('initialize', async () => (await source.initialize()).isInitialized);
  const users = source.getMongoRepository(User);
  await step('save and find', async () => {
    const saved = await users.save([
      { name: 'Ann', age: 30 },
      { name: 'Bob', age: 20 },
      { name: 'Cem', age: 40 },
    ]);
    return [
      saved.map(({ id }) => id instanceof ObjectId),
      (await users.find({ order: { name: 'ASC' } })).map(({ name, age }) => [name, age]),
      (await users.findOneBy({ name: 'Bob' })).age,
    ];
  });
  await step('conditions', async () => [
    (await users.find({ where: { age: { $gte: 30 } }, order: { age: 'DESC' } })).map(({ name }) => name),
    await users
      .findAndCount({ take: 1, skip: 1, order: { name: 'ASC' } })
      .then(([found, count]) => [found[0].name, count]),
    await users.countBy({ age: { $lt: 35 } }),
  ]);
  await step('update and delete', async () => {
    const ann = await users.findOneBy({ name: 'Ann' });
    ann.age = 31;
    await users.save(ann);
    const results = [
      await users.updateOne({ name: 'Bob' }, { $set: { age: 21 } }),
      await users.deleteOne({ name: 'Cem' }),
    ];
    return [
      results.map(({ matchedCount, modifiedCount, deletedCount }) => [matchedCount, modifiedCount, deletedCount]),
      (await users.find({ order: { name: 'ASC' } })).map(({ age }) => age),
    ];
  });
  await step('a duplicate', () => users.insertOne({ name: 'Ann' }));
  await step('native operations', async () => [
    await users.aggregate([{ $group: { _id: null, sum: { $sum: '$age' } } }]).toArray(),
    await users.distinct('name', {}),
    (await users.bulkWrite([{ insertOne: { document: { name: 'Dan' } } }, { deleteMany: { filter: { name: 'Dan' } } }]))
      .deletedCount,
    (await users.collectionIndexes()).map(({ name }) => name),
    (await users.findOneAndUpdate({ name: 'Ann' }, { $inc: { age: 1 } }, { returnDocument: 'after' }))?.age,
    (await users.initializeOrderedBulkOp().insert({ name: 'Eve' }).execute()).insertedCount,
  ]);
  await step('a cursor of entities', async () => {
    const names = [];
    const cursor = users.createEntityCursor({}).sort({ name: 1 });
    while (await cursor.hasNext()) names.push((await cursor.next()).name);
    return names;
  });
  await step('remove, clear and destroy', async () => {
    await users.remove(await users.findOneBy({ name: 'Eve' }));
    const left = await users.count();
    await users.clear();
    await source.destroy();
    return [left, await thrownBy(() => users.count())];
  });
  done();
})();
