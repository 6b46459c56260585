import { MongoError } from '@tessera/contracts';
import type { Request } from '@tessera/contracts';

/** MMAPv1, which has no transaction numbers. Rule: Retryable Writes, pseudocode and prose test 1. */
const illegalOperation = 20;

/**
 * Returns the error of an operation that its caller sees: the newest of an attempt that was made; if there is none, the
 * first. Rules: Retryable Writes, "Executing Retryable Write Commands"; Retryable Reads, "If a retry attempt fails".
 * @param failures oldest first, at least one.
 */
export const errorToRaise = (request: Request<unknown>, failures: readonly MongoError[]): MongoError => {
  const newest = failures.at(-1);
  // The application asked for this end, so earlier errors explain nothing.
  if (newest?.kind === 'aborted' || newest?.kind === 'closed') return newest;
  const isRelevant = request.operation.kind === 'read' ? wasTried : mayHaveWritten;
  const error = failures.findLast(isRelevant) ?? failures[0];
  if (error === undefined)
    throw new MongoError('usage', 'A retry policy was asked about an operation that did not fail.');
  return explained(error);
};

/** The error came from the server or the network, not from server selection, the pool or a check of this client. */
const wasTried = (error: MongoError): boolean =>
  error.kind !== 'usage' && error.origin?.phase !== 'select' && error.origin?.phase !== 'checkOut';

const mayHaveWritten = (error: MongoError): boolean =>
  error.origin?.sent === true && error.origin.phase === 'command' && !error.labels.includes('NoWritesPerformed');

/** How an operation ended, as the retry loop knows it. */
interface Ending {
  /** The number of attempts that failed. */
  readonly count: number;
  /** Whether the policy decided for another retry. */
  readonly retry: boolean;
  /** The error that the policy decided to raise. */
  readonly raised: MongoError;
  readonly isTimeUp: boolean;
}

/**
 * Returns the error that is raised at the end: a timeout with the raised error as its cause, if the deadline had passed or
 * was too near for anything to be sent; else the raised error. Rule: Client Side Operations Timeout, "Errors", "Retryability".
 */
export const errorInTime = (
  { operation }: Request<unknown>,
  failures: readonly MongoError[],
  { count, retry, raised, isTimeUp }: Ending,
): MongoError => {
  const newest = failures.at(-1);
  if (newest?.kind === 'timeout' && (isTimeUp || isUnsent(newest))) return newest;
  // The server answered, and no retry was due: the answer counts, even if it came after the deadline.
  if (!isTimeUp || (!retry && raised === newest)) return raised;
  return new MongoError('timeout', `${operation.name} ran out of time after ${afterAttempts(count, raised)}`, {
    cause: raised,
    labels: raised.labels,
    origin: raised.origin,
  });
};

/** Returns the error of an operation whose deadline had passed when a wait between two attempts ended. */
export const errorInBackoff = (
  request: Request<unknown>,
  failures: readonly MongoError[],
  count: number,
): MongoError => {
  const raised = errorToRaise(request, failures);
  const { name } = request.operation;
  return new MongoError(
    'timeout',
    `${name} ran out of time while it waited for another attempt, after ${afterAttempts(count, raised)}`,
    { cause: raised, labels: raised.labels, origin: { sent: false, ...raised.origin, phase: 'backoff' } },
  );
};

const afterAttempts = (count: number, raised: MongoError): string =>
  `${count === 1 ? 'one attempt' : `${count} attempts`}, of which it is told: ${raised.message}`;

const isUnsent = ({ origin }: MongoError): boolean => origin?.phase === 'command' && !origin.sent;

const explained = (error: MongoError): MongoError => {
  if (error.code !== illegalOperation || !error.message.startsWith('Transaction numbers')) return error;
  return new MongoError(
    'server',
    'This MongoDB deployment does not support retryable writes. Please add retryWrites=false to your connection string.',
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
