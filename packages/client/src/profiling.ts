/** What the profiler of a database writes down. */
export const ProfilingLevel: Readonly<{ off: 'off'; slowOnly: 'slow_only'; all: 'all' }> = Object.freeze({
  off: 'off',
  slowOnly: 'slow_only',
  all: 'all',
});
export type ProfilingLevel = 'off' | 'slow_only' | 'all';

/** Their numbers in the command `profile`. */
export const profilingLevels: readonly ProfilingLevel[] = ['off', 'slow_only', 'all'];
