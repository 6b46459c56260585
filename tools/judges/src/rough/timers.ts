/** Counts the timers that a driver starts. Install it before the driver is loaded. */

/**
 * Installs the counter. Returns a function that lists the delays of all running timers, including background timers.
 */
export const countTimers = (): (() => number[]) => {
  const running = new Map<NodeJS.Timeout, number>();
  const start = globalThis.setTimeout;
  const stop = globalThis.clearTimeout;
  const counting = (fire: (...args: unknown[]) => void, after?: number, ...args: unknown[]): NodeJS.Timeout => {
    const handle = start(() => {
      running.delete(handle);
      fire(...args);
    }, after);
    running.set(handle, after ?? 0);
    return handle;
  };
  globalThis.setTimeout = Object.assign(counting, start);
  globalThis.clearTimeout = handle => {
    running.delete(handle as NodeJS.Timeout);
    stop(handle);
  };
  return () => [...running.values()];
};
