import type { MongoError, TopologyType } from '@tessera/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createRetryPolicy } from '../src/index.js';
import { command, failed, networkError, notTaken, overloaded, read, request, serverError, write } from './scripted.js';

const decide = (
  of: Parameters<typeof request>[0],
  failures: readonly MongoError[],
  options: Parameters<typeof createRetryPolicy>[0] = {},
  { topology = 'ReplicaSetWithPrimary', chance = 0.5, deadline = Infinity } = {},
) =>
  createRetryPolicy(options).decide(
    failed(failures, { request: request(of, { deadline }), topology: topology as TopologyType, chance }),
  );

const isRetried = (...given: Parameters<typeof decide>): boolean => decide(...given).retry;
const waitOf = (...given: Parameters<typeof decide>): number => {
  const decision = decide(...given);
  if (!decision.retry) throw new Error(`expected a retry: ${decision.because}`);
  return decision.after;
};

const getMore: typeof read = { name: 'getMore', kind: 'read', retryable: false };
const updateMany: typeof read = { name: 'update', kind: 'write', retryable: false };

describe('Client Backpressure, "Overload retry policy"', () => {
  test('retries every command after an error with both labels', () => {
    for (const of of [read, write, getMore, updateMany, command]) {
      expect(isRetried(of, [overloaded()])).toBe(true);
      expect(isRetried(of, [notTaken()])).toBe(true);
    }
    for (const label of ['SystemOverloadedError', 'RetryableError'])
      for (const of of [read, write, updateMany])
        expect(isRetried(of, [serverError(462, {}, { labels: [label] })])).toBe(false);
  });

  test('does not retry a write that was applied with a write concern error', () => {
    const labels = ['SystemOverloadedError', 'RetryableError'];
    const reply = { ok: 1, n: 1, writeConcernError: { code: 462, errmsg: 'busy' }, errorLabels: labels };
    expect(isRetried(updateMany, [serverError(462, {}, { labels, reply })])).toBe(false);
    expect(isRetried(updateMany, [serverError(462, {}, { labels, reply: { ...reply, ok: 0 } })])).toBe(true);
  });

  test('retries an unacknowledged write only if it was not sent', () => {
    const unacknowledged = { ...write, answer: 'none' } as const;
    expect(isRetried(unacknowledged, [notTaken()])).toBe(true);
    expect(isRetried(unacknowledged, [overloaded()])).toBe(false);
  });

  test('obeys retryReads for reads, retryWrites for writes, and both for runCommand', () => {
    const reads = { retryReads: false };
    const writes = { retryWrites: false };
    expect([read, getMore].map(of => isRetried(of, [overloaded()], reads))).toEqual([false, false]);
    expect([read, getMore].map(of => isRetried(of, [overloaded()], writes))).toEqual([true, true]);
    expect([write, updateMany].map(of => isRetried(of, [overloaded()], writes))).toEqual([false, false]);
    expect([write, updateMany].map(of => isRetried(of, [overloaded()], reads))).toEqual([true, true]);
    expect([reads, writes, {}].map(options => isRetried(command, [overloaded()], options))).toEqual([
      false,
      false,
      true,
    ]);
  });

  test('limits retries to maxAdaptiveRetries, by default 2', () => {
    const failures = (count: number) => Array.from({ length: count }, () => overloaded());
    expect([1, 2, 3].map(count => isRetried(updateMany, failures(count)))).toEqual([true, true, false]);
    const one = { maxAdaptiveRetries: 1 };
    expect([1, 2].map(count => isRetried(updateMany, failures(count), one))).toEqual([true, false]);
    expect(isRetried(read, failures(1), { maxAdaptiveRetries: 0 })).toBe(false);
    expect(decide(read, failures(3))).toMatchObject({
      because:
        'The server is overloaded and has not started the command. But no retry is left: after an overload error, the limit is 2.',
    });
  });

  test('doubles the backoff with each retry and multiplies it by the random number', () => {
    expect(waitOf(read, [overloaded()])).toBe(100);
    expect(waitOf(read, [overloaded(), overloaded()])).toBe(200);
    expect(waitOf(read, [networkError(), overloaded()])).toBe(200);
    expect(waitOf(read, [overloaded()], {}, { chance: 0 })).toBe(0);
    const many = Array.from({ length: 20 }, () => overloaded());
    expect(waitOf(read, many, { maxAdaptiveRetries: 100 })).toBe(5000);
    expect(decide(read, [overloaded()])).toMatchObject({
      because: 'The server is overloaded and has not started the command. Retry 1 follows after 100 ms.',
    });
  });

  test('uses baseBackoffMS of the reply as the base if it is a positive number', () => {
    const after = (baseBackoffMS: unknown): number => waitOf(read, [overloaded({ baseBackoffMS })]);
    expect([50, 0.5, 7000].map(after)).toEqual([50, 0.5, 5000]);
    expect([1e300, Infinity, Number.MAX_VALUE].map(after)).toEqual([5000, 5000, 5000]);
    expect([0, -1, -Infinity, Number.NaN, '500', null, {}, [500], true].map(after)).toEqual(Array(9).fill(100));
  });

  test('"Interaction with Other Retry Policies": waits before a retry also if an overload error lacks the label RetryableError', () => {
    const busy = serverError(91, {}, { labels: ['SystemOverloadedError'] });
    expect(decide(read, [busy])).toMatchObject({ retry: true, after: 100 });
    expect(decide(read, [busy, overloaded()])).toMatchObject({ retry: true, after: 200 });
    expect(decide(updateMany, [busy])).toMatchObject({ retry: false });
  });

  test('limits all retries to MAX_RETRIES after an overload error, also with timeoutMS', () => {
    expect(decide(read, [overloaded(), networkError()])).toMatchObject({ retry: true, after: 0 });
    expect(decide(read, [overloaded(), networkError(), networkError()])).toMatchObject({ retry: false });
    const timed = { deadline: 1e6 };
    expect(decide(read, [overloaded(), networkError()], {}, timed)).toMatchObject({ retry: true, after: 0 });
    expect(decide(read, [overloaded(), networkError(), overloaded()], {}, timed)).toMatchObject({ retry: false });
    const before = Array.from({ length: 4 }, () => networkError());
    expect(decide(read, [...before, overloaded()], {}, timed)).toMatchObject({ retry: false });
    expect(decide(read, [networkError(), overloaded()], { maxAdaptiveRetries: 1 })).toMatchObject({ retry: false });
  });

  test('avoids the failed server with enableOverloadRetargeting, and always on a sharded cluster', () => {
    const on = { enableOverloadRetargeting: true };
    const failures = [overloaded()];
    expect(decide(read, failures)).toMatchObject({ retry: true, avoid: undefined });
    expect(decide(read, failures, on)).toMatchObject({
      avoid: 'a:27017',
      because:
        'The server is overloaded and has not started the command. Retry 1 follows after 100 ms, not on a:27017 if another server is suitable.',
    });
    expect(decide(read, [networkError()], on)).toMatchObject({ retry: true, avoid: undefined });
    expect(decide(read, failures, {}, { topology: 'Sharded' })).toMatchObject({ avoid: 'a:27017' });
    expect(decide(read, [networkError()], {}, { topology: 'Sharded' })).toMatchObject({ avoid: 'a:27017' });
  });
});

describe('for any sequence of failures with overload errors, the policy', () => {
  const failure = fc.constantFrom<(() => MongoError)[]>(
    () => overloaded(),
    notTaken,
    () => networkError(),
    () => serverError(91),
    () => overloaded({ baseBackoffMS: 1e9 }),
  );
  const history = fc.array(failure, { minLength: 1, maxLength: 8 }).map(makers => makers.map(make => make()));
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });

  test('waits only after an overload error, and at most 10 s', () => {
    fc.assert(
      fc.property(history, unit, fc.nat(10), (failures, chance, maxAdaptiveRetries) => {
        const decision = decide(read, failures, { maxAdaptiveRetries }, { chance });
        if (!decision.retry) return;
        const isOverload = failures.at(-1)!.labels.includes('SystemOverloadedError');
        expect(decision.after).toBeLessThan(isOverload ? 10_000 : 1);
        expect(decision.after).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  test('retries no more often than allowed', () => {
    fc.assert(
      fc.property(history, fc.nat(10), fc.boolean(), (failures, maxAdaptiveRetries, timed) => {
        const wasOverloaded = failures.some(({ labels }) => labels.includes('SystemOverloadedError'));
        const otherwise = timed ? Infinity : 1;
        const allowed = wasOverloaded ? maxAdaptiveRetries : otherwise;
        const options = { deadline: timed ? 1e6 : Infinity };
        expect(decide(read, failures, { maxAdaptiveRetries }, options).retry).toBe(failures.length <= allowed);
      }),
    );
  });
});
