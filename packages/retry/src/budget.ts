import type { RetryPolicy, RetryPolicyOptions } from '@tessera/contracts';
import { refuse } from './decision.js';
import { checkRange } from './options.js';
import { createRetryPolicy } from './policy.js';

export interface BudgetOptions extends RetryPolicyOptions {
  /** Retries per operation, from 0 to 1: 0.1 allows ten retries for a hundred operations. */
  readonly share?: number | undefined;
  /** The retries that a client has at first, and the most that it can save up. */
  readonly reserve?: number | undefined;
}

export const budgetDefaults: { readonly share: number; readonly reserve: number } = { share: 0.1, reserve: 10 };

/** One retry, less the rounding errors of shares that add up to it. */
const aWhole = 1 - 1e-9;

/**
 * Like {@link createRetryPolicy}, but limits retries to a share of the operations. A few failures are retried; when most
 * operations fail, retries do not add to the load.
 * @throws MongoError `usage` for a share that is not a number from 0 to 1, or a reserve that is not a number of at least 0.
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
      if (!decision.retry || left >= aWhole) return decision;
      return refuse(
        failed,
        `Not retried: the budget is spent, retries are at most ${share * 100} % of the operations.`,
      );
    },
    observe({ outcome }) {
      left = outcome === 'retry' ? left - 1 : Math.min(most, left + share);
    },
  };
};
