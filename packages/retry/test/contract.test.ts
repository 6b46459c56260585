import type { RetryPolicy } from '@tessera/contracts';
import { retryPolicySuite } from '@tessera/sim';
import { describe, test } from 'vitest';
import { budget, createRetryPolicy, noRetries, tokenBucket } from '../src/index.js';

const nothing = { retryReads: false, retryWrites: false };

describe.each<readonly [name: string, createPolicy: () => RetryPolicy]>([
  ['the default policy', () => createRetryPolicy()],
  ['the default policy without retries', () => createRetryPolicy(nothing)],
  [
    'the default policy with many retries',
    () => createRetryPolicy({ maxAdaptiveRetries: 50, enableOverloadRetargeting: true }),
  ],
  ['a token bucket', () => tokenBucket()],
  ['a small token bucket', () => tokenBucket({ capacity: 1 })],
  ['a budget', () => budget()],
  ['a small budget', () => budget({ share: 0.01, reserve: 0 })],
  ['no retries', noRetries],
])('retryPolicySuite: %s', (_, createPolicy) => {
  for (const { name, run } of retryPolicySuite(createPolicy)) test(name, run);
});
