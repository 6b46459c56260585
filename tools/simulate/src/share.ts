/** One share of the work: every so manieth history or mutant. Shares are independent, so that each can have a thread. */
import { drawPlan } from './draw-plan.js';
import type { Breach } from './invariants/all.js';
import { mutants } from './mutants/all.js';
import { runHistory } from './run-history.js';
import { tryPlan } from './shrink.js';

export interface Share {
  readonly what: 'histories' | 'mutants';
  readonly from: number;
  /** Histories in all, or at most for each mutant. */
  readonly histories: number;
  readonly index: number;
  readonly of: number;
}

export type Finding =
  | { readonly is: 'breach'; readonly seed: number; readonly breach: Breach }
  /** After so many histories; undefined: by none. */
  | { readonly is: 'mutant'; readonly mutant: number; readonly after: number | undefined };

export const doShare = async (share: Share, tell: (finding: Finding) => void): Promise<void> => {
  const { what, from, histories, index, of } = share;
  if (what === 'histories') {
    for (let seed = from + index; seed < from + histories; seed += of) {
      const failure = await tryPlan(drawPlan(seed), () => ({}));
      if (failure !== undefined) tell({ is: 'breach', seed, breach: failure.breach });
    }
    return;
  }
  for (let mutant = index; mutant < mutants.length; mutant += of)
    tell({ is: 'mutant', mutant, after: await findMutant(mutant, from, histories) });
};

/** Only the invariant that the mutant breaks counts. */
const findMutant = async (mutant: number, from: number, histories: number): Promise<number | undefined> => {
  const { breaks, parts } = mutants[mutant]!;
  for (let count = 1; count <= histories; count += 1)
    if (breaks.broken(await runHistory(drawPlan(from + count - 1), parts())) !== undefined) return count;
  return undefined;
};
