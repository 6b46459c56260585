import type { Clock, Deployment, Millis, Random } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { MongoClientClosedError, MongoOperationTimeoutError } from './errors.js';
import type { TimeoutPhase } from './errors.js';

/** The members of a session that run a transaction. */
export interface Transacting {
  inTransaction(): boolean;
  startTransaction(): void;
  commitTransaction(): Promise<void>;
  abortTransaction(): Promise<void>;
}

export interface WithTransactionDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** The source of jitter. */
  readonly random: Pick<Random, 'unit'>;
  /** The deployment, whose `closing` signal ends a wait. */
  readonly deployment: Pick<Deployment, 'closing'>;
}

/**
 * The time limit of a transaction without timeoutMS. Rule: Convenient Transactions, "ClientSession.withTransaction".
 */
const patience: Millis = 120_000;
const maxTimeExpired = 50;

/**
 * Returns the backoff in milliseconds before a retry. Rule: Convenient Transactions, "Sequence of Actions", step 2.
 * @param retry 1 for the first retry
 * @param unit a random number between 0 and 1
 */
export const backoffBefore = (retry: number, unit: number): Millis => unit * Math.min(5 * 1.5 ** retry, 500);

/**
 * Runs the callback in a transaction and commits it, with retries. Returns the callback's value. Rule: Convenient
 * Transactions.
 * @param timeoutMS the limit of the whole call in milliseconds; 0 means no limit
 */
export const runTransaction = async <T>(
  { clock, random, deployment }: WithTransactionDeps,
  session: Transacting,
  run: () => Promise<T>,
  timeoutMS: number | undefined,
): Promise<T> => {
  const until = clock.now() + (timeoutMS === 0 ? Infinity : (timeoutMS ?? patience));
  const isLate = (after: Millis): boolean => clock.now() + after >= until;
  for (let retry = 0, last: unknown = undefined; ; retry++) {
    if (retry > 0) {
      const pause = backoffBefore(retry, random.unit());
      if (isLate(pause)) throw timedOut(last, 'backoff');
      await clock.sleep(pause, deployment.closing).catch(() => {
        throw clientClosed(last);
      });
    }
    session.startTransaction();
    let value: T;
    try {
      value = await run();
    } catch (error) {
      if (session.inTransaction()) await session.abortTransaction();
      if (!hasLabel(error, 'TransientTransactionError')) throw error;
      if (isLate(0)) throw timedOut(error);
      last = error;
      continue;
    }
    // The callback has ended the transaction itself.
    if (!session.inTransaction()) return value;
    const failure = await commit(session, isLate);
    if (failure === undefined) return value;
    last = failure.error;
  }
};

/** Commits the transaction. Returns an error after which the whole transaction must be retried, or undefined. */
const commit = async (
  session: Transacting,
  isLate: (after: Millis) => boolean,
): Promise<{ readonly error: unknown } | undefined> => {
  for (;;)
    try {
      await session.commitTransaction();
      return undefined;
    } catch (error) {
      // The remaining timeoutMS is too short for another commit. Rule: Client Side Operations Timeout, "Convenient
      // Transactions API".
      if (error instanceof MongoOperationTimeoutError) {
        // The commit timed out while it waited for earlier operations.
        if (session.inTransaction()) await session.abortTransaction();
        throw error;
      }
      if (isUnknown(error)) {
        if (isLate(0)) throw timedOut(error);
      } else if (hasLabel(error, 'TransientTransactionError')) {
        if (isLate(0)) throw timedOut(error);
        return { error };
      } else throw error;
    }
};

/** Returns whether the result of the commit is unknown and another commit may determine it. */
const isUnknown = (error: unknown): boolean =>
  hasLabel(error, 'UnknownTransactionCommitResult') && !(TesseraError.is(error) && error.code === maxTimeExpired);

const hasLabel = (error: unknown, label: string): boolean => TesseraError.is(error) && error.labels.includes(label);

const clientClosed = (last: unknown): MongoClientClosedError =>
  new MongoClientClosedError(
    'The client was closed while withTransaction waited to retry. The cause is the error of the last attempt.',
    { kind: 'closed', cause: last },
  );

/** Returns a timeout error that wraps the last error and has its labels. Rule: Convenient Transactions, note 1. */
const timedOut = (last: unknown, phase?: TimeoutPhase): MongoOperationTimeoutError => {
  if (last instanceof MongoOperationTimeoutError) return last;
  const error = new MongoOperationTimeoutError(
    'The timeout of withTransaction expired before the transaction was committed. The cause is the error of the last attempt.',
    { kind: 'timeout', cause: last, phase },
  );
  if (TesseraError.is(last)) for (const label of last.labels) error.addLabel(label);
  return error;
};
