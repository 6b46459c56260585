import { arch, availableParallelism, cpus, platform } from 'node:os';
import type { Counters } from './counters/counters.js';
import type { Comparison } from './ratio.js';
import type { SideName } from './side.js';

/** What one of the two held after it had read many documents. */
export interface Memory {
  /** Bytes of heap for each document that is kept. */
  readonly heapBytesPerDocument: number;
  /** The most memory that the process held. */
  readonly peakRssBytes: number;
}

/** Bytes that a connection takes which nobody uses. */
export interface Idle {
  /** Of the heap of JavaScript. */
  readonly heapBytes: number;
  /** Of the memory of the process. */
  readonly residentBytes: number;
}

export type Both<T> = Readonly<Record<SideName, T>>;

export type Counted = { readonly ours: Counters; readonly theirs?: Counters };

/** What was found out of a row. */
export interface RowReport {
  readonly name: string;
  readonly inFlight?: number;
  readonly against?: 'bare';
  readonly target: number;
  readonly tolerance: number;
  readonly cpuRatio?: number;
  readonly rateRatio?: number;
  /** Of the whole process, from its start: `import` only. */
  readonly processRatio?: number;
  /** Heap for each document that is kept, the official's over ours. */
  readonly heapRatio?: number;
  readonly rssRatio?: number;
  /** Per operation: microseconds of CPU time, and operations per second. */
  readonly figures?: Comparison['figures'];
  /** Per operation. A short run counts ours only. */
  readonly counters?: Counted;
  readonly memory?: Both<Memory>;
  /** Per idle connection, the official's over ours. */
  readonly idleHeapRatio?: number;
  readonly idleResidentRatio?: number;
  readonly idle?: Both<Idle>;
  readonly skipped?: string;
  /** Wrong results, a sentence each. */
  readonly wrong: readonly string[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly platform: string;
  readonly node: string;
}

/** What the figures depend on, and no name of any machine. */
export const describeMachine = (): Machine => ({
  cpu: cpus()[0]?.model.trim() ?? 'unknown processor',
  cores: availableParallelism(),
  platform: `${platform()} ${arch()}`,
  node: process.version,
});

export interface Report {
  readonly machine: Machine;
  readonly rows: readonly RowReport[];
}
