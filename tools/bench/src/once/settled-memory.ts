import { setImmediate } from 'node:timers/promises';

/** What the process holds once everything that nobody needs is collected. The process must have been started with `--expose-gc`. */
export const settledMemory = async (): Promise<NodeJS.MemoryUsage> => {
  await setImmediate();
  globalThis.gc!();
  globalThis.gc!();
  return process.memoryUsage();
};
