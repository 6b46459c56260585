import type { Deployment } from '@tessera/contracts';
import { describeTopology } from './descriptions.js';
import type { MonitoringTimes, TopologyDescription } from './descriptions.js';

/**
 * The deployment of a connected client, for libraries that read the internal property `topology` of the official
 * driver's client.
 */
export class Topology {
  readonly #deployment: Deployment;
  readonly #times: MonitoringTimes;
  /** The part of the official driver's internal state that libraries read. */
  readonly s: { readonly description: TopologyDescription; readonly options: unknown };

  constructor(deployment: Deployment, options: MonitoringTimes) {
    this.#deployment = deployment;
    this.#times = options;
    const describe = (): TopologyDescription => this.description;
    this.s = {
      get description(): TopologyDescription {
        return describe();
      },
      options,
    };
  }

  /** The current description of the deployment. */
  get description(): TopologyDescription {
    return describeTopology(this.#deployment.description, this.#times);
  }
  get loadBalanced(): boolean {
    return this.description.type === 'LoadBalanced';
  }
  get logicalSessionTimeoutMinutes(): number | null {
    return this.description.logicalSessionTimeoutMinutes;
  }
  get commonWireVersion(): number {
    return this.description.commonWireVersion;
  }

  /** Returns whether a server was found. */
  isConnected(): boolean {
    return this.description.hasKnownServers;
  }

  /** Returns false: a closed client has no topology. */
  isDestroyed(): boolean {
    return false;
  }
}
