import type { EventMap } from '@tessera/contracts';
import type { ChangeStream, Collection, Document } from '@tessera/mongodb';
import { expect, test } from 'vitest';
import { needs, useRoom } from './deployment.js';
import type { Numbered } from './deployment.js';

const room = useRoom();

/** A collection that is there already, so that its making is no change. */
const films = async (): Promise<Collection<Numbered>> => {
  const collection = room.collection<Numbered>();
  await room.db.createCollection(collection.collectionName);
  return collection;
};

/** What a change says, without times, tokens and names. */
const said = ({ operationType, documentKey, fullDocument, updateDescription }: Document): unknown[] =>
  [operationType, documentKey, fullDocument, updateDescription?.updatedFields].filter(part => part !== undefined);

const next = async (stream: ChangeStream<Numbered>, count: number): Promise<unknown[]> => {
  const changes: unknown[] = [];
  while (changes.length < count) changes.push(said(await stream.next()));
  return changes;
};

test('a change stream tells what becomes of documents, in order', async context => {
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

test('a pipeline chooses among changes, and updateLookup brings the document', async context => {
  needs(context, 'change streams');
  const collection = await films();
  await using stream = collection.watch([{ $match: { operationType: 'update' } }], { fullDocument: 'updateLookup' });
  await stream.open();
  await collection.insertOne({ _id: 1, n: 0 });
  await collection.updateOne({ _id: 1 }, { $set: { n: 1 } });
  expect(await next(stream, 1)).toEqual([['update', { _id: 1 }, { _id: 1, n: 1 }, { n: 1 }]]);
});

test('a database and a deployment are watched as a whole', async context => {
  needs(context, 'change streams');
  const [one, other] = [await films(), await films()];
  const mine = [{ $match: { 'ns.db': room.db.databaseName, operationType: 'insert' } }];
  await using ofDatabase = room.db.watch<Numbered>(mine);
  await using ofDeployment = room.client.watch<Numbered>(mine);
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

test('another stream goes on where one was left', async context => {
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

test('a stream begins at a time that was told', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const { operationTime } = await room.db.command({ ping: 1 });
  await collection.insertOne({ _id: 1 });
  await using stream = collection.watch([{ $match: { operationType: 'insert' } }], {
    startAtOperationTime: operationTime,
  });
  expect(await next(stream, 1)).toEqual([['insert', { _id: 1 }, { _id: 1 }]]);
});

test('tryNext answers null while there is nothing, and the token moves on', async context => {
  needs(context, 'change streams');
  const [collection, other] = [await films(), await films()];
  await using stream = collection.watch([], { maxAwaitTimeMS: 50 });
  expect(await stream.tryNext()).toBeNull();
  const before = stream.resumeToken;
  await other.insertOne({ _id: 1 });
  expect(await stream.tryNext()).toBeNull();
  expect(stream.resumeToken).not.toEqual(before);
});

test('events tell the changes, and none after the stream was closed', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch();
  const changes: unknown[] = [];
  const three = new Promise<void>(resolve => {
    stream.on('change', change => {
      if (changes.push(said(change)) === 3) resolve();
    });
  });
  await stream.open();
  await collection.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3 }]);
  await three;
  await stream.close();
  await collection.insertOne({ _id: 4 });
  expect(changes).toEqual([1, 2, 3].map(_id => ['insert', { _id }, { _id }]));
});

test('a host stream of the changes ends the change stream when it is left', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch();
  await stream.open();
  await collection.insertOne({ _id: 1 });
  for await (const change of stream.stream() as AsyncIterable<Document>) {
    expect(said(change)).toEqual(['insert', { _id: 1 }, { _id: 1 }]);
    break;
  }
  await expect.poll(() => stream.closed).toBe(true);
});

test('dropping the collection invalidates the stream, which tells that and ends; startAfter goes on after it', async context => {
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

test('a pipeline that takes the tokens away ends the stream', async context => {
  needs(context, 'change streams');
  const collection = await films();
  const stream = collection.watch([{ $project: { _id: 0 } }]);
  await stream.open();
  await collection.insertOne({ _id: 1 });
  await expect(stream.next()).rejects.toThrow();
  expect(stream.closed).toBe(true);
});

/** Fails the next commands of this client alone. */
const failing = async (appName: string, mode: Document, data: Document): Promise<void> => {
  await room.client
    .db('admin')
    .command({ configureFailPoint: 'failCommand', mode, data: { failCommands: ['getMore'], appName, ...data } });
};

test('errors of getMore that pass are not seen: no change is lost, none comes twice', async context => {
  needs(context, 'change streams', 'fail points');
  const appName = 'resuming';
  const client = room.another({ monitorCommands: true, appName, heartbeatFrequencyMS: 500 });
  const commands: string[] = [];
  client.on('commandStarted', ({ commandName }: EventMap['commandStarted']) => commands.push(commandName));
  const { collectionName } = await films();
  const collection = client.db(room.db.databaseName).collection<Numbered>(collectionName);
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

test('a call that runs into timeoutMS fails, and the next one goes on', async context => {
  needs(context, 'change streams', 'fail points');
  const appName = 'late';
  const { collectionName } = await films();
  const collection = room.another({ appName }).db(room.db.databaseName).collection<Numbered>(collectionName);
  await using stream = collection.watch([], { timeoutMS: 400 });
  await stream.open();
  await failing(appName, { times: 1 }, { blockConnection: true, blockTimeMS: 600 });
  await expect(stream.next()).rejects.toMatchObject({ name: 'MongoOperationTimeoutError' });
  expect(stream.closed).toBe(false);
  await room.db.collection<Numbered>(collectionName).insertOne({ _id: 1 });
  expect(await next(stream, 1)).toEqual([['insert', { _id: 1 }, { _id: 1 }]]);
});
