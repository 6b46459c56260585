'use strict';
const { once } = require('node:events');
const { Writable } = require('node:stream');
const { pipeline } = require('node:stream/promises');
const { step, thrownBy, errorOf, isSet } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const Flow = mongoose.model('Flow', new Schema({ _id: Number, name: String }, { versionKey: false }));
  await Flow.init();
  await Flow.insertMany(Array.from({ length: 10 }, (_, i) => ({ _id: i, name: `n${i}` })));
  const all = () => Flow.find().sort('_id');

  await step('flows: events of a query cursor', async () => {
    const events = [];
    const cursor = all().cursor({ batchSize: 3 });
    for (const name of ['cursor', 'end', 'close', 'error']) cursor.on(name, () => events.push(name));
    cursor.on('data', ({ _id }) => {
      events.push(_id);
      cursor.pause();
      setImmediate(() => cursor.resume());
    });
    await once(cursor, 'close');
    return events;
  });
  await step('flows: events of an aggregation cursor', async () => {
    const events = [];
    const cursor = Flow.aggregate([{ $sort: { _id: 1 } }, { $limit: 4 }]).cursor({ batchSize: 1 });
    for (const name of ['cursor', 'end', 'close', 'error']) cursor.on(name, () => events.push(name));
    cursor.on('data', ({ _id }) => events.push(_id));
    await once(cursor, 'close');
    return [events, cursor.closed, cursor.readableEnded];
  });
  await step('flows: a pipe', async () => {
    const written = [];
    const to = () =>
      new Writable({
        objectMode: true,
        write(chunk, _encoding, callback) {
          written.push(typeof chunk === 'string' ? chunk : chunk.name);
          callback();
        },
      });
    await pipeline(all().limit(3).cursor(), to());
    await pipeline(
      all()
        .limit(2)
        .cursor({ transform: doc => JSON.stringify(doc) }),
      to(),
    );
    await pipeline(Flow.aggregate([{ $sort: { _id: 1 } }, { $limit: 2 }]).cursor(), to());
    return written;
  });
  await step('flows: eachAsync', async () => {
    const seen = [];
    await all()
      .cursor()
      .eachAsync(async (doc, i) => void seen.push([doc._id, i]), { parallel: 4 });
    await Flow.aggregate([{ $sort: { _id: 1 } }, { $limit: 3 }])
      .cursor()
      .eachAsync((doc, i) => void seen.push([doc._id, i]));
    const failed = await thrownBy(() =>
      all()
        .cursor()
        .eachAsync(({ _id }) => {
          if (_id === 2) throw new Error('stop');
        }),
    );
    const continued = await all()
      .cursor()
      .eachAsync(
        ({ _id }) => {
          if (_id % 4 === 0) throw new Error(`bad ${_id}`);
        },
        { continueOnError: true },
      )
      .then(
        () => undefined,
        error => [error.name, error.errors?.map(({ message }) => message)],
      );
    return [seen, failed, continued];
  });
  await step('flows: eachAsync with a signal', async () => {
    const controller = new AbortController();
    const seen = [];
    await all()
      .cursor()
      .eachAsync(
        ({ _id }) => {
          seen.push(_id);
          if (_id === 3) controller.abort();
        },
        { signal: controller.signal },
      );
    return seen;
  });
  await step('flows: map, next, close', async () => {
    const cursor = all()
      .cursor()
      .map(doc => doc.name)
      .map(name => name.toUpperCase());
    const read = [await cursor.next(), await cursor.next()];
    let closed = 0;
    cursor.on('close', () => closed++);
    await cursor.close();
    const error = await thrownBy(() => cursor.next());
    const other = Flow.aggregate([{ $sort: { _id: 1 } }, { $limit: 1 }]).cursor();
    const rest = [await other.next(), await other.next()];
    await other.close();
    return [read, closed, error, rest, await thrownBy(() => other.next())];
  });
  await step('flows: errors of cursors', async () => [
    await thrownBy(() =>
      Flow.find({ _id: { $bad: 1 } })
        .setOptions({ strictQuery: false })
        .cursor()
        .next(),
    ),
    await thrownBy(() =>
      Flow.aggregate([{ $bad: 1 }])
        .cursor()
        .next(),
    ),
    await new Promise(resolve =>
      Flow.aggregate([{ $bad: 1 }])
        .cursor()
        .on('error', error => resolve(errorOf(error)))
        .on('data', () => undefined),
    ),
    await thrownBy(() => Flow.find({ _id: 'x' }).cursor().addCursorFlag('noCursorTimeout', true).next()),
    await thrownBy(async () => {
      for await (const doc of Flow.find({ _id: 'x' })) doc.nothing();
    }),
  ]);
  await step('flows: await using and early ends', async () => {
    const seen = [];
    const cursor = all().cursor({ batchSize: 2 });
    for await (const { _id } of cursor) {
      seen.push(_id);
      if (_id === 2) break;
    }
    const after = [cursor.destroyed, await thrownBy(() => cursor.next())];
    const dispose = typeof all().cursor()[Symbol.asyncDispose ?? Symbol.for('none')];
    return [seen, after, dispose];
  });
  await step('flows: a tailable cursor', async () => {
    const Log = mongoose.model('FlowLog', new Schema({ n: Number }, { capped: 4096, autoCreate: false }));
    await Log.createCollection();
    await Log.create([{ n: 1 }, { n: 2 }], { ordered: true });
    const cursor = Log.find().tailable({ awaitData: true }).cursor();
    const read = [(await cursor.next()).n, (await cursor.next()).n];
    const next = cursor.next();
    await Log.create({ n: 3 });
    read.push((await next).n);
    await cursor.close();
    return [read, (await Log.collection.options()).capped, await Log.collection.isCapped()];
  });
  if (!isSet) return;
  await step('flows: change events of every kind', async () => {
    const database = mongoose.connection.useDb('flows');
    await database.dropDatabase();
    const stream = database.watch();
    await once(stream, 'ready');
    const seen = [];
    const ended = new Promise(resolve => {
      stream.on('change', ({ operationType, ns, to }) => {
        seen.push([operationType, ns?.coll, to?.coll]);
        if (operationType === 'invalidate') resolve();
      });
    });
    const Noted = database.model('Noted', new Schema({ _id: Number, n: Number }, { versionKey: false }));
    await Noted.init();
    await Noted.create({ _id: 1, n: 1 });
    await Noted.updateOne({ _id: 1 }, { n: 2 });
    await Noted.collection.rename('renamed');
    await database.createCollection('kept');
    await database.dropCollection('renamed');
    await database.dropDatabase();
    await ended;
    await stream.close();
    return seen;
  });
  await step('flows: images before and after a change', async () => {
    const Imaged = mongoose.model(
      'Imaged',
      new Schema({ _id: Number, n: Number, m: String }, { versionKey: false, autoCreate: false }),
    );
    await Imaged.createCollection({ changeStreamPreAndPostImages: { enabled: true } });
    const stream = Imaged.watch([], {
      fullDocument: 'required',
      fullDocumentBeforeChange: 'whenAvailable',
      hydrate: true,
    });
    await once(stream, 'ready');
    const seen = [];
    const three = new Promise(resolve => {
      stream.on('change', change => {
        seen.push([
          change.operationType,
          change.fullDocumentBeforeChange?.n,
          change.fullDocument?.n,
          change.fullDocument?.constructor.modelName,
          change.updateDescription,
          typeof change.clusterTime,
          change.wallTime instanceof Date,
        ]);
        if (seen.length === 3) resolve();
      });
    });
    await Imaged.create({ _id: 1, n: 1, m: 'x' });
    await Imaged.findOneAndUpdate({ _id: 1 }, { $inc: { n: 5 }, $unset: { m: 1 } });
    await Imaged.findByIdAndDelete(1);
    await three;
    const tokens = [typeof stream.resumeToken, stream.closed];
    await stream.close();
    return [seen, tokens, stream.closed];
  });
  await step('flows: change streams by hasNext and iteration', async () => {
    const stream = Flow.watch([{ $match: { 'fullDocument._id': { $gte: 20 } } }], { fullDocument: 'updateLookup' });
    const first = stream.hasNext();
    await new Promise(resolve => setTimeout(resolve, 100));
    await Flow.create([{ _id: 20 }, { _id: 21 }], { ordered: true });
    const seen = [await first, (await stream.next()).documentKey];
    for await (const change of stream.driverChangeStream ?? stream) {
      seen.push(change.documentKey);
      break;
    }
    await stream.close();
    return seen;
  });
  await step('flows: a change stream that starts at a time', async () => {
    const session = await mongoose.startSession();
    await Flow.findOne().session(session);
    const startAtOperationTime = session.operationTime;
    await session.endSession();
    await Flow.create({ _id: 30 });
    const stream = Flow.watch([], { startAtOperationTime });
    const change = await stream.next();
    await stream.close();
    return [startAtOperationTime.constructor.name, change.operationType, change.documentKey];
  });
};
