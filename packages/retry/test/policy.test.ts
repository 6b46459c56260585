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
  test('network errors and timeouts, of the command and of the handshake', () => {
    for (const phase of ['resolve', 'connect', 'hello', 'auth', 'command'] as const)
      for (const kind of ['network', 'timeout'] as const)
        expect(isRetried(read, [new MongoError(kind, 'lost', { origin: origin({}, { phase }) })])).toBe(true);
  });

  test('the codes of the list, of the command and of the handshake, and no others', () => {
    for (const code of readCodes) {
      expect(isRetried(read, [serverError(code)])).toBe(true);
      expect(isRetried(read, [serverError(code, {}, { origin: origin({}, { phase: 'auth' }) })])).toBe(true);
    }
    for (const code of [1, 11000, 43, 10058, 50]) expect(isRetried(read, [serverError(code)])).toBe(false);
  });

  test('a pool that was cleared; not one that is closed or has none free', () => {
    expect(isRetried(read, [poolCleared()])).toBe(true);
    expect(isRetried(read, [new MongoError('pool', 'closed', { origin: { phase: 'checkOut', sent: false } })])).toBe(
      false,
    );
  });

  test('Client Side Operations Timeout: what was not sent in time tells nothing about the server', () => {
    const late = new MongoError('timeout', 'late', { origin: origin({}, { sent: false }) });
    expect(isRetried(read, [late])).toBe(false);
    expect(isRetried(write, [late])).toBe(false);
  });

  test('a failed selection, a missing connection in time, a wrong command, an abort: not', () => {
    expect(isRetried(read, [noServer()])).toBe(false);
    for (const kind of ['timeout', 'usage', 'aborted', 'auth', 'protocol'] as const)
      expect(isRetried(read, [new MongoError(kind, 'x', { origin: { phase: 'checkOut', sent: false } })])).toBe(false);
  });

  test('only with retryReads, only operations of the list, also on a standalone', () => {
    expect(isRetried(read, [networkError()], { retryReads: false })).toBe(false);
    expect(isRetried(read, [networkError()], { retryWrites: false })).toBe(true);
    expect(isRetried({ retryable: false }, [networkError()])).toBe(false);
    expect(isRetried({ kind: 'either' }, [networkError()])).toBe(false);
    expect(isRetried(read, [networkError({ type: 'Standalone' })])).toBe(true);
  });
});

describe('Retryable Writes, "Determining Retryable Write Errors"', () => {
  test('what bears the label RetryableWriteError', () => {
    expect(isRetried(write, [serverError(1, {}, { labels: ['RetryableWriteError'] })])).toBe(true);
    expect(isRetried(write, [serverError(1, {}, { labels: ['SomethingElse'] })])).toBe(false);
  });

  test('since MongoDB 4.4 the server decides: a code alone is not enough', () => {
    for (const code of writeCodes) {
      expect(isRetried(write, [serverError(code, { maxWireVersion: 9 })])).toBe(false);
      expect(isRetried(write, [serverError(code, { maxWireVersion: 8 })])).toBe(true);
    }
    expect(isRetried(write, [serverError(134, { maxWireVersion: 8 })])).toBe(false);
  });

  test('before 4.4: of an answer of a known server, whatever it held beside its code', () => {
    const bare = serverError(91, { maxWireVersion: 8 }, { reply: undefined });
    expect(isRetried(write, [bare])).toBe(true);
    const unmet = serverError(91, {}, { origin: origin({}, { phase: 'hello', sent: false, ...beforeHello }) });
    expect(isRetried(write, [unmet])).toBe(false);
    const denied = new MongoError('auth', 'no', { code: 91, reply: { ok: 0 }, origin: origin({ maxWireVersion: 8 }) });
    expect(isRetried(write, [denied])).toBe(false);
  });

  test('before 4.4: the code of a write concern error from a mongod, never from a mongos, never that of a statement', () => {
    const reply = { ok: 1, writeConcernError: { code: 91 } };
    const concern = (type: 'RSPrimary' | 'Mongos') => serverError(91, { type, maxWireVersion: 8 }, { reply });
    expect(isRetried(write, [concern('RSPrimary')])).toBe(true);
    expect(isRetried(write, [concern('Mongos')])).toBe(false);
    const statement = serverError(91, { maxWireVersion: 8 }, { reply: { ok: 1, writeErrors: [{ code: 91 }] } });
    expect(isRetried(write, [statement])).toBe(false);
  });

  test('network errors, of the handshake too, and a cleared pool', () => {
    expect(isRetried(write, [networkError()])).toBe(true);
    expect(isRetried(write, [networkError({}, { phase: 'hello', sent: false, ...beforeHello })])).toBe(true);
    expect(isRetried(write, [poolCleared()])).toBe(true);
  });

  test('never at a standalone or without sessions: there was no txnNumber', () => {
    expect(isRetried(write, [networkError({ type: 'Standalone' })])).toBe(false);
    expect(isRetried(write, [networkError({ sessions: false })])).toBe(false);
    expect(isRetried(write, [networkError({ type: 'LoadBalancer', sessions: false })])).toBe(true);
  });

  test('only with retryWrites, only operations of the list, never unacknowledged', () => {
    expect(isRetried(write, [networkError()], { retryWrites: false })).toBe(false);
    expect(isRetried(write, [networkError()], { retryReads: false })).toBe(true);
    expect(isRetried({ ...write, retryable: false }, [networkError()])).toBe(false);
    expect(isRetried({ ...write, answer: 'none' }, [networkError()])).toBe(false);
    const unsent = networkError({}, { phase: 'connect', sent: false });
    expect(isRetried({ ...write, answer: 'none' }, [unsent])).toBe(false);
  });

  test('Retryable Writes, prose test 1: code 20 with "Transaction numbers" is explained', () => {
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

  test('no other error is', () => {
    const numbers = 'Transaction numbers are only allowed on a replica set member or mongos';
    const of = (code: number, message: string) => new MongoError('server', message, { code, origin: origin() });
    for (const error of [of(20, 'IllegalOperation: Transaction numbers'), of(21, numbers)])
      expect(decide(write, [error])).toMatchObject({ retry: false, raise: error });
  });
});

describe('Transactions', () => {
  const inTransaction = (of: Parameters<typeof request>[0], error: MongoError, options = {}): boolean =>
    createRetryPolicy(options).decide(failed([error], { request: request(of, { session: transaction }) })).retry;

  test('Retryable Reads and Retryable Writes: no command in a transaction is retried but those that end it', () => {
    expect(inTransaction(read, networkError())).toBe(false);
    expect(inTransaction(write, networkError())).toBe(false);
    expect(inTransaction(commit, networkError())).toBe(true);
  });

  test('"Interaction with Client Backpressure": after an overload error every command is', () => {
    for (const of of [read, write, commit, command]) expect(inTransaction(of, overloaded())).toBe(true);
  });

  test('"Retryable Writes": commitTransaction and abortTransaction are retried whatever retryWrites says', () => {
    const off = { retryWrites: false, retryReads: false };
    expect(inTransaction(commit, networkError(), off)).toBe(true);
    expect(inTransaction(commit, overloaded(), off)).toBe(true);
    expect(inTransaction(commit, serverError(251), off)).toBe(false);
    expect(isRetried(commit, [networkError()], off)).toBe(true);
  });
});

describe('how often, where, and when', () => {
  test('once, at once', () => {
    expect(decide(read, [networkError()])).toEqual({
      retry: true,
      after: 0,
      avoid: undefined,
      because: 'The connection failed, which may pass. Retry 1 follows at once.',
    });
    const second = networkError();
    expect(decide(read, [networkError(), second])).toEqual({
      retry: false,
      raise: second,
      because: 'The connection failed, which may pass. But no retry is left: without timeoutMS there is one.',
    });
  });

  test('Client Side Operations Timeout, "Retryability": with timeoutMS as long as there is time', () => {
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

  test('Retryable Reads, "Selecting the server for retry": only a sharded cluster avoids the server that failed', () => {
    const failures = [networkError({ address: 'm1:27017', type: 'Mongos' })];
    expect(decide(read, failures, {}, 'Sharded')).toMatchObject({ retry: true, avoid: 'm1:27017' });
    for (const topology of ['Single', 'ReplicaSetNoPrimary', 'ReplicaSetWithPrimary', 'LoadBalanced'] as const)
      expect(decide(read, failures, {}, topology)).toMatchObject({ retry: true, avoid: undefined });
  });
});

describe('which of several errors is raised', () => {
  const raised = (of: Parameters<typeof request>[0], failures: readonly MongoError[]) =>
    errorToRaise(request(of), failures);
  const noWrites = (code: number) => serverError(code, {}, { labels: ['NoWritesPerformed', 'RetryableWriteError'] });

  test('Retryable Writes, prose test 6.1: all tell of an attempt: the newest', () => {
    const failures = [networkError(), serverError(11000)];
    for (const of of [read, write]) expect(raised(of, failures)).toBe(failures[1]);
  });

  test('a failed selection, checkout or check after an attempt: the attempt', () => {
    const unsupported = new MongoError('usage', 'no sessions', { origin: { phase: 'command', sent: false } });
    for (const later of [noServer(), poolCleared(), unsupported]) {
      const failures = [networkError(), later];
      for (const of of [read, write]) expect(raised(of, failures)).toBe(failures[0]);
    }
  });

  test('none tells of an attempt: the first', () => {
    const failures = [poolCleared(), noServer()];
    for (const of of [read, write]) expect(raised(of, failures)).toBe(failures[0]);
  });

  test('a read that failed in two handshakes: the newest tells more; a write: nothing was written, the first', () => {
    const inHandshake = () => networkError({}, { phase: 'connect', sent: false });
    const failures = [inHandshake(), inHandshake()];
    expect(raised(read, failures)).toBe(failures[1]);
    expect(raised(write, failures)).toBe(failures[0]);
  });

  test('Retryable Writes, prose tests 3, 6.2, 6.3: NoWritesPerformed says that nothing was attempted', () => {
    const concern = serverError(91, {}, { labels: ['RetryableWriteError'] });
    expect(raised(write, [concern, noWrites(10107)])).toBe(concern);
    const both = [noWrites(91), noWrites(10107)];
    expect(raised(write, both)).toBe(both[0]);
    const later = [noWrites(91), concern];
    expect(raised(write, later)).toBe(concern);
    expect(concern.labels).toEqual(['RetryableWriteError']);
  });

  test('an abort is the wish of the caller: it is raised', () => {
    const aborted = new MongoError('aborted', 'enough', { origin: origin() });
    for (const of of [read, write]) expect(raised(of, [networkError(), aborted])).toBe(aborted);
  });

  test('so is that the client was closed meanwhile', () => {
    const closed = new MongoError('closed', 'client is closed', { origin: { phase: 'select', sent: false } });
    for (const of of [read, write]) expect(raised(of, [networkError(), closed])).toBe(closed);
  });

  test('any history: one of its errors is raised, and an attempt if there was one', () => {
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
