'use strict';
const { step, thrownBy, errorOf, isSet } = require('../report.cjs');

module.exports = async mongoose => {
  if (!isSet) return;
  const { Schema, connection } = mongoose;
  const Box = mongoose.model(
    'Box',
    new Schema({ _id: Number, n: Number, list: [Number], friend: { type: Number, ref: 'Box' } }),
  );
  await Box.init();
  const fresh = async () => {
    await Box.deleteMany({});
    await Box.insertMany([
      { _id: 1, n: 1, list: [1], friend: 2 },
      { _id: 2, n: 2 },
    ]);
  };
  const counts = async () => (await Box.find().sort('_id').lean()).map(({ _id, n }) => [_id, n]);
  /** Makes the next commands of a kind fail. */
  const failing = (data, mode = { times: 1 }) =>
    connection.db.admin().command({ configureFailPoint: 'failCommand', mode, data });

  await fresh();
  await step('transfers: documents and their session', async () => {
    const session = await connection.startSession();
    session.startTransaction();
    const doc = await Box.findById(1).session(session);
    doc.n = 10;
    await doc.save();
    const outside = (await Box.findById(1)).n;
    const [created] = await Box.create([{ _id: 3, n: 3 }], { session });
    created.n = 30;
    await created.save();
    await created.save();
    const found = await Box.findById(1).session(session).populate('friend');
    await doc.updateOne({ n: 11 });
    await created.deleteOne();
    const states = [doc.$session() === session, created.$session() === session, found.friend.n];
    await session.commitTransaction();
    await session.endSession();
    return [outside, states, doc.$session(), await counts()];
  });
  await step('transfers: documents after an abort', async () => {
    const doc = await Box.findById(1);
    const added = new Box({ _id: 4, n: 4 });
    const error = await thrownBy(() =>
      connection.transaction(async session => {
        doc.n = 99;
        doc.list.push(9);
        await doc.save({ session });
        await added.save({ session });
        throw new Error('abort');
      }),
    );
    const modified = [doc.isModified('n'), doc.isModified('list'), added.isNew, doc.__v];
    await doc.save();
    await added.save();
    return [error, modified, await counts()];
  });
  await step('transfers: a retry after a transient error', async () => {
    await failing({ failCommands: ['insert'], errorCode: 251, errorLabels: ['TransientTransactionError'] });
    let runs = 0;
    const result = await connection.transaction(async session => {
      runs += 1;
      await Box.create([{ _id: 50 + runs, n: runs }], { session });
      return runs;
    });
    return [result, runs, await counts()];
  });
  await step('transfers: a retry of the commit', async () => {
    await failing({ failCommands: ['commitTransaction'], errorCode: 91, errorLabels: ['RetryableWriteError'] });
    const session = await mongoose.startSession();
    let runs = 0;
    await session.withTransaction(async () => {
      runs += 1;
      await Box.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
    });
    const state = session.transaction.state;
    await session.endSession();
    return [runs, state, await counts()];
  });
  await step('transfers: a commit that fails', async () => {
    await failing({ failCommands: ['commitTransaction'], errorCode: 50 });
    const session = await mongoose.startSession();
    session.startTransaction();
    await Box.updateOne({ _id: 1 }, { $inc: { n: 100 } }, { session });
    const error = await session.commitTransaction().then(
      () => undefined,
      each => [errorOf(each), each.hasErrorLabel('UnknownTransactionCommitResult')],
    );
    await session.commitTransaction();
    await session.endSession();
    return [error, session.transaction.state, (await Box.findById(1)).n];
  });
  await step('transfers: errors of the function', async () => {
    const session = await mongoose.startSession();
    const errors = [
      await thrownBy(() => session.withTransaction(() => Promise.reject(new TypeError('mine')))),
      await thrownBy(() =>
        session.withTransaction(async () => {
          await session.abortTransaction();
          return 'ended by hand';
        }),
      ),
      await thrownBy(() =>
        session.withTransaction(async each => {
          await Box.updateOne({ _id: 1 }, { n: 1 }, { session: each });
          await each.commitTransaction();
          return 'committed by hand';
        }),
      ),
    ];
    await session.endSession();
    return errors;
  });
  await step('transfers: functions that return no promise', async () => {
    const session = await mongoose.startSession();
    const errors = [
      await thrownBy(() => session.withTransaction(() => undefined).then(String)),
      await thrownBy(() => session.withTransaction('no function')),
    ];
    await session.endSession();
    return errors;
  });
  await step('transfers: options', async () => {
    const session = await connection.startSession({
      defaultTransactionOptions: {
        readConcern: { level: 'snapshot' },
        writeConcern: { w: 'majority' },
        maxCommitTimeMS: 500,
      },
    });
    session.startTransaction();
    const { options } = session.transaction;
    const result = [
      options.readConcern?.level,
      options.writeConcern?.w,
      options.readPreference?.mode,
      session.transaction.isCommitted,
      session.transaction.isActive,
      session.transaction.isStarting,
    ];
    await Box.findOne().session(session);
    result.push(session.transaction.isPinned, session.transaction.isActive);
    await session.commitTransaction();
    result.push(session.transaction.isCommitted, session.transaction.isActive);
    const wrong = await thrownBy(async () => session.startTransaction({ writeConcern: { w: 0 } }));
    await session.endSession();
    return [result, wrong];
  });
  await step('transfers: a snapshot session', async () => {
    await fresh();
    const session = await connection.startSession({ snapshot: true });
    const before = await Box.findById(1).session(session);
    await Box.updateOne({ _id: 1 }, { n: 1000 });
    const after = await Box.findById(1).session(session);
    const result = [
      before.n,
      after.n,
      (await Box.findById(1)).n,
      session.snapshotEnabled,
      await Box.aggregate([{ $match: { _id: 1 } }, { $project: { n: 1 } }]).session(session),
      await thrownBy(() => Box.updateOne({ _id: 1 }, { n: 2 }, { session })),
      await thrownBy(async () => session.startTransaction()),
    ];
    await session.endSession();
    return result;
  });
  await step('transfers: bulk writes in a transaction', async () => {
    await fresh();
    const error = await thrownBy(() =>
      connection.transaction(async session => {
        await Box.bulkWrite([{ insertOne: { document: { _id: 5, n: 5 } } }, { deleteOne: { filter: { _id: 2 } } }], {
          session,
        });
        await Box.insertMany([{ _id: 6 }, { _id: 7 }], { session });
        const docs = await Box.find().session(session);
        for (const doc of docs) doc.n = 70;
        await Box.bulkSave(docs, { session });
        await Box.insertMany([{ _id: 6 }], { session });
      }),
    );
    return [error, await counts()];
  });
  await step('transfers: operations that a transaction rejects', async () => {
    const rejected = work => thrownBy(() => connection.transaction(work));
    return [
      await rejected(session => Box.estimatedDocumentCount({ session })),
      await rejected(session => Box.distinct('n').session(session)),
    ];
  });
  await step('transfers: options that a transaction rejects', async () => {
    const rejected = work => thrownBy(() => connection.transaction(work));
    return [
      await rejected(session => Box.find().session(session).read('secondary')),
      await rejected(session => Box.find().session(session).readConcern('majority')),
      await rejected(session => Box.updateOne({ _id: 1 }, { n: 1 }, { session, writeConcern: { w: 1 } })),
    ];
  });
  await step('transfers: two sessions at once', async () => {
    await fresh();
    const results = await Promise.allSettled(
      [1, 2, 3].map(i =>
        connection.transaction(async session => {
          const doc = await Box.findById(1).session(session);
          doc.n += i;
          await doc.save();
        }),
      ),
    );
    return [results.map(({ status }) => status), (await Box.findById(1)).n];
  });
  await step('transfers: asynchronous local storage', async () => {
    mongoose.set('transactionAsyncLocalStorage', true);
    const error = await thrownBy(() =>
      connection.transaction(async () => {
        await Box.updateOne({ _id: 1 }, { n: 5000 });
        await new Box({ _id: 80 }).save();
        await Box.aggregate([{ $count: 'n' }]);
        await Promise.all([Box.findOne({ _id: 2 }, null, { session: null }), Box.insertMany([{ _id: 81 }])]);
        throw new Error('abort');
      }),
    );
    mongoose.set('transactionAsyncLocalStorage', false);
    return [error, (await counts()).length];
  });
};
