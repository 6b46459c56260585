import type { RetryPolicy } from '@tessera/contracts';
import { decideBy, refuse } from './decision.js';
import { backoff, baseBackoffOf, isOverload } from './overload.js';
import { gateDefaults } from './verdict.js';
import type { Gates } from './verdict.js';

/** Under the names of the connection string. */
export interface RetryPolicyOptions extends Gates {
  /** How often an operation is retried, by whatever rule, once a server was overloaded; 0: not at all. */
  readonly maxAdaptiveRetries?: number | undefined;
  /** After an overloaded server's error try another server first, also outside of sharded clusters. */
  readonly enableOverloadRetargeting?: boolean | undefined;
}

export const policyDefaults: Required<{
  readonly [K in keyof RetryPolicyOptions]: NonNullable<RetryPolicyOptions[K]>;
}> = { ...gateDefaults, maxAdaptiveRetries: 2, enableOverloadRetargeting: false };

/**
 * What the specifications say: reads and writes once, at once, or with timeoutMS as long as there is time; after an
 * overloaded server's error any command, after a wait. On a sharded cluster by another mongos if there is one.
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
