/** Three attempts for whatever may be repeated, as long as a budget lasts: each repetition takes from it, each success gives back. */
import type { MongoError, Request, RetryPolicy } from '@tessera/contracts';

export interface StubbornOptions {
  /** Repetitions that may be spent before anything has succeeded. */
  readonly budget: number;
  /** What a success is worth. */
  readonly gain: number;
}

const attempts = 3;

/** Whether nobody can be harmed by a second try. */
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
        return { retry: true, after: chance * 10, avoid: newest.origin?.address, because: 'Nobody is harmed by it.' };
      return { retry: false, raise: newest, because: 'It could do harm, or there were enough attempts.' };
    },
    observe({ outcome }) {
      if (outcome === 'retry') left -= 1;
      else if (outcome === 'success') left = Math.min(budget, left + gain);
    },
  };
};
