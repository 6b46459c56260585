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
import { errorInBackoff, errorInTime, errorToRaise } from './raise.js';

export interface RetryDeps {
  /** Tells the policy the type of the topology, and those who wait that it is closed. */
  readonly deployment: Pick<Deployment, 'description' | 'closing'>;
  readonly clock: Clock;
  /** For the policy's jitter. */
  readonly random: Random;
  readonly policy: RetryPolicy;
}

export interface RetryOptions {
  /** Label the errors that the driver has to label: only then. Rule: Retryable Writes, "RetryableWriteError Labels". */
  readonly retryWrites?: boolean | undefined;
}

export const retryDefaults: { readonly retryWrites: boolean } = { retryWrites: true };

/** A layer that does what the policy decides. When an operation succeeds it only passes the promise on. */
export const createRetry = (deps: RetryDeps, options: RetryOptions = {}): Layer => {
  const { clock, policy } = deps;
  const { retryWrites = retryDefaults.retryWrites } = options;

  return next => {
    const attempt = observeSuccess(policy, next);
    const rescue = createRescue(deps, retryWrites, attempt);
    return request => {
      const began = clock.now();
      return attempt(request).then(undefined, (error: unknown) => rescue(request, began, error));
    };
  };
};

/** Every attempt passes through it, so a policy observes each success once. A policy without a memory costs nothing. */
const observeSuccess = (policy: RetryPolicy, next: Dispatch): Dispatch => {
  if (policy.observe === undefined) return next;
  return request =>
    next(request).then(value => {
      policy.observe?.({ request, failures: request.failures, outcome: 'success' });
      return value;
    });
};

/** Attempts that fail in less time than this, one after another, are kept so far apart: nothing else would get its turn. */
const breath: Millis = 1;

type Rescue = <T>(request: Request<T>, began: Millis, error: unknown) => Promise<T>;

/** The way of an operation that failed once. */
const createRescue = (deps: RetryDeps, retryWrites: boolean, attempt: Dispatch): Rescue => {
  const { deployment, clock, random, policy } = deps;

  /** Fails at once when the signal aborts or the client is closed. */
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
    const end: (told: MongoError) => never = told => {
      policy.observe?.({ request, failures, outcome: 'failure' });
      told.attempts = records;
      throw told;
    };
    for (;;) {
      // Not one of ours: nobody knows what it means, so nobody may repeat what led to it.
      if (!MongoError.is(error)) {
        policy.observe?.({ request, failures, outcome: 'failure' });
        throw error;
      }
      labelFailure(request, error, retryWrites);
      failures = kept(failures, error);
      count += 1;
      const topology = deployment.description.type;
      const decision = policy.decide({ request, failures, attempt: count, topology, chance: random.unit() });
      const now = clock.now();
      const backoff = decision.retry && decision.after > 0 ? decision.after : 0;
      const isHasty = count > 1 && now - attemptBegan < breath;
      const pause = isHasty ? Math.max(breath, backoff) : backoff;
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
