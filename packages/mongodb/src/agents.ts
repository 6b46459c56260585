// Tracing agents such as OpenTelemetry wrap a method of the official driver's connections. If an agent has wrapped the
// method of lib/cmap/connection.js, each client calls it for its commands. `lib/agent.js` does so.
import { withExchange } from '@tessera/contracts';
import type { Layer, OpenLog } from '@tessera/contracts';
import { requireBeside } from '@tessera/node';

/** Parts of a client that report its commands to an agent. */
export interface AgentParts {
  readonly layer: Layer;
  /** Returns a log that also reports commands to the agent. */
  readonly log: (open: OpenLog) => OpenLog;
}

/** The module lib/cmap/connection.js. */
interface AgentModule {
  isWrapped(): boolean;
  createParts(add: typeof withExchange): AgentParts;
}

let loaded: AgentModule | 'absent' | undefined;

/** Returns parts for the agent of this process, or undefined without an agent. */
export function agentParts(): AgentParts | undefined {
  loaded ??= (requireBeside(import.meta.url, '../lib/cmap/connection.js') as AgentModule | undefined) ?? 'absent';
  return loaded !== 'absent' && loaded.isWrapped() ? loaded.createParts(withExchange) : undefined;
}
