import type { RetryPolicy } from '@tessera/contracts';
import { refuse } from './decision.js';
import { checkRange } from './limits.js';
import { createRetryPolicy } from './policy.js';
import type { RetryPolicyOptions } from './policy.js';

export interface BudgetOptions extends RetryPolicyOptions {
  /** Retries for each operation, from 0 to 1: of a hundred operations, 0.1 lets ten be retried. */
  readonly share?: number | undefined;
  /** Retries that a client may make before it has done anything, and may save up to. */
  readonly reserve?: number | undefined;
}

export const budgetDefaults: { readonly share: number; readonly reserve: number } = { share: 0.1, reserve: 10 };

/** Shares that add up to one, whatever their rounding. */
const aWhole = 1 - 1e-9;

/**
 * As {@link createRetryPolicy}, but retries are never more than a share of the traffic: while a few operations fail they
 * are helped, and when most of them fail the retries do not add to the load.
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
