/**
 * The prose tests of CRUD about MongoClient.bulkWrite, explain and ids. Those about errInfo are in
 * `error-info.test.ts`.
 */
import { MongoClientBulkWriteError } from '@tessera/client';
import type { AnyClientBulkWriteModel, MongoClient } from '@tessera/client';
import type { Document, DriverEvent } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { withServers } from './with-servers.js';
import type { Setup } from './with-servers.js';

const maxWriteBatchSize = 100_000;
const maxBsonObjectSize = 16_777_216;
const maxMessageSizeBytes = 48_000_000;

const slow = { timeout: 60_000 };

type Started = Extract<DriverEvent, { readonly name: 'commandStarted' }>;

const started = (events: readonly DriverEvent[], name: string): readonly Started[] =>
  events.flatMap(event => (event.name === 'commandStarted' && event.commandName === name ? [event] : []));

const sizes = (events: readonly Started[], of: 'ops' | 'nsInfo' = 'ops'): readonly number[] =>
  events.map(({ command }) => (command[of] as unknown[]).length);

const insert = (document: Document, namespace = 'db.coll'): AnyClientBulkWriteModel => ({
  name: 'insertOne',
  namespace,
  document: { ...document },
});

const times = (count: number, make: () => AnyClientBulkWriteModel): AnyClientBulkWriteModel[] =>
  Array.from({ length: count }, make);

const failed = (bulk: Promise<unknown>): Promise<MongoClientBulkWriteError> =>
  bulk.then(
    () => expect.unreachable('it succeeded'),
    (error: unknown) => error as MongoClientBulkWriteError,
  );

/** Runs a test with a client of a replica set and the commands that it sent. */
const withClient = (
  program: (client: MongoClient, events: readonly DriverEvent[], setup: Setup) => Promise<void>,
  options: string = '',
): Promise<void> =>
  withServers([{ replicaSet: 'rs' }], setup => {
    const client = setup.open(`mongodb://db1/?replicaSet=rs${options}`);
    return program(client, setup.events, setup);
  });

describe('CRUD, MongoClient.bulkWrite', slow, () => {
  test('CRUD, prose test 3: more writes than maxWriteBatchSize become two commands of one operation', () =>
    withClient(async (client, events) => {
      const models = times(maxWriteBatchSize + 1, () => insert({ a: 'b' }));
      expect(await client.bulkWrite(models)).toMatchObject({ insertedCount: maxWriteBatchSize + 1 });
      const commands = started(events, 'bulkWrite');
      expect(sizes(commands)).toEqual([maxWriteBatchSize, 1]);
      expect(commands[0]?.operationId).toBe(commands[1]?.operationId);
    }));

  test('CRUD, prose test 4: more bytes than maxMessageSizeBytes become two commands of one operation', () =>
    withClient(async (client, events) => {
      const count = Math.floor(maxMessageSizeBytes / maxBsonObjectSize) + 1;
      const a = 'b'.repeat(maxBsonObjectSize - 500);
      expect(await client.bulkWrite(times(count, () => insert({ a })))).toMatchObject({ insertedCount: count });
      const commands = started(events, 'bulkWrite');
      expect(sizes(commands)).toEqual([count - 1, 1]);
      expect(commands[0]?.operationId).toBe(commands[1]?.operationId);
    }));

  test('CRUD, prose test 5: write concern errors of all commands are collected', () =>
    withClient(async (client, events, { failPoint }) => {
      const writeConcernError = { code: 91, errmsg: 'Replication is being shut down' };
      await failPoint('db1', { times: 2 }, { failCommands: ['bulkWrite'], writeConcernError });
      const error = await failed(client.bulkWrite(times(maxWriteBatchSize + 1, () => insert({ a: 'b' }))));
      expect(error).toBeInstanceOf(MongoClientBulkWriteError);
      const emitted = { code: 91, message: 'Replication is being shut down' };
      expect(error.writeConcernErrors).toEqual([emitted, emitted]);
      expect(error.partialResult?.insertedCount).toBe(maxWriteBatchSize + 1);
      expect(started(events, 'bulkWrite').length).toBe(2);
    }, '&retryWrites=false'));

  test('CRUD, prose test 6: write errors are collected from all commands if unordered, and only the first if ordered', () =>
    withClient(async (client, events) => {
      await client
        .db('db')
        .collection('coll')
        .insertOne({ _id: 1 as never });
      const models = times(maxWriteBatchSize + 1, () => insert({ _id: 1 }));
      const unordered = await failed(client.bulkWrite(models, { ordered: false }));
      expect(unordered.writeErrors.size).toBe(maxWriteBatchSize + 1);
      expect(started(events, 'bulkWrite').length).toBe(2);
      const ordered = await failed(client.bulkWrite(models, { ordered: true }));
      expect([...ordered.writeErrors.keys()]).toEqual([0]);
      expect(started(events, 'bulkWrite').length).toBe(3);
    }));

  const upserts = (): AnyClientBulkWriteModel[] =>
    ['a', 'b'].map(letter => ({
      name: 'updateOne',
      namespace: 'db.coll',
      filter: { _id: letter.repeat(maxBsonObjectSize / 2) as never },
      update: { $set: { x: 1 } },
      upsert: true,
    }));

  test('CRUD, prose test 7: results beyond one batch are read with getMore', () =>
    withClient(async (client, events) => {
      const result = await client.bulkWrite(upserts(), { verboseResults: true });
      expect([result.upsertedCount, result.updateResults?.size]).toEqual([2, 2]);
      expect(started(events, 'getMore').length).toBe(1);
    }));

  test('CRUD, prose test 8: results beyond one batch are read with getMore in a transaction', () =>
    withClient(async (client, events) => {
      await client.db('db').createCollection('coll');
      const session = client.startSession();
      session.startTransaction();
      const result = await client.bulkWrite(upserts(), { session, verboseResults: true });
      expect([result.upsertedCount, result.updateResults?.size]).toEqual([2, 2]);
      expect(started(events, 'getMore').length).toBe(1);
      await session.abortTransaction();
      await session.endSession();
    }));

  test('CRUD, prose test 9: a failed getMore ends the bulk write with the partial result, and the cursor is killed', () =>
    withClient(async (client, events, { failPoint, sleep }) => {
      await failPoint('db1', { times: 1 }, { failCommands: ['getMore'], errorCode: 8 });
      const error = await failed(client.bulkWrite(upserts(), { verboseResults: true }));
      expect(error.cause).toMatchObject({ code: 8 });
      expect(error.partialResult).toMatchObject({ upsertedCount: 2, updateResults: { size: 1 } });
      await sleep(100);
      expect([started(events, 'getMore').length, started(events, 'killCursors').length]).toEqual([1, 1]);
    }));

  const filled = (): AnyClientBulkWriteModel[] => {
    const bytes = maxMessageSizeBytes - 1122;
    const models = times(Math.floor(bytes / maxBsonObjectSize), () =>
      insert({ a: 'b'.repeat(maxBsonObjectSize - 57) }),
    );
    const remainder = bytes % maxBsonObjectSize;
    if (remainder >= 217) models.push(insert({ a: 'b'.repeat(remainder - 57) }));
    return models;
  };

  test('CRUD, prose test 11.1: one more write to the same namespace fits into the command', () =>
    withClient(async (client, events) => {
      const models = [...filled(), insert({ a: 'b' })];
      expect((await client.bulkWrite(models)).insertedCount).toBe(models.length);
      const commands = started(events, 'bulkWrite');
      expect([sizes(commands), commands[0]?.command['nsInfo']]).toEqual([[models.length], [{ ns: 'db.coll' }]]);
    }));

  test('CRUD, prose test 11.2: one more write to another namespace does not fit into the command', () =>
    withClient(async (client, events) => {
      const other = `db.${'c'.repeat(200)}`;
      const models = [...filled(), insert({ a: 'b' }, other)];
      expect((await client.bulkWrite(models)).insertedCount).toBe(models.length);
      const commands = started(events, 'bulkWrite');
      expect(sizes(commands)).toEqual([models.length - 1, 1]);
      expect(commands.map(({ command }) => command['nsInfo'] as unknown)).toEqual([
        [{ ns: 'db.coll' }],
        [{ ns: other }],
      ]);
    }));

  test.each([
    ['CRUD, prose test 12.1: a document that is too large throws before a command is sent', true],
    ['CRUD, prose test 12.2: a namespace that is too large throws before a command is sent', false],
  ])('%s', (_, isDocument) =>
    withClient(async client => {
      const much = 'b'.repeat(maxMessageSizeBytes);
      const model = isDocument ? insert({ a: much }) : insert({ a: 'b' }, `db.${much}`);
      const error = await failed(client.bulkWrite([model]));
      expect([error.name, error.partialResult]).toEqual(['MongoInvalidArgumentError', undefined]);
    }),
  );

  test('CRUD, prose test 15: an unacknowledged bulkWrite sends w: 0 with all commands', () =>
    withClient(async (client, events) => {
      const coll = await client.db('db').createCollection('coll');
      const count = Math.floor(maxMessageSizeBytes / maxBsonObjectSize) + 1;
      const models = times(count, () => insert({ a: 'b'.repeat(maxBsonObjectSize - 500) }));
      const result = await client.bulkWrite(models, { ordered: false, writeConcern: { w: 0 } });
      expect(result.acknowledged).toBe(false);
      const commands = started(events, 'bulkWrite');
      expect(sizes(commands)).toEqual([count - 1, 1]);
      expect(commands[0]?.operationId).toBe(commands[1]?.operationId);
      expect(commands.map(({ command }) => command['writeConcern'] as unknown)).toEqual([{ w: 0 }, { w: 0 }]);
      expect(await coll.countDocuments({})).toBe(count);
    }));
});

describe('CRUD, explain and ids', () => {
  test('CRUD, prose test 14: explain has its own maxTimeMS, as an option and as a method', () =>
    withClient(async (client, events) => {
      const collection = client.db('explain-test').collection('collection');
      const explain = { verbosity: 'queryPlanner', maxTimeMS: 2000 };
      await collection.find({ name: 'john doe' }, { explain }).toArray();
      await collection.find({ name: 'john doe' }).explain(explain);
      const [first, second] = started(events, 'explain').map(({ command }) => command);
      expect(first).toMatchObject({ explain: { find: 'collection', filter: { name: 'john doe' } }, maxTimeMS: 2000 });
      expect(second?.['maxTimeMS']).toBe(2000);
    }));

  test('CRUD, prose test 16: a generated _id is the first field, with every method that inserts', () =>
    withClient(async (client, events) => {
      const coll = client.db('db').collection('coll');
      await coll.insertOne({ x: 1 });
      await coll.bulkWrite([{ insertOne: { document: { x: 1 } } }]);
      await client.bulkWrite([insert({ x: 1 })]);
      const inserted = started(events, 'insert').map(({ command }) => (command['documents'] as Document[])[0]!);
      const [op] = started(events, 'bulkWrite')[0]!.command['ops'] as Document[];
      expect([...inserted, op?.['document'] as Document].map(document => Object.keys(document))).toEqual([
        ['_id', 'x'],
        ['_id', 'x'],
        ['_id', 'x'],
      ]);
    }));
});
