import { judge } from './invariant.js';
import type { Breach } from './invariant.js';
import type { Kind, Mutant } from './kind.js';
import { calmerPlans, shorterPlans } from './plan.js';
import type { Plan } from './plan.js';
import type { Lived } from './record.js';

export interface Failure {
  readonly history: Lived;
  readonly breach: Breach;
}

/** Runs a plan. Returns undefined if every invariant holds. */
export const tryPlan = async (kind: Kind, plan: Plan, parts: Mutant['parts']): Promise<Failure | undefined> => {
  const history = await kind.run(plan, parts());
  const breach = judge(kind.invariants, history);
  return breach === undefined ? undefined : { history, breach };
};

/**
 * Returns the shortest history found that still breaks the same invariant: no event can be left out of it. Stops after
 * `tries` attempts with the shortest so far.
 */
export const shrink = async (kind: Kind, failure: Failure, parts: Mutant['parts'], tries: number): Promise<Failure> => {
  let best = failure;
  let left = tries;
  const better = async (candidates: Iterable<Plan>): Promise<boolean> => {
    for (const plan of candidates) {
      if (left-- <= 0) return false;
      const found = await tryPlan(kind, plan, parts);
      if (found?.breach.invariant !== best.breach.invariant) continue;
      best = found;
      return true;
    }
    return false;
  };
  while (await better(shorterPlans(best.history.plan)));
  while (await better(kind.calmer(best.history.plan)));
  while (await better(calmerPlans(best.history.plan)));
  return best;
};
