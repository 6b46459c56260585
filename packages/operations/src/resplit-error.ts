import { MongoError } from '@tessera/contracts';
import type { Attempt, Operation } from '@tessera/contracts';

/**
 * Ends an attempt whose command must be split again. A command with a statement on many documents is not retryable and has no
 * txnNumber, which precedes the statements. If a byte limit ends the command before this statement, the command is not sent: the
 * operation is rebuilt with only the statements before `end`, which are retryable.
 * Rule: Retryable Writes, "Supported Write Operations", which applies to each command after splitting.
 */
export class ResplitError extends MongoError {
  /** The index of the first statement that did not fit. */
  readonly end: number;

  constructor({ name }: Operation<unknown>, end: number) {
    super('usage', `${name} is rebuilt with the statements before index ${end} only, so that it is retryable.`, {
      origin: { phase: 'command', sent: false },
    });
    this.end = end;
  }
}

/** Returns the error of the last attempt if it is a `ResplitError`. The retry policy may have thrown an earlier error instead. */
export const resplitErrorOf = (error: unknown): ResplitError | undefined => {
  const newest = MongoError.is(error) ? (error.attempts.at(-1)?.error ?? error) : error;
  return newest instanceof ResplitError ? newest : undefined;
};

/** Returns whether the command would have a txnNumber if its statements were retryable. */
export const isNumbered = ({ answer }: Operation<unknown>, { session }: Attempt): boolean =>
  answer === 'one' && session?.inTransaction !== true;
