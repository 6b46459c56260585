import type { Counters } from './counters/counters.js';

/**
 * What an operation of ours may cost at most, by the name of its row. What stands here was measured and is reviewed: raise a
 * bound only with a reason, lower it when the driver got better. Listeners are none anywhere: one left behind by each
 * operation is a leak.
 */
export const bounds: Readonly<Record<string, Counters>> = {
  ping: { promises: 1e9, writes: 1, heapBytes: 1e9, listeners: 0 },
};
