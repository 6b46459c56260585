import type { Soon } from '@tessera/contracts';
import { awaited } from '../commands/awaited.js';
import type { Call } from '../commands/command.js';
import { Blocked } from './blocked.js';

/** Waits for the end of the transaction. @throws CommandError 50, 279 */
const ended = async (call: Call, { by }: Blocked): Promise<void> => {
  let isOver = false;
  const once = (wake: () => void): (() => void) =>
    by.onceEnded(() => {
      isOver = true;
      wake();
    });
  await awaited(call, () => isOver, once);
};

/**
 * Executes the work, and repeats it as long as open transactions block it.
 * @throws CommandError 50 after `maxTimeMS`
 */
export const unblocked = <T>(call: Call, work: () => Soon<T>): Soon<T> => {
  try {
    const done = work();
    return done instanceof Promise ? done.catch((error: unknown) => onceUnblocked(call, work, error)) : done;
  } catch (error) {
    return onceUnblocked(call, work, error);
  }
};

const onceUnblocked = <T>(call: Call, work: () => Soon<T>, error: unknown): Promise<T> => {
  if (!(error instanceof Blocked)) throw error;
  return retried(call, work, error);
};

const retried = async <T>(call: Call, work: () => Soon<T>, first: Blocked): Promise<T> => {
  for (let blocked = first; ;) {
    await ended(call, blocked);
    try {
      return await work();
    } catch (error) {
      if (!(error instanceof Blocked)) throw error;
      blocked = error;
    }
  }
};
