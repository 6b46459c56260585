// The models of a connection, its collections and the order of its events.
'use strict';
const { uri, isSet, step, thrownBy } = require('../report.cjs');

/** The events of a connection in the order in which mongoose emits them. */
const events = ['connecting', 'connected', 'open', 'disconnecting', 'disconnected', 'close', 'reconnected', 'error'];

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const connection = mongoose.createConnection(uri, { dbName: 'registry', autoIndex: false, autoCreate: false });
  await connection.asPromise();
  await connection.dropDatabase();

  await step('registry: models are deleted by name and by pattern', async () => {
    for (const name of ['Actor', 'ActorAward', 'Studio']) connection.model(name, new Schema({ name: String }));
    const steps = [connection.modelNames()];
    connection.deleteModel('Studio');
    steps.push(connection.modelNames(), await thrownBy(() => connection.model('Studio')));
    connection.deleteModel(/^Actor/);
    steps.push(connection.modelNames(), Object.keys(connection.collections));
    const Studio = connection.model('Studio', new Schema({ founded: Number }));
    const { founded } = await Studio.create({ founded: 1912, name: 'dropped' });
    return [...steps, founded, await connection.collection('studios').countDocuments()];
  });

  await step('registry: collections are created with the options of their schemas', async () => {
    connection.deleteModel(/./);
    connection.model('Log', new Schema({ text: String }, { capped: { size: 4096, max: 10 }, autoCreate: true }));
    connection.model(
      'Word',
      new Schema({ text: String }, { collation: { locale: 'en', strength: 2 }, autoCreate: true }),
    );
    const created = await connection.createCollections({ continueOnError: true });
    const infos = await connection.db.listCollections().toArray();
    const optionsOf = name => infos.find(info => info.name === name)?.options;
    return [
      Object.keys(created),
      optionsOf('logs')?.max,
      optionsOf('logs')?.capped,
      optionsOf('words')?.collation?.strength,
    ];
  });

  await step('registry: createCollection of a connection', async () => {
    const created = await connection.createCollection('reels', { capped: true, size: 8192 });
    const [info] = await connection.db.listCollections({ name: 'reels' }).toArray();
    return [
      [created.collectionName, info.options.size],
      await thrownBy(() => connection.createCollection('reels', { capped: false })),
      (await connection.listCollections()).map(({ name }) => name).sort(),
    ];
  });

  await step('registry: timestamps of writes without documents', async () => {
    connection.deleteModel(/./);
    const Film = connection.model(
      'Film',
      new Schema({ title: String, cuts: [new Schema({ n: Number }, { timestamps: true })] }, { timestamps: true }),
    );
    const { _id } = await Film.create({ title: 'Heat', cuts: [{ n: 1 }] });
    await Film.updateOne({ _id }, { $push: { cuts: { n: 2 } } });
    await Film.bulkWrite([{ updateOne: { filter: { _id }, update: { title: 'Heat 2' } } }]);
    await Film.updateOne({ _id }, { title: 'Heat 3' }, { timestamps: false });
    const film = await Film.findById(_id).lean();
    const fields = Object.keys(film).sort();
    return [fields, film.updatedAt > film.createdAt, film.cuts.map(cut => Object.keys(cut).sort())];
  });

  // The step 'a transaction on a standalone server' compares the other deployment.
  if (isSet)
    await step('registry: a session of withTransaction that fails', async () => {
      const Film = connection.model('Film');
      await Film.createCollection();
      const session = await connection.startSession();
      const calls = [];
      const failed = await thrownBy(() =>
        session.withTransaction(async () => {
          calls.push(session.inTransaction());
          await Film.create([{ title: 'Ronin' }], { session });
          throw new Error('the reason');
        }),
      );
      const state = [session.inTransaction(), session.hasEnded];
      await session.endSession();
      return [failed, calls, state, await Film.countDocuments({ title: 'Ronin' })];
    });

  await step('registry: aggregate with a cursor, and plans of queries', async () => {
    const Film = connection.model('Film');
    await Film.insertMany([{ title: 'a' }, { title: 'b' }, { title: 'c' }]);
    const titles = [];
    for await (const { title } of Film.aggregate([{ $sort: { title: 1 } }]).cursor({ batchSize: 1 }))
      titles.push(title);
    const cursor = Film.find({ title: { $in: ['a', 'b'] } })
      .sort('title')
      .cursor({ batchSize: 1, transform: film => film.title });
    const found = [];
    await cursor.eachAsync(title => found.push(title), { parallel: 1 });
    const plan = await Film.find({ title: 'a' }).explain('queryPlanner');
    return [titles, found, Object.keys(plan).includes('queryPlanner')];
  });

  await step('registry: the events of a connection that is closed and opened again', async () => {
    const seen = [];
    const other = mongoose.createConnection();
    for (const event of events) other.on(event, () => seen.push(`${event} ${other.readyState}`));
    await other.openUri(uri, { dbName: 'registry' });
    await other.close();
    await other.openUri(uri, { dbName: 'registry' });
    seen.push((await other.asPromise()) === other);
    await other.close(true);
    await other.destroy();
    return seen;
  });

  await connection.dropDatabase();
  await connection.close();
};
