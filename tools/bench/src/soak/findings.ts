import type { Note } from '@tessera-tools/house';
import type { Memory } from './memory.js';

/** The memory of both processes at one time of the run. */
export interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  /** The number of operations so far. */
  readonly operations: number;
  readonly driver: Memory;
  readonly server: Memory;
}

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;

/**
 * Returns by how much a measure grows: the median of the last third, minus the maximum before. The maximum counts because V8
 * returns memory while the machine is slow, and takes it again later.
 */
export const growthOf = (samples: readonly Sample[], measure: (sample: Sample) => number): number => {
  const last = Math.ceil((samples.length * 2) / 3);
  return median(samples.slice(last).map(measure)) - Math.max(...samples.slice(0, last).map(measure));
};

/** The most megabytes of the servers' heap: their log keeps 24 MB of documents, each as an object. */
const mostServerHeap = 250;

/** The growth that is not a leak: code that V8 compiles while the load runs, and the rest of the last garbage collection. */
const tolerances: readonly (readonly [name: string, measure: (sample: Sample) => number, tolerance: number])[] = [
  ["MB of the driver's heap", ({ driver }) => driver.heap, 3],
  ["MB of the driver's process", ({ driver }) => driver.rss, 30],
  ["handles of the driver's process", ({ driver }) => driver.handles, 4],
];

export const checks: number = tolerances.length + 1;

/** Returns a note for each measure that grows. */
export const findingsOf = (samples: readonly Sample[]): readonly Note[] => {
  const grown = tolerances.flatMap(([name, measure, tolerance]): Note[] => {
    const growth = growthOf(samples, measure);
    const reason = `grew by ${growth.toFixed(1)} in the last third of the run; at most ${tolerance} is expected`;
    return growth > tolerance ? [{ title: `soak: ${name}`, reason }] : [];
  });
  const most = Math.max(...samples.map(({ server }) => server.heap));
  return most <= mostServerHeap
    ? grown
    : [...grown, { title: "soak: MB of the servers' heap", reason: `${most.toFixed(0)}, more than ${mostServerHeap}` }];
};
