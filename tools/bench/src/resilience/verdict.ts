import type { Millis } from '@tessera/contracts';
import type { FaultName } from './faults.js';
import type { Strategy, Verdict } from './strategies.js';
import type { IdempotentOutcome, Outcome } from './trial.js';

/** The results of one strategy under one fault. */
export interface Cell {
  readonly events: number;
  readonly acknowledged: number;
  /** The sum of all counters. */
  readonly counted: number;
  /** The number of counters above 1. */
  readonly doubled: number;
  /** The number of increments that were not applied. */
  readonly missing: number;
  /** The number of missing increments that were acknowledged. */
  readonly lost: number;
  /** The number of commands sent beyond the operation's own. */
  readonly retries: number;
  /** The median time until the operation succeeded or failed. */
  readonly spent: Millis;
  /** The median wait between a failure and the next try. */
  readonly pause: Millis;
  readonly verdict: Verdict;
}

/** Returns the median, which ignores outliers caused by a busy machine. */
const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** A shorter wait counts as no wait. */
const atOnce: Millis = 10;

const verdictOf = (
  fault: FaultName,
  { doubled, missing, retries, spent, pause }: Omit<Cell, 'verdict'>,
  selectionTimeout: Millis,
): Verdict => {
  if (doubled > 0) return 'may overcount';
  switch (fault) {
    case 'transient':
    case 'failover':
      return missing > 0 ? 'may undercount' : 'correct';
    case 'outage':
      // One wait for a server is the configured behavior.
      return spent > 1.5 * selectionTimeout ? 'wastes time' : 'correct';
    case 'command':
      return retries > 0 ? 'wastes time' : 'correct';
    case 'overload':
      if (missing > 0) return 'may undercount';
      return retries > 0 && pause < atOnce ? 'adds load' : 'correct';
  }
};

export const judge = (
  fault: FaultName,
  { steps }: Strategy,
  outcomes: readonly Outcome[],
  selectionTimeout: Millis,
): Cell => {
  const figures = {
    events: outcomes.length,
    acknowledged: outcomes.filter(({ acknowledged }) => acknowledged).length,
    counted: outcomes.reduce((sum, { counted }) => sum + counted, 0),
    doubled: outcomes.filter(({ counted }) => counted > 1).length,
    missing: outcomes.filter(({ counted }) => counted < 1).length,
    lost: outcomes.filter(({ counted, acknowledged }) => acknowledged && counted < 1).length,
    retries: outcomes.reduce((sum, { commands }) => sum + Math.max(0, commands - steps.length), 0),
    spent: median(outcomes.map(({ spent }) => spent)),
    pause: median(outcomes.flatMap(({ pauses }) => pauses)),
  };
  return { ...figures, verdict: verdictOf(fault, figures, selectionTimeout) };
};

export interface IdempotentCell {
  readonly events: number;
  readonly acknowledged: number;
  readonly right: number;
}

export const judgeIdempotent = (outcomes: readonly IdempotentOutcome[]): IdempotentCell => ({
  events: outcomes.length,
  acknowledged: outcomes.filter(({ acknowledged }) => acknowledged).length,
  right: outcomes.filter(({ isRight }) => isRight).length,
});
