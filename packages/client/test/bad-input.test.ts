/**
 * Servers that send errors, counts and labels of wrong types: each causes a clear error or the behavior that the
 * specification requires.
 */
import { GridFSBucket } from '@tessera/client';
import type { MongoBulkWriteError } from '@tessera/client';
import type { Document } from 'bson';
import { Long } from 'bson';
import { describe, expect, test } from 'vitest';
import { ask, member, mongos } from './bad-server.js';
import type { Handles, ThrownError } from './bad-server.js';

const insert = ({ films }: Handles) => films.insertOne({ title: 'M' });
const find = ({ films }: Handles) => films.find().toArray();
const insertMany = ({ films }: Handles) => films.insertMany([{ title: 'M' }, { title: 'Z' }]);
const bulk = ({ films }: Handles) => films.bulkWrite([{ insertOne: { document: {} } }], { ordered: false });
const modify = ({ films }: Handles) => films.findOneAndDelete({});
const upsert = ({ films }: Handles) => films.updateOne({}, { $set: { title: 'M' } }, { upsert: true });
const bulkOfClient = ({ client }: Handles) =>
  client.bulkWrite(
    [1, 2].map(_id => ({ name: 'insertOne' as const, namespace: 'test.films', document: { _id: _id as never } })),
    { verboseResults: true },
  );
const committing = async ({ client, films }: Handles): Promise<string> => {
  const session = client.startSession();
  try {
    session.startTransaction();
    await films.insertOne({}, { session });
    await session.commitTransaction();
    return 'committed';
  } finally {
    await session.endSession();
  }
};

const none = { cursor: { id: Long.ZERO, ns: 'test.films', firstBatch: [] } };
const unsafe = { code: 64, codeName: 'WriteConcernTimeout', errmsg: 'waited too long' };
const refused = (error: Partial<ThrownError>): ThrownError => ({
  ...{ name: 'MongoServerError', message: 'no', code: undefined, labels: [] },
  ...error,
});

describe('errorLabels of a wrong type', () => {
  const shapes: readonly (readonly [labels: unknown, kept: readonly string[]])[] = [
    [{}, []],
    [null, []],
    ['RetryableWriteError', []],
    [{ 0: 'RetryableWriteError' }, []],
    [[1, 2, null], []],
    [[1, 'Known'], ['Known']],
  ];

  test.each(shapes)('%j in an error are ignored, and cause no retry', async (errorLabels, labels) => {
    const { error, received } = await ask({ ok: 0, code: 8000, errmsg: 'no', errorLabels }, insert);
    expect([error, received]).toEqual([refused({ code: 8000, labels }), ['insert']]);
  });

  test.each(shapes)('%j with a write concern error are ignored', async (errorLabels, labels) => {
    const emitted = { name: 'MongoWriteConcernError', message: 'waited too long', code: 64, labels };
    for (const [operate, name] of [[insert, 'insert'] as const, [modify, 'findAndModify'] as const]) {
      const { error, received } = await ask({ n: 1, writeConcernError: unsafe, errorLabels }, operate);
      expect([error, received]).toEqual([emitted, [name]]);
    }
  });
});

describe('codes of a wrong type', () => {
  test.each([['91'], ['x'], [null], [{}], [[91]], [NaN], [Infinity]])('%j is ignored, also by retries', async code => {
    const { error, received } = await ask({ ok: 0, code, errmsg: 'no' }, find);
    expect([error, received]).toEqual([refused({}), ['find']]);
    const written = await ask({ n: 1, writeConcernError: { ...unsafe, code } }, insert);
    expect(written.error).toEqual({
      ...{ name: 'MongoWriteConcernError', message: 'waited too long', code: undefined, labels: [] },
    });
    const committed = await ask(
      command => ('insert' in command ? { n: 1 } : { writeConcernError: { code, errmsg: 'w' } }),
      committing,
    );
    expect(committed.error).toEqual({
      ...{ name: 'MongoWriteConcernError', message: 'w', code: undefined, labels: ['UnknownTransactionCommitResult'] },
    });
  });

  test('an int64 code is accepted', async () => {
    const { error, received } = await ask({ ok: 0, code: Long.fromNumber(91), errmsg: 'no' }, find);
    expect([error, received]).toEqual([refused({ code: 91 }), ['find', 'find']]);
  });
});

describe('a writeConcernError of a wrong type', () => {
  const shapes: readonly (readonly [shape: unknown])[] = [['x'], [null], [[]], [5], [true], [{}]];
  const silent = (message: string, name = 'MongoWriteConcernError', labels: readonly string[] = []): ThrownError => ({
    ...{ name, message, code: undefined, labels },
  });

  test.each(shapes)('%j fails the write, without details', async writeConcernError => {
    const answer = { n: 1, writeConcernError };
    expect((await ask(answer, insert)).error).toEqual(silent('the server gave no message'));
    expect((await ask(answer, modify)).error).toEqual(silent('the server gave no message'));
    const ofMany = silent('The write concern was not satisfied: the server gave no reason', 'MongoBulkWriteError');
    expect((await ask({ ...answer, n: 2 }, insertMany)).error).toEqual(ofMany);
    expect((await ask(answer, bulk)).error).toEqual(ofMany);
    expect((await ask(answer, ({ films }) => films.drop())).error).toEqual(silent('the server gave no message'));
  });

  test.each(shapes)('%j fails an aggregation that writes, and no other aggregation', async writeConcernError => {
    const write = ({ films }: Handles) => films.aggregate([{ $out: 'others' }]).toArray();
    const read = ({ films }: Handles) => films.aggregate([]).toArray();
    const answer = { ...none, writeConcernError };
    expect(await ask(answer, write)).toMatchObject({
      error: { name: 'MongoWriteConcernError' },
      received: ['aggregate'],
    });
    expect(await ask(answer, read)).toMatchObject({ error: undefined });
  });

  test.each(shapes)('%j in the reply to a commit means that the result is unknown', async writeConcernError => {
    const { error, received } = await ask(
      command => ('insert' in command ? { n: 1 } : { writeConcernError }),
      committing,
    );
    const emitted = silent('the server gave no message', 'MongoWriteConcernError', ['UnknownTransactionCommitResult']);
    expect([error, received]).toEqual([emitted, ['insert', 'commitTransaction']]);
  });

  test.each(shapes)('%j fails MongoClient.bulkWrite, with or without a cursor', async writeConcernError => {
    const counts = { nErrors: 0, nInserted: 2, writeConcernError };
    expect((await ask({ ...none, ...counts }, bulkOfClient)).error).toEqual(
      silent('The write concern was not satisfied: the server gave no message', 'MongoClientBulkWriteError'),
    );
    const message = 'The server answered without a cursor that has an id and a firstBatch.';
    expect((await ask(counts, bulkOfClient)).error).toMatchObject({ message });
  });
});

describe('write errors', () => {
  const lost = (command: string, field: string): ThrownError => ({
    name: 'MongoUnexpectedServerResponseError',
    message: `The server answered ${command} with ${field} that lack the index of their statement, so it is unknown what was written.`,
    code: undefined,
    labels: [],
  });

  test.each([[{}], ['x'], [null], [5], [[null]], [['x']], [[{}]], [[{ index: 'x', code: 1, errmsg: 'no' }]]])(
    '%j cause an error about an unreadable reply, never a success',
    async writeErrors => {
      const error = lost('insert', 'writeErrors');
      expect((await ask({ n: 0, writeErrors }, insert)).error).toEqual(error);
      expect((await ask({ n: 0, writeErrors }, bulk)).error).toMatchObject({ message: error.message });
      expect((await ask({ n: 0, writeErrors, writeConcernError: unsafe }, insertMany)).error).toMatchObject({
        message: error.message,
      });
    },
  );

  test.each([
    ...[{ writeErrors: 5 }, { writeErrors: {} }, { writeErrors: [null] }, { writeErrors: ['x'] }],
    ...[{ upserted: 5 }, { upserted: [null] }, { n: 'x' }],
  ])('%j with a command error and a write concern error are ignored, and the command error is thrown', async more => {
    const refusal = { ok: 0, code: 8000, errmsg: 'no', writeConcernError: unsafe, ...more };
    const emitted = { name: 'MongoBulkWriteError', message: 'no', code: 8000, labels: [] };
    const counted = (operate: (handles: Handles) => Promise<unknown>) => async (handles: Handles) => {
      let insertedCount: unknown;
      const error: unknown = await operate(handles).catch((reason: MongoBulkWriteError) => {
        ({ insertedCount } = reason);
        return reason;
      });
      expect(insertedCount).toBe(0);
      throw error;
    };
    expect((await ask(refusal, counted(insertMany))).error).toEqual(emitted);
    expect((await ask(refusal, counted(bulk))).error).toEqual(emitted);
  });

  test('invalid counts with a write concern error are ignored', async () => {
    const { value } = await ask({ n: 'x', writeConcernError: unsafe }, handles =>
      insertMany(handles).catch((error: MongoBulkWriteError) => [error.code, error.insertedCount]),
    );
    expect(value).toEqual([64, 0]);
  });

  test.each([[7], [-1]])('with the unknown index %j are returned unchanged', async index => {
    const writeErrors = [{ index, code: 11000, errmsg: 'duplicate' }];
    expect((await ask({ n: 0, writeErrors }, insert)).error).toEqual(refused({ message: 'duplicate', code: 11000 }));
    const many = { name: 'MongoBulkWriteError', message: 'duplicate', code: 11000, labels: [] };
    expect((await ask({ n: 1, writeErrors }, insertMany)).error).toEqual(many);
    expect((await ask({ n: 1, writeErrors }, bulk)).error).toEqual(many);
  });

  test('with a string as code and a number as message have neither', async () => {
    const writeErrors = [{ index: 0, code: '11000', errmsg: 5 }];
    expect((await ask({ n: 0, writeErrors }, insert)).error).toEqual(
      refused({ message: 'the server gave no message' }),
    );
  });

  test.each([[{}], ['x'], [null], [5], [[null]], [[{}]]])('upserted: %j is ignored', async upserted => {
    const { error } = await ask({ n: 1, nModified: 0, upserted }, upsert);
    expect(error).toEqual(lost('update', 'upserted'));
  });
});

describe('results of MongoClient.bulkWrite', () => {
  const placeless = 'The server answered bulkWrite with a result that lacks the index of its write.';
  const answer = (firstBatch: readonly unknown[], more: Document = {}): Document => ({
    ...{ cursor: { ...none.cursor, ns: 'admin.$cmd.bulkWrite', firstBatch }, nErrors: 0, nInserted: 2 },
    ...more,
  });

  test.each([[{}], [{ writeConcernError: unsafe }]])('that belong to no write cause an error (%j)', async more => {
    for (const result of [{ ok: 0 }, { ok: 1, idx: 'x' }, { ok: 1, idx: null }]) {
      const { error } = await ask(answer([result], more), bulkOfClient);
      expect(error).toMatchObject({ message: placeless });
    }
  });

  test.each([[{}], [{ writeConcernError: unsafe }]])('that are not documents cause an error (%j)', async more => {
    const { error } = await ask(answer([null], more), bulkOfClient);
    expect(error?.message).toMatch(/^Invalid BSON: a value of type 10 in an array of documents/);
  });

  test('that repeat an index count once', async () => {
    const first = { ok: 1, idx: 0, n: 1 };
    const { value } = await ask(answer([first, first]), bulkOfClient);
    expect(value).toMatchObject({ insertedCount: 2, insertResults: new Map([[0, { insertedId: 1 }]]) });
    const failed = { ok: 0, idx: 1, code: 11000, errmsg: 'duplicate' };
    const { error } = await ask(answer([failed, failed], { nErrors: 1 }), bulkOfClient);
    expect(error).toMatchObject({
      name: 'MongoClientBulkWriteError',
      message: '1 of 2 writes failed. The first error is at index 1: duplicate',
    });
  });
});

describe('transactions', () => {
  test.each([[undefined], [null], ['x'], [{}], [0]])('a commit whose ok is %j has failed', async ok => {
    const { error, received } = await ask(command => ('insert' in command ? { n: 1 } : { ok }), committing);
    expect([error, received]).toEqual([
      refused({ message: 'the server gave no reason' }),
      ['insert', 'commitTransaction'],
    ]);
  });

  test.each([[undefined], ['x'], [null], [5]])('an invalid recovery token (%j) is not sent back', async token => {
    const answer = token === undefined ? { n: 1 } : { n: 1, recoveryToken: token };
    const { value, commands } = await ask(answer, committing, mongos);
    expect(value).toBe('committed');
    expect(commands[1]?.['recoveryToken']).toBeUndefined();
  });

  test('a recovery token is sent back unchanged', async () => {
    const { commands } = await ask({ n: 1, recoveryToken: { any: 'thing' } }, committing, mongos);
    expect(commands[1]?.['recoveryToken']).toEqual({ any: 'thing' });
  });
});

describe('a server that always reports overload', () => {
  const overloaded = (baseBackoffMS?: unknown): Document => ({
    ...{ ok: 0, code: 462, errmsg: 'no', errorLabels: ['SystemOverloadedError', 'RetryableError'] },
    ...(baseBackoffMS === undefined ? {} : { baseBackoffMS }),
  });
  const emitted = refused({ code: 462, labels: ['SystemOverloadedError', 'RetryableError'] });
  const thrice = (name: string): readonly string[] => [name, name, name];

  test.each([[-5], [0], [NaN], ['400'], [null], [{}], [1e300], [Infinity], [Long.MAX_VALUE]])(
    'receives three attempts with baseBackoffMS: %s, and each wait is limited to ten seconds',
    async base => {
      const { error, received, lasted } = await ask(overloaded(base), find);
      expect([error, received]).toEqual([emitted, thrice('find')]);
      expect(lasted).toBeLessThan(20_000);
    },
  );

  test('receives three attempts also without a time limit, and in a transaction', async () => {
    const without = await ask(overloaded(), ({ films }) => films.find({}, { timeoutMS: 0 }).toArray());
    expect([without.error, without.received]).toEqual([emitted, thrice('find')]);
    const within = await ask(overloaded(), committing);
    expect([within.error, within.received]).toEqual([emitted, [...thrice('insert'), ...thrice('abortTransaction')]]);
  });
});

describe('timeoutMS', () => {
  const message = (given: string): string =>
    `"timeoutMS" must be a whole number of milliseconds, or 0 for no limit, but is ${given}.`;

  test.each<readonly [timeoutMS: unknown, given: string]>([
    [-1, '-1'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [1.5, '1.5'],
    ['5', 'of the type string'],
  ])('%s is rejected before a command is sent', async (timeoutMS, given) => {
    const options = { timeoutMS: timeoutMS as number };
    const operations = [
      ({ films }: Handles) => films.find({}, options).toArray(),
      ({ films }: Handles) => films.insertOne({}, options),
      ({ films }: Handles) => films.bulkWrite([{ insertOne: { document: {} } }], options),
      ({ client }: Handles) =>
        client.bulkWrite([{ name: 'insertOne', namespace: 'test.films', document: {} }], options),
      ({ db }: Handles) => db.command({ buildInfo: 1 }, options),
      ({ films }: Handles) => films.watch([], options).next(),
      ({ db }: Handles) => new GridFSBucket(db).delete(1, options),
      ({ db }: Handles) => new GridFSBucket(db).upload('M', new Uint8Array(3), options),
      ({ client }: Handles) => client.startSession().withTransaction(() => Promise.resolve(), options),
    ];
    for (const operate of operations) {
      const { error, received } = await ask(none, operate);
      expect([error, received]).toEqual([
        { name: 'MongoInvalidArgumentError', message: message(given), code: undefined, labels: [] },
        [],
      ]);
    }
  });

  test.each([[-1], [NaN]])('%s does not end a transaction or session', async timeoutMS => {
    const { value, received } = await ask({ n: 1 }, async ({ client, films }) => {
      const session = client.startSession();
      session.startTransaction();
      await films.insertOne({}, { session });
      const refusals: unknown[] = [];
      const note = (reason: unknown): unknown => refusals.push((reason as Error).name);
      await session.commitTransaction({ timeoutMS }).catch(note);
      await session.abortTransaction({ timeoutMS }).catch(note);
      await session.endSession({ timeoutMS }).catch(note);
      const before = [...refusals, session.inTransaction(), session.hasEnded];
      await session.endSession();
      return before;
    });
    expect(value).toEqual([...Array<string>(3).fill('MongoInvalidArgumentError'), true, false]);
    expect(received).toEqual(['insert', 'abortTransaction']);
  });

  test('0 means no limit, and no maxTimeMS is sent', async () => {
    const { value, commands } = await ask(none, ({ films }) => films.find({}, { timeoutMS: 0 }).toArray(), member);
    expect([value, commands[0]?.['maxTimeMS']]).toEqual([[], undefined]);
  });
});
