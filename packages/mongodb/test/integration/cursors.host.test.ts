import type { EventMap } from '@tessera/contracts';
import { MongoCursorExhaustedError, MongoCursorInUseError, MongoServerError } from '@tessera/mongodb';
import type { Collection, MongoClient } from '@tessera/mongodb';
import { beforeAll, expect, test } from 'vitest';
import { errorOf, needs, numbered, useDeployment } from './deployment.js';

interface Item {
  _id: number;
  n: number;
}

const deployment = useDeployment();
let items: Collection<Item>;
beforeAll(async () => {
  items = deployment.collection<Item>();
  await items.insertMany(numbered(25, n => ({ n: n % 5 })) as Item[]);
});

/** Returns the same collection through a client whose commands are recorded. */
function watched(): { readonly client: MongoClient; readonly items: Collection<Item>; readonly commands: string[] } {
  const client = deployment.another({ monitorCommands: true });
  const commands: string[] = [];
  client.on('commandStarted', ({ commandName }) => void commands.push(commandName));
  return { client, items: client.db(deployment.db.databaseName).collection<Item>(items.collectionName), commands };
}

const ids = (documents: readonly { readonly _id: number }[]): number[] => documents.map(({ _id }) => _id);
const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, index) => from + index);

test('toArray returns all documents, with the number of getMores that batchSize implies', async context => {
  needs(context, 'cursor batches');
  const { items, commands } = watched();
  const found = await items.find({}, { batchSize: 10, sort: { _id: 1 } }).toArray();
  expect(ids(found)).toEqual(range(0, 25));
  expect(commands).toEqual(['find', 'getMore', 'getMore']);
});

test('for await returns all documents in order', async () => {
  const seen: number[] = [];
  for await (const { _id } of items.find().sort({ _id: 1 }).batchSize(7)) seen.push(_id);
  expect(seen).toEqual(range(0, 25));
});

test('find honors skip, limit and sort', async () => {
  expect(ids(await items.find().sort({ n: -1, _id: 1 }).skip(2).limit(5).toArray())).toEqual([14, 19, 24, 3, 8]);
  expect(ids(await items.find({}, { sort: { _id: 1 }, limit: 12, batchSize: 5 }).toArray())).toEqual(range(0, 12));
});

test('a negative limit returns a single batch and opens no cursor', async () => {
  const { items, commands } = watched();
  expect(ids(await items.find().sort({ _id: 1 }).limit(-3).toArray())).toEqual([0, 1, 2]);
  expect(commands).toEqual(['find']);
});

test('next, hasNext and tryNext return all documents, then null or false', async () => {
  const cursor = items.find({ _id: { $lt: 3 } }, { sort: { _id: 1 } });
  expect(await cursor.hasNext()).toBe(true);
  expect(await cursor.next()).toMatchObject({ _id: 0 });
  expect(await cursor.tryNext()).toMatchObject({ _id: 1 });
  expect(await cursor.next()).toMatchObject({ _id: 2 });
  expect(await cursor.hasNext()).toBe(false);
  expect(await cursor.next()).toBeNull();
});

test('leaving a loop early kills the cursor on the server', async context => {
  needs(context, 'cursor batches', 'killCursors');
  const { items, commands } = watched();
  for await (const { _id } of items.find({}, { batchSize: 4, sort: { _id: 1 } })) if (_id === 5) break;
  expect(commands).toEqual(['find', 'getMore', 'killCursors']);
});

test('getMore of a killed cursor fails', async context => {
  needs(context, 'cursor batches', 'killCursors');
  const cursor = items.find({}, { batchSize: 4 });
  await cursor.next();
  const id = cursor.id!;
  const reply = await deployment.db.command({ killCursors: items.collectionName, cursors: [id] });
  expect((reply['cursorsKilled'] as unknown[]).map(String)).toEqual([String(id)]);
  cursor.readBufferedDocuments();
  const error = await errorOf<MongoServerError>(cursor.next());
  expect(error).toBeInstanceOf(MongoServerError);
  expect(error.code).toBe(43);
});

test('a cursor that was closed early rejects reads until it is rewound', async context => {
  needs(context, 'cursor batches');
  const cursor = items.find({}, { batchSize: 4, sort: { _id: 1 } });
  await cursor.next();
  await cursor.close();
  expect([cursor.closed, cursor.killed]).toEqual([true, true]);
  expect(await errorOf(cursor.next())).toBeInstanceOf(MongoCursorExhaustedError);
  cursor.rewind();
  expect(await cursor.next()).toMatchObject({ _id: 0 });
  await cursor.close();
});

test('options of a cursor cannot be changed after the first read', async () => {
  const cursor = items.find();
  await cursor.next();
  expect(() => cursor.limit(1)).toThrow(MongoCursorInUseError);
  await cursor.close();
});

test('map and forEach apply a function to each document', async () => {
  const mapped = await items
    .find({ n: 0 })
    .sort({ _id: 1 })
    .map(({ _id }) => _id * 2)
    .toArray();
  expect(mapped).toEqual([0, 10, 20, 30, 40]);
  const seen: number[] = [];
  await items
    .find()
    .sort({ _id: 1 })
    .forEach(({ _id }) => {
      seen.push(_id);
      return _id < 2;
    });
  expect(seen).toEqual([0, 1, 2]);
});

test('a projection excludes or includes fields', async () => {
  expect(await items.findOne({ _id: 3 }, { projection: { n: 0 } })).toEqual({ _id: 3 });
  expect(await items.findOne({ _id: 3 }, { projection: { _id: 0, n: 1 } })).toEqual({ n: 3 });
});

test('find applies query operators', async () => {
  const count = async (filter: object): Promise<number> => (await items.find(filter).toArray()).length;
  expect(await count({ n: { $in: [1, 2] } })).toBe(10);
  expect(await count({ n: { $nin: [1, 2] } })).toBe(15);
  expect(await count({ $or: [{ _id: 1 }, { _id: 2 }], n: { $gt: 1 } })).toBe(1);
  expect(await count({ n: { $not: { $gte: 2 } } })).toBe(10);
  expect(await count({ _id: { $mod: [10, 0] } })).toBe(3);
  expect(await count({ missing: { $exists: false } })).toBe(25);
  expect(await count({ n: { $type: 'int' } })).toBe(25);
});

test('a hint selects the index, and an unknown index fails', async context => {
  needs(context, 'hints');
  const collection = deployment.collection<Item>();
  await collection.insertMany(numbered(3, n => ({ n })) as Item[]);
  await collection.createIndex({ n: -1 });
  expect(
    ids(
      await collection
        .find({ n: { $gte: 0 } })
        .hint({ n: -1 })
        .toArray(),
    ),
  ).toEqual([2, 1, 0]);
  expect(
    ids(
      await collection
        .find({ n: { $gte: 0 } })
        .hint('n_-1')
        .toArray(),
    ),
  ).toEqual([2, 1, 0]);
  const error = await errorOf<MongoServerError>(collection.find().hint('no_such').toArray());
  expect(error.code).toBe(2);
});

test('a command that exceeds maxTimeMS fails with code 50', async context => {
  needs(context, 'run-time limits');
  const collection = deployment.collection();
  await collection.insertMany(numbered(200));
  const stages = Array.from({ length: 4 }, (_, stage) => [
    { $lookup: { from: collection.collectionName, pipeline: [], as: `all${String(stage)}` } },
    { $unwind: `$all${String(stage)}` },
  ]).flat();
  const error = await errorOf<MongoServerError>(
    collection.aggregate([...stages, { $count: 'n' }], { maxTimeMS: 100 }).toArray(),
  );
  expect(error).toBeInstanceOf(MongoServerError);
  expect([error.code, error.codeName]).toEqual([50, 'MaxTimeMSExpired']);
});

test('a tailable cursor waits for documents that are inserted later', async context => {
  needs(context, 'capped collections', 'awaited data');
  const capped = await deployment.db.createCollection<{ _id: number }>('capped', { capped: true, size: 100_000 });
  await capped.insertOne({ _id: 1 });
  const cursor = capped.find({}, { tailable: true, awaitData: true, maxAwaitTimeMS: 500 });
  expect(await cursor.next()).toEqual({ _id: 1 });
  const later = cursor.next();
  await capped.insertOne({ _id: 2 });
  expect(await later).toEqual({ _id: 2 });
  await cursor.close();
  expect(await capped.isCapped()).toBe(true);
});

test('getMore sends the batchSize and comment of its cursor', async context => {
  needs(context, 'cursor batches');
  const { client, items } = watched();
  const started: EventMap['commandStarted'][] = [];
  client.on('commandStarted', event => void started.push(event));
  await items.find({}, { batchSize: 20, comment: 'why' }).toArray();
  expect(started.map(({ command }) => [command['batchSize'], command['comment']])).toEqual([
    [20, 'why'],
    [20, 'why'],
  ]);
});

test('an aggregation returns several batches', async context => {
  needs(context, 'cursor batches');
  const { items, commands } = watched();
  const cursor = items.aggregate<Item>([{ $match: { n: { $lt: 4 } } }, { $sort: { _id: 1 } }], { batchSize: 8 });
  expect((await cursor.toArray()).length).toBe(20);
  expect(commands).toEqual(['aggregate', 'getMore', 'getMore']);
});
