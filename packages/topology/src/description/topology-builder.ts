import type {
  Address,
  DriverEvent,
  ObjectId,
  ServerDescription,
  TopologyDescription,
  TopologyType,
} from '@tessera/contracts';
import type { Reduction, TopologyEffect, TopologySettings } from './reduction.js';
import { sameServer, unknownServer } from './server-description.js';
import { derived, sameTopology } from './topology-description.js';

/** Builds the next description of a topology, and collects the effects and events of each change. */
export class TopologyBuilder {
  type: TopologyType;
  setName: string | undefined;
  maxElectionId: ObjectId | undefined;
  maxSetVersion: number | undefined;
  readonly servers: Map<Address, ServerDescription>;
  readonly settings: TopologySettings;
  readonly #before: TopologyDescription;
  readonly #effects: TopologyEffect[] = [];

  constructor(before: TopologyDescription, settings: TopologySettings) {
    this.type = before.type;
    this.setName = before.setName;
    this.maxElectionId = before.maxElectionId;
    this.maxSetVersion = before.maxSetVersion;
    this.servers = new Map(before.servers);
    this.settings = settings;
    this.#before = before;
  }

  /** Replaces a server's description. Emits no event if the two are equal. Rule: SDAM Monitoring, "Events API". */
  replace(server: ServerDescription): void {
    const previousDescription = this.servers.get(server.address) ?? unknownServer(server.address);
    this.servers.set(server.address, server);
    if (sameServer(previousDescription, server)) return;
    const { address } = server;
    const { topologyId } = this.settings;
    this.#emit({ name: 'serverDescriptionChanged', topologyId, address, previousDescription, newDescription: server });
  }

  add(address: Address): void {
    if (this.servers.has(address)) return;
    this.servers.set(address, unknownServer(address));
    this.#emit({ name: 'serverOpening', topologyId: this.settings.topologyId, address });
    this.#effects.push({ type: 'openServer', address });
  }

  remove(address: Address): void {
    if (!this.servers.delete(address)) return;
    this.#effects.push({ type: 'closeServer', address });
    this.#emit({ name: 'serverClosed', topologyId: this.settings.topologyId, address });
  }

  checkNow(address: Address): void {
    this.#effects.push({ type: 'checkNow', address, rest: 'minimum' });
  }

  primary(): ServerDescription | undefined {
    for (const server of this.servers.values()) if (server.type === 'RSPrimary') return server;
    return undefined;
  }

  /** Rule: Server Discovery and Monitoring, "checkIfHasPrimary". */
  checkIfHasPrimary(): void {
    this.type = this.primary() === undefined ? 'ReplicaSetNoPrimary' : 'ReplicaSetWithPrimary';
  }

  finish(): Reduction {
    const description: TopologyDescription = {
      type: this.type,
      setName: this.setName,
      maxElectionId: this.maxElectionId,
      maxSetVersion: this.maxSetVersion,
      servers: this.servers,
      ...derived(this.servers),
    };
    const previousDescription = this.#before;
    if (!sameTopology(previousDescription, description)) {
      const { topologyId } = this.settings;
      this.#emit({ name: 'topologyDescriptionChanged', topologyId, previousDescription, newDescription: description });
    }
    return { description, effects: this.#effects };
  }

  #emit(event: DriverEvent): void {
    this.#effects.push({ type: 'event', event });
  }
}
