import type { Deployment } from '@tessera/contracts';
import { describeTopology } from './convert-error.js';
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

  /** Use the property `topology` of a client instead. */
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
  /** Whether the client connects to a load balancer. */
  get loadBalanced(): boolean {
    return this.description.type === 'LoadBalanced';
  }
  /** The time in minutes after which servers forget an unused session. */
  get logicalSessionTimeoutMinutes(): number | null {
    return this.description.logicalSessionTimeoutMinutes;
  }
  /** The newest version of the wire protocol that all servers support. */
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
