/** Tests of the reasons in `MongoError.attempts`: why an attempt was retried or not. */
import { MongoError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions, Operation, Phase, Session } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import {
  budget,
  createRetryPolicy,
  retryFlagDefaults,
  policyDefaults,
  tokenBucket,
  tokenBucketDefaults,
} from '../src/index.js';
import {
  command,
  commit,
  failed,
  networkError,
  noServer,
  notTaken,
  origin,
  overloaded,
  poolCleared,
  read,
  request,
  serverError,
  transaction,
  write,
} from './scripted.js';

const reason = (
  of: Partial<Operation<string>>,
  error: MongoError,
  options: Parameters<typeof createRetryPolicy>[0] = {},
  session?: Session,
): string =>
  createRetryPolicy(options).decide(failed([error], { request: request(of, { session }), topology: 'Single' })).because;

const errorIn = (kind: ErrorKind, phase: Phase, options: MongoErrorOptions = {}): MongoError =>
  new MongoError(kind, 'it failed', { origin: origin({}, { phase, sent: phase === 'command' }), ...options });

const once = 'Retry 1 follows immediately.';

test('the reason of a retry describes the failure', () => {
  expect(reason(read, networkError())).toBe(`The connection failed, which may be temporary. ${once}`);
  expect(reason(write, errorIn('network', 'connect'))).toBe(`The connection failed, which may be temporary. ${once}`);
  expect(reason(read, errorIn('timeout', 'command'))).toBe(
    `The server did not answer in time, which may be temporary. ${once}`,
  );
  expect(reason(commit, poolCleared())).toBe(
    `The pool was cleared by the failure of another operation, which may be temporary. ${once}`,
  );
  expect(reason(read, serverError(91))).toBe(`The server answered with code 91, which may be temporary. ${once}`);
  expect(reason(read, serverError(91, {}, { codeName: 'ShutdownInProgress' }))).toBe(
    `The server answered with code 91 (ShutdownInProgress), which may be temporary. ${once}`,
  );
  const unnumbered = errorIn('server', 'command', { labels: ['RetryableWriteError'] });
  expect(reason(write, unnumbered)).toBe(
    `The server answered with an error without a code, which may be temporary. ${once}`,
  );
  expect(reason(write, notTaken())).toBe(
    'The server is overloaded and has not started the command. Retry 1 follows after 100 ms.',
  );
});

describe('the reason against a retry names', () => {
  test('a rejection by the driver or an end by the caller', () => {
    for (const kind of ['usage', 'aborted', 'closed'] as const) {
      const error = errorIn(kind, 'command', { labels: ['SystemOverloadedError', 'RetryableError'] });
      expect(reason(read, error)).toBe('Not retried: the driver rejected the operation, or the caller ended it.');
    }
  });

  test('an operation that must not be repeated', () => {
    expect(reason({ retryable: false }, networkError())).toBe(
      'Not retried: find is not retryable, because it could be executed twice.',
    );
    expect(reason(command, networkError())).toBe(
      'Not retried: ping is not retryable, because it could be executed twice.',
    );
    expect(reason({ ...command, retryable: true }, networkError())).toBe(
      'Not retried: ping is not retryable, because it could be executed twice.',
    );
    expect(reason({ ...write, answer: 'none' }, networkError())).toBe(
      'Not retried: insert is unacknowledged and may have been executed.',
    );
    expect(reason({ ...write, answer: 'none' }, new MongoError('network', 'somewhere'))).toBe(
      'Not retried: insert is unacknowledged and may have been executed.',
    );
    expect(reason({ ...write, answer: 'none' }, errorIn('network', 'connect'))).toBe(
      'Not retried: insert is unacknowledged.',
    );
    expect(reason(write, networkError(), {}, transaction)).toBe(
      'Not retried: insert is part of a transaction, which can only be retried as a whole.',
    );
  });

  test('the option that turns retries off', () => {
    expect(reason(read, networkError(), { retryReads: false })).toBe('Not retried: retryReads is false.');
    expect(reason(write, networkError(), { retryWrites: false })).toBe('Not retried: retryWrites is false.');
    for (const option of ['retryReads', 'retryWrites'])
      expect(reason(command, overloaded(), { [option]: false })).toBe(
        `Not retried: the server is overloaded, but ${option} is false.`,
      );
    expect(reason(read, overloaded(), { maxAdaptiveRetries: 0 })).toBe(
      'The server is overloaded and has not started the command. But no retry is left: after an overload error, the limit is 0.',
    );
  });

  test('an error that is not retryable', () => {
    const why = (error: MongoError, of = read): string => reason(of, error);
    expect(why(noServer())).toBe('Not retried: server selection had reached its time limit.');
    expect(why(errorIn('pool', 'checkOut'))).toBe('Not retried: the wait had reached its time limit.');
    expect(why(errorIn('timeout', 'checkOut'))).toBe('Not retried: the wait had reached its time limit.');
    expect(why(serverError(11000))).toBe('Not retried: code 11000 is not a retryable error.');
    expect(why(networkError({ type: 'Standalone' }), write)).toBe(
      'Not retried: the server does not support retryable writes.',
    );
    for (const kind of ['auth', 'protocol'] as const)
      expect(why(errorIn(kind, 'hello'))).toBe('Not retried: a retry would fail in the same way.');
  });
});

describe('a failure is retryable or not, depending on its phase', () => {
  const passes = (kind: ErrorKind, phase: Phase): boolean => !reason(read, errorIn(kind, phase)).startsWith('Not');

  test('network errors and timeouts are retryable in the phases of a connection, but not in select and checkOut', () => {
    const phases = ['resolve', 'proxy', 'connect', 'tls', 'hello', 'auth', 'command'] as const;
    expect(phases.map(phase => passes('network', phase))).toEqual(phases.map(() => true));
    expect(phases.map(phase => passes('timeout', phase))).toEqual(phases.map(() => true));
    expect((['select', 'checkOut'] as const).map(phase => passes('network', phase))).toEqual([false, false]);
    expect(phases.map(phase => passes('protocol', phase))).toEqual(phases.map(() => false));
    expect(reason(read, new MongoError('network', 'somewhere'))).toMatch(/^Not retried/);
  });

  test('an error of the pool is retryable only if its cause is a MongoError', () => {
    expect(reason(read, errorIn('pool', 'checkOut', { cause: networkError() }))).not.toMatch(/^Not retried/);
    expect(reason(read, errorIn('pool', 'checkOut', { cause: 'mine' }))).toMatch(/^Not retried/);
    expect(reason(read, errorIn('selection', 'select', { cause: networkError() }))).toMatch(/^Not retried/);
  });
});

test('decide throws if it is called without a failure', () => {
  for (const policy of [createRetryPolicy(), tokenBucket(), budget()])
    expect(() => policy.decide(failed([]))).toThrow('The retry policy was called without a failure.');
});

test('the defaults of all policies are those of the connection string', () => {
  const flags = { retryReads: true, retryWrites: true };
  expect(retryFlagDefaults).toEqual(flags);
  expect(policyDefaults).toEqual({ ...flags, maxAdaptiveRetries: 2, enableOverloadRetargeting: false });
  expect(tokenBucketDefaults).toEqual({ ...flags, capacity: 1000 });
});
