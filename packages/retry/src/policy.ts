import { isOverload } from '@tessera/contracts';
import type { RetryPolicy, RetryPolicyOptions } from '@tessera/contracts';
import { decideBy, refuse } from './decision.js';
import { backoff, baseBackoffOf } from './overload.js';
import { retryFlagDefaults } from './options.js';

/** The defaults of the options of {@link createRetryPolicy}. */
export const policyDefaults: Required<{
  readonly [K in keyof RetryPolicyOptions]: NonNullable<RetryPolicyOptions[K]>;
}> = { ...retryFlagDefaults, maxAdaptiveRetries: 2, enableOverloadRetargeting: false };

/**
 * Creates the policy that the specifications require, the default of a client.
 *
 * - It retries reads and writes once, without a backoff. With timeoutMS, it retries until the deadline; with `timeoutMS: 0`, without
 *   limit.
 * - After a retryable overload error it retries any command, unless `retryReads` or `retryWrites` forbids that. Such an error has the
 *   labels SystemOverloadedError and RetryableError, and is not a reply with `ok: 1`.
 * - Once an attempt has failed with an overload error (label SystemOverloadedError), `maxAdaptiveRetries` limits all retries of the
 *   operation, including those after other errors.
 * - The backoff after an overload error is random. Its limit is the base times 2, 4 and so on, at most 10 s. The base is the reply's
 *   `baseBackoffMS`, else 100 ms.
 * - On a sharded cluster, a retry uses another mongos if possible. With `enableOverloadRetargeting`, a retry after an overload error
 *   avoids the overloaded server in every deployment.
 *
 * Rule: Retryable Reads; Retryable Writes; Client Backpressure, "Overload retry policy".
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
      flags: { retryReads, retryWrites },
      overloadRetries: maxAdaptiveRetries,
      backoff: (retry, error, chance) => backoff(retry, chance, baseBackoffOf(error)),
      // Rule: Retryable Reads, "Selecting the server for retry": a member of a replica set is not avoided.
      avoids: (error, topology) => topology === 'Sharded' || (enableOverloadRetargeting && isOverload(error)),
    }),
  };
};

/** Creates a policy that never retries, for applications with their own retries. */
export const noRetries = (): RetryPolicy => ({
  decide: failed => refuse(failed, 'Not retried: this client does not retry operations.'),
});
