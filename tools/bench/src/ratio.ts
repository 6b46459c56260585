import type { SideName } from './side.js';
import type { Slice } from './work/measure.js';

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** One turn of each of the two. */
export type Round = Readonly<Record<SideName, Slice>>;

/** What an operation costs one of the two. */
export interface Cost {
  readonly cpuMicros: number;
  readonly perSecond: number;
}

export interface Comparison {
  /** CPU time per operation, the official's over ours: 2 means that we need half. */
  readonly cpuRatio: number;
  /** Operations per second, ours over the official's. */
  readonly rateRatio: number;
  readonly figures: Readonly<Record<SideName, Cost>>;
}

const cpuMicros = ({ cpuMicros, operations }: Slice): number => cpuMicros / operations;
const perSecond = ({ wallMicros, operations }: Slice): number => (operations / wallMicros) * 1e6;

/** Ratios are medians of the ratios of each round: the machine drifts from round to round, and both with it. */
export const compare = (rounds: readonly Round[]): Comparison => {
  const cost = (side: SideName): Cost => ({
    cpuMicros: median(rounds.map(round => cpuMicros(round[side]))),
    perSecond: median(rounds.map(round => perSecond(round[side]))),
  });
  return {
    cpuRatio: median(rounds.map(({ ours, theirs }) => cpuMicros(theirs) / cpuMicros(ours))),
    rateRatio: median(rounds.map(({ ours, theirs }) => perSecond(ours) / perSecond(theirs))),
    figures: { ours: cost('ours'), theirs: cost('theirs') },
  };
};
