import assert from 'node:assert/strict';
import { check, skip, thrownBy } from './checks.mjs';
import { hasLog, isSet, noLog, noStepDown, stepDown } from './deployment.mjs';

/** @param {import('mongodb').MongoClient} client @param {import('mongodb').Db} db */
export async function sessions(client, db) {
  const fresh = async name => {
    await db
      .collection(name)
      .drop()
      .catch(() => undefined);
    return db.createCollection(name);
  };
  const inSession = async work => {
    const session = client.startSession();
    try {
      await work(session);
    } finally {
      await session.endSession();
    }
  };
  const whenLogged = (name, work) => (hasLog ? check(name, work) : skip(name, noLog));
  const whenSet = (name, work) => (isSet ? check(name, work) : skip(name, noStepDown));

  await whenLogged('a causally consistent session reads its own writes', async () => {
    const c = await fresh('causal');
    await inSession(async session => {
      for (let n = 1; n <= 5; n++) {
        await c.insertOne({ _id: n }, { session });
        const options = {
          session,
          readPreference: isSet ? 'secondaryPreferred' : 'primary',
          readConcern: { level: 'majority' },
        };
        assert.equal((await c.find({}, options).toArray()).length, n);
      }
      assert.ok(session.operationTime);
    });
  });

  await whenLogged('a transaction is invisible before its commit and visible afterwards', async () => {
    const [one, two] = [await fresh('txn1'), await fresh('txn2')];
    await inSession(async session => {
      session.startTransaction();
      await one.insertOne({ _id: 1 }, { session });
      await two.insertOne({ _id: 1 }, { session });
      assert.deepEqual(await one.find({}, { session }).toArray(), [{ _id: 1 }]);
      assert.equal(await one.findOne({}), null);
      await session.commitTransaction();
      await session.commitTransaction();
      assert.deepEqual([await one.countDocuments(), await two.countDocuments()], [1, 1]);
    });
  });

  await whenLogged('an aborted transaction leaves no changes', async () => {
    const c = await fresh('abort');
    await c.insertOne({ _id: 1, n: 1 });
    await inSession(async session => {
      session.startTransaction();
      await c.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session });
      await c.deleteOne({ _id: 1 }, { session });
      await session.abortTransaction();
      assert.deepEqual(await c.find().toArray(), [{ _id: 1, n: 1 }]);
    });
  });

  await whenLogged('the second of two conflicting transactions gets a TransientTransactionError', async () => {
    const c = await fresh('conflict');
    await c.insertOne({ _id: 1, n: 0 });
    await inSession(one =>
      inSession(async two => {
        one.startTransaction();
        two.startTransaction();
        await c.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: one });
        const error = await thrownBy(() => c.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { session: two }));
        assert.deepEqual([error.code, error.hasErrorLabel('TransientTransactionError')], [112, true]);
        await one.commitTransaction();
        await two.abortTransaction();
        assert.deepEqual(await c.findOne(), { _id: 1, n: 1 });
      }),
    );
  });

  await whenSet('a transaction with a step-down is carried out once', async () => {
    const c = await fresh('failover');
    await c.insertOne({ _id: 'sum', n: 0 });
    let attempts = 0;
    await inSession(session =>
      session.withTransaction(async () => {
        attempts += 1;
        await c.insertOne({ attempt: attempts }, { session });
        if (attempts === 1) await stepDown(client);
        await c.updateOne({ _id: 'sum' }, { $inc: { n: 1 } }, { session });
      }),
    );
    assert.deepEqual(
      [attempts > 1, await c.findOne({ _id: 'sum' }), await c.countDocuments()],
      [true, { _id: 'sum', n: 1 }, 2],
    );
  });

  await whenSet('writes continue after a step-down, each carried out once', async () => {
    const c = await fresh('retried');
    for (let n = 0; n < 20; n++) {
      if (n === 10) await stepDown(client);
      await c.updateOne({ _id: 1 }, { $inc: { n: 1 } }, { upsert: true, writeConcern: { w: 'majority' } });
    }
    assert.deepEqual(await c.findOne({}, { readConcern: { level: 'majority' } }), { _id: 1, n: 20 });
  });
}
