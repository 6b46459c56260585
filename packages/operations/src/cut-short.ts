import { MongoError } from '@tessera/contracts';
import type { Attempt, Operation } from '@tessera/contracts';

/**
 * Whether a command may be repeated is known before its length is: its number is written first. So one that a limit of bytes
 * ends before its first statement that touches many documents is not sent, but made anew, and up to there.
 * Rule: Retryable Writes, "Supported Write Operations": each command is judged for itself, after splitting.
 */
export class CutShort extends MongoError {
  /** The statement that had no room any more. */
  readonly end: number;

  constructor({ name }: Operation<unknown>, end: number) {
    super('usage', `${name} is made anew, with the statements up to ${end} only: these may be repeated.`, {
      origin: { phase: 'command', sent: false },
    });
    this.end = end;
  }
}

/** What its last attempt ended with: an attempt before may have failed on the way there, and be told instead. */
export const cutShortBy = (error: unknown): CutShort | undefined => {
  const newest = MongoError.is(error) ? (error.attempts.at(-1)?.error ?? error) : error;
  return newest instanceof CutShort ? newest : undefined;
};

/** Whether a number would be written if the statements allowed it, as far as an operation knows. */
export const isNumbered = ({ answer }: Operation<unknown>, { session }: Attempt): boolean =>
  answer === 'one' && session?.inTransaction !== true;
