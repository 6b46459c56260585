import type { RetryPolicy, RetryPolicyOptions } from '@tessera/contracts';
import { refuse } from './decision.js';
import { checkRange } from './options.js';
import { createRetryPolicy } from './policy.js';

/** Options of {@link budget}. */
export interface BudgetOptions extends RetryPolicyOptions {
  /** The number of retries per operation, from 0 to 1. For example, 0.1 allows ten retries per hundred operations. Default 0.1. */
  readonly share?: number | undefined;
  /** The number of unused retries at the start. The maximum is the greater of `reserve` and 1. Default 10. */
  readonly reserve?: number | undefined;
}

/** The defaults of `share` and `reserve`. The other options have the defaults of {@link createRetryPolicy}. */
export const budgetDefaults: { readonly share: number; readonly reserve: number } = { share: 0.1, reserve: 10 };

/** The number of unused retries that allows a retry: 1, minus a tolerance for rounding errors. */
const oneRetry = 1 - 1e-9;

/**
 * Creates a policy that decides like {@link createRetryPolicy}, but limits retries to a share of the operations. The policy
 * counts its unused retries, and clients that share it share them. Each operation that ends adds `share`, and each retry subtracts 1.
 * Occasional failures are retried; if most operations fail, retries add little load.
 * @throws MongoError `usage` if `share` is not a number from 0 to 1, or `reserve` is not a number of at least 0
 */
export const budget = (options: BudgetOptions = {}): RetryPolicy => {
  const { share = budgetDefaults.share, reserve = budgetDefaults.reserve } = options;
  checkRange('share', share, 0, 1);
  checkRange('reserve', reserve, 0);
  const policy = createRetryPolicy(options);
  const most = Math.max(1, reserve);
  let left = reserve;

  return {
    decide(failed) {
      const decision = policy.decide(failed);
      if (!decision.retry || left >= oneRetry) return decision;
      return refuse(
        failed,
        `Not retried: the retry budget is used up. Retries are limited to ${share * 100} % of the operations.`,
      );
    },
    observe({ outcome }) {
      left = outcome === 'retry' ? left - 1 : Math.min(most, left + share);
    },
  };
};
