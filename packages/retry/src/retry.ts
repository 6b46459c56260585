import { forRetry, limitWait, MongoError } from '@tessera/contracts';
import type {
  AttemptRecord,
  Clock,
  Deployment,
  Dispatch,
  Layer,
  Millis,
  Random,
  Request,
  RetryPolicy,
} from '@tessera/contracts';
import { labelFailure } from './classify.js';
import { errorInBackoff, errorInTime, errorToRaise } from './raised-error.js';

export interface RetryDeps {
  /** The type of the topology is for the policy; `closing` ends a wait between two attempts. */
  readonly deployment: Pick<Deployment, 'description' | 'closing'>;
  readonly clock: Clock;
  /** For the policy's jitter. */
  readonly random: Random;
  readonly policy: RetryPolicy;
}

export interface RetryOptions {
  /** Adds the label RetryableWriteError where the driver has to. Rule: Retryable Writes, "RetryableWriteError Labels". */
  readonly retryWrites?: boolean | undefined;
}

export const retryDefaults: { readonly retryWrites: boolean } = { retryWrites: true };

/** A layer that retries operations as the policy decides. It passes the promise of an operation that succeeds on. */
export const createRetry = (deps: RetryDeps, options: RetryOptions = {}): Layer => {
  const { clock, policy } = deps;
  const { retryWrites = retryDefaults.retryWrites } = options;

  return next => {
    const attempt = observeSuccess(policy, next);
    const retry = createRetryLoop(deps, retryWrites, attempt);
    return request => {
      const began = clock.now();
      return attempt(request).then(undefined, (error: unknown) => retry(request, began, error));
    };
  };
};

/** All attempts pass through it, so a policy observes each success once. A policy without `observe` costs nothing. */
const observeSuccess = (policy: RetryPolicy, next: Dispatch): Dispatch => {
  if (policy.observe === undefined) return next;
  return request =>
    next(request).then(value => {
      policy.observe?.({ request, failures: request.failures, outcome: 'success' });
      return value;
    });
};

/** The pause between attempts that fail in less time than this: without it they would keep the process busy. */
const shortestPause: Millis = 1;

/** @param began when the operation began. @param error of its first attempt. */
type RetryLoop = <T>(request: Request<T>, began: Millis, error: unknown) => Promise<T>;

const createRetryLoop = (deps: RetryDeps, retryWrites: boolean, attempt: Dispatch): RetryLoop => {
  const { deployment, clock, random, policy } = deps;

  /** Rejects at once when the signal aborts or the client is closed. */
  const wait = (duration: Millis, { operation, signal }: Request<unknown>): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (kind: 'aborted' | 'closed', why: string, cause: unknown): void => {
        const origin = { phase: 'backoff', sent: false } as const;
        reject(new MongoError(kind, `${operation.name} ${why} between two attempts.`, { cause, origin }));
      };
      limitWait({ clock, deadline: clock.now() + duration, signal, closing: deployment.closing }, why => {
        if (why === 'expired') resolve();
        else if (why === 'aborted') fail('aborted', 'was aborted by its signal', signal?.reason);
        else fail('closed', 'was under way when the client was closed,', undefined);
      });
    });

  return async <T>(request: Request<T>, began: Millis, first: unknown): Promise<T> => {
    let records: readonly AttemptRecord[] = [];
    let { failures, avoid } = request;
    let count = failures.length;
    let attemptBegan = began;
    let error = first;
    const end: (raised: unknown) => never = raised => {
      policy.observe?.({ request, failures, outcome: 'failure' });
      if (MongoError.is(raised)) raised.attempts = records;
      throw raised;
    };
    for (;;) {
      // Not a MongoError: its cause is unknown, so the operation must not be retried.
      if (!MongoError.is(error)) end(error);
      labelFailure(request, error, retryWrites);
      failures = kept(failures, error);
      count += 1;
      const topology = deployment.description.type;
      const decision = policy.decide({ request, failures, attempt: count, topology, chance: random.unit() });
      const now = clock.now();
      const backoff = decision.retry && decision.after > 0 ? decision.after : 0;
      const isHasty = count > 1 && now - attemptBegan < shortestPause;
      const pause = isHasty ? Math.max(shortestPause, backoff) : backoff;
      const isTooLate = decision.retry && now + pause >= request.deadline;
      const because = isTooLate ? outOfTime(decision.because) : decision.because;
      records = kept(records, recordOf(count, error, now - began, because));
      if (!decision.retry || isTooLate) {
        const raised = decision.retry ? errorToRaise(request, failures) : decision.raise;
        const isTimeUp = now >= request.deadline || (isTooLate && backoff === 0);
        end(errorInTime(request, failures, { count, retry: decision.retry, raised, isTimeUp }));
      }
      policy.observe?.({ request, failures, outcome: 'retry' });
      if (decision.avoid !== undefined && !avoid.includes(decision.avoid)) avoid = [...avoid, decision.avoid];
      try {
        if (pause > 0) await wait(pause, request);
      } catch (failure) {
        error = failure;
        continue;
      }
      attemptBegan = clock.now();
      if (attemptBegan >= request.deadline) end(errorInBackoff(request, failures, count));
      try {
        return await attempt(forRetry(request, failures, avoid));
      } catch (failure) {
        error = failure;
      }
    }
  };
};

/** The number of attempts of one operation that are kept. Without a deadline there may be any number of them. */
const mostKept = 200;

/** Appends the newest. Beyond the limit drops the second: the first says how the operation began to fail. */
const kept = <T>(list: readonly T[], newest: T): readonly T[] =>
  list.length < mostKept ? [...list, newest] : [...list.slice(0, 1), ...list.slice(2), newest];

const outOfTime = (because: string): string => `${because} But it would begin when the time of the operation is up.`;

const recordOf = (number: number, error: MongoError, after: Millis, because: string): AttemptRecord => ({
  number,
  address: error.origin?.address,
  server: error.origin?.serverType,
  phase: error.origin?.phase,
  after,
  error,
  because,
});
