import type { Clock, Deployment, Millis, Random } from '@tessera/contracts';
import { MongoError as TesseraError } from '@tessera/contracts';
import { MongoClientClosedError, MongoOperationTimeoutError } from './errors.js';
import type { TimeoutPhase } from './errors.js';

/** A session, as far as its transactions are begun and ended. */
export interface Transacting {
  inTransaction(): boolean;
  startTransaction(): void;
  commitTransaction(): Promise<void>;
  abortTransaction(): Promise<void>;
}

export interface WithTransactionDeps {
  readonly clock: Pick<Clock, 'now' | 'sleep'>;
  /** For jitter. */
  readonly random: Pick<Random, 'unit'>;
  /** Tells who waits that the client is closed. */
  readonly deployment: Pick<Deployment, 'closing'>;
}

/** How long one transaction is tried without timeoutMS. Rule: Convenient Transactions, "ClientSession.withTransaction". */
const patience: Millis = 120_000;
const maxTimeExpired = 50;

/**
 * How long to wait before a transaction is tried again. Rule: Convenient Transactions, "Sequence of Actions", step 2.
 * @param retry 1 for the first time
 */
export const backoffBefore = (retry: number, unit: number): Millis => unit * Math.min(5 * 1.5 ** retry, 500);

/**
 * Runs the function in a transaction and commits it, again as often as errors say that this helps. Answers what the function
 * answered. @param timeoutMS of the whole; 0 is for ever. Rule: Convenient Transactions.
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
    // The function has ended it by itself.
    if (!session.inTransaction()) return value;
    const failure = await commit(session, isLate);
    if (failure === undefined) return value;
    last = failure.error;
  }
};

/** Answers an error after which the whole transaction is to be tried again, if there is one. */
const commit = async (
  session: Transacting,
  isLate: (after: Millis) => boolean,
): Promise<{ readonly error: unknown } | undefined> => {
  for (;;)
    try {
      await session.commitTransaction();
      return undefined;
    } catch (error) {
      // What is left of timeoutMS is too short for another commit, and nothing waits for it to pass. Rule: CSOT, "Convenient Transactions API".
      if (error instanceof MongoOperationTimeoutError) {
        // The time was up while the commit waited for earlier operations.
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

/** Only then another commit may tell. */
const isUnknown = (error: unknown): boolean =>
  hasLabel(error, 'UnknownTransactionCommitResult') && !(TesseraError.is(error) && error.code === maxTimeExpired);

const hasLabel = (error: unknown, label: string): boolean => TesseraError.is(error) && error.labels.includes(label);

const clientClosed = (last: unknown): MongoClientClosedError =>
  new MongoClientClosedError(
    'withTransaction was under way when the client was closed, between two attempts; the cause is its last error.',
    { kind: 'closed', cause: last },
  );

/** Rule: Convenient Transactions, note 1: it wraps the last error, and bears its labels. */
const timedOut = (last: unknown, phase?: TimeoutPhase): MongoOperationTimeoutError => {
  if (last instanceof MongoOperationTimeoutError) return last;
  const error = new MongoOperationTimeoutError(
    'The time for withTransaction was up before the transaction could be committed; the cause is its last error.',
    { kind: 'timeout', cause: last, phase },
  );
  if (TesseraError.is(last)) for (const label of last.labels) error.addLabel(label);
  return error;
};
