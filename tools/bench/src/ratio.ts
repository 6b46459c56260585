import type { SideName } from './side.js';
import type { Slice } from './work/measure.js';

export const median = (numbers: readonly number[]): number => {
  const sorted = [...numbers].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
};

/** One measured slice of each driver. */
export type Round = Readonly<Record<SideName, Slice>>;

/** The cost of an operation in one driver. */
export interface Cost {
  readonly cpuMicros: number;
  readonly perSecond: number;
}

export interface Comparison {
  /** CPU time per operation, official driver divided by Tessera: 2 means that Tessera needs half. */
  readonly cpuRatio: number;
  /** Operations per second, Tessera divided by official driver. */
  readonly rateRatio: number;
  readonly figures: Readonly<Record<SideName, Cost>>;
}

const cpuMicros = ({ cpuMicros, operations }: Slice): number => cpuMicros / operations;
const perSecond = ({ wallMicros, operations }: Slice): number => (operations / wallMicros) * 1e6;

/**
 * Compares the rounds. A ratio is the median of the ratios of all rounds, so that changes of the machine's speed cancel
 * out.
 */
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
