import type { RetryPolicy } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createRetryPolicy } from '@tessera/retry';
import { retryPolicySuite } from '@tessera/sim';
import { describe, expect, test } from 'vitest';

describe('@tessera/retry fulfils the contract of RetryPolicy', () => {
  for (const { name, run } of retryPolicySuite(() => createRetryPolicy())) test(name, run);
});

describe('the suite detects policies that', () => {
  const rejected = async (policy: RetryPolicy): Promise<readonly string[]> => {
    const cases = retryPolicySuite(() => policy);
    const outcomes = await Promise.allSettled(cases.map(({ run }) => run()));
    return outcomes.flatMap(outcome => (outcome.status === 'rejected' ? [(outcome.reason as Error).message] : []));
  };

  test('never stop retrying', async () => {
    const problems = await rejected({ decide: () => ({ retry: true, after: 0, because: 'why not' }) });
    expect(problems.length).toBe(6);
  });

  test('raise an error of their own', async () => {
    const raise = new MongoError('usage', 'mine');
    expect((await rejected({ decide: () => ({ retry: false, raise, because: 'no' }) })).length).toBeGreaterThan(2);
  });

  test('throw on an error without an origin', async () => {
    const problems = await rejected({
      decide: ({ failures: [first] }) => ({
        retry: false,
        raise: first?.origin === undefined ? undefined! : first,
        because: 'no',
      }),
    });
    expect(problems.length).toBeGreaterThan(0);
  });

  const once = (repeats: RetryPolicy['decide']): RetryPolicy => ({
    decide: failed => {
      const { request, failures } = failed;
      const raise = failures.at(-1)!;
      const { kind, retryable, answer } = request.operation;
      const mayTry =
        failures.length === 1 && raise.kind === 'network' && retryable !== false && answer === 'one' && kind === 'read';
      return mayTry ? repeats(failed) : { retry: false, raise, because: 'no' };
    },
  });

  test('retry a command of a transaction', async () => {
    const policy = once(() => ({ retry: true, after: 1, because: 'why not' }));
    expect(await rejected(policy)).toEqual(['Expected: no retry of a part of a transaction (Single)']);
  });

  test('give no reason', async () => {
    const policy = once(({ request, failures: [raise] }) =>
      request.session === undefined
        ? { retry: true, after: 0, because: '' }
        : { retry: false, raise: raise!, because: 'no' },
    );
    expect(await rejected(policy)).toEqual(["Expected: a reason in words: ''"]);
  });

  test('do not wait for an overloaded server', async () => {
    const problems = await rejected({
      decide: ({ failures }) => {
        const raise = failures.at(-1)!;
        return failures.length < 3 && raise.code === 462
          ? { retry: true, after: 0, because: 'hurry' }
          : { retry: false, raise, because: 'no' };
      },
    });
    expect(problems).toEqual(['Expected: a wait that ends, of the base undefined']);
  });

  test('wait for ever', async () => {
    const problems = await rejected({
      decide: ({ failures }) =>
        failures.length < 2
          ? { retry: true, after: Infinity, because: 'patience' }
          : { retry: false, raise: failures[0]!, because: 'enough' },
    });
    expect(problems).toContain('Expected: a wait that ends: Infinity');
  });
});
