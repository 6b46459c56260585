import type { RetryPolicy } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createRetryPolicy } from '@tessera/retry';
import { retryPolicySuite } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

describe('@tessera/retry keeps the terms of RetryPolicy', () => {
  for (const { name, run } of retryPolicySuite(() => createRetryPolicy())) test(name, run);
});

describe('the suite notices policies that', () => {
  const rejected = async (policy: RetryPolicy): Promise<readonly string[]> => {
    const cases = retryPolicySuite(() => policy);
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    return outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [(outcome.reason as Error).message] : []));
  };

  test('never give up', async () => {
    const problems = await rejected({ decide: () => ({ retry: true, after: 0, because: 'why not' }) });
    expect(problems.length).toBe(4);
  });

  test('raise an error of their own', async () => {
    const raise = new MongoError('usage', 'mine');
    expect((await rejected({ decide: () => ({ retry: false, raise, because: 'no' }) })).length).toBeGreaterThan(2);
  });

  test('cannot stand an error without an origin', async () => {
    const problems = await rejected({
      decide: (_, [first]) => ({
        retry: false,
        raise: first?.origin === undefined ? undefined! : first,
        because: 'no',
      }),
    });
    expect(problems.length).toBeGreaterThan(0);
  });

  test('wait for ever', async () => {
    const problems = await rejected({
      decide: (_, failures) =>
        failures.length < 2
          ? { retry: true, after: Infinity, because: 'patience' }
          : { retry: false, raise: failures[0]!, because: 'enough' },
    });
    expect(problems).toContain('Expected: a wait that ends: Infinity');
  });
});
