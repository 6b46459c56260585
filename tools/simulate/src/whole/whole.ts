/** Histories of the client's facade and the embedded server: sessions, retries, overload, deadlines, crashes. */
import { calmerSettings, endedSooner } from '../kind.js';
import type { Kind } from '../kind.js';
import { drawWhole } from './draw.js';
import { invariants } from './invariants/all.js';
import { mutants } from './mutants/all.js';
import { wholePlanText } from './plan.js';
import type { WholePlan } from './plan.js';
import { runWhole } from './run.js';

function* calmer(plan: WholePlan): Generator<WholePlan> {
  const { server } = plan;
  const { capacity, ...boundless } = server;
  if (plan.splitsWrites) yield { ...plan, splitsWrites: false };
  if (capacity !== undefined) yield { ...plan, server: boundless };
  yield* calmerSettings(plan);
  for (const [place, event] of plan.events.entries())
    if (event.what === 'converse')
      for (const left of event.calls.keys())
        yield { ...plan, events: plan.events.with(place, { ...event, calls: event.calls.toSpliced(left, 1) }) };
  yield* endedSooner(plan);
}

export const whole: Kind<WholePlan> = {
  draw: drawWhole,
  run: runWhole,
  invariants,
  mutants,
  without: (plan, from, count) => ({ ...plan, events: plan.events.toSpliced(from, count) }),
  calmer,
  planText: wholePlanText,
};
