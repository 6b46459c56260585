/** Histories of the driver's layers below the facade, against members of deployments that speak as they are told. */
import { drawPlan } from './draw-plan.js';
import { invariants } from './invariants/all.js';
import { calmerSettings, endedSooner } from './kind.js';
import type { Kind } from './kind.js';
import { mutants } from './mutants/all.js';
import type { Plan } from './plan.js';
import { runHistory } from './run-history.js';
import { planText } from './time-line.js';

/** The same events in a calmer world. */
function* calmer(plan: Plan): Generator<Plan> {
  if (plan.splitsWrites) yield { ...plan, splitsWrites: false };
  yield* calmerSettings(plan);
  yield* endedSooner(plan);
}

export const members: Kind<Plan> = {
  draw: drawPlan,
  run: runHistory,
  invariants,
  mutants,
  without: (plan, from, count) => ({ ...plan, events: plan.events.toSpliced(from, count) }),
  calmer,
  planText,
};
