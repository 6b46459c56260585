import { MongoError } from '@tessera/contracts';
import type { Request } from '@tessera/contracts';

/** The code of servers with the storage engine MMAPv1, which does not support transaction numbers. Rule: Retryable Writes, pseudocode and prose test 1. */
const illegalOperation = 20;

/**
 * Returns the error to throw for an operation.
 *
 * - The newest error, if the caller's signal aborted or the client was closed.
 * - For a write or a command of `db.command()`: the newest error of an attempt that may have executed the command.
 * - For a read: the newest error that is not from server selection, the checkout of a connection or a check of the arguments.
 * - Otherwise the first error.
 *
 * For code 20 about transaction numbers, returns a new error that explains the problem. Its `cause` is the original error.
 *
 * Rule: Retryable Writes, "Executing Retryable Write Commands"; Retryable Reads, "If a retry attempt fails".
 * @param failures the errors of all attempts, oldest first
 * @throws MongoError `usage` if `failures` is empty
 */
export const errorToRaise = (request: Request<unknown>, failures: readonly MongoError[]): MongoError => {
  const newest = failures.at(-1);
  // The application ended the operation itself, so earlier errors are not relevant.
  if (newest?.kind === 'aborted' || newest?.kind === 'closed') return newest;
  const isRelevant = request.operation.kind === 'read' ? wasTried : mayHaveWritten;
  const error = failures.findLast(isRelevant) ?? failures[0];
  if (error === undefined) throw new MongoError('usage', 'The retry policy was called without a failure.');
  return explained(error, request);
};

/** Returns whether the error came from the server or network, not from server selection, the pool or a check of the client. */
const wasTried = (error: MongoError): boolean =>
  error.kind !== 'usage' && error.origin?.phase !== 'select' && error.origin?.phase !== 'checkOut';

/** Returns whether the write may have been executed. */
const mayHaveWritten = (error: MongoError): boolean =>
  error.origin?.sent === true && error.origin.phase === 'command' && !error.labels.includes('NoWritesPerformed');

/** The end of an operation that failed. */
interface Ending {
  /** The number of attempts that failed. */
  readonly count: number;
  /** Whether the policy decided to retry. */
  readonly retry: boolean;
  /** The error to throw, according to the policy. */
  readonly raised: MongoError;
  readonly isTimeUp: boolean;
}

/**
 * Returns the error to throw, with regard to the deadline:
 *
 * - The newest error, if that is a timeout and the deadline has passed or was too close to send the command.
 * - `raised`, if time is left, or if the policy does not retry and `raised` is the newest error.
 * - Otherwise a new timeout error with `raised` as its cause.
 *
 * Rule: Client Side Operations Timeout, "Errors", "Retryability".
 */
export const errorInTime = (
  { operation }: Request<unknown>,
  failures: readonly MongoError[],
  { count, retry, raised, isTimeUp }: Ending,
): MongoError => {
  const newest = failures.at(-1);
  if (newest?.kind === 'timeout' && (isTimeUp || isUnsent(newest))) return newest;
  // The server replied with an error that is not retried. It is thrown even if it came after the deadline.
  if (!isTimeUp || (!retry && raised === newest)) return raised;
  return new MongoError('timeout', `${operation.name} timed out after ${attemptsAndCause(count, raised)}`, {
    cause: raised,
    labels: raised.labels,
    origin: raised.origin,
  });
};

/** Returns the error to throw if the deadline passes during the backoff between two attempts. */
export const errorInBackoff = (
  request: Request<unknown>,
  failures: readonly MongoError[],
  count: number,
): MongoError => {
  const raised = errorToRaise(request, failures);
  const { name } = request.operation;
  return new MongoError(
    'timeout',
    `${name} timed out in the backoff before the next attempt, after ${attemptsAndCause(count, raised)}`,
    { cause: raised, labels: raised.labels, origin: { sent: false, ...raised.origin, phase: 'backoff' } },
  );
};

const attemptsAndCause = (count: number, raised: MongoError): string =>
  `${count === 1 ? 'one attempt' : `${count} attempts`}. Cause: ${raised.message}`;

const isUnsent = ({ origin }: MongoError): boolean => origin?.phase === 'command' && !origin.sent;

const explained = (error: MongoError, { session }: Request<unknown>): MongoError => {
  if (error.code !== illegalOperation || !error.message.startsWith('Transaction numbers')) return error;
  return new MongoError(
    'server',
    session?.inTransaction === true
      ? `Transactions need a replica set or a sharded cluster, but ${error.origin?.address ?? 'the server'} is a standalone. A replica set of one member suffices: start the server with --replSet, and initiate the set.`
      : 'This MongoDB deployment does not support retryable writes. Please add retryWrites=false to your connection string.',
    {
      cause: error,
      code: error.code,
      codeName: error.codeName,
      labels: error.labels,
      reply: error.reply,
      origin: error.origin,
    },
  );
};
