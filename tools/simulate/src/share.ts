/** A share of the work: every n-th history or mutant. Shares are independent, so that each can run in a thread. */
import { broken } from './kernel/invariant.js';
import type { Breach } from './kernel/invariant.js';
import { tryPlan } from './kernel/shrink.js';
import { allMutants, kindOf } from './kinds.js';

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
      const kind = kindOf(seed);
      const failure = await tryPlan(kind, kind.draw(seed), () => ({}));
      if (failure !== undefined) tell({ is: 'breach', seed, breach: failure.breach });
    }
    return;
  }
  for (let mutant = index; mutant < allMutants.length; mutant += of)
    tell({ is: 'mutant', mutant, after: await findMutant(mutant, from, histories) });
};

/** Only the invariant that the mutant breaks counts. */
const findMutant = async (index: number, from: number, histories: number): Promise<number | undefined> => {
  const { kind, mutant } = allMutants[index]!;
  for (let count = 1; count <= histories; count += 1) {
    const history = await kind.run(kind.draw(from + count - 1), mutant.parts());
    if (broken(mutant.breaks, history) !== undefined) return count;
  }
  return undefined;
};
