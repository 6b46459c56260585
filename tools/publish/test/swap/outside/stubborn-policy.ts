/**
 * Up to three attempts for operations that are safe to retry, within a budget: each retry costs 1, each success adds
 * `gain`.
 */
import type { MongoError, Request, RetryPolicy } from '@tessera/contracts';

export interface StubbornOptions {
  /** The initial and maximum number of retries in the budget. */
  readonly budget: number;
  /** The amount that a success adds to the budget. */
  readonly gain: number;
}

const attempts = 3;

/** Returns whether a retry is safe. */
const mayRepeat = ({ operation, session }: Request<unknown>, { kind, origin }: MongoError): boolean => {
  if (session?.inTransaction === true) return false;
  const wasSent = origin?.sent ?? true;
  const isPassing = kind === 'network' || kind === 'timeout' || kind === 'pool' || kind === 'selection';
  return isPassing && operation.answer === 'one' && operation.retryable && (operation.kind === 'read' || !wasSent);
};

export const createStubbornPolicy = ({ budget, gain }: StubbornOptions): RetryPolicy => {
  let left = budget;
  return {
    decide({ request, failures, chance }) {
      const newest = failures.at(-1)!;
      if (failures.length < attempts && left >= 1 && mayRepeat(request, newest))
        return { retry: true, after: chance * 10, avoid: newest.origin?.address, because: 'A retry is safe.' };
      return { retry: false, raise: newest, because: 'A retry is not safe, or the limit is reached.' };
    },
    observe({ outcome }) {
      if (outcome === 'retry') left -= 1;
      else if (outcome === 'success') left = Math.min(budget, left + gain);
    },
  };
};
