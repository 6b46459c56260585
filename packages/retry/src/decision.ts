import { isOverload } from '@tessera/contracts';
import type { FailedAttempt, Millis, MongoError, RetryDecision, RetryPolicy, TopologyType } from '@tessera/contracts';
import { errorToRaise } from './raised-error.js';
import type { retryFlagDefaults } from './options.js';
import { retryabilityOf } from './retryability.js';

/** The settings that differ between the policies of this package. */
export interface Rules {
  readonly flags: typeof retryFlagDefaults;
  /** The maximum number of retries of an operation after an overload error. */
  readonly overloadRetries: number;
  /** Returns the wait before a retry that follows an overload error. The first retry has the number 1. */
  readonly backoff: (retry: number, error: MongoError, chance: number) => Millis;
  /** Returns whether the retry avoids the failed server if another is suitable. */
  readonly avoids: (error: MongoError, topology: TopologyType) => boolean;
}

/** The maximum number of retries without timeoutMS. Rule: Retryable Reads; Retryable Writes. */
const once = 1;

/** Returns the `decide` of a policy with these settings. Rule: Client Backpressure, pseudocode. */
export const decideBy =
  ({ flags, overloadRetries, backoff, avoids }: Rules): RetryPolicy['decide'] =>
  failed => {
    const { request, failures, attempt: retry, topology, chance } = failed;
    const newest = failures.at(-1);
    if (newest === undefined) return refuse(failed, '');
    const { isRetryable, because } = retryabilityOf(request, newest, flags);
    if (!isRetryable) return refuse(failed, because);

    const wasOverloaded = failures.some(isOverload);
    const otherwise = request.deadline < Infinity ? Infinity : once;
    const allowed = wasOverloaded ? overloadRetries : otherwise;
    if (retry > allowed) {
      const limit = wasOverloaded
        ? `after an overload error, the limit is ${allowed}`
        : 'without timeoutMS, the limit is 1';
      return refuse(failed, `${because} But no retry is left: ${limit}.`);
    }

    const after = isOverload(newest) ? backoff(retry, newest, chance) : 0;
    const avoid = avoids(newest, topology) ? newest.origin?.address : undefined;
    const when = after > 0 ? `after ${Math.ceil(after)} ms` : 'immediately';
    const where = avoid === undefined ? '' : `, not on ${avoid} if another server is suitable`;
    return { retry: true, after, avoid, because: `${because} Retry ${retry} follows ${when}${where}.` };
  };

/** Returns the decision not to retry. */
export const refuse = (
  { request, failures }: FailedAttempt,
  because: string,
): RetryDecision & { readonly retry: false } => ({ retry: false, raise: errorToRaise(request, failures), because });
