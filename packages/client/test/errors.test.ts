import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MongoError as TesseraError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions, Origin, Phase, TopologyDescription } from '@tessera/contracts';
import { MongoError, MongoOperationTimeoutError, MongoServerSelectionError } from '@tessera/client';
import { convertError } from '../src/convert-error.js';

const address = 'db1:27017';
const phases = ['select', 'checkOut', 'resolve', 'connect', 'hello', 'auth', 'command'] as const;
const server = { hosts: [], passives: [], arbiters: [] };
const topology = { servers: new Map([[address, server]]) } as unknown as TopologyDescription;
const nowhere = { servers: new Map() } as unknown as TopologyDescription;

const at = (phase: Phase): Origin => ({ phase, sent: phase === 'command', address });
const failed = (kind: ErrorKind, phase: Phase, options: MongoErrorOptions = {}): TesseraError =>
  new TesseraError(kind, 'it failed', { origin: at(phase), ...options });

/** Returns the class name for each phase, in the order of `phases`. */
const names = (kind: ErrorKind, options: MongoErrorOptions = {}, left = Infinity, seen = topology): readonly string[] =>
  phases.map(phase => (convertError(failed(kind, phase, options), seen, left) as Error).name);
const everywhere = (name: string): readonly string[] => phases.map(() => name);

describe('an error becomes the class that users of the official driver know', () => {
  test('by its kind alone, in every phase', () => {
    expect(names('network')).toEqual(everywhere('MongoNetworkError'));
    expect(names('server')).toEqual(everywhere('MongoServerError'));
    expect(names('auth')).toEqual(everywhere('MongoServerError'));
    expect(names('protocol')).toEqual(everywhere('MongoUnexpectedServerResponseError'));
    expect(names('selection')).toEqual(everywhere('MongoServerSelectionError'));
    expect(names('usage')).toEqual(everywhere('MongoInvalidArgumentError'));
    expect(names('closed')).toEqual(everywhere('MongoClientClosedError'));
  });

  test('Client Side Operations Timeout, "Errors": an expired operation deadline has its own class', () => {
    expect(names('timeout', {}, 3)).toEqual(everywhere('MongoOperationTimeoutError'));
    expect(names('selection', {}, 0)).toEqual(everywhere('MongoOperationTimeoutError'));
    const { cause } = convertError(failed('selection', 'select'), topology, 0) as Error;
    expect(cause).toBeInstanceOf(MongoServerSelectionError);
    expect(names('network', {}, 0)).toEqual(everywhere('MongoNetworkError'));
  });

  test('a timeout of the connection or the pool is classified by its phase', () => {
    const expected = everywhere('MongoNetworkTimeoutError').with(
      phases.indexOf('checkOut'),
      'MongoWaitQueueTimeoutError',
    );
    expect(names('timeout')).toEqual(expected);
  });

  test('CMAP, "Connection Pool Errors": a cleared pool has a cause, a closed pool has none, and otherwise no connection was available in time', () => {
    expect(names('pool', { cause: failed('network', 'command') })).toEqual(everywhere('MongoPoolClearedError'));
    expect(names('pool', {}, Infinity, nowhere)).toEqual(everywhere('MongoPoolClosedError'));
    expect(names('pool')).toEqual(everywhere('MongoWaitQueueTimeoutError'));
  });

  test("an aborted signal's reason of any type is thrown unchanged", () => {
    for (const reason of [new Error('mine'), 'mine', null, 0])
      expect(convertError(failed('aborted', 'command', { cause: reason }))).toBe(reason);
    expect(convertError(failed('aborted', 'command'))).toBeInstanceOf(MongoError);
  });

  test('an error of another origin, or with a class already, is thrown unchanged', () => {
    const foreign = new TypeError('mine');
    const known = convertError(failed('network', 'command'));
    expect([convertError(foreign), convertError(known)]).toEqual([foreign, known]);
    expect(convertError(known)).toBe(known);
  });
});

describe('an error keeps all its data when it is converted', () => {
  test('code, name, labels of driver and server, cause, origin and attempts', () => {
    const cause = new Error('below');
    const origin = at('command');
    const reply = { ok: 0, code: 91, errmsg: 'bye', errorLabels: ['OfTheServer'], topologyVersion: 1 };
    const error = failed('server', 'command', {
      cause,
      code: 91,
      codeName: 'Shutdown',
      reply,
      labels: ['OfTheServer'],
    });
    error.addLabel('RetryableWriteError');
    error.attempts = [
      { number: 1, address, server: 'RSPrimary', phase: 'command', after: 5, because: 'enough', error },
    ];
    const converted = convertError(error) as MongoError;
    expect(converted).toMatchObject({ kind: 'server', code: 91, codeName: 'Shutdown', origin, topologyVersion: 1 });
    expect([converted.cause, converted.attempts, converted.reply]).toEqual([cause, error.attempts, reply]);
    expect(converted.errorLabels).toEqual(['OfTheServer', 'RetryableWriteError']);
  });

  test('an expired timeoutMS between two attempts reports the phase backoff, with the error of the last attempt', () => {
    const last = failed('server', 'command', { code: 462, reply: { ok: 0, code: 462 } });
    const late = failed('timeout', 'backoff', { cause: last });
    const converted = convertError(late, undefined, -5, 100) as MongoOperationTimeoutError;
    expect(converted).toBeInstanceOf(MongoOperationTimeoutError);
    expect([converted.phase, converted.elapsedMS, converted.message]).toEqual([
      'backoff',
      105,
      'Timed out after 105 ms (timeoutMS: 100), in the phase backoff: it failed',
    ]);
    expect(converted.cause).toMatchObject({ name: 'MongoServerError', code: 462 });
  });

  test('Read and Write Concern: only a command that ran can have a write concern error', () => {
    const writeConcernError = { code: 64, errmsg: 'slow', errInfo: { wtimeout: true } };
    const done = failed('server', 'command', { code: 64, reply: { ok: 1, n: 1, writeConcernError } });
    expect(convertError(done)).toMatchObject({
      name: 'MongoWriteConcernError',
      code: 64,
      message: 'slow',
      errInfo: { wtimeout: true },
      result: { n: 1 },
    });
    const refused = failed('server', 'command', { code: 11_600, reply: { ok: 0, code: 11_600, writeConcernError } });
    expect(convertError(refused)).toMatchObject({ name: 'MongoServerError', code: 11_600, message: 'it failed' });
  });

  test('Server Selection: the cause of a failed selection has the class that it has on its own', () => {
    const converted = convertError(failed('selection', 'select', { cause: failed('network', 'connect') }));
    expect(converted).toMatchObject({ name: 'MongoServerSelectionError', cause: { name: 'MongoNetworkError' } });
  });

  test('the printed error omits the topology and the attempts', () => {
    const many = {
      servers: new Map(Array.from({ length: 50 }, (_, index) => [`db${index}:27017`, { ...server, index }])),
    };
    const error = convertError(failed('selection', 'select'), many as unknown as TopologyDescription) as Error;
    expect(inspect(error).length - String(error.stack).length).toBeLessThan(200);
  });
});
