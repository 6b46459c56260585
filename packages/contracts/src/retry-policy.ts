import type { Millis } from './clock.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { TopologyType } from './server-type.js';
import type { Address } from './transport.js';

/**
 * The decision about a failed attempt. Either `raise` is the error to throw, or the operation is retried `after` this backoff in
 * milliseconds, and not on the server `avoid` if another is suitable. `because` is the reason, as a sentence, for
 * {@link AttemptRecord.because}.
 */
export type RetryDecision =
  | { readonly retry: false; readonly raise: MongoError; readonly because: string }
  | { readonly retry: true; readonly after: Millis; readonly avoid?: Address | undefined; readonly because: string };

/** A failed attempt, about which a policy decides. */
export interface FailedAttempt {
  readonly request: Request<unknown>;
  /** The errors of all attempts so far, newest last. At most about two hundred: the oldest and the newest. */
  readonly failures: readonly MongoError[];
  /** The number of the attempt that failed, counted from 1. */
  readonly attempt: number;
  /** The type of the deployment after the failure. */
  readonly topology: TopologyType;
  /** A random number in [0, 1), for the jitter of the backoff. New for each decision. */
  readonly chance: number;
}

/** The end of an attempt, for policies with a state. */
export interface AttemptOutcome {
  readonly request: Request<unknown>;
  /** The errors of all attempts so far, as in {@link FailedAttempt}. Empty if the first attempt succeeded. */
  readonly failures: readonly MongoError[];
  /** `retry`: the attempt failed and another follows. `failure`: the attempt failed, and so does the operation. */
  readonly outcome: 'success' | 'retry' | 'failure';
}

/** Client options that concern retries, with their official names. */
export interface RetryPolicyOptions {
  readonly retryReads?: boolean | undefined;
  readonly retryWrites?: boolean | undefined;
  /**
   * The maximum number of retries of an operation after a server was overloaded, counting all its failures; 0 means none.
   * Rule: Client Backpressure.
   */
  readonly maxAdaptiveRetries?: number | undefined;
  /** Avoids an overloaded server for the retry, also outside of sharded clusters. Rule: Client Backpressure. */
  readonly enableOverloadRetargeting?: boolean | undefined;
}

/** Decides which failed attempts are retried, and when. `retryPolicySuite` of `@tessera/sim` tests an implementation. */
export interface RetryPolicy {
  /**
   * Decides about a failed attempt. Called once per failure. It must be pure: the same argument gives the same decision until the
   * next `observe`. It must not throw.
   */
  decide(failed: FailedAttempt): RetryDecision;
  /** Records the end of an attempt, for a policy with a state. Called after each attempt, after `decide` if it failed. Must not throw. */
  observe?(attempt: AttemptOutcome): void;
}

/**
 * Creates the retry policy of a client.
 * @throws MongoError `usage` for invalid options
 */
export type CreateRetryPolicy = (options: RetryPolicyOptions) => RetryPolicy;
