/** Histories of the client's facade and a replica set of the embedded server: elections, partitions, rollbacks, transactions. */
import { calmerSettings, endedSooner } from '../kind.js';
import type { Kind } from '../kind.js';
import { drawCluster } from './draw.js';
import { invariants } from './invariants/all.js';
import { mutants } from './mutants.js';
import { clusterPlanText } from './plan.js';
import type { ClusterPlan } from './plan.js';
import { runCluster } from './run.js';

function* calmer(plan: ClusterPlan): Generator<ClusterPlan> {
  const { server } = plan;
  if (server.latency > 0) yield { ...plan, server: { ...server, latency: 0 } };
  yield* calmerSettings(plan);
  for (const [place, event] of plan.events.entries())
    if (event.what === 'converse')
      for (const left of event.calls.keys())
        yield { ...plan, events: plan.events.with(place, { ...event, calls: event.calls.toSpliced(left, 1) }) };
  yield* endedSooner(plan);
}

export const cluster: Kind<ClusterPlan> = {
  draw: drawCluster,
  run: runCluster,
  invariants,
  mutants,
  without: (plan, from, count) => ({ ...plan, events: plan.events.toSpliced(from, count) }),
  calmer,
  planText: clusterPlanText,
};
