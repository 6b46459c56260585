import type { Millis } from './clock.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { TopologyType } from './server-type.js';
import type { Address } from './transport.js';

/** `because` is a plain sentence on the newest failure: why it is retried, or why it is not. */
export type RetryDecision =
  | { readonly retry: false; readonly raise: MongoError; readonly because: string }
  | { readonly retry: true; readonly after: Millis; readonly avoid?: Address | undefined; readonly because: string };

/** An operation whose newest attempt failed: what a policy decides about. */
export interface FailedAttempt {
  readonly request: Request<unknown>;
  /** Those of all attempts so far, the newest last; of more than two hundred, the first and the newest. */
  readonly failures: readonly MongoError[];
  /** The number of the attempt that failed, counted from 1. */
  readonly attempt: number;
  readonly topology: TopologyType;
  /** A new random number in [0, 1), for jitter. */
  readonly chance: number;
}

/** How an attempt ended. */
export interface AttemptOutcome {
  readonly request: Request<unknown>;
  /** Those of all attempts so far, as in {@link FailedAttempt}. Empty if the first attempt succeeded. */
  readonly failures: readonly MongoError[];
  /** `retry`: the attempt failed and another one follows. `failure`: it failed, and the operation fails. */
  readonly outcome: 'success' | 'retry' | 'failure';
}

/** Options of a client that concern retries, under the names of the connection string. */
export interface RetryPolicyOptions {
  readonly retryReads?: boolean | undefined;
  readonly retryWrites?: boolean | undefined;
  /** The number of retries of an operation once a server was overloaded, whatever the failures; 0 for none. */
  readonly maxAdaptiveRetries?: number | undefined;
  /** Avoids the server that was overloaded, also outside of sharded clusters. */
  readonly enableOverloadRetargeting?: boolean | undefined;
}

export interface RetryPolicy {
  /** Pure: the same arguments give the same decision until the policy observes another outcome. */
  decide(failed: FailedAttempt): RetryDecision;
  /** Only for policies with a memory. Called after each attempt, and after `decide` if the attempt failed. Must not throw. */
  observe?(attempt: AttemptOutcome): void;
}

/** Makes the policy of a client. @throws MongoError `usage` for options that it cannot use */
export type CreateRetryPolicy = (options: RetryPolicyOptions) => RetryPolicy;
