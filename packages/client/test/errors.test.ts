import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { MongoError as TesseraError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions, Origin, Phase, TopologyDescription } from '@tessera/contracts';
import { MongoError, MongoOperationTimeoutError, MongoServerSelectionError } from '@tessera/client';
import { convertError } from '../src/convert-error.js';

const address = 'db1:27017';
const phases = ['select', 'checkOut', 'resolve', 'connect', 'hello', 'auth', 'command'] as const;
const topology = { servers: new Map([[address, {}]]) } as unknown as TopologyDescription;
const nowhere = { servers: new Map() } as unknown as TopologyDescription;

const at = (phase: Phase): Origin => ({ phase, sent: phase === 'command', address });
const failed = (kind: ErrorKind, phase: Phase, options: MongoErrorOptions = {}): TesseraError =>
  new TesseraError(kind, 'it failed', { origin: at(phase), ...options });

/** The name of the class for each phase, in the order of `phases`. */
const names = (kind: ErrorKind, options: MongoErrorOptions = {}, left = Infinity, seen = topology): readonly string[] =>
  phases.map(phase => (convertError(failed(kind, phase, options), seen, left) as Error).name);
const everywhere = (name: string): readonly string[] => phases.map(() => name);

describe('an error becomes the class that users of the official driver know', () => {
  test('by its kind alone, wherever it happened', () => {
    expect(names('network')).toEqual(everywhere('MongoNetworkError'));
    expect(names('server')).toEqual(everywhere('MongoServerError'));
    expect(names('auth')).toEqual(everywhere('MongoServerError'));
    expect(names('protocol')).toEqual(everywhere('MongoUnexpectedServerResponseError'));
    expect(names('selection')).toEqual(everywhere('MongoServerSelectionError'));
    expect(names('usage')).toEqual(everywhere('MongoInvalidArgumentError'));
    expect(names('closed')).toEqual(everywhere('MongoClientClosedError'));
  });

  test('Client Side Operations Timeout, "Errors": what ends at the operation\'s own deadline is told apart', () => {
    expect(names('timeout', {}, 3)).toEqual(everywhere('MongoOperationTimeoutError'));
    expect(names('selection', {}, 0)).toEqual(everywhere('MongoOperationTimeoutError'));
    const { cause } = convertError(failed('selection', 'select'), topology, 0) as Error;
    expect(cause).toBeInstanceOf(MongoServerSelectionError);
    expect(names('network', {}, 0)).toEqual(everywhere('MongoNetworkError'));
  });

  test('a limit of the connection or of the pool is told by where it was met', () => {
    const expected = everywhere('MongoNetworkTimeoutError').with(
      phases.indexOf('checkOut'),
      'MongoWaitQueueTimeoutError',
    );
    expect(names('timeout')).toEqual(expected);
  });

  test('CMAP, "Connection Pool Errors": cleared with a cause, closed with its server, else there was none free in time', () => {
    expect(names('pool', { cause: failed('network', 'command') })).toEqual(everywhere('MongoPoolClearedError'));
    expect(names('pool', {}, Infinity, nowhere)).toEqual(everywhere('MongoPoolClosedError'));
    expect(names('pool')).toEqual(everywhere('MongoWaitQueueTimeoutError'));
  });

  test("an aborted signal's reason is thrown as it is, whatever it is", () => {
    for (const reason of [new Error('mine'), 'mine', null, 0])
      expect(convertError(failed('aborted', 'command', { cause: reason }))).toBe(reason);
    expect(convertError(failed('aborted', 'command'))).toBeInstanceOf(MongoError);
  });

  test('what is not of this driver, or has its class already, is thrown as it is', () => {
    const foreign = new TypeError('mine');
    const known = convertError(failed('network', 'command'));
    expect([convertError(foreign), convertError(known)]).toEqual([foreign, known]);
    expect(convertError(known)).toBe(known);
  });
});

describe('nothing of an error is lost on its way to the user', () => {
  test('code, name, labels of the driver and of the server, cause, origin and attempts', () => {
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

  test('a wait between two attempts that timeoutMS ended is told as the phase backoff, with what the last attempt failed with', () => {
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

  test('Read and Write Concern: only a command that was done can lack its write concern', () => {
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

  test('Server Selection: the cause of a failed selection has the class that it has alone', () => {
    const converted = convertError(failed('selection', 'select', { cause: failed('network', 'connect') }));
    expect(converted).toMatchObject({ name: 'MongoServerSelectionError', cause: { name: 'MongoNetworkError' } });
  });

  test('printed, it is short: the topology and the attempts are not told at length', () => {
    const many = { servers: new Map(Array.from({ length: 50 }, (_, index) => [`db${index}:27017`, { index }])) };
    const error = convertError(failed('selection', 'select'), many as unknown as TopologyDescription) as Error;
    expect(inspect(error).length - String(error.stack).length).toBeLessThan(200);
  });
});
