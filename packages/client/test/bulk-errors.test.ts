import { MongoClient } from '@tessera/client';
import type { MongoBulkWriteError } from '@tessera/client';
import { createWorld } from '@tessera/sim';
import type { Document } from 'bson';
import { describe, expect, test } from 'vitest';
import { HELLO, isHello, scriptServer } from './scripted-server.js';

const writeConcernError = { code: 64, errmsg: 'waited' };
const replies = (answers: Readonly<Record<string, Document>>, hello: Document = {}) => ({ answers, hello });

/**
 * Runs an unordered bulkWrite of two inserts and an update. Returns its outcome and the commands that the server
 * received.
 */
const bulk = async ({ answers, hello }: ReturnType<typeof replies>) => {
  const world = createWorld({ turn: () => new Promise(resolve => setImmediate(resolve)) });
  const received: string[] = [];
  let error: MongoBulkWriteError | undefined;
  await world.run(async () => {
    const server = await scriptServer(world, 'db1:27017', command => {
      if (isHello(command)) return { ...HELLO, setName: 'rs', setVersion: 1, hosts: ['db1:27017'], ...hello };
      const [name] = Object.keys(command) as [string];
      if (!['insert', 'update'].includes(name)) return {};
      received.push(name);
      return answers[`${name}${received.length}`] ?? { n: 1 };
    });
    const client = new MongoClient('mongodb://db1/?replicaSet=rs', {}, { runtime: world.runtime });
    const films = client.db('shop').collection<{ _id: number }>('films');
    const update = { updateOne: { filter: { _id: 1 }, update: { $set: { a: 1 } } } };
    error = await films
      .bulkWrite([{ insertOne: { document: { _id: 1 } } }, { insertOne: { document: { _id: 2 } } }, update], {
        ordered: false,
      })
      .then(
        () => undefined,
        (reason: MongoBulkWriteError) => reason,
      );
    await client.close();
    await server.close();
  });
  return { received, error };
};

describe('the reply in the error of a bulkWrite', () => {
  const writeErrors = [{ index: 1, code: 11_000, errmsg: 'duplicate' }];

  test('lists the failed writes', async () => {
    const { error } = await bulk(replies({ insert1: { n: 1, writeErrors } }));
    expect(error?.errorResponse).toEqual({ message: 'duplicate', code: 11_000, writeErrors: error?.writeErrors });
  });

  test('has the message and code of a write concern error', async () => {
    const { error } = await bulk(replies({ insert1: { n: 2, writeConcernError } }));
    expect([error?.message, error?.errorResponse]).toEqual(['waited', { message: 'waited', code: 64 }]);
  });

  test('is that of the command that ended it, whose fields the error has beside the writes that failed before', async () => {
    const refusal = { ok: 0, code: 8000, codeName: 'AtlasError', errmsg: 'no' };
    const { error } = await bulk(replies({ insert1: { n: 1, writeErrors }, update2: refusal }));
    expect(error).toMatchObject({ message: 'no', code: 8000, codeName: 'AtlasError', ok: 0, errorResponse: refusal });
    expect(error?.writeErrors.map(({ index, code }) => [index, code])).toEqual([[1, 11_000]]);
  });
});

describe('CRUD, "bulkWrite": an unordered bulkWrite', () => {
  test('ends at a command error, even if the reply also has a write concern error', async () => {
    const refusal = { ok: 0, code: 8000, errmsg: 'no', writeConcernError };
    const { received, error } = await bulk(replies({ insert1: refusal }));
    expect(received).toEqual(['insert']);
    expect(error).toMatchObject({ name: 'MongoBulkWriteError', message: 'no', code: 8000, insertedCount: 0 });
  });

  test('continues after a write concern error, and reports it with the error that ends the bulk write', async () => {
    const answers = { insert1: { n: 1, writeConcernError }, insert2: { ok: 0, code: 8000, errmsg: 'no' } };
    const { received, error } = await bulk(replies(answers, { maxWriteBatchSize: 1 }));
    expect(received).toEqual(['insert', 'insert']);
    expect(error).toMatchObject({ message: 'no', code: 8000, insertedCount: 1 });
    expect(error?.err?.toJSON()).toEqual(writeConcernError);
  });

  test('reports all its write concern errors', async () => {
    const answers = { insert1: { n: 1, writeConcernError }, insert2: { n: 1, writeConcernError } };
    const { received, error } = await bulk(replies(answers, { maxWriteBatchSize: 1 }));
    expect(received).toEqual(['insert', 'insert', 'update']);
    expect(error).toMatchObject({ code: 64, insertedCount: 2, matchedCount: 1 });
    expect(error?.result.result.writeConcernErrors.map(one => one.toJSON())).toEqual([
      writeConcernError,
      writeConcernError,
    ]);
  });
});
