import { arch, availableParallelism, cpus, platform } from 'node:os';
import type { Counters } from './counters/counters.js';
import type { Comparison } from './ratio.js';
import type { Floor, SideName } from './side.js';

/** The memory of one driver after it has read many documents. */
export interface Memory {
  /** Heap bytes per kept document. */
  readonly heapBytesPerDocument: number;
  /** The peak resident memory of the process. */
  readonly peakRssBytes: number;
}

/** The memory of an idle connection, in bytes. */
export interface Idle {
  /** JavaScript heap. */
  readonly heapBytes: number;
  /** Resident memory of the process. */
  readonly residentBytes: number;
}

/** How long operations take that meet a fault, in milliseconds. */
export interface Recovery {
  /** One operation that loses its connection. */
  readonly reset: number;
  /** Many operations without a pause, each of which loses its connection. */
  readonly manyResets: number;
  /** From the command that steps the primary down to the next acknowledged insert. */
  readonly stepDown: number;
}

export type Both<T> = Readonly<Record<SideName, T>>;

export type Counted = { readonly ours: Counters; readonly theirs?: Counters };

/** The results of a row. */
export interface RowReport {
  readonly name: string;
  readonly inFlight?: number;
  readonly against?: Floor;
  readonly target: number;
  readonly tolerance: number;
  readonly reached?: number;
  readonly rateTarget?: number;
  readonly cpuRatio?: number;
  readonly rateRatio?: number;
  /** The ratio of whole processes, for the row `import` only. */
  readonly processRatio?: number;
  /** Heap per kept document, official driver divided by Tessera. */
  readonly heapRatio?: number;
  readonly rssRatio?: number;
  /** Microseconds of CPU time per operation, and operations per second. */
  readonly figures?: Comparison['figures'];
  /** Counters per operation. A short run counts Tessera only. */
  readonly counters?: Counted;
  readonly memory?: Both<Memory>;
  /** Memory per idle connection, official driver divided by Tessera. */
  readonly idleHeapRatio?: number;
  readonly idleResidentRatio?: number;
  readonly idle?: Both<Idle>;
  /** The time of recovery, official driver divided by Tessera. */
  readonly recoveryRatios?: Recovery;
  readonly recovery?: Both<Recovery>;
  readonly skipped?: string;
  /** Wrong results, one sentence each. */
  readonly wrong: readonly string[];
}

export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly platform: string;
  readonly node: string;
}

/** Describes the hardware and software that the figures depend on, without the machine's name. */
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
