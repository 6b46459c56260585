import type { EventMap } from '@tessera/contracts';
import type { Collection, Document } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, numbered, useRoom } from './deployment.js';
import type { Numbered } from './deployment.js';

const room = useRoom();

/** A collection that is there already: not every server makes one within a transaction. */
const films = async (): Promise<Collection<Numbered>> => {
  const collection = room.collection<Numbered>();
  await room.db.createCollection(collection.collectionName);
  return collection;
};

test('what a transaction wrote is there when it is committed, and not before', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await room.client.withSession(async session => {
    session.startTransaction();
    await collection.insertOne({ _id: 1 }, { session });
    await collection.insertMany(numbered(4).slice(2), { session });
    expect(await collection.countDocuments({}, { session })).toBe(3);
    expect(await collection.countDocuments()).toBe(0);
    await session.commitTransaction();
    expect(await collection.countDocuments()).toBe(3);
  });
});

test('what a transaction wrote is gone when it is aborted', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await collection.insertOne({ _id: 0 });
  await room.client.withSession(async session => {
    session.startTransaction();
    await collection.updateOne({ _id: 0 }, { $set: { n: 1 } }, { session });
    await collection.deleteMany({}, { session });
    await collection.insertOne({ _id: 1 }, { session });
    await session.abortTransaction();
  });
  expect(await collection.find().toArray()).toEqual([{ _id: 0 }]);
});

test('a cursor of a transaction reads within it, batch after batch', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await room.client.withSession(async session => {
    session.startTransaction();
    await collection.insertMany(numbered(5), { session });
    expect(await collection.find({}, { session, batchSize: 2 }).sort({ _id: 1 }).toArray()).toEqual(numbered(5));
    await session.commitTransaction();
  });
});

test('of two transactions that change one document the later fails, and may be tried again', async context => {
  needs(context, 'transactions');
  const collection = await films();
  await collection.insertOne({ _id: 0 });
  const [first, second] = [room.client.startSession(), room.client.startSession()];
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

test('Convenient Transactions, prose test 1: an error of the function comes out as it is, and nothing was written', async context => {
  needs(context, 'transactions');
  const collection = await films();
  const own = new Error('own');
  let calls = 0;
  await room.client.withSession(async session => {
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

test('Convenient Transactions, prose test 2: what the function answers is the answer', async context => {
  needs(context, 'transactions');
  const collection = await films();
  const answer = { any: 'thing' };
  const answered = await room.client.withSession(session =>
    session.withTransaction(async () => {
      await collection.insertOne({ _id: 1 }, { session });
      return answer;
    }),
  );
  expect(answered).toBe(answer);
  expect(await collection.find().toArray()).toEqual([{ _id: 1 }]);
});

test('Transactions, prose test 1.0: a collection without acknowledgement is part of a transaction all the same', async context => {
  needs(context, 'transactions');
  const { collectionName } = await films();
  const client = room.another({ monitorCommands: true });
  const inserts: Document[] = [];
  client.on('commandStarted', ({ command }: EventMap['commandStarted']) => {
    if ('insert' in command) inserts.push(command);
  });
  const db = client.db(room.db.databaseName);
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
