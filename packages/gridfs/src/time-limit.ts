import type { Clock, Signal } from '@tessera/contracts';
import type { OperationOptions } from './database.js';
import type { Failure } from './failure.js';

/** The total time limit of all operations of one stream or call. */
export interface TimeLimit {
  /**
   * Returns the options for the next operation, with the remaining time. @throws an error of `failure` if no time is
   * left.
   */
  options(): OperationOptions;
}

/**
 * Creates a time limit that starts now. Rule: Client Side Operations Timeout, "GridFS API".
 * @param operation the start of the error message: `Upload`, `Download`
 * @param timeoutMS undefined if not set, 0 for no limit
 */
export const createTimeLimit = (
  deps: { readonly clock: Pick<Clock, 'now'>; readonly failure: Failure },
  operation: string,
  timeoutMS: number | undefined,
  signal: Signal | undefined,
): TimeLimit => {
  // An invalid value is rejected by the first operation that receives it.
  if (timeoutMS === undefined || !Number.isSafeInteger(timeoutMS) || timeoutMS <= 0) {
    const always: OperationOptions = { timeoutMS, signal };
    return { options: () => always };
  }
  const deadline = deps.clock.now() + timeoutMS;
  return {
    options: () => {
      const left = Math.ceil(deadline - deps.clock.now());
      if (left <= 0) throw deps.failure('timeout', `${operation} timed out after ${timeoutMS}ms`);
      return { timeoutMS: left, signal };
    },
  };
};
