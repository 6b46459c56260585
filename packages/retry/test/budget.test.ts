import type { MongoError, RetryPolicy } from '@tessera/contracts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { budget, noRetries } from '../src/index.js';
import { failed, networkError, overloaded, read, request, serverError, write } from './scripted.js';

const decide = (policy: RetryPolicy, failures: readonly MongoError[], of = read) =>
  policy.decide(failed(failures, { request: request(of), topology: 'Sharded' }));

/** Reports an operation whose first attempt succeeds. */
const succeed = (policy: RetryPolicy): void =>
  policy.observe?.({ request: request(), failures: [], outcome: 'success' });

/** Reports an operation whose first attempt fails. Returns whether it was retried. */
const live = (policy: RetryPolicy): boolean => {
  const failures = [networkError()];
  const { retry } = decide(policy, failures);
  if (retry) policy.observe?.({ request: request(), failures, outcome: 'retry' });
  policy.observe?.({ request: request(), failures, outcome: retry ? 'success' : 'failure' });
  return retry;
};

const retriesOf = (policy: RetryPolicy, operations: number): number =>
  Array.from({ length: operations }, () => live(policy)).filter(Boolean).length;

describe('a budget of retries', () => {
  test('retries its reserve and then its share of the operations when all of them fail', () => {
    expect(retriesOf(budget({ share: 0.1, reserve: 0 }), 100)).toBe(9);
    expect(retriesOf(budget({ share: 0.1, reserve: 10 }), 101)).toBe(20);
    expect(retriesOf(budget(), 101)).toBe(20);
    expect(retriesOf(budget({ share: 0, reserve: 3 }), 100)).toBe(3);
    expect(retriesOf(budget({ share: 1, reserve: 1 }), 100)).toBe(100);
  });

  test('saves up retries with each success, up to the reserve', () => {
    const policy = budget({ share: 0.5, reserve: 4 });
    expect(retriesOf(policy, 8)).toBe(7);
    for (let times = 0; times < 100; times += 1) succeed(policy);
    expect(retriesOf(policy, 7)).toBe(7);
    expect(live(policy)).toBe(false);
  });

  test('decides like the default policy otherwise', () => {
    const policy = budget();
    expect(decide(policy, [networkError()])).toMatchObject({ retry: true, after: 0, avoid: 'a:27017' });
    expect(decide(policy, [overloaded()])).toMatchObject({ retry: true, after: 100 });
    expect(decide(policy, [serverError(11000)])).toMatchObject({ retry: false });
    expect(decide(budget({ retryWrites: false }), [networkError()], write)).toMatchObject({ retry: false });
    expect(decide(budget({ maxAdaptiveRetries: 0 }), [overloaded()])).toMatchObject({ retry: false });
  });

  test('names the budget as the reason when it is used up', () => {
    const error = networkError();
    expect(decide(budget({ share: 0.25, reserve: 0 }), [error])).toEqual({
      retry: false,
      raise: error,
      because: 'Not retried: the retry budget is used up. Retries are limited to 25 % of the operations.',
    });
  });

  test('rejects an invalid share or reserve', () => {
    for (const share of [-0.1, 1.1, Number.NaN])
      expect(() => budget({ share })).toThrow(`"share" must be a number from 0 to 1, not ${share}.`);
    for (const reserve of [-1, Number.NaN])
      expect(() => budget({ reserve })).toThrow(`"reserve" must be a number of at least 0, not ${reserve}.`);
  });

  test('never retries more than its reserve and its share of any sequence of operations', () => {
    const part = fc.double({ min: 0, max: 1, noNaN: true });
    fc.assert(
      fc.property(part, fc.nat(5), fc.array(fc.boolean(), { maxLength: 200 }), (share, reserve, fails) => {
        const policy = budget({ share, reserve });
        let retries = 0;
        for (const isFailing of fails) {
          if (!isFailing) succeed(policy);
          else if (live(policy)) retries += 1;
        }
        expect(retries).toBeLessThanOrEqual(reserve + share * fails.length + 1e-6);
      }),
    );
  });
});

describe('noRetries', () => {
  test('throws every error without a retry', () => {
    for (const error of [networkError(), overloaded(), serverError(91)])
      expect(decide(noRetries(), [error])).toEqual({
        retry: false,
        raise: error,
        because: 'Not retried: this client does not retry operations.',
      });
  });
});
