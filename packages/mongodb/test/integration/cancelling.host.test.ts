import { MongoOperationTimeoutError } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment, waitingPlace } from './deployment.js';

interface Item {
  _id: number;
}

const deployment = useDeployment();

test('an operation whose signal is aborted sends no command', async () => {
  const collection = deployment.collection<Item>();
  const error = await errorOf(collection.insertOne({ _id: 1 }, { signal: AbortSignal.abort(new Error('no')) }));
  expect(error.message).toBe('no');
  expect(await collection.findOne()).toBeNull();
});

test("abort ends a running operation with the signal's reason", async context => {
  needs(context, 'capped collections', 'awaited data');
  const client = deployment.another({ monitorCommands: true });
  const abort = new AbortController();
  const collection = client.db(deployment.db.databaseName).collection(await waitingPlace(deployment));
  const cursor = collection.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 5_000, signal: abort.signal });
  await cursor.next();
  const asked = new Promise<void>(resolve => client.once('commandStarted', () => resolve()));
  const failed = errorOf(cursor.next());
  await asked;
  const reason = new Error('the user left');
  abort.abort(reason);
  expect(await failed).toBe(reason);
  expect(await client.db().command({ ping: 1 })).toMatchObject({ ok: 1 });
});

test('abort ends a loop over a cursor', async context => {
  needs(context, 'cursor batches');
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(20));
  const abort = new AbortController();
  const seen: number[] = [];
  const loop = async (): Promise<void> => {
    for await (const { _id } of collection.find({}, { batchSize: 5, sort: { _id: 1 }, signal: abort.signal })) {
      seen.push(_id);
      if (_id === 7) abort.abort(new Error('at seven'));
    }
  };
  expect((await errorOf(loop())).message).toBe('at seven');
  expect(seen).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test('timeoutMS ends an operation that takes longer', async context => {
  needs(context, 'capped collections', 'awaited data');
  const collection = deployment.db.collection(await waitingPlace(deployment));
  const cursor = collection.find({}, { tailable: true, awaitData: true, timeoutMS: 400 });
  await cursor.next();
  expect(await errorOf(cursor.next())).toBeInstanceOf(MongoOperationTimeoutError);
  expect(await deployment.db.command({ ping: 1 }, { timeoutMS: 10_000 })).toMatchObject({ ok: 1 });
});
