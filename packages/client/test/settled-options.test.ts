/** The options that handles and transactions inherit, and the results of operations. */
import {
  MongoInvalidArgumentError,
  MongoTransactionError,
  ReadConcern,
  ReadPreference,
  WriteConcern,
} from '@tessera/client';
import { MongoError as TesseraError, noLimit } from '@tessera/contracts';
import type { Compressor, DriverEvent, EventSink } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { compressorsOf, missingCompressors } from '../src/compression.js';
import { countingPipeline } from '../src/counting.js';
import { explainOptions } from '../src/explain.js';
import { commandFields, Handle } from '../src/handle.js';
import { resolveForOperation, resolveOptions, noOptions, overrides, resolvedBson } from '../src/resolved-options.js';
import { noLog, withLog } from '../src/log.js';
import { deleteResult, insertOneResult, modifiedDocument, modifyResult, updateResult } from '../src/results.js';
import { checkTimeoutMS, createTimeLimits, deadlineOf, timedCall } from '../src/time-limit.js';
import {
  checkInTransaction,
  differsInTransaction,
  inTransaction,
  settleTransaction,
  Transaction,
  transactionError,
} from '../src/transaction-options.js';

const pkFactory = { createPk: () => 1 };
const parent = {
  readPreference: new ReadPreference('nearest'),
  readConcern: new ReadConcern('local'),
  writeConcern: new WriteConcern(2),
  timeoutMS: 100,
  undefinedInFilters: undefined,
  pkFactory,
  bson: { promoteLongs: false },
};

describe('the inherited options of a handle', () => {
  test("are the same object as the parent's without options of its own", () => {
    expect(resolveOptions({}, parent)).toBe(parent);
    expect(resolveOptions({ forceServerObjectId: true }, parent)).toBe(parent);
  });

  test("are the parent's, except the options that it sets", () => {
    const own = { createPk: () => 2 };
    expect([
      resolveOptions({ readPreference: 'secondary' }, parent),
      resolveOptions({ readConcern: 'majority' }, parent),
      resolveOptions({ writeConcern: { w: 1 } }, parent),
      resolveOptions({ timeoutMS: 0 }, parent),
      resolveOptions({ pkFactory: own }, parent),
      resolveOptions({ raw: true }, parent),
    ]).toEqual([
      { ...parent, readPreference: new ReadPreference('secondary') },
      { ...parent, readConcern: new ReadConcern('majority') },
      { ...parent, writeConcern: new WriteConcern(1) },
      { ...parent, timeoutMS: 0 },
      { ...parent, pkFactory: own },
      { ...parent, bson: { promoteLongs: false, raw: true } },
    ]);
    expect(resolveOptions({ timeoutMS: 5 }, parent).bson).toBe(parent.bson);
  });

  test(`Read and Write Concern, "On the Wire": an empty concern selects the server's default`, () => {
    expect(resolveOptions({ readConcern: {}, writeConcern: {} }, parent)).toMatchObject({
      ...{ readConcern: undefined, writeConcern: undefined, readPreference: parent.readPreference },
    });
  });

  test('do not include checkKeys, which is an option of operations', () => {
    expect(resolveOptions({ checkKeys: true, raw: true }, parent).bson).toEqual({ promoteLongs: false, raw: true });
    expect(resolveForOperation({ checkKeys: true }, parent)).toEqual({
      ...parent,
      bson: { promoteLongs: false, checkKeys: true },
    });
    expect(resolveForOperation({ checkKeys: false, raw: true }, parent).bson).toEqual({
      promoteLongs: false,
      raw: true,
    });
  });

  test('reject an invalid timeoutMS', () => {
    expect(() => resolveOptions({ timeoutMS: -1 }, parent)).toThrow(MongoInvalidArgumentError);
  });

  const names = [
    ...['ignoreUndefined', 'serializeFunctions', 'promoteLongs', 'useBigInt64', 'promoteValues', 'promoteBuffers'],
    ...['bsonRegExp', 'raw', 'fieldsAsRaw', 'enableUtf8Validation'],
  ];

  test.each(names)('include the BSON option %s', name => {
    expect(resolveOptions({ [name]: true }, noOptions).bson).toEqual({ [name]: true });
    expect(resolveOptions({ [name]: null }, noOptions).bson).toBe(noOptions.bson);
    expect(overrides({ [name]: false })).toBe(true);
  });

  test('differ if the handle sets an option', () => {
    const given = [
      ...[{ readPreference: 'primary' }, { readConcern: 'local' }, { writeConcern: 1 }, { checkKeys: true }],
      ...[{}, { checkKeys: false }, { timeoutMS: 5 }, { readPreference: undefined }],
    ];
    expect(given.map(options => overrides(options as never))).toEqual([
      ...[true, true, true, true, false, false, false, false],
    ]);
  });

  test('are exposed with every BSON option', () => {
    const defaults = {
      ...{ ignoreUndefined: false, serializeFunctions: false, promoteLongs: true, useBigInt64: false },
      ...{ promoteValues: true, promoteBuffers: false, bsonRegExp: false, raw: false, fieldsAsRaw: {} },
      enableUtf8Validation: true,
    };
    expect([resolvedBson(noOptions), resolvedBson(parent)]).toEqual([defaults, { ...defaults, promoteLongs: false }]);
  });
});

describe('the options of an operation', () => {
  test('are sent only if they are given', () => {
    expect([
      commandFields(undefined),
      commandFields(null),
      commandFields({ raw: true }),
      commandFields({ comment: 0 }),
      commandFields({ maxTimeMS: 0 }),
      commandFields({ comment: 'why', maxTimeMS: 5 }),
    ]).toStrictEqual([{}, {}, {}, { comment: 0 }, { maxTimeMS: 0 }, { comment: 'why', maxTimeMS: 5 }]);
  });

  test('include forceServerObjectId, which takes precedence over that of the handle', () => {
    const origin = {} as never;
    const forced = new Handle(origin, 'shop', 'films', parent, true);
    const free = new Handle(origin, 'shop', 'films', parent);
    const seen = [forced, free].map(handle =>
      [undefined, true, false].map(own => handle.with({ readPreference: 'primary' }, own).forceServerObjectId),
    );
    expect(seen).toEqual([
      [true, true, false],
      [false, true, false],
    ]);
    expect([forced.with(undefined, false), forced.with({}), forced.with({}, true)]).toEqual([forced, forced, forced]);
  });
});

describe('Transactions: the options of a transaction', () => {
  const client = {
    readConcern: new ReadConcern('local'),
    writeConcern: new WriteConcern(2),
    readPreference: new ReadPreference('nearest'),
  };
  const nothing = { readConcern: undefined, writeConcern: undefined, readPreference: undefined };

  test('are its own, else those of the session, else those of the client, each separately', () => {
    const defaults = {
      readConcern: 'majority',
      writeConcern: 3,
      readPreference: 'secondary',
      maxCommitTimeMS: 5,
    } as const;
    const own = {
      readConcern: { level: 'snapshot' },
      writeConcern: { w: 1 },
      readPreference: 'primary',
      maxCommitTimeMS: 0,
    } as const;
    expect([
      settleTransaction(own, defaults, client),
      settleTransaction({}, defaults, client),
      settleTransaction({}, {}, client),
      settleTransaction({}, {}, nothing),
    ]).toEqual([
      {
        ...{ readConcern: { level: 'snapshot' }, writeConcern: { w: 1 }, maxCommitTimeMS: 0 },
        readPreference: ReadPreference.primary,
      },
      {
        ...{ readConcern: { level: 'majority' }, writeConcern: { w: 3 }, maxCommitTimeMS: 5 },
        readPreference: ReadPreference.secondary,
      },
      {
        ...{ readConcern: { level: 'local' }, writeConcern: { w: 2 }, maxCommitTimeMS: undefined },
        readPreference: ReadPreference.nearest,
      },
      { ...nothing, maxCommitTimeMS: undefined },
    ]);
  });

  test('replace those of a handle', () => {
    expect([
      differsInTransaction({ ...nothing, writeConcern: new WriteConcern(0) }),
      differsInTransaction({ ...nothing, writeConcern: new WriteConcern(1) }),
      differsInTransaction({ ...nothing, readPreference: ReadPreference.nearest }),
      differsInTransaction({ ...nothing, readPreference: ReadPreference.primary }),
      differsInTransaction(nothing),
    ]).toEqual([true, false, true, false, false]);
    const { timeoutMS, bson } = parent;
    expect([inTransaction({}, parent), inTransaction({ readPreference: 'nearest' }, parent)]).toEqual([
      { ...nothing, readPreference: ReadPreference.primary, timeoutMS, pkFactory, bson },
      { ...nothing, readPreference: ReadPreference.nearest, timeoutMS, pkFactory, bson },
    ]);
  });

  test('an operation in a transaction must not have its own concerns', () => {
    const refused =
      (options: object): (() => void) =>
      () => {
        checkInTransaction(options);
      };
    expect(refused({ readConcern: 'local' })).toThrow(
      new MongoTransactionError('Cannot set read concern after starting a transaction.'),
    );
    expect(refused({ writeConcern: 1 })).toThrow(
      new MongoTransactionError('Cannot set write concern after starting a transaction.'),
    );
    for (const options of [{}, { readConcern: null, writeConcern: undefined }, { readPreference: 'nearest' }])
      expect(refused(options)).not.toThrow();
  });

  test('its state has the official names', () => {
    const reached = {} as never;
    const states = [
      ...[{ is: 'none' }, { is: 'starting' }, { is: 'in progress' }],
      ...[{ is: 'committed', reached }, { is: 'committed' }, { is: 'aborted' }],
    ];
    expect(states.map(state => Object.values(new Transaction(state as never, state.is === 'starting')))).toEqual([
      ['NO_TRANSACTION', false, false, false, false],
      ['STARTING_TRANSACTION', true, true, false, true],
      ['TRANSACTION_IN_PROGRESS', true, false, false, false],
      ['TRANSACTION_COMMITTED', false, false, true, false],
      ['TRANSACTION_COMMITTED_EMPTY', false, false, true, false],
      ['TRANSACTION_ABORTED', false, false, false, false],
    ]);
    expect(Object.keys(new Transaction({ is: 'none' }, false))).toEqual([
      ...['state', 'isActive', 'isStarting', 'isCommitted', 'isPinned'],
    ]);
  });

  test('an invalid transaction call is a MongoTransactionError, and every other error keeps its class', () => {
    const foreign = new Error('mine');
    expect(transactionError(new TesseraError('usage', 'no'))).toMatchObject({
      ...{ name: 'MongoTransactionError', message: 'no', kind: 'usage' },
    });
    expect(transactionError(new TesseraError('network', 'no'))).toMatchObject({ name: 'MongoNetworkError' });
    expect(transactionError(foreign)).toBe(foreign);
  });
});

describe('timeoutMS', () => {
  test.each<readonly [given: unknown, shown: string]>([
    [-1, '-1'],
    [1.5, '1.5'],
    [NaN, 'NaN'],
    [Infinity, 'Infinity'],
    [null, 'null'],
    ['5', 'of the type string'],
    [{}, 'of the type object'],
    [undefined, 'of the type undefined'],
  ])('%j is rejected', (given, shown) => {
    expect(() => {
      checkTimeoutMS(given);
    }).toThrow(
      new MongoInvalidArgumentError(
        `"timeoutMS" must be a whole number of milliseconds, or 0 for no limit, but is ${shown}.`,
      ),
    );
  });

  test('sets the deadline of a call, renewed for each command of a cursor, and 0 means none', () => {
    let now = 1000;
    const clock = { now: () => now };
    const driver = { clock, timeLimits: createTimeLimits({ clock }) };
    expect([deadlineOf(driver, 50), deadlineOf(driver, 0)]).toEqual([1050, noLimit]);
    const of = { session: undefined, signal: undefined };
    expect(timedCall(driver, of, undefined)).toStrictEqual(of);
    const own = timedCall(driver, of, 50);
    now = 1020;
    expect([own.deadline, own.renew?.(), own.timeoutMS]).toEqual([1050, 1070, 50]);
    expect(own.exchanges).toBe(driver.timeLimits.withMaxTime);
    const shared = timedCall(driver, of, undefined, 1234);
    expect([shared.deadline, shared.renew?.(), shared.timeoutMS]).toEqual([1234, 1234, undefined]);
    expect(shared.exchanges).toBe(driver.timeLimits.withMaxTime);
    expect([driver.timeLimits.withMaxTime.length, driver.timeLimits.withoutMaxTime.length]).toEqual([1, 1]);
  });
});

describe('the result of an operation', () => {
  const reply = { acknowledged: true, n: 3, nModified: 1, upserted: [{ index: 0, _id: 'x' }], errors: [], taken: 1 };
  const unheard = { acknowledged: false, n: 0, nModified: 0, upserted: [], errors: [], taken: 1 };
  const error = { index: 0, code: 11_000, errmsg: 'duplicate', errInfo: { a: 1 } };

  test('for an acknowledged write and for an unacknowledged one', () => {
    expect([
      insertOneResult(reply, { _id: 1 }),
      insertOneResult(unheard, { _id: 1 }),
      updateResult(reply),
      updateResult({ ...reply, upserted: [] }),
      updateResult(unheard),
      deleteResult(reply),
      deleteResult(unheard),
    ]).toEqual([
      { acknowledged: true, insertedId: 1 },
      { acknowledged: false, insertedId: 1 },
      { acknowledged: true, modifiedCount: 1, upsertedId: 'x', upsertedCount: 1, matchedCount: 2 },
      { acknowledged: true, modifiedCount: 1, upsertedId: null, upsertedCount: 0, matchedCount: 3 },
      { acknowledged: false, modifiedCount: undefined, upsertedId: null, upsertedCount: 0, matchedCount: undefined },
      { acknowledged: true, deletedCount: 3 },
      { acknowledged: false, deletedCount: undefined },
    ]);
  });

  test('for a failed write is its error', () => {
    const failed = { ...reply, errors: [error] } as never;
    for (const run of [() => insertOneResult(failed, {}), () => updateResult(failed), () => deleteResult(failed)]) {
      expect(run).toThrow('duplicate');
      expect(run).toThrow(expect.objectContaining({ name: 'MongoServerError', code: 11_000, errInfo: { a: 1 } }));
    }
  });

  test('for a findOneAnd… method', () => {
    const found = { value: { _id: 1 }, lastErrorObject: { n: 1 } } as never;
    const none = { value: null } as never;
    expect([found, none, undefined].map(one => [modifiedDocument(one), modifyResult(one)])).toEqual([
      [{ _id: 1 }, { value: { _id: 1 }, lastErrorObject: { n: 1 }, ok: 1 }],
      [null, { value: null, lastErrorObject: {}, ok: 1 }],
      [null, { value: null, lastErrorObject: {}, ok: 1 }],
    ]);
  });

  test('CRUD, "countDocuments": the pipeline has $skip and $limit if they are given', () => {
    const group = { $group: { _id: 1, n: { $sum: 1 } } };
    expect([
      countingPipeline({ a: 1 }, {}),
      countingPipeline({}, { skip: 0, limit: 5 }),
      countingPipeline({}, { skip: null, limit: null } as never),
    ]).toEqual([
      [{ $match: { a: 1 } }, group],
      [{ $match: {} }, { $skip: 0 }, { $limit: 5 }, group],
      [{ $match: {} }, group],
    ]);
  });

  test('explain accepts a verbosity, true, false, or a document', () => {
    const document = { verbosity: 'executionStats', maxTimeMS: 5 };
    expect(['queryPlanner', true, false].map(given => explainOptions(given))).toEqual([
      ...[{ verbosity: 'queryPlanner' }, { verbosity: 'allPlansExecution' }, { verbosity: 'queryPlanner' }],
    ]);
    expect(explainOptions(document)).toBe(document);
  });
});

describe('OP_COMPRESSED: compressors', () => {
  const compressor = (id: number, name: string): Compressor => ({ id, name }) as Compressor;
  const [own, zlib, zstd] = [compressor(2, 'mine'), compressor(2, 'zlib'), compressor(3, 'zstd')];

  test('that are passed replace those of the runtime with the same id', () => {
    expect(compressorsOf([own], [zlib, zstd])).toEqual([own, zstd]);
    expect(compressorsOf([], [zlib, zstd])).toEqual([zlib, zstd]);
  });

  test('that are not available cause a warning with instructions', () => {
    expect(missingCompressors(undefined, [])).toEqual([]);
    expect(missingCompressors(['zlib', 'zstd', 'snappy', 'lz4'], [zlib])).toEqual([
      "The compressor 'zstd' is not available and is ignored: pass createZstd() of @tessera/zstd as parts: { compressors: [...] }.",
      "The compressor 'snappy' is not available and is ignored: pass createSnappy() of @tessera/snappy as parts: { compressors: [...] }.",
      "The compressor 'lz4' is not available and is ignored: there are snappy, zlib, zstd, and those in parts.compressors.",
    ]);
    expect(missingCompressors(['zlib'], [])).toEqual([
      "The compressor 'zlib' is not available and is ignored: its runtime has none, so pass one as parts: { compressors: [...] }.",
    ]);
  });
});

describe('a log', () => {
  test('options without a log part cause a warning', () => {
    const warnings: string[] = [];
    const deps = { host: { warn: (sentence: string) => void warnings.push(sentence) } } as never;
    const answers = [{}, { mongodbLogPath: 'stderr' }, { mongodbLogComponentSeverities: {} }].map(options =>
      noLog(deps, options as never),
    );
    expect([answers, warnings]).toEqual([
      [undefined, undefined, undefined],
      Array(2).fill('No log is written. To write one, pass createLog of @tessera/log as parts: { log: createLog }.'),
    ]);
    expect(noLog({ host: {} } as never, { mongodbLogPath: 'stderr' })).toBeUndefined();
  });

  test('and the listeners receive the events that they subscribe to', () => {
    const emitted: string[] = [];
    const sink = (who: string, ...wanted: readonly string[]): EventSink => ({
      wants: name => wanted.includes(name),
      emit: ({ name }) => void emitted.push(`${who} ${name}`),
    });
    const listeners = sink('listener', 'poolCreated', 'poolReady');
    const both = withLog(listeners, sink('log', 'poolReady', 'poolClosed'));
    const names = ['poolCreated', 'poolReady', 'poolClosed', 'poolCleared'] as never[];
    expect(names.map(name => both.wants(name))).toEqual([true, true, true, false]);
    for (const name of names) both.emit({ name } as unknown as DriverEvent);
    expect(emitted).toEqual(['listener poolCreated', 'log poolReady', 'listener poolReady', 'log poolClosed']);
    expect(withLog(listeners, undefined)).toBe(listeners);
  });
});
