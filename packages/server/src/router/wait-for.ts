import { awaited } from '../commands/awaited.js';
import type { Call } from '../commands/command.js';

/** As long as the command may: what it waits for goes on. @throws CommandError 50, 279, or what was thrown */
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
