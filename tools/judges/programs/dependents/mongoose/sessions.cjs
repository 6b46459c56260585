'use strict';
const { step, thrownBy, isSet } = require('../report.cjs');

module.exports = async mongoose => {
  const { Schema } = mongoose;
  const Account = mongoose.model(
    'Account',
    new Schema({ owner: { type: String, unique: true }, balance: { type: Number, min: 0 } }),
  );
  await Account.init();
  await Account.create([
    { owner: 'a', balance: 100 },
    { owner: 'b', balance: 0 },
  ]);
  const balances = async () =>
    (await Account.find().sort('owner').lean()).map(({ owner, balance }) => [owner, balance]);

  await step('a session', async () => {
    const session = await mongoose.startSession();
    const lastUse = session.serverSession.lastUse;
    const before = [
      session.constructor.name,
      session.inTransaction(),
      session.hasEnded,
      session.id.id.constructor.name,
      session.id.id.buffer.length,
      typeof lastUse,
      session.transaction?.constructor.name,
    ];
    await new Promise(resolve => setTimeout(resolve, 3));
    const found = await Account.findOne({ owner: 'a' }, null, { session });
    const used = [found.$session() === session, session.serverSession.lastUse > lastUse];
    await session.endSession();
    return [
      before,
      used,
      session.hasEnded,
      await thrownBy(() => Account.findOne().session(session)),
      await thrownBy(() => session.toBSON()),
    ];
  });
  await step('session properties', async () => {
    const session = await mongoose.startSession({
      causalConsistency: false,
      defaultTransactionOptions: { readConcern: { level: 'local' } },
    });
    const mark = Symbol('mark');
    session[mark] = 1;
    const [other] = [await mongoose.startSession()];
    const result = [
      session[mark],
      session.equals(session),
      session.equals(other),
      session.explicit,
      session.snapshotEnabled,
      session.supports,
      session.isPinned,
      session.loadBalanced,
    ];
    await session.endSession();
    await other.endSession();
    return result;
  });
  if (!isSet) {
    await step('a transaction on a standalone server', async () => {
      const session = await mongoose.startSession();
      const error = await thrownBy(() => session.withTransaction(() => Account.create([{ owner: 'x' }], { session })));
      await session.endSession();
      return error;
    });
    return;
  }
  await step('a transaction that commits', async () => {
    const result = await mongoose.connection.transaction(async session => {
      await Account.updateOne({ owner: 'a' }, { $inc: { balance: -10 } }, { session });
      const b = await Account.findOne({ owner: 'b' }).session(session);
      b.balance += 10;
      await b.save();
      return 'moved';
    });
    return [result, await balances()];
  });
  await step('a transaction that aborts', async () => {
    const doc = new Account({ owner: 'c', balance: 1 });
    const error = await thrownBy(() =>
      mongoose.connection.transaction(async session => {
        await doc.save({ session });
        await Account.deleteMany({ owner: 'a' }).session(session);
        throw new Error('changed my mind');
      }),
    );
    return [error, doc.isNew, await balances()];
  });
  await step('withTransaction, startTransaction, commit and abort', async () => {
    const session = await mongoose.startSession();
    const returned = await session.withTransaction(async () => {
      await Account.create([{ owner: 'd', balance: 4 }], { session });
      return {
        inside: session.inTransaction(),
        n: await Account.countDocuments({}, { session }),
        outside: await Account.countDocuments(),
      };
    });
    session.startTransaction({ readConcern: { level: 'snapshot' }, writeConcern: { w: 'majority' } });
    await Account.insertMany([{ owner: 'e' }, { owner: 'f' }], { session });
    const states = [session.transaction.state, session.transaction.isActive];
    await session.abortTransaction();
    states.push(session.transaction.state, session.inTransaction());
    session.startTransaction();
    await Account.aggregate([{ $match: {} }]).session(session);
    await session.commitTransaction();
    const errors = [
      await thrownBy(() => session.abortTransaction()),
      await thrownBy(async () => {
        session.startTransaction();
        session.startTransaction();
      }),
    ];
    await session.endSession();
    return [returned, states, errors, await balances()];
  });
  await step('errors inside of transactions', async () => {
    const session = await mongoose.startSession();
    session.startTransaction();
    const first = await thrownBy(() => Account.create([{ owner: 'a' }], { session }));
    const second = await thrownBy(() => Account.create([{ owner: 'g' }], { session }));
    await session.abortTransaction();
    await session.endSession();
    return [first, second];
  });
  await step('a write conflict', async () => {
    const [one, two] = [await mongoose.startSession(), await mongoose.startSession()];
    one.startTransaction();
    two.startTransaction();
    await Account.updateOne({ owner: 'a' }, { $inc: { balance: 1 } }).session(one);
    const error = await Account.updateOne({ owner: 'a' }, { $inc: { balance: 1 } })
      .session(two)
      .then(
        () => undefined,
        each => each,
      );
    await one.commitTransaction();
    await two.abortTransaction();
    await one.endSession();
    await two.endSession();
    return [
      error.name,
      error.code,
      error.codeName,
      error.hasErrorLabel('TransientTransactionError'),
      error.errorLabels,
    ];
  });
  await step('a session of another client', async () => {
    const other = await mongoose.createConnection(process.env.MONGODB_URI).asPromise();
    const session = await other.startSession();
    const error = await thrownBy(() => Account.findOne().session(session));
    await session.endSession();
    await other.close();
    return error;
  });
  await step('asyncLocalStorage', async () => {
    mongoose.set('transactionAsyncLocalStorage', true);
    await mongoose.connection.transaction(async () => {
      await Account.create([{ owner: 'h', balance: 1 }]);
      await Account.updateOne({ owner: 'h' }, { balance: 2 });
    });
    mongoose.set('transactionAsyncLocalStorage', false);
    return balances();
  });
  await step('withSession', async () => {
    const seen = [];
    await mongoose.connection.withSession(async session => {
      seen.push(session.inTransaction(), (await Account.find({}, null, { session })).length);
    });
    return seen;
  });
};
