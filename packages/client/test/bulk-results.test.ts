/** The results and errors of bulk writes, under the names of the official driver and of the server. */
import { MongoBulkWriteError, MongoClientBulkWriteError, MongoInvalidArgumentError } from '@tessera/client';
import { describe, expect, test } from 'vitest';
import { BulkWriteResult, WriteConcernError, WriteError } from '../src/bulk-write-result.js';
import { toInserts, toRuns } from '../src/bulk-write.js';
import { withServer } from './with-server.js';

const refused = new WriteError({ index: 3, code: 11_000, errmsg: 'duplicate', errInfo: { a: 1 }, op: { _id: 1 } });
const unsafe = (code: number, errmsg: string): WriteConcernError => new WriteConcernError({ code, errmsg });

const keeping = { ignoresUndefined: () => false, filter: <Filter>(filter: Filter): Filter => filter };
const ignoring = { ...keeping, ignoresUndefined: () => true };

const outcome = {
  ...{ ok: 1, writeErrors: [refused], writeConcernErrors: [unsafe(64, 'slow')] },
  ...{ nInserted: 1, nMatched: 2, nModified: 3, nRemoved: 4, insertedIds: { 0: 'a' }, upsertedIds: { 5: 'b', 7: 'c' } },
};

describe('a BulkWriteResult', () => {
  const result = new BulkWriteResult(outcome);

  test('has counts and ids', () => {
    expect({ ...result }).toEqual({
      ...{ insertedCount: 1, matchedCount: 2, modifiedCount: 3, deletedCount: 4 },
      ...{ upsertedCount: 2, insertedIds: { 0: 'a' }, upsertedIds: { 5: 'b', 7: 'c' } },
    });
    expect([result.ok, result.acknowledged]).toEqual([1, true]);
    expect(String(result)).toBe(`BulkWriteResult(${JSON.stringify(result.result)})`);
  });

  test("has the same values under the server's names, computed once", () => {
    expect(result.result).toEqual({
      ...{ ok: 1, writeErrors: [refused], writeConcernErrors: outcome.writeConcernErrors, nInserted: 1, nUpserted: 2 },
      ...{ nMatched: 2, nModified: 3, nRemoved: 4, insertedIds: [{ index: 0, _id: 'a' }] },
      upserted: [
        { index: 5, _id: 'b' },
        { index: 7, _id: 'c' },
      ],
    });
    expect(Object.keys(result.result).join(' ')).toBe(
      'ok writeErrors writeConcernErrors insertedIds nInserted nUpserted nMatched nModified nRemoved upserted',
    );
    expect(result.getRawResponse()).toBe(result.result);
    expect([result.getUpsertedIdAt(1), result.getUpsertedIdAt(2)]).toEqual([{ index: 7, _id: 'c' }, undefined]);
  });

  test('is created from an outcome under the names of the server, as in the official driver', () => {
    const ids = [0, 1, 2].map(index => ({ index, _id: `id ${index}` }));
    const given = {
      ...{ ok: 1, nInserted: 1, nUpserted: 1, nMatched: 0, nModified: 0, nRemoved: 0, writeConcernErrors: [] },
      ...{ insertedIds: ids, upserted: [{ index: 4, _id: 'new' }] },
      writeErrors: [new WriteError({ index: 1, code: 11_000, errmsg: 'duplicate', errInfo: undefined, op: {} })],
    };
    const ordered = new BulkWriteResult(given, true);
    const unordered = new BulkWriteResult(given, false);
    expect(ordered.result).toBe(given);
    unordered.result = { ...given, nInserted: 2 };
    expect(unordered.result.nInserted).toBe(2);
    expect([ordered.insertedIds, unordered.insertedIds]).toEqual([{ 0: 'id 0' }, { 0: 'id 0', 2: 'id 2' }]);
    expect([ordered.upsertedIds, ordered.upsertedCount]).toEqual([{ 4: 'new' }, 1]);
    expect(new BulkWriteResult({ ...given, writeErrors: [] }, true).insertedIds).toEqual({
      ...{ 0: 'id 0', 1: 'id 1', 2: 'id 2' },
    });
  });

  test('contains its errors', () => {
    const clean = new BulkWriteResult({ ...outcome, ok: 0, writeErrors: [], writeConcernErrors: [] });
    const emitted = (of: BulkWriteResult): unknown => [
      ...[of.isOk(), of.acknowledged, of.hasWriteErrors(), of.getWriteErrors(), of.getWriteErrorCount()],
      ...[of.getWriteErrorAt(0), of.getWriteErrorAt(1), of.getWriteConcernError()?.toJSON()],
    ];
    expect(emitted(result)).toEqual([true, true, true, [refused], 1, refused, undefined, { code: 64, errmsg: 'slow' }]);
    expect(emitted(clean)).toEqual([false, false, false, [], 0, undefined, undefined, undefined]);
  });

  test('combines several write concern errors into one, with all messages and the first code', () => {
    const all = [unsafe(64, 'slow'), unsafe(100, 'too few')];
    const many = new BulkWriteResult({ ...outcome, writeConcernErrors: all });
    expect(many.getWriteConcernError()?.toJSON()).toEqual({ code: 64, errmsg: 'slow and too few' });
    const silent = new WriteConcernError({ errmsg: 'x' } as never);
    const none = new BulkWriteResult({ ...outcome, writeConcernErrors: [silent, unsafe(100, 'y')] });
    expect(none.getWriteConcernError()?.toJSON()).toEqual({ code: 0, errmsg: 'x and y' });
    expect(result.getWriteConcernError()).toBe(outcome.writeConcernErrors[0]);
  });
});

test('WriteError and WriteConcernError have the members of the official driver', () => {
  const { index, code, errmsg, errInfo } = refused;
  expect([index, code, errmsg, errInfo, refused.getOperation()]).toEqual([
    ...[3, 11_000, 'duplicate', { a: 1 }, { _id: 1 }],
  ]);
  expect({ ...refused }).toEqual({ err: { index, code, errmsg, errInfo, op: { _id: 1 } } });
  expect([refused.toJSON(), String(refused)]).toEqual([
    { code: 11_000, index: 3, errmsg: 'duplicate', op: { _id: 1 } },
    'WriteError({"code":11000,"index":3,"errmsg":"duplicate","op":{"_id":1}})',
  ]);
  const data = { code: 64, errmsg: 'slow', errInfo: { wtimeout: true } };
  const error = new WriteConcernError(data);
  expect([error.code, error.errmsg, error.errInfo, error.toJSON(), String(error)]).toEqual([
    ...[64, 'slow', { wtimeout: true }, data, 'WriteConcernError(slow)'],
  ]);
});

test('MongoBulkWriteError has the counts and ids of its result, and the errors', () => {
  const result = new BulkWriteResult(outcome);
  const error = new MongoBulkWriteError({ message: 'no', code: 11_000 }, result);
  const { insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount } = error;
  expect([insertedCount, matchedCount, modifiedCount, deletedCount, upsertedCount]).toEqual([1, 2, 3, 4, 2]);
  expect([error.insertedIds, error.upsertedIds, error.writeErrors]).toEqual([
    ...[{ 0: 'a' }, { 5: 'b', 7: 'c' }, [refused]],
  ]);
  expect([error.name, error.message, error.code, error.kind]).toEqual([
    ...['MongoBulkWriteError', 'no', 11_000, 'server'],
  ]);
  expect(error.result).toBe(result);
  expect(Object.getOwnPropertyDescriptor(error, 'err')).toMatchObject({
    ...{ value: outcome.writeConcernErrors[0], enumerable: true },
  });
  const clean = new MongoBulkWriteError({}, new BulkWriteResult({ ...outcome, writeConcernErrors: [] }));
  expect('err' in clean).toBe(false);
});

test('tests of applications create bulk write errors from an error, and with results that have few members', () => {
  const writeErrors = [{ index: 1, code: 11_000, errmsg: 'duplicate' }];
  const few = { insertedCount: 3, getWriteErrors: () => [] } as unknown as BulkWriteResult;
  const error = new MongoBulkWriteError({ message: 'no', code: 11_000, writeErrors }, few);
  expect([error.message, error.code, error.writeErrors, error.insertedCount]).toEqual(['no', 11_000, writeErrors, 3]);
  const converted = new MongoBulkWriteError(new Error('lost'), {} as BulkWriteResult);
  expect([converted.message, converted.writeErrors, converted.result, converted.insertedCount]).toEqual([
    ...['lost', [], {}, undefined],
  ]);
  expect(new MongoClientBulkWriteError({ message: 'no' })).toMatchObject({
    ...{ message: 'no', writeErrors: new Map(), writeConcernErrors: [], partialResult: undefined },
  });
});

test('the error of MongoClient.bulkWrite has the errors and the partial result', () => {
  const failure = {
    writeErrors: new Map([[1, { code: 5, message: 'no' }]]),
    ...{ writeConcernErrors: [{ code: 64, message: 'slow' }], partialResult: undefined },
  };
  const error = new MongoClientBulkWriteError({ message: 'no' }, failure);
  expect(error).toMatchObject({ name: 'MongoClientBulkWriteError', message: 'no', ...failure });
});

describe('the operations of a bulk write', () => {
  const models = [
    { insertOne: { document: { _id: 1 } } },
    { insertOne: { _id: 2 } },
    { updateOne: { filter: { a: 1 }, update: { $set: { a: 2 } }, upsert: true } },
    { updateMany: { filter: {}, update: { $set: { a: 3 } } } },
    { deleteOne: { filter: { a: 2 } } },
    { insertOne: { document: { _id: 3 } } },
    { deleteMany: { filter: { a: 3 } } },
    { replaceOne: { filter: { a: 4 }, replacement: { a: 5 } } },
  ];
  const inserts = [{ _id: 1 }, { _id: 2 }, { _id: 3 }];
  const updates = [
    { q: { a: 1 }, u: { $set: { a: 2 } }, upsert: true },
    { q: {}, u: { $set: { a: 3 } }, multi: true },
    { q: { a: 4 }, u: { a: 5 } },
  ];
  const deletes = [
    { q: { a: 2 }, limit: 1 },
    { q: { a: 3 }, limit: 0 },
  ];

  test('share a command with adjacent operations of the same kind if ordered, and with all of that kind if unordered', () => {
    expect(toRuns(models, true, keeping)).toEqual([
      { command: 'insert', statements: inserts.slice(0, 2), places: [0, 1] },
      { command: 'update', statements: updates.slice(0, 2), places: [2, 3] },
      { command: 'delete', statements: deletes.slice(0, 1), places: [4] },
      { command: 'insert', statements: inserts.slice(2), places: [5] },
      { command: 'delete', statements: deletes.slice(1), places: [6] },
      { command: 'update', statements: updates.slice(2), places: [7] },
    ]);
    expect(toRuns(models, false, keeping)).toEqual([
      { command: 'insert', statements: inserts, places: [0, 1, 5] },
      { command: 'update', statements: updates, places: [2, 3, 7] },
      { command: 'delete', statements: deletes, places: [4, 6] },
    ]);
    expect([toInserts([]), toInserts(inserts)]).toEqual([
      [],
      [{ command: 'insert', statements: inserts, places: undefined }],
    ]);
  });

  const shape =
    'Each operation of a bulk write must be a document with one key: insertOne, updateOne, updateMany, replaceOne, deleteOne or deleteMany.';
  const update = { $set: undefined };

  test.each<readonly [model: unknown, message: string]>([
    [null, shape],
    [undefined, shape],
    [{}, shape],
    [{ insertOne: null }, shape],
    [{ insertOne: 'x' }, shape],
    [{ insertOne: { document: {} }, deleteOne: { filter: {} } }, shape],
    [
      { remove: {} },
      "Unknown bulk write operation 'remove'. Use insertOne, updateOne, updateMany, replaceOne, deleteOne or deleteMany.",
    ],
    ...['updateOne', 'updateMany', 'replaceOne', 'deleteOne', 'deleteMany'].map(
      name => [{ [name]: { collation: 5 } }, 'The option "collation" must be a document, but is 5.'] as const,
    ),
    [
      { updateOne: { filter: {}, update } },
      'All operators of the update are undefined, and "ignoreUndefined" removes them. The update would replace the document with an empty one.',
    ],
  ])('%j is rejected', (model, message) => {
    expect(() => toRuns([model], true, ignoring)).toThrow(new MongoInvalidArgumentError(message));
  });

  test('keep every option of their selection, and are executed once', () =>
    withServer(async ({ films }) => {
      const bulk = films.initializeUnorderedBulkOp({ writeConcern: { w: 1 }, ignoreUndefined: true });
      expect([bulk.isOrdered, bulk.length, bulk.writeConcern?.toDocument(), bulk.bsonOptions.ignoreUndefined]).toEqual([
        ...[false, 0, { w: 1 }, true],
      ]);
      const selected = bulk.find({ _id: 1 });
      expect(selected.bulkOperation).toBe(bulk);
      const collation = { locale: 'simple' };
      const arrayFilters = [{ x: 1 }];
      selected
        .upsert()
        .collation(collation)
        .arrayFilters(arrayFilters)
        .hint('_id_')
        .update({ $set: { 'a.$[x]': 1 } });
      bulk.find({}).updateOne({ $set: { year: 1 } });
      bulk.find({}).replaceOne({ year: 2 });
      bulk.find({}).deleteOne();
      bulk.find({}).delete();
      bulk.insert({ _id: 7 });
      const unmeasured = { currentIndex: 0, sizeBytes: 0, serializedOperations: [] };
      expect(bulk.batches).toEqual([
        { ...unmeasured, batchType: 1, originalZeroIndex: 5, originalIndexes: [5], operations: [{ _id: 7 }], size: 1 },
        {
          ...unmeasured,
          ...{ batchType: 2, originalZeroIndex: 0, originalIndexes: [0, 1, 2], size: 3 },
          operations: [
            {
              q: { _id: 1 },
              u: { $set: { 'a.$[x]': 1 } },
              multi: true,
              upsert: true,
              collation,
              arrayFilters,
              hint: '_id_',
            },
            { q: {}, u: { $set: { year: 1 } } },
            { q: {}, u: { year: 2 } },
          ],
        },
        {
          ...unmeasured,
          ...{ batchType: 3, originalZeroIndex: 3, originalIndexes: [3, 4], size: 2 },
          operations: [
            { q: {}, limit: 1 },
            { q: {}, limit: 0 },
          ],
        },
      ]);
      const empty = films.initializeOrderedBulkOp();
      expect([empty.writeConcern, empty.isOrdered]).toEqual([undefined, true]);
      await expect(empty.execute()).rejects.toThrow(
        new MongoInvalidArgumentError('The bulk operation is empty. Add at least one write before execute().'),
      );
      empty.insert({ _id: 1 });
      await empty.execute();
      await expect(empty.execute()).rejects.toThrow(
        'A bulk operation can be executed only once. Create another one for further writes.',
      );
      expect(() => empty.find(undefined as never)).toThrow(
        new MongoInvalidArgumentError(
          'The find method of a bulk operation needs a filter. Use {} to select all documents.',
        ),
      );
      expect(() => films.initializeOrderedBulkOp({ ordered: 5 } as never)).toThrow('The option "ordered" must be');
      await expect(
        films
          .initializeOrderedBulkOp()
          .insert({})
          .execute({ comment: () => 1 }),
      ).rejects.toThrow('The option "comment" must be');
    }));
});
