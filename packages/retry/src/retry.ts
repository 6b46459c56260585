import { forRetry, limitWait, MongoError, orElse } from '@tessera/contracts';
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

/** The dependencies of the retry layer. */
export interface RetryDeps {
  /**
   * The layer passes the type of `description` to the policy. A backoff ends when `closing` aborts; the layer does not end a running
   * attempt.
   */
  readonly deployment: Pick<Deployment, 'description' | 'closing'>;
  /** Measures and ends backoffs and deadlines. */
  readonly clock: Clock;
  /** Creates the random number {@link FailedAttempt.chance}, for the jitter of the backoff. */
  readonly random: Random;
  /** Decides whether a failed attempt is retried. */
  readonly policy: RetryPolicy;
}

/** Options of the retry layer. */
export interface RetryOptions {
  /**
   * Whether the layer adds the label RetryableWriteError to errors outside of transactions, as the specification requires. Reads get it
   * too. For commitTransaction and abortTransaction, the layer adds the label regardless of this option.
   *
   * If the server supports retryable writes, these errors get the label:
   *
   * - network errors, and timeouts of a handshake or a sent command;
   * - failures of a checkout because the pool was cleared;
   * - replies of servers before MongoDB 4.4 with a retryable code.
   *
   * The option does not decide about retries: `retryWrites` of the policy does ({@link RetryFlags}). A client passes the same value to both. Default true. Rule: Retryable Writes, "RetryableWriteError Labels".
   */
  readonly retryWrites?: boolean | undefined;
}

/** The defaults of {@link RetryOptions}. */
export const retryDefaults: { readonly retryWrites: boolean } = { retryWrites: true };

/**
 * Creates the layer that retries failed operations as the policy decides. The layer sets `attempts` of the error that it
 * throws. Put it directly around the attempt, inside the layer of sessions: a retry must carry the same `txnNumber`.
 */
export const createRetry = (deps: RetryDeps, options: RetryOptions = {}): Layer => {
  const { clock, policy } = deps;
  const { retryWrites = retryDefaults.retryWrites } = options;

  return next => {
    const attempt = observeSuccess(policy, next);
    const retry = createRetryLoop(deps, retryWrites, attempt);
    const dispatch: Dispatch = request => {
      const began = clock.now();
      return orElse(attempt, request, error => retry(request, began, error));
    };
    const withRecover: Dispatch['orElse'] = (request, recover) => {
      const began = clock.now();
      return orElse(attempt, request, error => retry(request, began, error).catch(recover));
    };
    return Object.assign(dispatch, { orElse: withRecover });
  };
};

/** Returns a dispatch that reports each success to the policy, or `next` itself if the policy has no `observe`. */
const observeSuccess = (policy: RetryPolicy, next: Dispatch): Dispatch => {
  if (policy.observe === undefined) return next;
  return request =>
    next(request).then(value => {
      policy.observe?.({ request, failures: request.failures, outcome: 'success' });
      return value;
    });
};

/** The minimum time between the starts of attempts that fail immediately. Without it, they would block the event loop. */
const shortestPause: Millis = 1;

/**
 * Handles an operation whose first attempt failed.
 * @param began the start of the operation
 * @param error the error of the first attempt
 */
type RetryLoop = <T>(request: Request<T>, began: Millis, error: unknown) => Promise<T>;

const createRetryLoop = (deps: RetryDeps, retryWrites: boolean, attempt: Dispatch): RetryLoop => {
  const { deployment, clock, random, policy } = deps;

  /** Waits for this time. Rejects when the signal aborts or the client is closed. */
  const wait = (duration: Millis, { operation, signal }: Request<unknown>): Promise<void> =>
    new Promise((resolve, reject) => {
      const fail = (kind: 'aborted' | 'closed', why: string, cause: unknown): void => {
        const origin = { phase: 'backoff', sent: false } as const;
        reject(new MongoError(kind, `${operation.name} ${why} between two attempts.`, { cause, origin }));
      };
      limitWait({ clock, deadline: clock.now() + duration, signal, closing: deployment.closing }, why => {
        if (why === 'expired') resolve();
        else if (why === 'aborted') fail('aborted', 'was aborted by its signal', signal?.reason);
        else fail('closed', 'was interrupted by the closing of the client', undefined);
      });
    });

  return async <T>(request: Request<T>, began: Millis, first: unknown): Promise<T> => {
    let records: readonly AttemptRecord[] = [];
    let { failures, avoid } = request;
    let count = failures.length;
    let attemptBegan = began;
    /** The request of the newest attempt. */
    let attempted = request;
    let error = first;
    const end: (raised: unknown) => never = raised => {
      policy.observe?.({ request: attempted, failures, outcome: 'failure' });
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
      const chance = random.unit();
      const decision = policy.decide({ request: attempted, failures, attempt: count, topology, chance });
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
      policy.observe?.({ request: attempted, failures, outcome: 'retry' });
      if (decision.avoid !== undefined && !avoid.includes(decision.avoid)) avoid = [...avoid, decision.avoid];
      try {
        if (pause > 0) await wait(pause, request);
      } catch (failure) {
        error = failure;
        continue;
      }
      attemptBegan = clock.now();
      if (attemptBegan >= request.deadline) end(errorInBackoff(request, failures, count));
      attempted = forRetry(request, failures, avoid);
      try {
        return await attempt(attempted);
      } catch (failure) {
        error = failure;
      }
    }
  };
};

/** The maximum number of attempts of one operation to keep. With `timeoutMS: 0` their number is unlimited. */
const mostKept = 200;

/** Appends the newest entry. Beyond the limit, drops the second one: the first shows how the failures started. */
const kept = <T>(list: readonly T[], newest: T): readonly T[] =>
  list.length < mostKept ? [...list, newest] : [...list.slice(0, 1), ...list.slice(2), newest];

const outOfTime = (because: string): string => `${because} But the retry would start after the deadline.`;

const recordOf = (number: number, error: MongoError, after: Millis, because: string): AttemptRecord => ({
  number,
  address: error.origin?.address,
  server: error.origin?.serverType,
  phase: error.origin?.phase,
  after,
  error,
  because,
});
