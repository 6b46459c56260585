/** One share of the work: every so manieth history or mutant. Shares are independent, so that each can have a thread. */
import type { Breach } from './invariants/invariant.js';
import type { AnyPlan, Kind } from './kind.js';
import { allMutants, withKindOf } from './kinds.js';
import type { Mutant } from './mutants/mutant.js';
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
      const breach = await withKindOf(seed, kind => breachOf(kind, seed));
      if (breach !== undefined) tell({ is: 'breach', seed, breach });
    }
    return;
  }
  for (let place = index; place < allMutants.length; place += of) {
    const { mutant, withKind } = allMutants[place]!;
    const after = await withKind(kind => findMutant(kind, mutant, from, histories));
    tell({ is: 'mutant', mutant: place, after });
  }
};

const breachOf = async <P extends AnyPlan>(kind: Kind<P>, seed: number): Promise<Breach | undefined> =>
  (await tryPlan(kind, kind.draw(seed), () => ({})))?.breach;

/** Only the invariant that the mutant breaks counts. */
const findMutant = async <P extends AnyPlan>(
  { draw, run }: Kind<P>,
  { breaks, parts }: Mutant,
  from: number,
  histories: number,
): Promise<number | undefined> => {
  for (let count = 1; count <= histories; count += 1)
    if (breaks.broken(await run(draw(from + count - 1), parts())) !== undefined) return count;
  return undefined;
};
