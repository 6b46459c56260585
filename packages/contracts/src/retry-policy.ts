import type { Millis } from './clock.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { TopologyType } from './server-type.js';
import type { Address } from './transport.js';

/**
 * The decision about a failed attempt. `because` is the reason, as a sentence, for {@link AttemptRecord.because}.
 *
 * - Without a retry, `raise` is the error to throw. After the deadline, and after a timeout before the command was sent, a newest error
 *   of kind `timeout` is thrown instead. After the deadline, a new timeout error with the cause `raise` replaces any other error but
 *   the newest.
 * - With a retry, `after` is the backoff in milliseconds. This retry and all later ones use the server `avoid` only if no other server is
 *   suitable.
 */
export type RetryDecision =
  | { readonly retry: false; readonly raise: MongoError; readonly because: string }
  | { readonly retry: true; readonly after: Millis; readonly avoid?: Address | undefined; readonly because: string };

/** A failed attempt: the argument of {@link RetryPolicy.decide}. */
export interface FailedAttempt {
  /**
   * The request of the attempt. Its `failures` and `avoid` come from the earlier attempts. After a backoff that ended early, it is the
   * request of the attempt before the backoff.
   */
  readonly request: Request<unknown>;
  /** The errors of all attempts so far, newest last. After more than 200 attempts: the first and the newest 199. */
  readonly failures: readonly MongoError[];
  /**
   * The number of the attempt that failed, counted from 1. A backoff that the signal or the closing of the client ends counts as an
   * attempt.
   */
  readonly attempt: number;
  /** The type of the deployment after the failure. */
  readonly topology: TopologyType;
  /** A random number in [0, 1), for the jitter of the backoff. Each decision gets a new number. */
  readonly chance: number;
}

/** The outcome of an attempt: the argument of {@link RetryPolicy.observe}. */
export interface AttemptOutcome {
  /** The request of the attempt: {@link FailedAttempt.request}. */
  readonly request: Request<unknown>;
  /**
   * The MongoErrors of all attempts so far, as in {@link FailedAttempt}. Other errors are missing, so the list can be empty even if
   * `outcome` is `failure`.
   */
  readonly failures: readonly MongoError[];
  /** `retry`: the attempt failed and another follows. `failure`: the attempt failed, and so does the operation. */
  readonly outcome: 'success' | 'retry' | 'failure';
}

/** Client options that concern retries, with the names that they have in connection strings. */
export interface RetryPolicyOptions {
  /** Whether reads are retried. Default true. */
  readonly retryReads?: boolean | undefined;
  /** Whether writes are retried. Default true. */
  readonly retryWrites?: boolean | undefined;
  /**
   * The maximum number of retries of an operation that has failed with an overload error (label SystemOverloadedError). Its retries
   * after other errors count too. 0: no retry after an overload error. Default 2. Rule: Client Backpressure.
   */
  readonly maxAdaptiveRetries?: number | undefined;
  /** Whether a retry avoids an overloaded server outside of sharded clusters too. Default false. Rule: Client Backpressure. */
  readonly enableOverloadRetargeting?: boolean | undefined;
}

/** Decides which failed attempts are retried, and when. `retryPolicySuite` of `@tessera/sim` tests an implementation. */
export interface RetryPolicy {
  /**
   * Decides about a failed attempt. Called once per failure, including a backoff that the signal or the closing of the client ends
   * (`origin.phase` is `backoff`). Not called for an error that is no MongoError: the operation fails at once. If the retry could
   * not start before the deadline, the operation fails although the decision is to retry.
   *
   * It must be pure: for the same argument it returns the same decision until the next call of `observe`. It must not throw. Never
   * retry the kinds `usage`, `aborted` and `closed`. If `request.deadline` is Infinity, stop within 100 attempts. `raise` must be one of `failures`,
   * or have one as its `cause`.
   */
  decide(failed: FailedAttempt): RetryDecision;
  /**
   * Records the outcome of an attempt, for a policy with state. Called after each attempt; if the attempt failed with a MongoError,
   * `decide` is called first. If the operation ends during a backoff, `failure` follows `retry` without an attempt in between. Must
   * not throw.
   */
  observe?(attempt: AttemptOutcome): void;
}

/**
 * Creates the retry policy of a client.
 * @throws MongoError `usage` for invalid options
 */
export type CreateRetryPolicy = (options: RetryPolicyOptions) => RetryPolicy;
