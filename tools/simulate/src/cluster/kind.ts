import type { Kind } from '../kernel/kind.js';
import { drawCluster } from './draw.js';
import { invariants } from './invariants.js';
import { driverMutants } from './mutants/driver.js';
import { serverMutants } from './mutants/servers.js';
import { deploymentText } from './plan.js';
import type { ClusterPlan } from './plan.js';
import { runCluster } from './run.js';

function* calmer(plan: ClusterPlan): Generator<ClusterPlan> {
  const { server } = plan;
  if (server.latency > 0) yield { ...plan, server: { ...server, latency: 0 } };
}

/** Histories of the client's facade and a replica set of the embedded server: elections, partitions, rollbacks, transactions. */
export const cluster: Kind = {
  draw: drawCluster,
  run: runCluster,
  invariants,
  mutants: [...serverMutants, ...driverMutants],
  deploymentText,
  calmer,
};
