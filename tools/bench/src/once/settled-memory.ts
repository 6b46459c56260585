import { setImmediate } from 'node:timers/promises';

/** Returns the memory of the process after garbage collection. The process must run with `--expose-gc`. */
export const settledMemory = async (): Promise<NodeJS.MemoryUsage> => {
  await setImmediate();
  globalThis.gc!();
  globalThis.gc!();
  return process.memoryUsage();
};
