import type { EventMap } from '@tessera/contracts';
import type { ChangeStream, Collection, Document } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { needs, useDeployment } from './deployment.js';
import type { Numbered } from './deployment.js';

const deployment = useDeployment();

/** Returns an existing collection, so that the change stream reports no creation. */
const films = async (): Promise<Collection<Numbered>> => {
  const collection = deployment.collection<Numbered>();
  await deployment.db.createCollection(collection.collectionName);
  return collection;
};

/** Returns a change event without times, resume tokens and names. */
const summary = ({ operationType, documentKey, fullDocument, updateDescription }: Document): unknown[] =>
  [operationType, documentKey, fullDocument, updateDescription?.updatedFields].filter(part => part !== undefined);

const next = async (stream: ChangeStream<Numbered>, count: number): Promise<unknown[]> => {
  const changes: unknown[] = [];
  while (changes.length < count) changes.push(summary(await stream.next()));
  return changes;
};

test('a change stream returns changes in order', async context => {
  needs(context, 'change streams');
  const collection = await films();
  await using stream = collection.watch();
  await stream.open();
  await collection.insertOne({ _id: 1, n: 0 });
  await collection.updateOne({ _id: 1 }, { $set: { n: 1 } });
  await collection.replaceOne({ _id: 1 }, { n: 2 });
  await collection.deleteOne({ _id: 1 });
  expect(await next(stream, 4)).toEqual([
    ['insert', { _id: 1 }, { _id: 1, n: 0 }],
    ['update', { _id: 1 }, { n: 1 }],
    ['replace', { _id: 1 }, { _id: 1, n: 2 }],
    ['delete', { _id: 1 }],
  ]);
});

test('a pipeline filters changes, and updateLookup adds the document', async context => {
  needs(context, 'change streams');
  const collection = await films();
  await using stream = collection.watch([{ $match: { operationType: 'update' } }], { fullDocument: 'updateLookup' });
  await stream.open();
  await collection.insertOne({ _id: 1, n: 0 });
  await collection.updateOne({ _id: 1 }, { $set: { n: 1 } });
  expect(await next(stream, 1)).toEqual([['update', { _id: 1 }, { _id: 1, n: 1 }, { n: 1 }]]);
});

test('a database and a client watch all their collections', async context => {
  needs(context, 'change streams');
  const [one, other] = [await films(), await films()];
  const mine = [{ $match: { 'ns.db': deployment.db.databaseName, operationType: 'insert' } }];
  await using ofDatabase = deployment.db.watch<Numbered>(mine);
  await using ofDeployment = deployment.client.watch<Numbered>(mine);
  await ofDatabase.open();
  await ofDeployment.open();
  await one.insertOne({ _id: 1 });
  await other.insertOne({ _id: 2 });
  const expected = [
    ['insert', { _id: 1 }, { _id: 1 }],
    ['insert', { _id: 2 }, { _id: 2 }],
  ];
  expect([await next(ofDatabase, 2), await next(ofDeployment, 2)]).toEqual([expected, expected]);
});

test("a second stream resumes after the first one's token", async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch();
  await stream.open();
  await collection.insertMany([{ _id: 1 }, { _id: 2 }]);
  expect(await next(stream, 1)).toEqual([['insert', { _id: 1 }, { _id: 1 }]]);
  const token = stream.resumeToken;
  await stream.close();
  for (const options of [{ resumeAfter: token }, { startAfter: token }]) {
    await using another = collection.watch([], options);
    expect(await next(another, 1)).toEqual([['insert', { _id: 2 }, { _id: 2 }]]);
  }
});

test('a stream starts at startAtOperationTime', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const { operationTime } = await deployment.db.command({ ping: 1 });
  await collection.insertOne({ _id: 1 });
  await using stream = collection.watch([{ $match: { operationType: 'insert' } }], {
    startAtOperationTime: operationTime,
  });
  expect(await next(stream, 1)).toEqual([['insert', { _id: 1 }, { _id: 1 }]]);
});

test('tryNext returns null while there is no change, and the resume token advances', async context => {
  needs(context, 'change streams');
  const [collection, other] = [await films(), await films()];
  await using stream = collection.watch([], { maxAwaitTimeMS: 50 });
  expect(await stream.tryNext()).toBeNull();
  const before = stream.resumeToken;
  await other.insertOne({ _id: 1 });
  expect(await stream.tryNext()).toBeNull();
  expect(stream.resumeToken).not.toEqual(before);
});

test('a change listener receives changes until the stream is closed', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch();
  const changes: unknown[] = [];
  const three = new Promise<void>(resolve => {
    stream.on('change', change => {
      if (changes.push(summary(change)) === 3) resolve();
    });
  });
  await stream.open();
  await collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  await three;
  await stream.close();
  await collection.insertOne({ _id: 4 });
  expect(changes).toEqual([1, 2, 3].map(_id => ['insert', { _id }, { _id }]));
});

test('leaving a loop over stream() closes the change stream', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch();
  await stream.open();
  await collection.insertOne({ _id: 1 });
  for await (const change of stream.stream() as AsyncIterable<Document>) {
    expect(summary(change)).toEqual(['insert', { _id: 1 }, { _id: 1 }]);
    break;
  }
  await expect.poll(() => stream.closed).toBe(true);
});

test('dropping the collection ends the stream with an invalidate event, and startAfter resumes after it', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch();
  await stream.open();
  await collection.drop();
  expect(await next(stream, 2)).toEqual([['drop'], ['invalidate']]);
  const startAfter = stream.resumeToken;
  expect(await stream.tryNext()).toBeNull();
  expect(stream.closed).toBe(true);
  await using after = collection.watch([], { startAfter });
  await after.open();
  await collection.insertOne({ _id: 1 });
  expect(await next(after, 1)).toEqual([['insert', { _id: 1 }, { _id: 1 }]]);
});

test('a pipeline that removes the resume token ends the stream with an error', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch([{ $project: { _id: 0 } }]);
  await stream.open();
  await collection.insertOne({ _id: 1 });
  await expect(stream.next()).rejects.toThrow();
  expect(stream.closed).toBe(true);
});

/** Sets a fail point for this client's commands. */
const failing = async (appName: string, mode: Document, data: Document): Promise<void> => {
  await deployment.client
    .db('admin')
    .command({ configureFailPoint: 'failCommand', mode, data: { failCommands: ['getMore'], appName, ...data } });
};

test('resumable errors of getMore lose and repeat no change', async context => {
  needs(context, 'change streams', 'fail points');
  const appName = 'resuming';
  const client = deployment.another({ monitorCommands: true, appName, heartbeatFrequencyMS: 500 });
  const commands: string[] = [];
  client.on('commandStarted', ({ commandName }: EventMap['commandStarted']) => commands.push(commandName));
  const { collectionName } = await films();
  const collection = client.db(deployment.db.databaseName).collection<Numbered>(collectionName);
  await using stream = collection.watch();
  await stream.open();
  const failures = [
    { errorCode: 6, errorLabels: ['ResumableChangeStreamError'] },
    { errorCode: 43 },
    { closeConnection: true },
  ];
  const changes: unknown[] = [];
  for (const [_id, failure] of failures.entries()) {
    await failing(appName, { times: 1 }, failure);
    await collection.insertOne({ _id });
    changes.push(...(await next(stream, 1)));
  }
  expect(changes).toEqual([0, 1, 2].map(_id => ['insert', { _id }, { _id }]));
  expect(commands.filter(name => name === 'aggregate')).toHaveLength(4);
  await failing(appName, { times: 1 }, { errorCode: 280 });
  await expect(stream.next()).rejects.toMatchObject({ name: 'MongoServerError', code: 280 });
  expect(stream.closed).toBe(true);
});

test('a call that exceeds timeoutMS fails, and the next call continues', async context => {
  needs(context, 'change streams', 'fail points');
  const appName = 'late';
  const { collectionName } = await films();
  const collection = deployment
    .another({ appName })
    .db(deployment.db.databaseName)
    .collection<Numbered>(collectionName);
  await using stream = collection.watch([], { timeoutMS: 400 });
  await stream.open();
  await failing(appName, { times: 1 }, { blockConnection: true, blockTimeMS: 600 });
  await expect(stream.next()).rejects.toMatchObject({ name: 'MongoOperationTimeoutError' });
  expect(stream.closed).toBe(false);
  await deployment.db.collection<Numbered>(collectionName).insertOne({ _id: 1 });
  expect(await next(stream, 1)).toEqual([['insert', { _id: 1 }, { _id: 1 }]]);
});
