import type { FailedAttempt, Millis, MongoError, RetryDecision, RetryPolicy, TopologyType } from '@tessera/contracts';
import { isOverload } from './overload.js';
import { errorToRaise } from './raise.js';
import { judge } from './verdict.js';
import type { gateDefaults } from './verdict.js';

/** In what policies differ that retry as the specifications say. */
export interface Rules {
  readonly gates: typeof gateDefaults;
  /** For the whole operation, once a server was overloaded. */
  readonly overloadRetries: number;
  /** Before which retry, the first is 1, to wait how long after an overloaded server's error. */
  readonly backoff: (retry: number, error: MongoError, chance: number) => Millis;
  /** Whether the retry passes over the server that failed, if others would do. */
  readonly avoids: (error: MongoError, topology: TopologyType) => boolean;
}

/** Without timeoutMS. Rules: Retryable Reads; Retryable Writes. */
const once = 1;

/** The order in which the specifications decide. Rule: Client Backpressure, pseudocode. */
export const decideBy =
  ({ gates, overloadRetries, backoff, avoids }: Rules): RetryPolicy['decide'] =>
  failed => {
    const { request, failures, attempt: retry, topology, chance } = failed;
    const newest = failures.at(-1);
    if (newest === undefined) return refuse(failed, '');
    const verdict = judge(request, newest, gates);
    if (!verdict.isRetryable) return refuse(failed, verdict.because);

    const wasOverloaded = failures.some(isOverload);
    const otherwise = request.deadline < Infinity ? Infinity : once;
    const allowed = wasOverloaded ? overloadRetries : otherwise;
    if (retry > allowed) {
      const limit = wasOverloaded
        ? `once a server was overloaded, ${allowed} may be made`
        : 'without timeoutMS there is one';
      return refuse(failed, `${verdict.because} But no retry is left: ${limit}.`);
    }

    const after = isOverload(newest) ? backoff(retry, newest, chance) : 0;
    const avoid = avoids(newest, topology) ? newest.origin?.address : undefined;
    const when = after > 0 ? `after ${Math.ceil(after)} ms` : 'at once';
    const where = avoid === undefined ? '' : `, not at ${avoid} if another server will do`;
    return { retry: true, after, avoid, because: `${verdict.because} Retry ${retry} follows ${when}${where}.` };
  };

export const refuse = (
  { request, failures }: FailedAttempt,
  because: string,
): RetryDecision & { readonly retry: false } => ({ retry: false, raise: errorToRaise(request, failures), because });
