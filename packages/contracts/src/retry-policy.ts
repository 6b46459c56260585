import type { Millis } from './clock.js';
import type { TopologyType } from './description.js';
import type { Request } from './dispatch.js';
import type { MongoError } from './errors.js';
import type { Address } from './transport.js';

/** `because` is a plain sentence on the newest failure: why it is retried, or why it is not. */
export type RetryDecision =
  | { readonly retry: false; readonly raise: MongoError; readonly because: string }
  | { readonly retry: true; readonly after: Millis; readonly avoid?: Address | undefined; readonly because: string };

export interface RetryPolicy {
  /**
   * Pure. The failures are those of all attempts so far, the newest last, or, of more than two hundred, the first and the
   * newest; `unit` is a fresh chance in [0, 1) for jitter; `count` says how many attempts failed, where that differs from the
   * number of the failures.
   */
  decide(
    request: Request<unknown>,
    failures: readonly MongoError[],
    topology: TopologyType,
    unit: number,
    count?: number,
  ): RetryDecision;
  /** Only for policies with a memory: the retry that was decided after these failures is being made. */
  retried?(request: Request<unknown>, failures: readonly MongoError[]): void;
  /** Only for policies with a memory: how an operation ended, and after which failures. */
  settled?(request: Request<unknown>, failures: readonly MongoError[], outcome: 'ok' | 'failed'): void;
}
