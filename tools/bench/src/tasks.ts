import type { Counting } from './counters/count.js';
import type { Counters } from './counters/counters.js';
import type { Places } from './places.js';
import type { Slice } from './work/measure.js';

/** What a worker is told to do. */
export type Task =
  /** Codecs only, or a driver that is connected to these servers. */
  | { readonly do: 'open'; readonly places: Places | undefined }
  | { readonly do: 'verify'; readonly work: string }
  | { readonly do: 'measure'; readonly work: string; readonly inFlight: number; readonly milliseconds: number }
  | { readonly do: 'count'; readonly work: string; readonly counting: Counting }
  /** As text, what the last digest stands for. */
  | { readonly do: 'explain' };

/** What it answers, by what it was told. `digest` stands for the whole value of a result. */
export interface Answers {
  readonly open: null;
  readonly verify: { readonly digest: string };
  readonly measure: { readonly slice: Slice; readonly digest: string };
  readonly count: Counters;
  readonly explain: string;
}

export type Answer =
  { readonly is: 'done'; readonly value: unknown } | { readonly is: 'failed'; readonly reason: string };
