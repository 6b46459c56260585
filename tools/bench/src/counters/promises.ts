// On every Node.js that is supported, though its papers call it an experiment.
// eslint-disable-next-line n/no-unsupported-features/node-builtins
import { createHook } from 'node:async_hooks';

/** Promises created meanwhile. */
export const promisesDuring = async (run: () => Promise<void>): Promise<number> => {
  let promises = 0;
  const hook = createHook({
    init: (_, type) => {
      if (type === 'PROMISE') promises += 1;
    },
  });
  hook.enable();
  await run();
  hook.disable();
  return promises;
};
