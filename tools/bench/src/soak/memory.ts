import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** The memory of a process after a garbage collection. */
export interface Memory {
  /** Megabytes of live objects. */
  readonly heap: number;
  /** Megabytes of the process, as the operating system counts them. */
  readonly rss: number;
  /** The number of timers, sockets and other resources that keep the process alive. */
  readonly handles: number;
}

setFlagsFromString('--expose-gc');
/** Collects garbage. */
export const collect = runInNewContext('gc') as () => void;

/** Collects garbage and returns the memory of this process. */
export const measureMemory = (): Memory => {
  // Finalizers run after the first collection, and release more objects.
  collect();
  collect();
  const { heapUsed, rss } = process.memoryUsage();
  // oxlint-disable-next-line nodejs/no-unsupported-features/node-builtins -- experimental before Node.js 22.16, but present
  return { heap: heapUsed / 1e6, rss: rss / 1e6, handles: process.getActiveResourcesInfo().length };
};
