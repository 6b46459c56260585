import { describe, expect, test } from 'vitest';
import { BatchType, MongoBulkWriteError, MongoClientBulkWriteError, MongoInvalidArgumentError } from '@tessera/client';
import type { BulkWriteResult, Document } from '@tessera/client';
import { withServer } from './with-server.js';
import { withServers } from './with-servers.js';

/** A document in any collection of MongoClient.bulkWrite. */
type Row = { _id?: number; a?: number; b?: number; c?: number };
type Rows = Record<string, Row>;

describe('CRUD, "Bulk write results"', () => {
  test('a result contains counts, ids and success, under the official names', () =>
    withServer(async ({ films }) => {
      const result = await films.bulkWrite([
        { insertOne: { document: { _id: 1 } } },
        { updateOne: { filter: { _id: 2 }, update: { $set: { year: 1 } }, upsert: true } },
        { deleteOne: { filter: { _id: 1 } } },
      ]);
      expect({ ...result, ok: result.ok, acknowledged: result.acknowledged }).toEqual({
        ok: 1,
        acknowledged: true,
        insertedCount: 1,
        matchedCount: 0,
        modifiedCount: 0,
        deletedCount: 1,
        upsertedCount: 1,
        insertedIds: { 0: 1 },
        upsertedIds: { 1: 2 },
      });
      expect([result.isOk(), result.hasWriteErrors(), result.getUpsertedIdAt(0)]).toEqual([
        true,
        false,
        { index: 1, _id: 2 },
      ]);
      expect(result.getRawResponse()).toMatchObject({ nInserted: 1, nRemoved: 1, nUpserted: 1, writeErrors: [] });
      expect(String(result)).toContain('"nInserted":1');
    }));

  test('addToOperationsList adds a write by its statement', () =>
    withServer(async ({ films }) => {
      await films.insertMany([{ _id: 1 }, { _id: 2 }, { _id: 3, year: 1 }, { _id: 4 }]);
      const bulk = films.initializeOrderedBulkOp();
      const written = bulk
        .addToOperationsList(BatchType.INSERT, { _id: 5 })
        .addToOperationsList(BatchType.UPDATE, { q: { _id: 1 }, u: { $set: { year: 7 } } })
        .addToOperationsList(BatchType.UPDATE, {
          q: { year: { $exists: false } },
          u: [{ $set: { year: 8 } }],
          multi: true,
        })
        .addToOperationsList(BatchType.UPDATE, { q: { _id: 6 }, u: { year: 9 }, upsert: true })
        .addToOperationsList(BatchType.DELETE, { q: { year: 8 }, limit: 1 })
        .addToOperationsList(BatchType.DELETE, { q: { year: 1 }, limit: 0 });
      expect(written).toBe(bulk);
      expect(bulk.batches.map(({ batchType, size }) => [batchType, size])).toEqual([
        [BatchType.INSERT, 1],
        [BatchType.UPDATE, 3],
        [BatchType.DELETE, 2],
      ]);
      await bulk.execute();
      expect(await films.find().toArray()).toEqual([
        { _id: 1, year: 7 },
        { _id: 4, year: 8 },
        { _id: 5, year: 8 },
        { _id: 6, year: 9 },
      ]);
    }));

  test('a subclass receives the statement of each write in its method addToOperationsList', () =>
    withServer(async ({ films }) => {
      const bulk = films.initializeUnorderedBulkOp();
      const seen: unknown[] = [];
      const add = bulk.addToOperationsList.bind(bulk);
      bulk.addToOperationsList = (batchType, statement) => {
        seen.push([batchType, statement]);
        return add(batchType, statement);
      };
      bulk.insert({ _id: 1 });
      bulk.find({ _id: 1 }).upsert().replaceOne({ year: 1 });
      bulk.raw({ deleteMany: { filter: { _id: 2 } as Document, hint: '_id_' } });
      expect(seen).toEqual([
        [BatchType.INSERT, { _id: 1 }],
        [BatchType.UPDATE, { q: { _id: 1 }, u: { year: 1 }, upsert: true }],
        [BatchType.DELETE, { q: { _id: 2 }, limit: 0, hint: '_id_' }],
      ]);
      expect((await bulk.execute()).insertedCount).toBe(1);
      expect(await films.find().toArray()).toEqual([{ _id: 1, year: 1 }]);
    }));

  test('ids and errors of an unordered bulkWrite of mixed kinds have the index of their operation', () =>
    withServer(async ({ films }) => {
      const failed = (await films
        .bulkWrite(
          [
            { insertOne: { document: { _id: 1 } } },
            { deleteOne: { filter: { _id: 9 } } },
            { insertOne: { document: { _id: 1 } } },
            { updateOne: { filter: { _id: 2 }, update: { $set: { year: 1 } }, upsert: true } },
            { insertOne: { document: { _id: 3 } } },
          ],
          { ordered: false },
        )
        .catch((error: unknown) => error)) as MongoBulkWriteError;
      const { insertedIds, upsertedIds } = failed.result;
      expect({ insertedIds, upsertedIds, errors: failed.result.getWriteErrors().map(({ index }) => index) }).toEqual({
        insertedIds: { 0: 1, 4: 3 },
        upsertedIds: { 3: 2 },
        errors: [2],
      });
    }));

  test('write errors and write concern errors are part of the result', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, failPoint }) => {
      const films = open('mongodb://db1/?replicaSet=rs').db().collection<{ _id: number }>('films');
      const writeConcernError = { code: 64, errmsg: 'waited', errInfo: { wtimeout: true } };
      await failPoint('db1', { times: 1 }, { failCommands: ['insert'], writeConcernError });
      const models = [1, 1, 2].map(_id => ({ insertOne: { document: { _id } } }));
      const failed = (await films
        .bulkWrite(models, { ordered: false })
        .catch((error: unknown) => error)) as MongoBulkWriteError;
      const { result, err } = failed;
      expect(failed).toBeInstanceOf(MongoBulkWriteError);
      expect([err?.code, err?.errmsg, err?.errInfo, err?.toJSON()]).toMatchObject([
        ...[64, 'waited', { wtimeout: true }],
        writeConcernError,
      ]);
      expect([result.getWriteErrorCount(), result.getWriteErrorAt(0)?.index, result.insertedIds]).toEqual([
        ...[1, 1],
        { 0: 1, 2: 2 },
      ]);
      expect(JSON.parse(JSON.stringify(result.getWriteErrors()))).toMatchObject([
        { index: 1, code: 11_000, op: { _id: 1 } },
      ]);
    }));
});

describe('bulk operations that are built step by step', () => {
  test('an ordered bulk operation keeps its order and is executed once', () =>
    withServer(async ({ films, events }) => {
      const bulk = films.initializeOrderedBulkOp({ comment: 'why' });
      bulk.insert({ _id: 1, year: 1 }).insert({ _id: 2, year: 2 });
      bulk.find({ _id: 1 }).updateOne({ $set: { year: 3 } });
      bulk.find({ _id: 9 }).upsert().collation({ locale: 'simple' }).replaceOne({ year: 9 });
      bulk
        .find({ year: { $gt: 0 } })
        .hint({ _id: 1 })
        .update({ $inc: { year: 1 } });
      bulk.find({ _id: 2 }).deleteOne().find({ _id: 8 }).delete();
      bulk.raw({ insertOne: { document: { _id: 3 as never } } });
      expect([
        bulk.length,
        bulk.isOrdered,
        bulk.batches.map(({ batchType, originalIndexes }) => [batchType, originalIndexes]),
      ]).toEqual([
        8,
        true,
        [
          [1, [0, 1]],
          [2, [2, 3, 4]],
          [3, [5, 6]],
          [1, [7]],
        ],
      ]);
      const result: BulkWriteResult = await bulk.execute();
      expect(result).toMatchObject({ insertedCount: 3, modifiedCount: 4, upsertedIds: { 3: 9 }, deletedCount: 1 });
      const commands = events.flatMap(event => (event.name === 'commandStarted' ? [event.command] : []));
      expect(commands.map(({ comment }) => comment as unknown)).toEqual(['why', 'why', 'why', 'why']);
      await expect(bulk.execute()).rejects.toMatchObject({ name: 'MongoBatchReExecutionError' });
    }));

  test('an unordered bulk operation sends one batch of each kind, and continues after errors', () =>
    withServer(async ({ films }) => {
      const bulk = films.initializeUnorderedBulkOp();
      bulk.insert({ _id: 1 }).insert({ _id: 1 }).find({ _id: 1 }).deleteOne().insert({ _id: 2 });
      expect(bulk.batches.map(({ batchType, size }) => [batchType, size])).toEqual([
        [1, 3],
        [3, 1],
      ]);
      await expect(bulk.execute()).rejects.toMatchObject({ insertedCount: 2, deletedCount: 1 });
    }));

  test('invalid operations are rejected when they are added', () =>
    withServer(async ({ films }) => {
      const bulk = films.initializeOrderedBulkOp();
      expect(() => bulk.find({}).updateOne({ year: 1 })).toThrow(MongoInvalidArgumentError);
      expect(() => bulk.find({}).replaceOne({ $set: { year: 1 } })).toThrow(MongoInvalidArgumentError);
      expect(() => bulk.find(undefined as never)).toThrow('needs a filter');
      await expect(bulk.execute()).rejects.toThrow('at least one write');
    }));
});

describe('Bulk Write: MongoClient.bulkWrite', () => {
  const all = 'mongodb://db1/?replicaSet=rs';

  test('runs writes of all kinds on several collections, and returns each result', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open }) => {
      const client = open(all);
      const document: Row = { a: 1 };
      const result = await client.bulkWrite<Rows>(
        [
          { name: 'insertOne', namespace: 'db.a', document },
          { name: 'insertOne', namespace: 'db.b', document: { _id: 2 } },
          { name: 'updateMany', namespace: 'db.a', filter: {}, update: { $inc: { a: 1 } } },
          { name: 'replaceOne', namespace: 'db.b', filter: { _id: 3 }, replacement: { b: 1 }, upsert: true },
          { name: 'updateOne', namespace: 'db.b', filter: {}, update: { $set: { c: 1 } }, sort: { _id: -1 } },
          { name: 'deleteOne', namespace: 'db.b', filter: { _id: 2 } },
          { name: 'deleteMany', namespace: 'db.c', filter: {} },
        ],
        { verboseResults: true },
      );
      const { insertResults, updateResults, deleteResults, ...counts } = result;
      expect(counts).toEqual({
        acknowledged: true,
        insertedCount: 2,
        upsertedCount: 1,
        matchedCount: 2,
        modifiedCount: 2,
        deletedCount: 1,
      });
      expect(insertResults).toEqual(
        new Map([
          [0, { insertedId: document._id }],
          [1, { insertedId: 2 }],
        ]),
      );
      const none = { didUpsert: false };
      expect(updateResults).toEqual(
        new Map<number, unknown>([
          [2, { matchedCount: 1, modifiedCount: 1, ...none }],
          [3, { matchedCount: 1, modifiedCount: 0, didUpsert: true, upsertedId: 3 }],
          [4, { matchedCount: 1, modifiedCount: 1, ...none }],
        ]),
      );
      expect(deleteResults).toEqual(
        new Map([
          [5, { deletedCount: 1 }],
          [6, { deletedCount: 0 }],
        ]),
      );
      expect(await client.db('db').collection('b').find().toArray()).toEqual([{ _id: 3, b: 1, c: 1 }]);
    }));

  test('reports errors with their index and the partial result, and claims no write that was not done', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open }) => {
      const client = open(all);
      const insert = (_id: number) => ({ name: 'insertOne', namespace: 'db.a', document: { _id } }) as const;
      const failed = (await client
        .bulkWrite<Rows>([insert(1), insert(1), insert(2)])
        .catch((error: unknown) => error)) as MongoClientBulkWriteError;
      expect(failed).toBeInstanceOf(MongoClientBulkWriteError);
      expect(failed.message).toContain('1 of 3 writes failed. The first error is at index 1: E11000');
      expect([...failed.writeErrors]).toMatchObject([[1, { code: 11_000 }]]);
      expect(failed.partialResult).toMatchObject({ insertedCount: 1, insertResults: undefined });
      const nothing = (await client
        .bulkWrite<Rows>([insert(1)])
        .catch((error: unknown) => error)) as MongoClientBulkWriteError;
      expect(nothing.partialResult).toBeUndefined();
    }));

  test('reports a rejected command with its reply, and sends nothing to a server before 8.0', () =>
    withServers([{ replicaSet: 'rs' }, { version: '7.0.0' }], async ({ open, failPoint }) => {
      const models = [{ name: 'insertOne', namespace: 'db.a', document: { _id: 1 } }] as const;
      await failPoint('db1', { times: 1 }, { failCommands: ['bulkWrite'], errorCode: 8 });
      await expect(open(all).bulkWrite<Rows>(models)).rejects.toMatchObject({
        name: 'MongoClientBulkWriteError',
        code: 8,
        errorResponse: { code: 8 },
        cause: { name: 'MongoServerError', code: 8 },
      });
      await expect(open('mongodb://db2').bulkWrite<Rows>(models)).rejects.toThrow(
        'The method client.bulkWrite requires MongoDB 8.0 or later',
      );
    }));

  test('rejects invalid arguments before a command is sent', () =>
    withServers([{ replicaSet: 'rs' }], async ({ open, events }) => {
      const client = open(all);
      const model = { name: 'deleteMany', namespace: 'db.a', filter: {} } as const;
      await expect(client.bulkWrite<Rows>([])).rejects.toMatchObject({ name: 'MongoClientBulkWriteExecutionError' });
      const unheard = { writeConcern: { w: 0 } };
      await expect(client.bulkWrite<Rows>([model], unheard)).rejects.toThrow(
        'unacknowledged write concern and ordered',
      );
      await expect(
        client.bulkWrite<Rows>([model], { ...unheard, ordered: false, verboseResults: true }),
      ).rejects.toThrow('unacknowledged write concern and verbose');
      await expect(client.bulkWrite<Rows>([{ ...model, namespace: 'a' }])).rejects.toThrow("'db.collection'");
      await expect(client.bulkWrite<Rows>([{ ...model, name: 'drop' } as never])).rejects.toThrow(
        "Unknown bulk write operation 'drop'",
      );
      expect(events.filter(({ name }) => name === 'commandStarted')).toEqual([]);
    }));
});
