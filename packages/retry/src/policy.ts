import type { RetryPolicy, RetryPolicyOptions } from '@tessera/contracts';
import { decideBy, refuse } from './decision.js';
import { backoff, baseBackoffOf, isOverload } from './overload.js';
import { gateDefaults } from './options.js';

export const policyDefaults: Required<{
  readonly [K in keyof RetryPolicyOptions]: NonNullable<RetryPolicyOptions[K]>;
}> = { ...gateDefaults, maxAdaptiveRetries: 2, enableOverloadRetargeting: false };

/**
 * The policy of the specifications. It retries reads and writes once without a wait, or until the deadline under timeoutMS.
 * After an overload error it retries any command after a wait. On a sharded cluster it prefers another mongos.
 * Rules: Retryable Reads; Retryable Writes; Client Backpressure, "Overload retry policy".
 */
export const createRetryPolicy = (options: RetryPolicyOptions = {}): RetryPolicy => {
  const {
    retryReads = policyDefaults.retryReads,
    retryWrites = policyDefaults.retryWrites,
    maxAdaptiveRetries = policyDefaults.maxAdaptiveRetries,
    enableOverloadRetargeting = policyDefaults.enableOverloadRetargeting,
  } = options;
  return {
    decide: decideBy({
      gates: { retryReads, retryWrites },
      overloadRetries: maxAdaptiveRetries,
      backoff: (retry, error, chance) => backoff(retry, chance, baseBackoffOf(error)),
      // Rule: Retryable Reads, "Selecting the server for retry": members of a replica set may be asked again.
      avoids: (error, topology) => topology === 'Sharded' || (enableOverloadRetargeting && isOverload(error)),
    }),
  };
};

/** Retries nothing: for applications that retry by themselves. */
export const noRetries = (): RetryPolicy => ({
  decide: failed => refuse(failed, 'Not retried: this client retries nothing.'),
});
