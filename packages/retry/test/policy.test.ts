import { MongoError } from '@tessera/contracts';
import type { TopologyType } from '@tessera/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRetryPolicy, errorToRaise } from '../src/index.js';
import {
  beforeHello,
  command,
  commit,
  failed,
  networkError,
  noServer,
  origin,
  overloaded,
  poolCleared,
  read,
  request,
  serverError,
  transaction,
  write,
} from './scripted.js';

const decide = (
  of: Parameters<typeof request>[0],
  failures: readonly MongoError[],
  options: Parameters<typeof createRetryPolicy>[0] = {},
  topology: TopologyType = 'ReplicaSetWithPrimary',
) => createRetryPolicy(options).decide(failed(failures, { request: request(of), topology }));

const isRetried = (...given: Parameters<typeof decide>): boolean => decide(...given).retry;

const readCodes = [262, 11600, 11602, 10107, 13435, 13436, 189, 134, 91, 7, 6, 89, 9001];
const writeCodes = readCodes.filter(code => code !== 134);

describe('Retryable Reads, "Retryable Error"', () => {
  test('retries network errors and timeouts of commands and handshakes', () => {
    for (const phase of ['resolve', 'connect', 'hello', 'auth', 'command'] as const)
      for (const kind of ['network', 'timeout'] as const)
        expect(isRetried(read, [new MongoError(kind, 'lost', { origin: origin({}, { phase }) })])).toBe(true);
  });

  test('retries the listed codes, of commands and handshakes, and no others', () => {
    for (const code of readCodes) {
      expect(isRetried(read, [serverError(code)])).toBe(true);
      expect(isRetried(read, [serverError(code, {}, { origin: origin({}, { phase: 'auth' }) })])).toBe(true);
    }
    for (const code of [1, 11000, 43, 10058, 50]) expect(isRetried(read, [serverError(code)])).toBe(false);
  });

  test('retries after a cleared pool, but not after a closed or exhausted pool', () => {
    expect(isRetried(read, [poolCleared()])).toBe(true);
    expect(isRetried(read, [new MongoError('pool', 'closed', { origin: { phase: 'checkOut', sent: false } })])).toBe(
      false,
    );
  });

  test('Client Side Operations Timeout: does not retry a command that was not sent in time', () => {
    const late = new MongoError('timeout', 'late', { origin: origin({}, { sent: false }) });
    expect(isRetried(read, [late])).toBe(false);
    expect(isRetried(write, [late])).toBe(false);
  });

  test('does not retry a failed selection, a checkout timeout, an invalid command or an abort', () => {
    expect(isRetried(read, [noServer()])).toBe(false);
    for (const kind of ['timeout', 'usage', 'aborted', 'auth', 'protocol'] as const)
      expect(isRetried(read, [new MongoError(kind, 'x', { origin: { phase: 'checkOut', sent: false } })])).toBe(false);
  });

  test('retries only listed operations and only with retryReads, also on a standalone', () => {
    expect(isRetried(read, [networkError()], { retryReads: false })).toBe(false);
    expect(isRetried(read, [networkError()], { retryWrites: false })).toBe(true);
    expect(isRetried({ retryable: false }, [networkError()])).toBe(false);
    expect(isRetried({ kind: 'either' }, [networkError()])).toBe(false);
    expect(isRetried(read, [networkError({ type: 'Standalone' })])).toBe(true);
  });
});

describe('Retryable Writes, "Determining Retryable Write Errors"', () => {
  test('retries errors with the label RetryableWriteError', () => {
    expect(isRetried(write, [serverError(1, {}, { labels: ['RetryableWriteError'] })])).toBe(true);
    expect(isRetried(write, [serverError(1, {}, { labels: ['SomethingElse'] })])).toBe(false);
  });

  test('requires the label from servers since MongoDB 4.4, and only a code from older servers', () => {
    for (const code of writeCodes) {
      expect(isRetried(write, [serverError(code, { maxWireVersion: 9 })])).toBe(false);
      expect(isRetried(write, [serverError(code, { maxWireVersion: 8 })])).toBe(true);
    }
    expect(isRetried(write, [serverError(134, { maxWireVersion: 8 })])).toBe(false);
  });

  test('before 4.4: retries a code only in the reply to a command, after the handshake', () => {
    const bare = serverError(91, { maxWireVersion: 8 }, { reply: undefined });
    expect(isRetried(write, [bare])).toBe(true);
    const unmet = serverError(91, {}, { origin: origin({}, { phase: 'hello', sent: false, ...beforeHello }) });
    expect(isRetried(write, [unmet])).toBe(false);
    const denied = new MongoError('auth', 'no', { code: 91, reply: { ok: 0 }, origin: origin({ maxWireVersion: 8 }) });
    expect(isRetried(write, [denied])).toBe(false);
  });

  test('before 4.4: retries the code of a write concern error of a mongod, not of a mongos, and never of a write error', () => {
    const reply = { ok: 1, writeConcernError: { code: 91 } };
    const concern = (type: 'RSPrimary' | 'Mongos') => serverError(91, { type, maxWireVersion: 8 }, { reply });
    expect(isRetried(write, [concern('RSPrimary')])).toBe(true);
    expect(isRetried(write, [concern('Mongos')])).toBe(false);
    const statement = serverError(91, { maxWireVersion: 8 }, { reply: { ok: 1, writeErrors: [{ code: 91 }] } });
    expect(isRetried(write, [statement])).toBe(false);
  });

  test('retries network errors, also of the handshake, and after a cleared pool', () => {
    expect(isRetried(write, [networkError()])).toBe(true);
    expect(isRetried(write, [networkError({}, { phase: 'hello', sent: false, ...beforeHello })])).toBe(true);
    expect(isRetried(write, [poolCleared()])).toBe(true);
  });

  test('does not retry on a standalone or without sessions, because the command had no txnNumber', () => {
    expect(isRetried(write, [networkError({ type: 'Standalone' })])).toBe(false);
    expect(isRetried(write, [networkError({ sessions: false })])).toBe(false);
    expect(isRetried(write, [networkError({ type: 'LoadBalancer', sessions: false })])).toBe(true);
  });

  test('retries only listed, acknowledged operations and only with retryWrites', () => {
    expect(isRetried(write, [networkError()], { retryWrites: false })).toBe(false);
    expect(isRetried(write, [networkError()], { retryReads: false })).toBe(true);
    expect(isRetried({ ...write, retryable: false }, [networkError()])).toBe(false);
    expect(isRetried({ ...write, answer: 'none' }, [networkError()])).toBe(false);
    const unsent = networkError({}, { phase: 'connect', sent: false });
    expect(isRetried({ ...write, answer: 'none' }, [unsent])).toBe(false);
  });

  test('Retryable Writes, prose test 1: replaces the message of code 20 with "Transaction numbers"', () => {
    const error = new MongoError('server', 'Transaction numbers are only allowed on a replica set member or mongos', {
      code: 20,
      codeName: 'IllegalOperation',
      reply: { ok: 0, code: 20 },
      origin: origin(),
    });
    const decision = decide(write, [error]);
    expect(decision.retry).toBe(false);
    if (decision.retry) return;
    expect(decision.raise.message).toBe(
      'This MongoDB deployment does not support retryable writes. Please add retryWrites=false to your connection string.',
    );
    const { code, codeName, labels, reply, cause, origin: where } = decision.raise;
    expect([code, codeName, labels, reply, cause, where]).toEqual([
      ...[20, 'IllegalOperation', error.labels, { ok: 0, code: 20 }, error, error.origin],
    ]);
  });

  test('keeps the message of other errors', () => {
    const numbers = 'Transaction numbers are only allowed on a replica set member or mongos';
    const of = (code: number, message: string) => new MongoError('server', message, { code, origin: origin() });
    for (const error of [of(20, 'IllegalOperation: Transaction numbers'), of(21, numbers)])
      expect(decide(write, [error])).toMatchObject({ retry: false, raise: error });
  });
});

describe('Transactions', () => {
  test('in a transaction, code 20 means that the server is a standalone', () => {
    const error = new MongoError('server', 'Transaction numbers are only allowed on a replica set member or mongos', {
      code: 20,
      origin: origin(),
    });
    const decision = createRetryPolicy({}).decide(
      failed([error], { request: request(write, { session: transaction }) }),
    );
    expect(decision).toMatchObject({
      retry: false,
      raise: {
        message: `Transactions need a replica set or a sharded cluster, but ${String(error.origin?.address)} is a standalone. A replica set of one member suffices: start the server with --replSet, and initiate the set.`,
      },
    });
  });

  const inTransaction = (of: Parameters<typeof request>[0], error: MongoError, options = {}): boolean =>
    createRetryPolicy(options).decide(failed([error], { request: request(of, { session: transaction }) })).retry;

  test('Retryable Reads and Retryable Writes: retries no command in a transaction except commit and abort', () => {
    expect(inTransaction(read, networkError())).toBe(false);
    expect(inTransaction(write, networkError())).toBe(false);
    expect(inTransaction(commit, networkError())).toBe(true);
  });

  test('"Interaction with Client Backpressure": retries every command in a transaction after an overload error', () => {
    for (const of of [read, write, commit, command]) expect(inTransaction(of, overloaded())).toBe(true);
  });

  test('"Retryable Writes": retries commitTransaction and abortTransaction regardless of retryWrites', () => {
    const off = { retryWrites: false, retryReads: false };
    expect(inTransaction(commit, networkError(), off)).toBe(true);
    expect(inTransaction(commit, overloaded(), off)).toBe(true);
    expect(inTransaction(commit, serverError(251), off)).toBe(false);
    expect(isRetried(commit, [networkError()], off)).toBe(true);
  });
});

describe('number, server and time of retries', () => {
  test('retries once and immediately', () => {
    expect(decide(read, [networkError()])).toEqual({
      retry: true,
      after: 0,
      avoid: undefined,
      because: 'The connection failed, which may be temporary. Retry 1 follows immediately.',
    });
    const second = networkError();
    expect(decide(read, [networkError(), second])).toEqual({
      retry: false,
      raise: second,
      because:
        'The connection failed, which may be temporary. But no retry is left: without timeoutMS, the limit is 1.',
    });
  });

  test('Client Side Operations Timeout, "Retryability": retries without a limit before the deadline of timeoutMS', () => {
    const many = Array.from({ length: 50 }, () => networkError());
    for (const of of [read, write]) {
      const decision = createRetryPolicy().decide(failed(many, { request: request(of, { deadline: 1000 }) }));
      expect(decision).toMatchObject({ retry: true, after: 0 });
    }
    const refused = [...many, serverError(11000)];
    expect(
      createRetryPolicy().decide(failed(refused, { request: request(read, { deadline: 1000 }), topology: 'Single' }))
        .retry,
    ).toBe(false);
  });

  test('Retryable Reads, "Selecting the server for retry": avoids the failed server only on a sharded cluster', () => {
    const failures = [networkError({ address: 'm1:27017', type: 'Mongos' })];
    expect(decide(read, failures, {}, 'Sharded')).toMatchObject({ retry: true, avoid: 'm1:27017' });
    for (const topology of ['Single', 'ReplicaSetNoPrimary', 'ReplicaSetWithPrimary', 'LoadBalanced'] as const)
      expect(decide(read, failures, {}, topology)).toMatchObject({ retry: true, avoid: undefined });
  });
});

describe('errorToRaise', () => {
  const raised = (of: Parameters<typeof request>[0], failures: readonly MongoError[]) =>
    errorToRaise(request(of), failures);
  const noWrites = (code: number) => serverError(code, {}, { labels: ['NoWritesPerformed', 'RetryableWriteError'] });

  test('Retryable Writes, prose test 6.1: returns the newest error if all attempts reached the server', () => {
    const failures = [networkError(), serverError(11000)];
    for (const of of [read, write]) expect(raised(of, failures)).toBe(failures[1]);
  });

  test('returns the error of an attempt rather than of a later failed selection, checkout or check', () => {
    const unsupported = new MongoError('usage', 'no sessions', { origin: { phase: 'command', sent: false } });
    for (const later of [noServer(), poolCleared(), unsupported]) {
      const failures = [networkError(), later];
      for (const of of [read, write]) expect(raised(of, failures)).toBe(failures[0]);
    }
  });

  test('returns the first error if no attempt reached the server', () => {
    const failures = [poolCleared(), noServer()];
    for (const of of [read, write]) expect(raised(of, failures)).toBe(failures[0]);
  });

  test('after two failed handshakes, returns the newest error of a read and the first of a write', () => {
    const inHandshake = () => networkError({}, { phase: 'connect', sent: false });
    const failures = [inHandshake(), inHandshake()];
    expect(raised(read, failures)).toBe(failures[1]);
    expect(raised(write, failures)).toBe(failures[0]);
  });

  test('Retryable Writes, prose tests 3, 6.2, 6.3: skips errors with the label NoWritesPerformed if another has none', () => {
    const concern = serverError(91, {}, { labels: ['RetryableWriteError'] });
    expect(raised(write, [concern, noWrites(10107)])).toBe(concern);
    const both = [noWrites(91), noWrites(10107)];
    expect(raised(write, both)).toBe(both[0]);
    const later = [noWrites(91), concern];
    expect(raised(write, later)).toBe(concern);
    expect(concern.labels).toEqual(['RetryableWriteError']);
  });

  test('returns the abort of the caller rather than an earlier error', () => {
    const aborted = new MongoError('aborted', 'enough', { origin: origin() });
    for (const of of [read, write]) expect(raised(of, [networkError(), aborted])).toBe(aborted);
  });

  test('returns the closing of the client rather than an earlier error', () => {
    const closed = new MongoError('closed', 'client is closed', { origin: { phase: 'select', sent: false } });
    for (const of of [read, write]) expect(raised(of, [networkError(), closed])).toBe(closed);
  });

  test('returns one of the errors of any sequence, and the newest of an attempt if there is one', () => {
    const failure = fc.constantFrom(
      () => networkError(),
      () => noWrites(10107),
      () => serverError(11000),
      poolCleared,
      noServer,
    );
    fc.assert(
      fc.property(fc.array(failure, { minLength: 1, maxLength: 6 }), makers => {
        const failures = makers.map(make => make());
        const attempts = failures.filter(
          ({ origin: at, labels }) => at?.sent === true && !labels.includes('NoWritesPerformed'),
        );
        expect(raised(write, failures)).toBe(attempts.at(-1) ?? failures[0]);
      }),
    );
  });
});
