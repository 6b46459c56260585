/**
 * The descriptions of a deployment and its servers, with the members of the official driver's classes. The driver itself
 * uses plain values; these objects are created when a program reads them.
 */
import type {
  Address,
  ObjectId,
  ServerDescription as PlainServer,
  ServerType,
  TagSet,
  TopologyDescription as PlainTopology,
  TopologyType,
  TopologyVersion,
} from '@tessera/contracts';
import { convertError } from './convert-error.js';
import { HostAddress } from './host-address.js';

const writable: readonly ServerType[] = ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'];

/** The state of one server, from its latest check. */
export class ServerDescription {
  readonly address: Address;
  readonly type: ServerType;
  readonly hosts: Address[];
  readonly passives: Address[];
  readonly arbiters: Address[];
  readonly tags: TagSet;
  /** The error of the check or operation that made the server Unknown. */
  readonly error: Error | null;
  readonly topologyVersion: TopologyVersion | null;
  readonly minWireVersion: number;
  readonly maxWireVersion: number;
  /** The average round-trip time in milliseconds, or -1 before the first measurement. */
  readonly roundTripTime: number;
  readonly minRoundTripTime: number;
  /** When the server was last checked, in milliseconds on a clock whose zero point has no meaning. */
  readonly lastUpdateTime: number;
  /** The time of the last write in milliseconds since 1970, or 0. */
  readonly lastWriteDate: number;
  readonly me: string | null;
  readonly primary: string | null;
  readonly setName: string | null;
  readonly setVersion: number | null;
  readonly electionId: ObjectId | null;
  readonly logicalSessionTimeoutMinutes: number | null;

  constructor(plain: PlainServer) {
    this.address = plain.address;
    this.type = plain.type;
    this.hosts = [...plain.hosts];
    this.passives = [...plain.passives];
    this.arbiters = [...plain.arbiters];
    this.tags = plain.tags;
    this.error = plain.error === undefined ? null : (convertError(plain.error) as Error);
    this.topologyVersion = plain.topologyVersion ?? null;
    this.minWireVersion = plain.minWireVersion;
    this.maxWireVersion = plain.maxWireVersion;
    this.roundTripTime = plain.roundTripTime ?? -1;
    this.minRoundTripTime = plain.minRoundTripTime;
    this.lastUpdateTime = plain.lastUpdateTime;
    this.lastWriteDate = plain.lastWriteDate ?? 0;
    this.me = plain.me ?? null;
    this.primary = plain.primary ?? null;
    this.setName = plain.setName ?? null;
    this.setVersion = plain.setVersion ?? null;
    this.electionId = plain.electionId ?? null;
    this.logicalSessionTimeoutMinutes = plain.logicalSessionTimeoutMinutes ?? null;
  }

  get hostAddress(): HostAddress {
    return new HostAddress(this.address);
  }
  get allHosts(): string[] {
    return [...this.hosts, ...this.arbiters, ...this.passives];
  }
  /** The host name or IP address; the path of a Unix socket. */
  get host(): string {
    return this.hostAddress.toHostPort().host;
  }
  get port(): number {
    return this.hostAddress.toHostPort().port;
  }
  get isWritable(): boolean {
    return writable.includes(this.type);
  }
  get isReadable(): boolean {
    return this.type === 'RSSecondary' || this.isWritable;
  }
  get isDataBearing(): boolean {
    return this.isReadable;
  }
}

/** The state of a deployment. */
export class TopologyDescription {
  readonly type: TopologyType;
  readonly servers: Map<string, ServerDescription>;
  readonly stale: boolean;
  /** Whether the driver supports the wire versions of all servers. */
  readonly compatible: boolean;
  declare readonly compatibilityError?: string;
  readonly setName: string | null;
  readonly maxSetVersion: number | null;
  readonly maxElectionId: ObjectId | null;
  readonly logicalSessionTimeoutMinutes: number | null;
  readonly heartbeatFrequencyMS: number;
  readonly localThresholdMS: number;
  readonly commonWireVersion: number;

  constructor(plain: PlainTopology, times: MonitoringTimes = {}) {
    this.type = plain.type;
    this.servers = new Map([...plain.servers].map(([address, server]) => [address, describeServer(server)]));
    this.stale = false;
    this.compatible = plain.compatibilityError === undefined;
    if (plain.compatibilityError !== undefined) this.compatibilityError = plain.compatibilityError;
    this.setName = plain.setName ?? null;
    this.maxSetVersion = plain.maxSetVersion ?? null;
    this.maxElectionId = plain.maxElectionId ?? null;
    this.logicalSessionTimeoutMinutes = plain.logicalSessionTimeoutMinutes ?? null;
    this.heartbeatFrequencyMS = times.heartbeatFrequencyMS ?? 0;
    this.localThresholdMS = times.localThresholdMS ?? 15;
    const known = [...plain.servers.values()].filter(({ type }) => type !== 'Unknown');
    this.commonWireVersion = known.length === 0 ? 0 : Math.min(...known.map(({ maxWireVersion }) => maxWireVersion));
  }

  /** The error of the first server that has one. */
  get error(): Error | null {
    return [...this.servers.values()].find(({ error }) => error !== null)?.error ?? null;
  }
  get hasKnownServers(): boolean {
    return [...this.servers.values()].some(({ type }) => type !== 'Unknown');
  }
  get hasDataBearingServers(): boolean {
    return [...this.servers.values()].some(({ isDataBearing }) => isDataBearing);
  }

  hasServer(address: string): boolean {
    return this.servers.has(address);
  }

  toJSON(): object {
    const { type, servers, stale, compatible, setName, maxSetVersion, maxElectionId } = this;
    const { heartbeatFrequencyMS, localThresholdMS, logicalSessionTimeoutMinutes } = this;
    return {
      ...{ type, servers, stale, compatible, heartbeatFrequencyMS, localThresholdMS, setName, maxElectionId },
      ...{ maxSetVersion, commonWireVersion: 0, logicalSessionTimeoutMinutes },
    };
  }
}

/** The options of a client that its descriptions contain. */
export interface MonitoringTimes {
  readonly heartbeatFrequencyMS?: number | undefined;
  readonly localThresholdMS?: number | undefined;
}

/** The descriptions that were created. A description is immutable, so each is created once. */
const servers = new WeakMap<PlainServer, ServerDescription>();
const topologies = new WeakMap<PlainTopology, TopologyDescription>();

/** Returns the description as an instance of its class. */
export const describeServer = (plain: PlainServer): ServerDescription => {
  const known = servers.get(plain);
  if (known !== undefined) return known;
  const made = new ServerDescription(plain);
  servers.set(plain, made);
  return made;
};

/** Returns the description as an instance of its class. */
export const describeTopology = (plain: PlainTopology, times?: MonitoringTimes): TopologyDescription => {
  const known = topologies.get(plain);
  if (known !== undefined) return known;
  const made = new TopologyDescription(plain, times);
  topologies.set(plain, made);
  return made;
};
