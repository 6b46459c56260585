import { MongoError } from '@tessera/contracts';
import type { Request } from '@tessera/contracts';

/** MMAPv1, which has no transaction numbers. Rule: Retryable Writes, pseudocode and prose test 1. */
const illegalOperation = 20;

/**
 * Which of the errors of one operation its caller sees: the newest that tells that something was tried; if none does,
 * the first. Rules: Retryable Writes, "Executing Retryable Write Commands"; Retryable Reads, "If a retry attempt fails".
 * @param failures oldest first, at least one.
 */
export const errorToRaise = (request: Request<unknown>, failures: readonly MongoError[]): MongoError => {
  const newest = failures.at(-1);
  // The program's own wish needs no explanation by what had gone wrong before.
  if (newest?.kind === 'aborted' || newest?.kind === 'closed') return newest;
  const tells = request.operation.kind === 'read' ? wasTried : mayHaveWritten;
  const error = failures.findLast(tells) ?? failures[0];
  if (error === undefined)
    throw new MongoError('usage', 'A retry policy was asked about an operation that did not fail.');
  return explained(error);
};

/** It came from the server or the way to it, not from this client's own selection, pool or checks. */
const wasTried = (error: MongoError): boolean =>
  error.kind !== 'usage' && error.origin?.phase !== 'select' && error.origin?.phase !== 'checkOut';

const mayHaveWritten = (error: MongoError): boolean =>
  error.origin?.sent === true && error.origin.phase === 'command' && !error.labels.includes('NoWritesPerformed');

/** What the loop knows of the end of an operation. */
interface Ending {
  /** How many attempts failed. */
  readonly count: number;
  /** Whether the newest failure was to be retried. */
  readonly retry: boolean;
  /** What its policy wants to be raised. */
  readonly raised: MongoError;
  readonly isTimeUp: boolean;
}

/**
 * What is raised in the end: if the time of the operation was up, or too short for anything to be sent, that, with what
 * had gone wrong as its cause. Rule: Client Side Operations Timeout, "Errors", "Retryability".
 */
export const errorInTime = (
  { operation }: Request<unknown>,
  failures: readonly MongoError[],
  { count, retry, raised, isTimeUp }: Ending,
): MongoError => {
  const newest = failures.at(-1);
  if (newest?.kind === 'timeout' && (isTimeUp || isUnsent(newest))) return newest;
  // What is raised for itself is an answer: it may come late.
  if (!isTimeUp || (!retry && raised === newest)) return raised;
  return new MongoError('timeout', `${operation.name} ran out of time after ${told(count, raised)}`, {
    cause: raised,
    labels: raised.labels,
    origin: raised.origin,
  });
};

/** What is raised if a wait took longer than it should have, and the time of the operation was up when it ended. */
export const errorInBackoff = (
  request: Request<unknown>,
  failures: readonly MongoError[],
  count: number,
): MongoError => {
  const raised = errorToRaise(request, failures);
  const { name } = request.operation;
  return new MongoError(
    'timeout',
    `${name} ran out of time while it waited for another attempt, after ${told(count, raised)}`,
    { cause: raised, labels: raised.labels, origin: { sent: false, ...raised.origin, phase: 'backoff' } },
  );
};

const told = (count: number, raised: MongoError): string =>
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
