import type { Call } from '@tessera/server/parts';
import { awaited } from '@tessera/server/parts';

/**
 * Waits for work within the command's time limit. The work continues if the limit is exceeded.
 * @throws CommandError 50, 279, or the error of the work
 */
export const waitFor = async (call: Call, work: Promise<void>): Promise<void> => {
  let isOver = false;
  const over = (): void => {
    isOver = true;
  };
  const settled = work.then(over, over);
  const once = (wake: () => void): (() => void) => {
    let isWaiting = true;
    void settled.then(() => {
      if (isWaiting) wake();
    });
    return () => {
      isWaiting = false;
    };
  };
  await awaited(call, () => isOver, once);
  await work;
};
