import { isRetryableOverload, MongoError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { labelOf } from '../src/transaction-labels.js';

const error = (kind: ErrorKind, options: MongoErrorOptions = {}): MongoError => new MongoError(kind, 'failed', options);
const cleared = error('pool', { cause: error('network') });
const unanswered = [...(['network', 'timeout', 'selection'] as const).map(kind => error(kind)), cleared];
const busy = error('pool');
const known = (['server', 'protocol', 'auth', 'usage', 'closed', 'aborted'] as const).map(kind => error(kind));

const onCommit = (failure: MongoError): string | undefined => labelOf(failure, 'commitsTransaction');
const of = (maxWireVersion: number): MongoErrorOptions['origin'] => ({
  phase: 'command',
  sent: true,
  maxWireVersion,
});
const concern = (code: number, ok = 1): MongoError =>
  error('server', { code, reply: { ok, writeConcernError: { code } } });

describe('Transactions, "Error Labels"', () => {
  test.each([undefined, 'opensCursor', 'abortsTransaction'] as const)(
    'adds TransientTransactionError to a command with the role %s if no server replied or the pool was cleared',
    role => {
      for (const failure of unanswered)
        expect([failure.kind, labelOf(failure, role)]).toEqual([failure.kind, 'TransientTransactionError']);
      for (const failure of [busy, ...known])
        expect([failure.kind, labelOf(failure, role)]).toEqual([failure.kind, undefined]);
    },
  );

  test('adds UnknownTransactionCommitResult to a commit if no server replied or the checkout timed out', () => {
    for (const failure of [busy, ...unanswered])
      expect([failure.kind, onCommit(failure)]).toEqual([failure.kind, 'UnknownTransactionCommitResult']);
    for (const failure of known) expect([failure.kind, onCommit(failure)]).toEqual([failure.kind, undefined]);
  });

  test('adds UnknownTransactionCommitResult after a retryable error or MaxTimeMSExpired', () => {
    expect(onCommit(error('server', { code: 50 }))).toBe('UnknownTransactionCommitResult');
    expect(onCommit(error('server', { labels: ['RetryableWriteError'] }))).toBe('UnknownTransactionCommitResult');
    expect(onCommit(error('server', { code: 251 }))).toBeUndefined();
    expect(onCommit(error('usage', { code: 50 }))).toBeUndefined();
  });

  test('adds it by the code for servers before 4.4, which add no labels', () => {
    expect(onCommit(error('server', { code: 10107, origin: of(8) }))).toBe('UnknownTransactionCommitResult');
    expect(onCommit(error('server', { code: 10107, origin: of(9) }))).toBeUndefined();
    expect(onCommit(error('server', { code: 251, origin: of(8) }))).toBeUndefined();
    expect(onCommit(error('server', { code: 10107 }))).toBeUndefined();
    expect(onCommit(error('server', { origin: of(8) }))).toBeUndefined();
  });

  test('adds it after a write concern error, unless the write concern is unsatisfiable', () => {
    expect([64, 91, 100, 79].map(code => onCommit(concern(code)))).toEqual([
      'UnknownTransactionCommitResult',
      'UnknownTransactionCommitResult',
      undefined,
      undefined,
    ]);
    expect(onCommit(concern(64, 0))).toBeUndefined();
    expect(onCommit(concern(50, 0))).toBe('UnknownTransactionCommitResult');
  });

  test('Client Backpressure: treats an overload error as retryable only with both labels', () => {
    const labelled = (...labels: string[]) => isRetryableOverload(error('server', { labels }));
    expect(labelled('SystemOverloadedError', 'RetryableError')).toBe(true);
    expect([labelled('SystemOverloadedError'), labelled('RetryableError'), labelled()]).toEqual([false, false, false]);
  });
});
