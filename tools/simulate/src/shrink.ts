import { judge } from './invariants/invariant.js';
import type { Breach } from './invariants/invariant.js';
import type { AnyPlan, Kind } from './kind.js';
import type { Lived } from './record.js';
import type { Swaps } from './swaps.js';

export interface Failure<P extends AnyPlan> {
  readonly history: Lived<P>;
  readonly breach: Breach;
}

/** The parts that take the place of the driver's own; made anew for each history, for a broken one may remember. */
export type MakeParts = () => Swaps;

/** Lives through a plan and judges it; undefined: everything holds. */
export const tryPlan = async <P extends AnyPlan>(
  kind: Kind<P>,
  plan: P,
  parts: MakeParts,
): Promise<Failure<P> | undefined> => {
  const history = await kind.run(plan, parts());
  const breach = judge(kind.invariants, history);
  return breach === undefined ? undefined : { history, breach };
};

/** The same plan without some of its events: halves first, then ever smaller parts. */
function* shorter<P extends AnyPlan>({ without }: Kind<P>, plan: P): Generator<P> {
  const { length } = plan.events;
  for (let size = Math.ceil(length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2))
    for (let from = 0; from < length; from += size) yield without(plan, from, size);
}

/**
 * The shortest history found that still breaks the same invariant: no event can be left out of it. Gives up after so many
 * tries with what it has.
 */
export const shrink = async <P extends AnyPlan>(
  kind: Kind<P>,
  failure: Failure<P>,
  parts: MakeParts,
  tries: number,
): Promise<Failure<P>> => {
  let best = failure;
  let left = tries;
  const better = async (candidates: Iterable<P>): Promise<boolean> => {
    for (const plan of candidates) {
      if (left-- <= 0) return false;
      const found = await tryPlan(kind, plan, parts);
      if (found?.breach.invariant !== best.breach.invariant) continue;
      best = found;
      return true;
    }
    return false;
  };
  while (await better(shorter(kind, best.history.plan)));
  while (await better(kind.calmer(best.history.plan)));
  return best;
};
