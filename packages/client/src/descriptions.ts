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
import type { MongoError } from './errors.js';
import { HostAddress } from './host-address.js';

/** Returns the members of a description that its equality compares, as text. */
const stateOf = (server: ServerDescription): string => {
  const { type, minWireVersion, hosts, tags, setName, setVersion, electionId, primary, topologyVersion } = server;
  const { error, logicalSessionTimeoutMinutes } = server;
  const version = topologyVersion && [topologyVersion.processId.toString(), String(topologyVersion.counter)];
  const sorted = Object.entries(tags).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    ...[type, minWireVersion, hosts, sorted, setName, setVersion, electionId?.toString(), primary, version],
    ...[error?.name, error?.message, logicalSessionTimeoutMinutes],
  ]);
};

const writable: readonly ServerType[] = ['RSPrimary', 'Standalone', 'Mongos', 'LoadBalancer'];

/** The state of one server, from its latest check. */
export class ServerDescription {
  /** The address of the server. */
  readonly address: Address;
  /** The type of the server, such as `RSPrimary`. `Unknown` before the first reply and after an error. */
  readonly type: ServerType;
  /** The members of the replica set that can become primary. */
  readonly hosts: Address[];
  /** The members of the replica set with priority 0, which hold data and cannot become primary. */
  readonly passives: Address[];
  /** The members of the replica set that vote in elections and hold no data. */
  readonly arbiters: Address[];
  /** The tags of the server in the configuration of its replica set. */
  readonly tags: TagSet;
  /** The error of the check or operation that made the server Unknown. */
  readonly error: MongoError | null;
  /** The version of this state. Null for servers before MongoDB 4.4. */
  readonly topologyVersion: TopologyVersion | null;
  /** The oldest version of the wire protocol that the server supports. */
  readonly minWireVersion: number;
  /** The newest version of the wire protocol that the server supports. */
  readonly maxWireVersion: number;
  /** The average round-trip time in milliseconds, or -1 before the first measurement. */
  readonly roundTripTime: number;
  /** The minimum of the last measured round-trip times in milliseconds. */
  readonly minRoundTripTime: number;
  /** When the server was last checked, in milliseconds since an arbitrary start. Use it only for differences. */
  readonly lastUpdateTime: number;
  /** The time of the last write in milliseconds since 1970, or 0. */
  readonly lastWriteDate: number;
  /** The server's address in the configuration of its replica set. */
  readonly me: string | null;
  /** The address of the primary, according to this member. Null if it sees none. */
  readonly primary: string | null;
  /** The name of the replica set. Null for a server that belongs to none. */
  readonly setName: string | null;
  /** The version of the replica set's configuration, according to this member. */
  readonly setVersion: number | null;
  /** The id of the election that made this server primary. Null unless it is a primary. */
  readonly electionId: ObjectId | null;
  /** The time in minutes after which the server ends an unused session. Null without session support. */
  readonly logicalSessionTimeoutMinutes: number | null;

  /** Creates a description. Applications read those of events. @param error the public error of the server */
  constructor(plain: PlainServer, error: MongoError | null = null) {
    this.address = plain.address;
    this.type = plain.type;
    this.hosts = [...plain.hosts];
    this.passives = [...plain.passives];
    this.arbiters = [...plain.arbiters];
    this.tags = plain.tags;
    this.error = error;
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

  /** The address with its parts. */
  get hostAddress(): HostAddress {
    return new HostAddress(this.address);
  }
  /** The addresses of all members that the server lists. */
  get allHosts(): string[] {
    return [...this.hosts, ...this.arbiters, ...this.passives];
  }
  /** The host name or IP address; the path of a Unix socket. */
  get host(): string {
    return this.hostAddress.toHostPort().host;
  }
  /** The port. */
  get port(): number {
    return this.hostAddress.toHostPort().port;
  }
  /** Whether the server accepts writes. */
  get isWritable(): boolean {
    return writable.includes(this.type);
  }
  /** Whether the server accepts reads. */
  get isReadable(): boolean {
    return this.type === 'RSSecondary' || this.isWritable;
  }
  /** False: the driver does not use mongocryptd. */
  get iscryptd(): boolean {
    return false;
  }

  /** Returns whether the servers are in the same state. Rule: Server Discovery and Monitoring, "Server Description Equality". */
  equals(other?: ServerDescription | null): boolean {
    return other !== undefined && other !== null && stateOf(this) === stateOf(other);
  }

  /** Whether the server holds data: a primary, a secondary, a mongos or a standalone. */
  get isDataBearing(): boolean {
    return this.isReadable;
  }
}

/** The state of a deployment. */
export class TopologyDescription {
  /** The type of the deployment, such as `ReplicaSetWithPrimary`. */
  readonly type: TopologyType;
  /** The servers by their addresses. */
  readonly servers: Map<string, ServerDescription>;
  /** False. For compatibility. */
  readonly stale: boolean;
  /** Whether the driver supports the wire versions of all servers. */
  readonly compatible: boolean;
  /** The reason why the driver does not support a server. Absent if it supports all. */
  declare readonly compatibilityError?: string;
  /** The name of the replica set. Null for other deployments, and until a member replies. */
  readonly setName: string | null;
  /** The greatest version of the replica set's configuration so far. */
  readonly maxSetVersion: number | null;
  /** The greatest election id of any primary so far. */
  readonly maxElectionId: ObjectId | null;
  /** The minimum over all servers that hold data. Null if one does not support sessions. */
  readonly logicalSessionTimeoutMinutes: number | null;
  /** The time in milliseconds between two checks of a server. */
  readonly heartbeatFrequencyMS: number;
  /** The latency window in milliseconds: how much the round-trip time of a selected server may exceed the shortest one. */
  readonly localThresholdMS: number;
  /** The newest version of the wire protocol that all servers support. */
  readonly commonWireVersion: number;

  /** Creates a description. Applications read those of events. */
  constructor(plain: PlainTopology, servers: ReadonlyMap<string, ServerDescription>, times: MonitoringTimes = {}) {
    this.type = plain.type;
    this.servers = new Map(servers);
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
  get error(): MongoError | null {
    return [...this.servers.values()].find(({ error }) => error !== null)?.error ?? null;
  }
  /** Whether a server has replied. */
  get hasKnownServers(): boolean {
    return [...this.servers.values()].some(({ type }) => type !== 'Unknown');
  }
  /** Whether a server holds data. */
  get hasDataBearingServers(): boolean {
    return [...this.servers.values()].some(({ isDataBearing }) => isDataBearing);
  }

  /** Returns whether the deployment contains the server of that address. */
  hasServer(address: string): boolean {
    return this.servers.has(address);
  }

  /** Returns the description as a plain object. */
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
  /** The time in milliseconds between two checks of a server. */
  readonly heartbeatFrequencyMS?: number | undefined;
  /** The latency window in milliseconds: how much the round-trip time of a selected server may exceed the shortest one. */
  readonly localThresholdMS?: number | undefined;
}
