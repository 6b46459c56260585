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
    decide(request, failures, _topology, unit) {
      const newest = failures.at(-1)!;
      const isAffordable = failures.length <= left;
      if (failures.length < attempts && isAffordable && mayRepeat(request, newest))
        return { retry: true, after: unit * 10, avoid: newest.origin?.address, because: 'Nobody is harmed by it.' };
      return { retry: false, raise: newest, because: 'It could do harm, or there were enough attempts.' };
    },
    settled(_request, failures, outcome) {
      const repetitions = Math.max(0, outcome === 'ok' ? failures.length : failures.length - 1);
      left = Math.max(0, Math.min(budget, left - repetitions + (outcome === 'ok' ? gain : 0)));
    },
  };
};
