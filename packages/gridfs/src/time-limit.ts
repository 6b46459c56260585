import type { Clock, Signal } from '@tessera/contracts';
import type { OperationOptions } from './database.js';
import type { Failure } from './failure.js';

/** How long all the operations of one stream or call may take together. */
export interface TimeLimit {
  /** For the next of these operations: what is left. @throws what `failure` makes when nothing is. */
  options(): OperationOptions;
}

/**
 * The limit begins now. Rule: Client Side Operations Timeout, "GridFS API".
 * @param what begins the sentence of the error: `Upload`, `Download`
 * @param timeoutMS undefined if nobody set one, 0 for no limit
 */
export const createTimeLimit = (
  deps: { readonly clock: Pick<Clock, 'now'>; readonly failure: Failure },
  what: string,
  timeoutMS: number | undefined,
  signal: Signal | undefined,
): TimeLimit => {
  // What cannot be is refused by the first operation that it is handed to.
  if (timeoutMS === undefined || !Number.isSafeInteger(timeoutMS) || timeoutMS <= 0) {
    const always: OperationOptions = { timeoutMS, signal };
    return { options: () => always };
  }
  const deadline = deps.clock.now() + timeoutMS;
  return {
    options: () => {
      const left = Math.ceil(deadline - deps.clock.now());
      if (left <= 0) throw deps.failure('timeout', `${what} timed out after ${timeoutMS}ms`);
      return { timeoutMS: left, signal };
    },
  };
};
