import { retryPolicySuite } from '@tessera/sim';
import { describe, test } from 'vitest';
import { createRetryPolicy } from '../src/index.js';

describe('the contract of RetryPolicy', () => {
  for (const { name, run } of retryPolicySuite(() => createRetryPolicy())) test(name, run);
});

describe('the contract of RetryPolicy, with nothing to be retried', () => {
  for (const { name, run } of retryPolicySuite(() => createRetryPolicy({ retryReads: false, retryWrites: false })))
    test(name, run);
});
