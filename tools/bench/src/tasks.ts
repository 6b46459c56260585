import type { Counting } from './counters/count.js';
import type { Counters } from './counters/counters.js';
import type { Places } from './places.js';
import type { Slice } from './work/measure.js';

/** A task for a worker. */
export type Task =
  /** Prepares a driver that is connected to these servers, or codecs if absent. */
  | { readonly do: 'open'; readonly places: Places | undefined }
  | { readonly do: 'verify'; readonly work: string }
  | { readonly do: 'measure'; readonly work: string; readonly inFlight: number; readonly milliseconds: number }
  | { readonly do: 'count'; readonly work: string; readonly counting: Counting }
  /** Returns the value of the last digest as text. */
  | { readonly do: 'explain' };

/** The worker's answer to each task. `digest` is a hash of the complete result. */
export interface Answers {
  readonly open: null;
  readonly verify: { readonly digest: string };
  readonly measure: { readonly slice: Slice; readonly digest: string };
  readonly count: Counters;
  readonly explain: string;
}

export type Answer =
  | { readonly is: 'done'; readonly value: unknown }
  | { readonly is: 'failed'; readonly reason: string };
