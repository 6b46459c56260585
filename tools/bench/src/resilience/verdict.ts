import type { Millis } from '@tessera/contracts';
import type { FaultName } from './faults.js';
import type { Strategy, Verdict } from './strategies.js';
import type { IdempotentOutcome, Outcome } from './trial.js';

/** What was measured of one way under one fault. */
export interface Cell {
  readonly events: number;
  readonly acknowledged: number;
  /** The sum of all counters. */
  readonly counted: number;
  /** Counters beyond one. */
  readonly doubled: number;
  /** Events that were not counted. */
  readonly missing: number;
  /** Of those the ones that were acknowledged all the same. */
  readonly lost: number;
  /** Commands sent beyond those that an operation takes. */
  readonly retries: number;
  /** Until the application knew: the median. */
  readonly spent: Millis;
  /** Between a failure and the next try: the median. */
  readonly pause: Millis;
  readonly verdict: Verdict;
}

/** Whoever the host kept waiting for something else does not count. */
const median = (numbers: readonly number[]): number => [...numbers].sort((a, b) => a - b)[numbers.length >> 1] ?? 0;

/** Who tries again this soon does not wait. */
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
      // To wait once for a server to come back is what the driver was told to do.
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
