import type { AttemptOutcome, MongoError, RetryDecision, RetryPolicy } from '@tessera/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { tokenBucket } from '../src/index.js';
import { command, failed, networkError, overloaded, read, request, serverError, write } from './scripted.js';

const ask = (policy: RetryPolicy, failures: readonly MongoError[], of = read, chance = 0.5): RetryDecision =>
  policy.decide(failed(failures, { request: request(of), chance }));

const observe = (policy: RetryPolicy, failures: readonly MongoError[], outcome: AttemptOutcome['outcome']): void =>
  policy.observe?.({ request: request(), failures, outcome });

/** Reports an operation with these failures, which then succeeds if it is retried. Returns the number of its retries. */
const live = (policy: RetryPolicy, ...failures: readonly MongoError[]): number => {
  for (let count = 1; count <= failures.length; count += 1) {
    const soFar = failures.slice(0, count);
    if (!ask(policy, soFar).retry) {
      observe(policy, soFar, 'failure');
      return count - 1;
    }
    observe(policy, soFar, 'retry');
  }
  observe(policy, failures, 'success');
  return failures.length;
};

const overloads = (count: number): readonly MongoError[] => Array.from({ length: count }, () => overloaded());
/** Returns the number of tokens in the bucket, by taking all of them. */
const tokensOf = (policy: RetryPolicy): number => {
  let tokens = 0;
  while (ask(policy, overloads(1)).retry) {
    observe(policy, overloads(1), 'retry');
    tokens += 1;
  }
  return tokens;
};

describe('the token bucket', () => {
  test('Client Backpressure, "Token Bucket": starts full and never exceeds its capacity', () => {
    expect(tokensOf(tokenBucket())).toBe(1000);
    const policy = tokenBucket({ capacity: 3 });
    for (let times = 0; times < 100; times += 1) live(policy);
    expect(tokensOf(policy)).toBe(3);
  });

  test('takes a token for a retry after an overload error, and does not retry without a token', () => {
    const policy = tokenBucket({ capacity: 2 });
    expect(tokensOf(policy)).toBe(2);
    const [error] = overloads(1);
    expect(ask(policy, [error!])).toEqual({
      retry: false,
      raise: error,
      because: 'Not retried: the server is overloaded, and the bucket has no token left.',
    });
  });

  test('returns a tenth of a token on success, and the token of the retry if there was one', () => {
    const policy = tokenBucket({ capacity: 2 });
    tokensOf(policy);
    for (let times = 0; times < 9; times += 1) observe(policy, [], 'success');
    expect(tokensOf(policy)).toBe(0);
    observe(policy, [], 'success');
    expect(tokensOf(policy)).toBe(1);
    observe(policy, overloads(1), 'success');
    expect(tokensOf(policy)).toBe(1);
  });

  test('returns the token of a retry that fails without an overload error, but nothing for a first attempt', () => {
    const policy = tokenBucket({ capacity: 2 });
    tokensOf(policy);
    observe(policy, [overloaded(), overloaded()], 'failure');
    observe(policy, [serverError(11000)], 'failure');
    observe(policy, [], 'failure');
    expect(tokensOf(policy)).toBe(0);
    observe(policy, [overloaded(), serverError(11000)], 'failure');
    expect(tokensOf(policy)).toBe(1);
    observe(policy, [networkError()], 'retry');
    expect(tokensOf(policy)).toBe(0);
    observe(policy, [overloaded(), networkError()], 'retry');
    expect(tokensOf(policy)).toBe(1);
  });

  test('takes no token for a retry without an overload error', () => {
    const policy = tokenBucket({ capacity: 1 });
    tokensOf(policy);
    expect(ask(policy, [networkError()])).toMatchObject({ retry: true, after: 0 });
  });

  test('retries five times, with limits of 100, 200, 400, 800 and 1600 ms before the jitter, and avoids the failed server', () => {
    const policy = tokenBucket();
    const waits = [1, 2, 3, 4, 5].map(count => ask(policy, overloads(count), write, 0.5));
    expect(waits.map(decision => decision.retry && decision.after)).toEqual([50, 100, 200, 400, 800]);
    expect(waits.map(decision => decision.retry && decision.avoid)).toEqual(Array(5).fill('a:27017'));
    expect(ask(policy, overloads(6), write).retry).toBe(false);
    expect(ask(policy, [networkError()])).toMatchObject({ avoid: 'a:27017' });
  });

  test('obeys retryReads and retryWrites', () => {
    const off = tokenBucket({ retryReads: false, retryWrites: false });
    expect([read, write, command].map(of => ask(off, overloads(1), of).retry)).toEqual([false, false, false]);
    expect([read, write, command].map(of => ask(tokenBucket(), overloads(1), of).retry)).toEqual([true, true, true]);
  });

  test('rejects a capacity of less than one token', () => {
    for (const capacity of [0, -1, 0.5, Number.NaN])
      expect(() => tokenBucket({ capacity })).toThrow(`"capacity" must be a number of at least 1, not ${capacity}.`);
    expect(tokensOf(tokenBucket({ capacity: 1 }))).toBe(1);
  });

  test('never retries more than its capacity and a tenth of the successes, for any sequence of operations', () => {
    const operation = fc.array(fc.constantFrom(overloaded, networkError), { maxLength: 3 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 5 }), fc.array(operation, { maxLength: 60 }), (capacity, operations) => {
        const policy = tokenBucket({ capacity });
        let taken = 0;
        for (const makers of operations) {
          const failures = makers.map(make => make());
          const retried = live(policy, ...failures);
          const wasHelped = retried === failures.length;
          const isForgiven = wasHelped || failures[retried]?.kind === 'network';
          taken += failures.slice(0, retried).filter(({ kind }) => kind === 'server').length - (isForgiven ? 1 : 0);
        }
        expect(taken).toBeLessThanOrEqual(capacity + operations.length / 10);
      }),
    );
  });
});
