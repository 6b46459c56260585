import { setImmediate } from 'node:timers/promises';
import type { ReadOptions } from '../side.js';
import type { Work } from '../work/work.js';
import type { CounterName, Counters } from './counters.js';
import { allocatedDuring } from './heap.js';
import { countListeners } from './listeners.js';
import { promisesDuring } from './promises.js';
import { countWrites } from './writes.js';

/** Collects garbage. Weak references keep their targets alive until the current turn of the event loop ends. */
const collect = async (): Promise<void> => {
  await setImmediate();
  globalThis.gc!();
  await setImmediate();
  globalThis.gc!();
};

/** Runs one pass and returns its total counts. */
type Pass = () => Promise<Partial<Counters>>;

/**
 * Returns the minimum of each counter over the passes, because monitors run in some passes only. A pass without costs is
 * the last.
 */
const least = async (pass: Pass, passes: number): Promise<Partial<Counters>> => {
  const all: Partial<Counters>[] = [];
  do all.push(await pass());
  while (all.length < passes && Object.values(all.at(-1)!).some(count => count > 0));
  const names = Object.keys(all[0]!) as CounterName[];
  return Object.fromEntries(names.map(name => [name, Math.min(...all.map(counters => counters[name]!))]));
};

const none: Counters = { promises: 0, writes: 0, heapBytes: 0, listeners: 0 };

/** How many operations are counted, and in how many passes. */
export interface Counting {
  /** Operations before counting, in which the engine compiles the code and the codec learns the keys. */
  readonly warmUp: number;
  /** Operations per pass. */
  readonly operations: number;
  readonly passes: number;
}

/** Counts the costs of sequential operations, per operation. Runs in a separate process with `--expose-gc`. */
export const count = async (work: Work, { warmUp, operations, passes }: Counting): Promise<Counters> => {
  const repeat = async (times: number, options: ReadOptions): Promise<void> => {
    for (let number = 0; number < times; number += 1) {
      const result = work.operate(number, options);
      if (work.asynchronous) await result;
    }
  };
  const run = (options: ReadOptions = {}): Promise<void> => repeat(operations, options);
  const { signal } = new AbortController();
  const runWithSignal = async (): Promise<void> => {
    await run({ signal });
    await collect();
  };
  const heapAndWrites: Pass = async () => {
    const before = countWrites();
    const heapBytes = await allocatedDuring(run);
    return { heapBytes, writes: countWrites() - before };
  };
  const listeners: Pass = async () => {
    const before = countListeners();
    await runWithSignal();
    return { listeners: Math.max(0, countListeners() - before) };
  };
  const promises: Pass = async () => ({ promises: await promisesDuring(run) });

  await repeat(warmUp, {});
  await collect();
  const all = { ...none, ...(await least(heapAndWrites, passes)) };
  if (work.asynchronous) {
    await runWithSignal();
    Object.assign(all, await least(listeners, passes), await least(promises, passes));
  }
  return Object.fromEntries(Object.entries(all).map(([name, total]) => [name, total / operations])) as typeof all;
};
