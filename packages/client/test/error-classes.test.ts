/** The error classes: their names, base classes and members. */
import { inspect } from 'node:util';
import * as client from '@tessera/client';
import { MongoError as TesseraError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions, Phase, TopologyDescription } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import * as bulkErrors from '../src/bulk-errors.js';
import { convertError } from '../src/convert-error.js';
import * as errors from '../src/errors.js';
import { asPromise, rethrowConverted } from '../src/stack-trace.js';

const { MongoError, MongoServerError, MongoWriteConcernError } = errors;

type ErrorClass = new (message: unknown) => Error;

/** Returns the names of a class's base classes, up to MongoError. */
const lineage = (one: ErrorClass): readonly string[] => {
  const names: string[] = [];
  for (let of: unknown = one; of !== TesseraError; of = Object.getPrototypeOf(of)) names.push((of as ErrorClass).name);
  return names;
};

const api = ['MongoAPIError', 'MongoDriverError', 'MongoError'];
const runtime = ['MongoRuntimeError', 'MongoDriverError', 'MongoError'];
const lineages: Readonly<Record<string, readonly string[]>> = {
  MongoError: [],
  MongoServerError: ['MongoError'],
  MongoWriteConcernError: ['MongoServerError', 'MongoError'],
  MongoBulkWriteError: ['MongoServerError', 'MongoError'],
  MongoClientBulkWriteError: ['MongoServerError', 'MongoError'],
  MongoNetworkError: ['MongoError'],
  MongoNetworkTimeoutError: ['MongoNetworkError', 'MongoError'],
  MongoPoolClearedError: ['MongoNetworkError', 'MongoError'],
  MongoSystemError: ['MongoError'],
  MongoServerSelectionError: ['MongoSystemError', 'MongoError'],
  MongoDriverError: ['MongoError'],
  MongoParseError: ['MongoDriverError', 'MongoError'],
  MongoOperationTimeoutError: ['MongoDriverError', 'MongoError'],
  MongoWaitQueueTimeoutError: ['MongoDriverError', 'MongoError'],
  MongoPoolClosedError: ['MongoDriverError', 'MongoError'],
  MongoAPIError: ['MongoDriverError', 'MongoError'],
  MongoInvalidArgumentError: api,
  MongoCompatibilityError: api,
  MongoNotConnectedError: api,
  MongoClientClosedError: api,
  MongoTransactionError: api,
  MongoExpiredSessionError: api,
  MongoCursorInUseError: api,
  MongoCursorExhaustedError: api,
  MongoTailableCursorError: api,
  MongoBatchReExecutionError: api,
  MongoRuntimeError: ['MongoDriverError', 'MongoError'],
  MongoGridFSChunkError: runtime,
  MongoGridFSStreamError: runtime,
  MongoUnexpectedServerResponseError: runtime,
  MongoChangeStreamError: runtime,
  MongoClientBulkWriteExecutionError: runtime,
};

const classes = Object.entries({ ...errors, ...bulkErrors } as Readonly<Record<string, unknown>>).flatMap(
  ([name, one]): readonly (readonly [string, ErrorClass])[] =>
    /^Mongo\w*Error$/.test(name) ? [[name, one as ErrorClass]] : [],
);

describe('an error class', () => {
  test("is one of the official driver's", () => {
    expect(Object.fromEntries(classes.map(([name, one]) => [name, lineage(one).slice(1)]))).toEqual(lineages);
    const exported = Object.keys(client).filter(name => name in lineages);
    expect(exported.sort()).toEqual(Object.keys(lineages).sort());
  });

  const simple = classes.filter(([name]) => !/BulkWriteError|WriteConcernError$/.test(name));

  test.each(simple)('%s is its name, and it keeps the given message', (name, one) => {
    const isServer = name === 'MongoServerError';
    const error = new one(isServer ? { message: 'no' } : 'no');
    expect([error.name, error.message, String(error)]).toEqual([name, 'no', `${name}: no`]);
  });

  test('has a default message about an operation that the driver rejected', () => {
    expect([
      new MongoError('no').kind,
      new MongoServerError({}).kind,
      new errors.MongoServerSelectionError('no', undefined).kind,
      new errors.MongoOperationTimeoutError('no').kind,
      new MongoError('no', { kind: 'network' }).kind,
      new MongoError('no', { from: new TesseraError('pool', 'x') }).kind,
      new MongoError('no', { kind: 'network', from: new TesseraError('pool', 'x') }).kind,
      new MongoServerError({}, { from: new TesseraError('auth', 'x') }).kind,
    ]).toEqual(['usage', 'server', 'selection', 'timeout', 'network', 'pool', 'network', 'auth']);
  });
});

describe('a MongoError', () => {
  test('takes its message, code and labels from a document, too', () => {
    const given = { errmsg: 'no', code: 5, codeName: 'GraphContainsCycle', errorLabels: ['A'] };
    const { message, errmsg, code, codeName, errorLabels } = new MongoError(given);
    expect({ message, errmsg, code, codeName, errorLabels }).toEqual({ ...given, message: 'no' });
    expect([
      new MongoError({}).message,
      new MongoError({ message: 'a', errmsg: 'b' }).message,
      new MongoError('a').errmsg,
    ]).toEqual(['no message', 'a', 'a']);
  });

  test('keeps the properties of the error it is created from, unless they are overridden', () => {
    const cause = new Error('below');
    const origin = { phase: 'command', sent: true, address: 'db1:27017' } as const;
    const from = new TesseraError('server', 'no', {
      ...{ cause, origin, code: 5, codeName: 'GraphContainsCycle', labels: ['A'], reply: { ok: 0 } },
    });
    from.attempts = [];
    expect(new MongoError('no', { from })).toMatchObject({
      ...{ cause, origin, code: 5, codeName: 'GraphContainsCycle', errorLabels: ['A'], reply: { ok: 0 } },
    });
    expect(new MongoError('no', { from }).attempts).toBe(from.attempts);
    const other = new Error('other');
    const given = new MongoError({ code: 6, codeName: 'HostUnreachable', errorLabels: ['B'] }, { from, cause: other });
    expect(given).toMatchObject({ cause: other, code: 6, codeName: 'HostUnreachable', errorLabels: ['A'] });
  });

  test('has labels that can be tested and added', () => {
    const error = new MongoError({ message: 'no', errorLabels: ['A'] });
    error.addErrorLabel('B');
    expect([error.errorLabels, error.hasErrorLabel('B'), error.hasErrorLabel('C')]).toEqual([['A', 'B'], true, false]);
    error.errorLabels.push('C');
    expect(error.hasErrorLabel('C')).toBe(false);
  });
});

describe("the server's error", () => {
  test('has each field of the reply as a property, unless it is undefined or exists already', () => {
    const answer = {
      ok: 0,
      errmsg: 'no',
      code: 5,
      keyValue: { a: 1 },
      message: undefined,
      nothing: undefined,
      name: 'x',
    };
    const error = new MongoServerError(answer);
    expect([error.message, error.name, error['nothing'], Object.keys(error).includes('nothing')]).toEqual([
      ...['no', 'MongoServerError', undefined, false],
    ]);
    expect(Object.getOwnPropertyDescriptor(error, 'keyValue')).toEqual({
      ...{ value: { a: 1 }, enumerable: true, configurable: true, writable: false },
    });
    expect([error.ok, error.code, error.errorResponse]).toEqual([0, 5, answer]);
  });

  test('contains the reply, and a default message if the server sent none', () => {
    const reply = { ok: 0, code: 5 };
    const error = new MongoServerError({ code: 5 }, { from: new TesseraError('server', 'no', { reply }) });
    expect([error.errorResponse, error.message]).toEqual([reply, 'the server gave no message']);
  });

  test('for a write concern contains the write concern error and the whole result', () => {
    const writeConcernError = {
      code: 64,
      codeName: 'WriteConcernTimeout',
      errmsg: 'slow',
      errInfo: { wtimeout: true },
    };
    const result = { ok: 1, n: 1, errorLabels: ['A'], writeConcernError };
    const error = new MongoWriteConcernError(result);
    expect(error).toMatchObject({
      ...{ name: 'MongoWriteConcernError', message: 'slow', code: 64, codeName: 'WriteConcernTimeout', n: 1 },
      ...{ errInfo: { wtimeout: true }, errorLabels: ['A'], result },
    });
  });

  test('for server selection contains the topology description, which is not printed', () => {
    const reason = { servers: new Map() } as unknown as client.TopologyDescription;
    const error = new errors.MongoServerSelectionError('no', reason);
    expect(error.reason).toBe(reason);
    // Libraries copy the enumerable properties of the error.
    expect(Object.entries(error)).toContainEqual(['reason', reason]);
    expect(inspect(error)).toContain('reason: [Getter]');
    expect(error.cause).toBeUndefined();
  });

  test('for server selection has the error of a server in its description as cause, unless it has another', () => {
    const ofServer = new errors.MongoNetworkError('no route');
    const reason = { error: ofServer } as client.TopologyDescription;
    expect(new errors.MongoServerSelectionError('no', reason).cause).toBe(ofServer);
    const cause = new RangeError('mine');
    expect(new errors.MongoServerSelectionError('no', reason, { cause }).cause).toBe(cause);
  });
});

describe('the error of an operation with timeoutMS', () => {
  const address = 'db1:27017';
  const failed = (kind: ErrorKind, phase: Phase | undefined, options: MongoErrorOptions = {}): TesseraError =>
    new TesseraError(kind, 'it failed', {
      ...(phase === undefined ? {} : { origin: { phase, sent: true, address } }),
      ...options,
    });
  const timedOut = (error: unknown, left = 30, timeoutMS?: number): Error =>
    convertError(error, undefined, left, timeoutMS) as Error;

  test.each<readonly [phase: Phase, of: string]>([
    ['select', 'selection'],
    ['checkOut', 'checkout'],
    ['resolve', 'connect'],
    ['proxy', 'connect'],
    ['connect', 'connect'],
    ['tls', 'connect'],
    ['hello', 'connect'],
    ['auth', 'auth'],
    ['command', 'command'],
    ['backoff', 'backoff'],
  ])('in the phase %s is reported for the phase %s', (phase, of) => {
    expect(timedOut(failed('timeout', phase), 30, 100)).toMatchObject({
      ...{ name: 'MongoOperationTimeoutError', kind: 'timeout', phase: of, elapsedMS: 70 },
      message: `Timed out after 70 ms (timeoutMS: 100), in the phase ${of}: it failed`,
    });
  });

  test('omits phase and time if they are unknown', () => {
    expect(timedOut(failed('timeout', undefined))).toMatchObject({
      ...{ phase: undefined, elapsedMS: undefined, message: 'Timed out: it failed' },
    });
    expect(timedOut(failed('timeout', 'command'), 30, 0)).toMatchObject({
      ...{ phase: 'command', elapsedMS: undefined, message: 'Timed out, in the phase command: it failed' },
    });
    expect(timedOut(failed('timeout', 'command'), 29.6, 100).message).toContain('after 70 ms');
  });

  test('has the original error as its cause, with the class that it has without timeoutMS', () => {
    expect(timedOut(failed('timeout', 'command')).cause).toMatchObject({ name: 'MongoNetworkTimeoutError' });
    expect(timedOut(failed('timeout', 'checkOut')).cause).toMatchObject({ name: 'MongoWaitQueueTimeoutError' });
  });

  test('has the error of the last attempt as its cause if the message mentions it', () => {
    const last = failed('network', 'command');
    const ended = new TesseraError('timeout', 'Enough: it failed', { cause: last });
    expect(timedOut(ended).cause).toMatchObject({ name: 'MongoNetworkError', message: 'it failed' });
    const silent = new TesseraError('timeout', 'Enough', { cause: last });
    expect(timedOut(silent).cause).toMatchObject({ name: 'MongoNetworkTimeoutError', message: 'Enough' });
    const selection = new TesseraError('selection', 'Enough: it failed', { cause: last });
    expect(timedOut(selection, 0).cause).toMatchObject({ name: 'MongoServerSelectionError' });
  });

  test('Client Side Operations Timeout, "Error Transformations": is created for code 50 wherever it occurs', () => {
    const server = (options: MongoErrorOptions): string => timedOut(failed('server', 'command', options)).name;
    expect([
      server({ code: 50 }),
      server({ code: 51 }),
      server({ reply: { ok: 1, writeConcernError: { code: 50 } } }),
      server({ reply: { ok: 1, writeConcernError: { code: 51 } } }),
    ]).toEqual([
      ...['MongoOperationTimeoutError', 'MongoServerError', 'MongoOperationTimeoutError', 'MongoWriteConcernError'],
    ]);
    const statement = (code: number): Error => timedOut(new MongoServerError({ message: 'late', code }));
    expect([statement(50).name, statement(51).name]).toEqual(['MongoOperationTimeoutError', 'MongoServerError']);
    const many = (code: number, of: 'list' | 'map'): string => {
      const error = new MongoServerError({ message: 'late' });
      const writeErrors = of === 'list' ? [{ code: 1 }, { code }] : new Map([[3, { code }]]);
      Object.defineProperty(error, 'writeErrors', { value: writeErrors });
      return timedOut(error).name;
    };
    expect([many(50, 'list'), many(51, 'list'), many(50, 'map'), many(51, 'map')]).toEqual([
      ...['MongoOperationTimeoutError', 'MongoServerError', 'MongoOperationTimeoutError', 'MongoServerError'],
    ]);
    const late = new MongoServerError({ message: 'late', code: 50 });
    expect([timedOut(late).cause, convertError(late)]).toEqual([late, late]);
  });

  test('is not created for other errors, nor for errors that have a class already', () => {
    const known = new errors.MongoNetworkTimeoutError('late', { kind: 'timeout' });
    expect(timedOut(known)).toBe(known);
    expect(timedOut(failed('selection', 'select')).name).toBe('MongoServerSelectionError');
    const waited = new TesseraError('selection', 'no', {
      origin: { phase: 'select', sent: false, waited: 5 } as never,
    });
    expect(timedOut(waited).name).toBe('MongoOperationTimeoutError');
    expect(timedOut(failed('network', 'command'), 0).name).toBe('MongoNetworkError');
  });
});

describe("an error that is converted to the official driver's classes", () => {
  const address = 'db1:27017';

  test('in the phase tls is a network error', () => {
    const error = new TesseraError('protocol', 'no', { origin: { phase: 'tls', sent: false, address } });
    expect(convertError(error)).toMatchObject({ name: 'MongoNetworkError', message: 'no' });
  });

  test('that was aborted without a reason is a driver error', () => {
    expect(convertError(new TesseraError('aborted', 'enough'))).toMatchObject({
      ...{ name: 'MongoDriverError', message: 'enough', kind: 'aborted' },
    });
  });

  test('from a pool without an address reports that the pool was closed', () => {
    const topology = { servers: new Map([[address, {}]]) } as unknown as TopologyDescription;
    expect([
      convertError(new TesseraError('pool', 'no'), topology),
      convertError(new TesseraError('pool', 'no'), undefined),
      convertError(new TesseraError('pool', 'no', { origin: { phase: 'checkOut', sent: false, address } }), topology),
    ]).toMatchObject([
      ...[{ name: 'MongoPoolClosedError' }, { name: 'MongoPoolClosedError' }, { name: 'MongoWaitQueueTimeoutError' }],
    ]);
  });

  test('for a write concern belongs to a command that ran, with ok of any type', () => {
    const writeConcernError = { code: 64, errmsg: 'slow' };
    const named = (reply: object): string =>
      (convertError(new TesseraError('server', 'no', { reply: reply })) as Error).name;
    expect([
      named({ ok: 1, writeConcernError }),
      named({ ok: '1', writeConcernError }),
      named({ ok: 0, writeConcernError }),
      named({ ok: 1 }),
    ]).toEqual(['MongoWriteConcernError', 'MongoWriteConcernError', 'MongoServerError', 'MongoServerError']);
  });
});

describe('an error that is thrown to a caller', () => {
  test('before a command is sent rejects the promise with its class', async () => {
    const refuse = (error: unknown) => (): never => {
      throw error;
    };
    const foreign = new TypeError('mine');
    await expect(asPromise(refuse(foreign))).rejects.toBe(foreign);
    await expect(asPromise(refuse(new TesseraError('usage', 'no')))).rejects.toMatchObject({
      ...{ name: 'MongoInvalidArgumentError', message: 'no' },
    });
    await expect(asPromise(() => Promise.resolve(5))).resolves.toBe(5);
  });

  test('has a stack that begins with the caller, if it was created for the caller', () => {
    const stackOf = (error: unknown, converted: Error): string => {
      const layer = (): never => rethrowConverted(error, converted, layer);
      try {
        return layer();
      } catch (thrown) {
        expect(thrown).toBe(converted);
        return converted.stack!;
      }
    };
    const made = (): Error => new MongoError('made');
    expect(stackOf(new Error('below'), made())).toMatch(/^MongoError: made\n +at stackOf /);
    const [own, reason] = [made(), made()];
    const stacks = [own.stack, reason.stack];
    expect([stackOf(own, own), stackOf(new Error('aborted', { cause: reason }), reason)]).toEqual(stacks);
    const foreign = new Error('mine');
    const { stack } = foreign;
    expect(stackOf(undefined, foreign)).toBe(stack);
  });
});

describe('instanceof', async () => {
  // The query makes a second copy of the module, as the other module format of the published package is.
  const path: string = '../src/errors.js?copy';
  const copy = (await import(path)) as typeof errors;

  test('accepts an error that another copy of the package created, for its class and the base classes', () => {
    const error = new copy.MongoServerError({ message: 'refused' });
    const network = new copy.MongoNetworkTimeoutError('lost');
    expect(Object.getPrototypeOf(error)).not.toBe(MongoServerError.prototype);
    expect([error instanceof MongoServerError, error instanceof MongoError]).toEqual([true, true]);
    expect([error instanceof MongoWriteConcernError, error instanceof errors.MongoNetworkError]).toEqual([
      false,
      false,
    ]);
    expect([network instanceof errors.MongoNetworkError, network instanceof MongoServerError]).toEqual([true, false]);
  });

  test('rejects other values, errors of the other packages, and errors of classes that users derive', () => {
    class UserError extends MongoError {}
    const own = new UserError('mine');
    const others = [
      undefined,
      null,
      {},
      'MongoError',
      new Error('x'),
      new TesseraError('usage', 'x'),
      { name: 'MongoError' },
    ];
    expect(others.filter(value => (value as unknown) instanceof MongoError)).toEqual([]);
    expect([own instanceof UserError, own instanceof MongoError, own instanceof copy.MongoError]).toEqual([
      true,
      true,
      true,
    ]);
    expect(new MongoError('x') instanceof UserError).toBe(false);
  });
});
