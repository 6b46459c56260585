/** Runs a share of the work: every n-th history or mutant. Shares are independent, so each can run in a thread. */
import { broken } from './kernel/invariant.js';
import type { Breach } from './kernel/invariant.js';
import { tryPlan } from './kernel/shrink.js';
import { allMutants, kindOf } from './kinds.js';

export interface Share {
  readonly what: 'histories' | 'mutants';
  readonly from: number;
  /** The number of histories in total or, for mutants, the most to run for each. */
  readonly histories: number;
  readonly index: number;
  readonly of: number;
}

export type Finding =
  | { readonly is: 'breach'; readonly seed: number; readonly breach: Breach }
  /** A mutant was found after this number of histories, or by none if `after` is undefined. */
  | { readonly is: 'mutant'; readonly mutant: number; readonly after: number | undefined };

export const doShare = async (share: Share, report: (finding: Finding) => void): Promise<void> => {
  const { what, from, histories, index, of } = share;
  if (what === 'histories') {
    for (let seed = from + index; seed < from + histories; seed += of) {
      const kind = kindOf(seed);
      const failure = await tryPlan(kind, kind.draw(seed), () => ({}));
      if (failure !== undefined) report({ is: 'breach', seed, breach: failure.breach });
    }
    return;
  }
  for (let mutant = index; mutant < allMutants.length; mutant += of)
    report({ is: 'mutant', mutant, after: await findMutant(mutant, from, histories) });
};

/** Counts only the invariant that the mutant breaks. */
const findMutant = async (index: number, from: number, histories: number): Promise<number | undefined> => {
  const { kind, mutant } = allMutants[index]!;
  for (let count = 1; count <= histories; count += 1) {
    const history = await kind.run(kind.draw(from + count - 1), mutant.parts());
    if (broken(mutant.breaks, history) !== undefined) return count;
  }
  return undefined;
};
