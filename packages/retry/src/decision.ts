import type { FailedAttempt, Millis, MongoError, RetryDecision, RetryPolicy, TopologyType } from '@tessera/contracts';
import { isOverload } from './overload.js';
import { errorToRaise } from './raised-error.js';
import type { gateDefaults } from './options.js';
import { retryabilityOf } from './retryability.js';

/** The rules in which policies differ that retry what the specifications allow. */
export interface Rules {
  readonly gates: typeof gateDefaults;
  /** The number of retries of an operation, once a server was overloaded. */
  readonly overloadRetries: number;
  /** The wait before a retry after an error of an overloaded server. The first retry is 1. */
  readonly backoff: (retry: number, error: MongoError, chance: number) => Millis;
  /** Whether the retry avoids the server that failed, if another server is suitable. */
  readonly avoids: (error: MongoError, topology: TopologyType) => boolean;
}

/** The number of retries without timeoutMS. Rules: Retryable Reads; Retryable Writes. */
const once = 1;

/** Decides in the order of the specifications. Rule: Client Backpressure, pseudocode. */
export const decideBy =
  ({ gates, overloadRetries, backoff, avoids }: Rules): RetryPolicy['decide'] =>
  failed => {
    const { request, failures, attempt: retry, topology, chance } = failed;
    const newest = failures.at(-1);
    if (newest === undefined) return refuse(failed, '');
    const { isRetryable, because } = retryabilityOf(request, newest, gates);
    if (!isRetryable) return refuse(failed, because);

    const wasOverloaded = failures.some(isOverload);
    const otherwise = request.deadline < Infinity ? Infinity : once;
    const allowed = wasOverloaded ? overloadRetries : otherwise;
    if (retry > allowed) {
      const limit = wasOverloaded
        ? `once a server was overloaded, ${allowed} may be made`
        : 'without timeoutMS there is one';
      return refuse(failed, `${because} But no retry is left: ${limit}.`);
    }

    const after = isOverload(newest) ? backoff(retry, newest, chance) : 0;
    const avoid = avoids(newest, topology) ? newest.origin?.address : undefined;
    const when = after > 0 ? `after ${Math.ceil(after)} ms` : 'at once';
    const where = avoid === undefined ? '' : `, not at ${avoid} if another server will do`;
    return { retry: true, after, avoid, because: `${because} Retry ${retry} follows ${when}${where}.` };
  };

/** Decides against a retry. */
export const refuse = (
  { request, failures }: FailedAttempt,
  because: string,
): RetryDecision & { readonly retry: false } => ({ retry: false, raise: errorToRaise(request, failures), because });
