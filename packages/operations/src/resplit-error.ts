import { MongoError } from '@tessera/contracts';
import type { Attempt, Operation } from '@tessera/contracts';

/**
 * Ends an attempt whose command must be split again. The transaction number is written before the statements, so a command that
 * holds a statement on many documents has none. If a byte limit ends the command before that statement, the command is not
 * sent: the operation is built again with the statements before `end` only, and these are retryable.
 * Rule: Retryable Writes, "Supported Write Operations": each command is judged for itself, after splitting.
 */
export class ResplitError extends MongoError {
  /** The index of the first statement that did not fit. */
  readonly end: number;

  constructor({ name }: Operation<unknown>, end: number) {
    super('usage', `${name} is made anew, with the statements up to ${end} only: these may be repeated.`, {
      origin: { phase: 'command', sent: false },
    });
    this.end = end;
  }
}

/** Returns the error of the last attempt if it is a `ResplitError`: the retry policy may have raised an earlier error instead. */
export const resplitErrorOf = (error: unknown): ResplitError | undefined => {
  const newest = MongoError.is(error) ? (error.attempts.at(-1)?.error ?? error) : error;
  return newest instanceof ResplitError ? newest : undefined;
};

/** Whether a number would be written if the statements allowed it, as far as an operation knows. */
export const isNumbered = ({ answer }: Operation<unknown>, { session }: Attempt): boolean =>
  answer === 'one' && session?.inTransaction !== true;
