import { isRetryableOverload, MongoError } from '@tessera/contracts';
import type { ErrorKind, MongoErrorOptions } from '@tessera/contracts';
import { describe, expect, test } from 'vitest';
import { labelOf } from '../src/transaction-labels.js';

const error = (kind: ErrorKind, options: MongoErrorOptions = {}): MongoError => new MongoError(kind, 'failed', options);
const cleared = error('pool', { cause: error('network') });
const unanswered = [...(['network', 'timeout', 'selection'] as const).map(kind => error(kind)), cleared];
const busy = error('pool');
const told = (['server', 'protocol', 'auth', 'usage', 'closed', 'aborted'] as const).map(kind => error(kind));

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
    'of a command with the role %s is transient when no server answered, or the pool was cleared',
    role => {
      for (const failure of unanswered)
        expect([failure.kind, labelOf(failure, role)]).toEqual([failure.kind, 'TransientTransactionError']);
      for (const failure of [busy, ...told])
        expect([failure.kind, labelOf(failure, role)]).toEqual([failure.kind, undefined]);
    },
  );

  test('nobody knows the result of a commit that no server answered, or that found no connection free', () => {
    for (const failure of [busy, ...unanswered])
      expect([failure.kind, onCommit(failure)]).toEqual([failure.kind, 'UnknownTransactionCommitResult']);
    for (const failure of told) expect([failure.kind, onCommit(failure)]).toEqual([failure.kind, undefined]);
  });

  test('nor that of one with a retryable error, or whose time was up', () => {
    expect(onCommit(error('server', { code: 50 }))).toBe('UnknownTransactionCommitResult');
    expect(onCommit(error('server', { labels: ['RetryableWriteError'] }))).toBe('UnknownTransactionCommitResult');
    expect(onCommit(error('server', { code: 251 }))).toBeUndefined();
    expect(onCommit(error('usage', { code: 50 }))).toBeUndefined();
  });

  test('servers before 4.4 do not label: the code tells', () => {
    expect(onCommit(error('server', { code: 10107, origin: of(8) }))).toBe('UnknownTransactionCommitResult');
    expect(onCommit(error('server', { code: 10107, origin: of(9) }))).toBeUndefined();
    expect(onCommit(error('server', { code: 251, origin: of(8) }))).toBeUndefined();
    expect(onCommit(error('server', { code: 10107 }))).toBeUndefined();
    expect(onCommit(error('server', { origin: of(8) }))).toBeUndefined();
  });

  test('a write concern that was not satisfied may yet be, unless it cannot be', () => {
    expect([64, 91, 100, 79].map(code => onCommit(concern(code)))).toEqual([
      'UnknownTransactionCommitResult',
      'UnknownTransactionCommitResult',
      undefined,
      undefined,
    ]);
    expect(onCommit(concern(64, 0))).toBeUndefined();
    expect(onCommit(concern(50, 0))).toBe('UnknownTransactionCommitResult');
  });

  test('Client Backpressure: an overload is retryable with both labels', () => {
    const labelled = (...labels: string[]) => isRetryableOverload(error('server', { labels }));
    expect(labelled('SystemOverloadedError', 'RetryableError')).toBe(true);
    expect([labelled('SystemOverloadedError'), labelled('RetryableError'), labelled()]).toEqual([false, false, false]);
  });
});
