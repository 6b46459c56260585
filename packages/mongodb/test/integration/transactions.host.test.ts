import type { EventMap } from '@tessera/contracts';
import type { Collection, Document } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';
import type { Numbered } from './deployment.js';

const deployment = useDeployment();

/** Returns an existing collection, because some servers cannot create one in a transaction. */
const films = async (): Promise<Collection<Numbered>> => {
  const collection = deployment.collection<Numbered>();
  await deployment.db.createCollection(collection.collectionName);
  return collection;
};

test('writes of a transaction are visible after the commit, not before', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await deployment.client.withSession(async session => {
    session.startTransaction();
    await collection.insertOne({ _id: 1 }, { session });
    await collection.insertMany(numbered(4).slice(2), { session });
    expect(await collection.countDocuments({}, { session })).toBe(3);
    expect(await collection.countDocuments()).toBe(0);
    await session.commitTransaction();
    expect(await collection.countDocuments()).toBe(3);
  });
});

test('writes of an aborted transaction are discarded', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await collection.insertOne({ _id: 0 });
  await deployment.client.withSession(async session => {
    session.startTransaction();
    await collection.updateOne({ _id: 0 }, { $set: { n: 1 } }, { session });
    await collection.deleteMany({}, { session });
    await collection.insertOne({ _id: 1 }, { session });
    await session.abortTransaction();
  });
  expect(await collection.find().toArray()).toEqual([{ _id: 0 }]);
});

test('a cursor in a transaction reads all its batches in the transaction', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await deployment.client.withSession(async session => {
    session.startTransaction();
    await collection.insertMany(numbered(5), { session });
    expect(await collection.find({}, { session, batchSize: 2 }).sort({ _id: 1 }).toArray()).toEqual(numbered(5));
    await session.commitTransaction();
  });
});

test('when two transactions change one document, the later one fails with a TransientTransactionError', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await collection.insertOne({ _id: 0 });
  const [first, second] = [deployment.client.startSession(), deployment.client.startSession()];
  first.startTransaction();
  second.startTransaction();
  await collection.updateOne({ _id: 0 }, { $set: { by: 1 } }, { session: first });
  const error = await errorOf(collection.updateOne({ _id: 0 }, { $set: { by: 2 } }, { session: second }));
  expect(error).toMatchObject({ codeName: 'WriteConflict', labels: ['TransientTransactionError'] });
  await second.abortTransaction();
  await first.commitTransaction();
  await second.withTransaction(() => collection.updateOne({ _id: 0 }, { $set: { by: 2 } }, { session: second }));
  expect(await collection.findOne()).toEqual({ _id: 0, by: 2 });
  await first.endSession();
  await second.endSession();
});

test("Convenient Transactions, prose test 1: withTransaction throws the callback's error unchanged, and nothing is written", async context => {
  needs(context, 'transactions');
  const collection = await films();
  const own = new Error('own');
  let calls = 0;
  await deployment.client.withSession(async session => {
    const error = await errorOf(
      session.withTransaction(async () => {
        calls += 1;
        await collection.insertOne({ _id: 1 }, { session });
        throw own;
      }),
    );
    expect(error).toBe(own);
  });
  expect([calls, await collection.countDocuments()]).toEqual([1, 0]);
});

test("Convenient Transactions, prose test 2: withTransaction returns the callback's value", async context => {
  needs(context, 'transactions');
  const collection = await films();
  const answer = { any: 'thing' };
  const answered = await deployment.client.withSession(session =>
    session.withTransaction(async () => {
      await collection.insertOne({ _id: 1 }, { session });
      return answer;
    }),
  );
  expect(answered).toBe(answer);
  expect(await collection.find().toArray()).toEqual([{ _id: 1 }]);
});

test('Transactions, prose test 1.0: a collection with an unacknowledged write concern takes part in a transaction', async context => {
  needs(context, 'transactions');
  const { collectionName } = await films();
  const client = deployment.another({ monitorCommands: true });
  const inserts: Document[] = [];
  client.on('commandStarted', ({ command }: EventMap['commandStarted']) => {
    if ('insert' in command) inserts.push(command);
  });
  const db = client.db(deployment.db.databaseName);
  const collection = db.collection<Document>(collectionName, { writeConcern: { w: 0 } });
  await client.withSession(async session => {
    session.startTransaction();
    await collection.insertOne({ n: 1 }, { session });
    await session.commitTransaction();
  });
  expect(inserts).toHaveLength(1);
  expect(inserts[0]).not.toHaveProperty('writeConcern');
  expect(await db.collection(collectionName).findOne({ n: 1 })).toMatchObject({ n: 1 });
});
