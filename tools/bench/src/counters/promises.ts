// Available in every supported version of Node.js, although it is documented as experimental.
// oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins
import { createHook } from 'node:async_hooks';

/** Returns the number of promises created during the run. */
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
