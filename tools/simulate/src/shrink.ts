import type { Parts } from '@tessera/client';
import { judge } from './invariants/all.js';
import type { Breach } from './invariants/all.js';
import type { Plan } from './plan.js';
import { runHistory } from './run-history.js';
import type { Ran } from './run-history.js';

export interface Failure {
  readonly history: Ran;
  readonly breach: Breach;
}

/** The parts that take the place of the driver's own; made anew for each history, for a broken one may remember. */
export type MakeParts = () => Partial<Parts>;

/** Lives through a plan and judges it; undefined: everything holds. */
export const tryPlan = async (plan: Plan, parts: MakeParts): Promise<Failure | undefined> => {
  const history = await runHistory(plan, parts());
  const breach = judge(history);
  return breach === undefined ? undefined : { history, breach };
};

/** The same plan without some of its events: halves first, then ever smaller parts. */
function* shorter(plan: Plan): Generator<Plan> {
  const { events } = plan;
  for (let size = Math.ceil(events.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < events.length; from += size)
      yield { ...plan, events: [...events.slice(0, from), ...events.slice(from + size)] };
  }
}

/** The same events in a calmer world. */
function* calmer(plan: Plan): Generator<Plan> {
  const { settings } = plan;
  if (plan.splitsWrites) yield { ...plan, splitsWrites: false };
  if (settings.minPoolSize > 0) yield { ...plan, settings: { ...settings, minPoolSize: 0 } };
  if (settings.maxIdleTimeMS > 0) yield { ...plan, settings: { ...settings, maxIdleTimeMS: 0 } };
  const last = plan.events.at(-1)?.at ?? 0;
  if (last + 1 < plan.healAt) yield { ...plan, healAt: last + 1 };
}

/**
 * The shortest history found that still breaks the same invariant: no event can be left out of it. Gives up after so many
 * tries with what it has.
 */
export const shrink = async (failure: Failure, parts: MakeParts, tries: number): Promise<Failure> => {
  let best = failure;
  let left = tries;
  const better = async (candidates: Iterable<Plan>): Promise<boolean> => {
    for (const plan of candidates) {
      if (left-- <= 0) return false;
      const found = await tryPlan(plan, parts);
      if (found?.breach.invariant !== best.breach.invariant) continue;
      best = found;
      return true;
    }
    return false;
  };
  while (await better(shorter(best.history.plan)));
  while (await better(calmer(best.history.plan)));
  return best;
};
