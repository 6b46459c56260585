import type { Kind } from '../kernel/kind.js';
import { drawMembers } from './draw.js';
import { invariants } from './invariants.js';
import { listenerMutants } from './mutants/listeners.js';
import { otherMutants } from './mutants/others.js';
import { poolMutants } from './mutants/pools.js';
import { topologyMutants } from './mutants/topologies.js';
import { deploymentText } from './plan.js';
import { runMembers } from './run.js';

/** Histories of the driver's layers below the facade, against the scripted members of a deployment. */
export const members: Kind = {
  draw: drawMembers,
  run: runMembers,
  invariants,
  mutants: [...poolMutants, ...topologyMutants, ...listenerMutants, ...otherMutants],
  deploymentText,
  calmer: () => [],
};
