/** What `attempts` says of each attempt: why it was retried, or why not. */
import { MongoError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions, Operation, Phase, Session } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import {
  budget,
  createRetryPolicy,
  gateDefaults,
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

const once = 'Retry 1 follows at once.';

test('a retry says what had happened', () => {
  expect(reason(read, networkError())).toBe(`The connection failed, which may pass. ${once}`);
  expect(reason(write, errorIn('network', 'connect'))).toBe(`The connection failed, which may pass. ${once}`);
  expect(reason(read, errorIn('timeout', 'command'))).toBe(
    `The server did not answer in time, which may pass. ${once}`,
  );
  expect(reason(commit, poolCleared())).toBe(
    `The pool was cleared by the failure of another operation, which may pass. ${once}`,
  );
  expect(reason(read, serverError(91))).toBe(`The server answered with code 91, which may pass. ${once}`);
  expect(reason(read, serverError(91, {}, { codeName: 'ShutdownInProgress' }))).toBe(
    `The server answered with code 91 (ShutdownInProgress), which may pass. ${once}`,
  );
  const unnumbered = errorIn('server', 'command', { labels: ['RetryableWriteError'] });
  expect(reason(write, unnumbered)).toBe(`The server answered with an error without a code, which may pass. ${once}`);
  expect(reason(write, notTaken())).toBe(
    'The server is overloaded and has not begun with it. Retry 1 follows after 100 ms.',
  );
});

describe('what is not retried says why:', () => {
  test('what was refused or ended on this side', () => {
    for (const kind of ['usage', 'aborted', 'closed'] as const) {
      const error = errorIn(kind, 'command', { labels: ['SystemOverloadedError', 'RetryableError'] });
      expect(reason(read, error)).toBe('Not retried: it was refused or ended on this side, and would be again.');
    }
  });

  test('an operation that may not be repeated', () => {
    expect(reason({ retryable: false }, networkError())).toBe('Not retried: find could be done twice.');
    expect(reason(command, networkError())).toBe('Not retried: ping could be done twice.');
    expect(reason({ ...command, retryable: true }, networkError())).toBe('Not retried: ping could be done twice.');
    expect(reason({ ...write, answer: 'none' }, networkError())).toBe(
      'Not retried: insert is unacknowledged, so it may have been done.',
    );
    expect(reason({ ...write, answer: 'none' }, new MongoError('network', 'somewhere'))).toBe(
      'Not retried: insert is unacknowledged, so it may have been done.',
    );
    expect(reason({ ...write, answer: 'none' }, errorIn('network', 'connect'))).toBe(
      'Not retried: insert is unacknowledged.',
    );
    expect(reason(write, networkError(), {}, transaction)).toBe(
      'Not retried: insert is part of a transaction, which can only be tried again as a whole.',
    );
  });

  test('an option', () => {
    expect(reason(read, networkError(), { retryReads: false })).toBe('Not retried: retryReads is false.');
    expect(reason(write, networkError(), { retryWrites: false })).toBe('Not retried: retryWrites is false.');
    for (const option of ['retryReads', 'retryWrites'])
      expect(reason(command, overloaded(), { [option]: false })).toBe(
        `Not retried: the server is overloaded, but ${option} is false.`,
      );
    expect(reason(read, overloaded(), { maxAdaptiveRetries: 0 })).toBe(
      'The server is overloaded and has not begun with it. But no retry is left: once a server was overloaded, 0 may be made.',
    );
  });

  test('an error that does not pass by itself', () => {
    const why = (error: MongoError, of = read): string => reason(of, error);
    expect(why(noServer())).toBe('Not retried: choosing a server had waited as long as it may.');
    expect(why(errorIn('pool', 'checkOut'))).toBe('Not retried: it had waited as long as it may.');
    expect(why(errorIn('timeout', 'checkOut'))).toBe('Not retried: it had waited as long as it may.');
    expect(why(serverError(11000))).toBe('Not retried: code 11000 is not among the errors that pass by themselves.');
    expect(why(networkError({ type: 'Standalone' }), write)).toBe(
      'Not retried: the server does not support retryable writes.',
    );
    for (const kind of ['auth', 'protocol'] as const)
      expect(why(errorIn(kind, 'hello'))).toBe('Not retried: it would only happen again.');
  });
});

describe('where something failed decides whether it may pass', () => {
  const passes = (kind: ErrorKind, phase: Phase): boolean => !reason(read, errorIn(kind, phase)).startsWith('Not');

  test('a connection that failed, on its whole way; not what never came to one', () => {
    const phases = ['resolve', 'proxy', 'connect', 'tls', 'hello', 'auth', 'command'] as const;
    expect(phases.map(phase => passes('network', phase))).toEqual(phases.map(() => true));
    expect(phases.map(phase => passes('timeout', phase))).toEqual(phases.map(() => true));
    expect((['select', 'checkOut'] as const).map(phase => passes('network', phase))).toEqual([false, false]);
    expect(phases.map(phase => passes('protocol', phase))).toEqual(phases.map(() => false));
    expect(reason(read, new MongoError('network', 'somewhere'))).toMatch(/^Not retried/);
  });

  test('a pool that was cleared has a cause that is an error of the driver', () => {
    expect(reason(read, errorIn('pool', 'checkOut', { cause: networkError() }))).not.toMatch(/^Not retried/);
    expect(reason(read, errorIn('pool', 'checkOut', { cause: 'mine' }))).toMatch(/^Not retried/);
    expect(reason(read, errorIn('selection', 'select', { cause: networkError() }))).toMatch(/^Not retried/);
  });
});

test('a policy that is asked without a failure says that it was', () => {
  for (const policy of [createRetryPolicy(), tokenBucket(), budget()])
    expect(() => policy.decide(failed([]))).toThrow('A retry policy was asked about an operation that did not fail.');
});

test('the defaults are those of the connection string', () => {
  const gates = { retryReads: true, retryWrites: true };
  expect(gateDefaults).toEqual(gates);
  expect(policyDefaults).toEqual({ ...gates, maxAdaptiveRetries: 2, enableOverloadRetargeting: false });
  expect(tokenBucketDefaults).toEqual({ ...gates, capacity: 1000 });
});
