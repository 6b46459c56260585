import type { Kind } from '../kernel/kind.js';
import { drawClient } from './draw.js';
import { invariants } from './invariants/all.js';
import { retryMutants } from './mutants/retries.js';
import { sessionMutants } from './mutants/sessions.js';
import { deploymentText } from './plan.js';
import type { ClientPlan } from './plan.js';
import { runClient } from './run.js';

function* calmer(plan: ClientPlan): Generator<ClientPlan> {
  const { capacity, ...server } = plan.server;
  if (capacity !== undefined) yield { ...plan, server };
}

/** Histories of the client's facade and one embedded server: sessions, retries, overload, deadlines, crashes. */
export const client: Kind = {
  draw: drawClient,
  run: runClient,
  invariants,
  mutants: [...sessionMutants, ...retryMutants],
  deploymentText,
  calmer,
};
