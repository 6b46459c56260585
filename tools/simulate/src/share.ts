/** Runs a share of the work: every n-th history or mutant. Shares are independent, so each can run in a thread. */
import { broken } from './kernel/invariant.js';
import type { Breach } from './kernel/invariant.js';
import { tryPlan } from './kernel/shrink.js';
import { allMutants, kindOf } from './kinds.js';
import type { KnownSeeds } from './known-seeds.js';

export interface Share {
  readonly what: 'histories' | 'mutants';
  readonly from: number;
  /** The number of histories in total or, for mutants, the most to run for each. */
  readonly histories: number;
  /** Seeds that are tried first. */
  readonly known: KnownSeeds;
  readonly index: number;
  readonly of: number;
}

export type Finding =
  | { readonly is: 'breach'; readonly seed: number; readonly breach: Breach }
  /** A mutant was found by the history of a seed, or by none if `seed` is undefined. */
  | { readonly is: 'mutant'; readonly mutant: number; readonly seed: number | undefined };

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
    report({ is: 'mutant', mutant, seed: await findMutant(mutant, share) });
};

/** Returns the known seed if it finds something, or else the first seed that does. */
export const findingSeed = async (
  known: number | undefined,
  { from, histories }: Pick<Share, 'from' | 'histories'>,
  finds: (seed: number) => Promise<boolean>,
): Promise<number | undefined> => {
  if (known !== undefined && (await finds(known))) return known;
  for (let seed = from; seed < from + histories; seed += 1) if (await finds(seed)) return seed;
  return undefined;
};

/** Counts only the invariant that the mutant breaks. */
const findMutant = (index: number, share: Share): Promise<number | undefined> => {
  const { kind, mutant } = allMutants[index]!;
  return findingSeed(
    share.known[mutant.name],
    share,
    async seed => broken(mutant.breaks, await kind.run(kind.draw(seed), mutant.parts())) !== undefined,
  );
};
