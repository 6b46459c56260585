import { numberOf, objectIdOf, textOf, wholeOf } from '@tessera/contracts';
import type {
  Address,
  Document,
  Millis,
  MongoError,
  ServerDescription,
  ServerType,
  TagSet,
  TopologyVersion,
} from '@tessera/contracts';

/**
 * Returns the description of a server that has not replied or has failed: type Unknown. Rule: Server Discovery and Monitoring,
 * "ServerDescription".
 * @param known.error why the server is Unknown. Default: undefined, for a server that was not checked yet
 * @param known.lastUpdateTime when the error occurred, on {@link Clock.now}. Default: -Infinity
 * @param known.topologyVersion the version in the error of an operation. Replies with an older version are then ignored.
 */
export const unknownServer = (
  address: Address,
  known: {
    readonly error?: MongoError | undefined;
    readonly lastUpdateTime?: Millis | undefined;
    readonly topologyVersion?: TopologyVersion | undefined;
  } = {},
): ServerDescription => ({
  address,
  type: 'Unknown',
  error: known.error,
  roundTripTime: undefined,
  minRoundTripTime: 0,
  lastUpdateTime: known.lastUpdateTime ?? -Infinity,
  lastWriteDate: undefined,
  minWireVersion: 0,
  maxWireVersion: 0,
  me: undefined,
  hosts: [],
  passives: [],
  arbiters: [],
  tags: {},
  setName: undefined,
  setVersion: undefined,
  electionId: undefined,
  primary: undefined,
  logicalSessionTimeoutMinutes: undefined,
  topologyVersion: known.topologyVersion,
});

/**
 * Returns the description of a load balancer, of which only the address is known. Rule: Load Balancers, "Monitoring".
 */
export const loadBalancer = (address: Address): ServerDescription => ({
  ...unknownServer(address),
  type: 'LoadBalancer',
});

/**
 * The measurements for a server description, in milliseconds. The round-trip time of a `hello` that waits for a change of the
 * server's state is not measured.
 */
export interface Measured {
  /** When the hello reply arrived, on {@link Clock.now}. */
  readonly lastUpdateTime: Millis;
  /** The exponentially weighted moving average of the round-trip times. Undefined before the first measurement. */
  readonly roundTripTime: Millis | undefined;
  /** The minimum of the last ten round-trip times. 0 if there are fewer than two. */
  readonly minRoundTripTime: Millis;
}

/**
 * Returns the description of a server from its reply to hello or legacy hello. Without `ok: 1` in the reply, the type is Unknown and no
 * other field is read. Converts the addresses of `hosts`, `passives`, `arbiters`, `me` and `primary` to lower case, and omits paths of
 * Unix domain sockets. Each of the three lists is cut after 500 entries.
 * Rule: Server Discovery and Monitoring, "Parsing a hello or legacy hello response".
 */
export const serverFromHello = (address: Address, hello: Document, measured: Measured): ServerDescription => {
  const type = typeOf(hello);
  if (type === 'Unknown') return unknownServer(address, { lastUpdateTime: measured.lastUpdateTime });
  return {
    address,
    type,
    error: undefined,
    roundTripTime: measured.roundTripTime,
    minRoundTripTime: measured.minRoundTripTime,
    lastUpdateTime: measured.lastUpdateTime,
    lastWriteDate: dateOf(hello['lastWrite'], 'lastWriteDate'),
    minWireVersion: numberOf(hello['minWireVersion']) ?? 0,
    maxWireVersion: numberOf(hello['maxWireVersion']) ?? 0,
    me: addressOf(hello['me']),
    hosts: addressesOf(hello['hosts']),
    passives: addressesOf(hello['passives']),
    arbiters: addressesOf(hello['arbiters']),
    tags: tagsOf(hello['tags']),
    setName: textOf(hello['setName']),
    setVersion: numberOf(hello['setVersion']),
    electionId: objectIdOf(hello['electionId']),
    primary: addressOf(hello['primary']),
    logicalSessionTimeoutMinutes: numberOf(hello['logicalSessionTimeoutMinutes']),
    topologyVersion: topologyVersionOf(hello),
  };
};

const typeOf = (hello: Document): ServerType => {
  if (hello['ok'] !== true && numberOf(hello['ok']) !== 1) return 'Unknown';
  if (hello['msg'] === 'isdbgrid') return 'Mongos';
  if (hello['isreplicaset'] === true) return 'RSGhost';
  if (textOf(hello['setName']) === undefined) return 'Standalone';
  if (hello['hidden'] === true) return 'RSOther';
  // Prefers the newer field.
  if ((hello['isWritablePrimary'] ?? hello['ismaster']) === true) return 'RSPrimary';
  if (hello['secondary'] === true) return 'RSSecondary';
  if (hello['arbiterOnly'] === true) return 'RSArbiter';
  return 'RSOther';
};

/** Rule: Server Selection, "Available". */
export const isAvailable = (server: ServerDescription): boolean =>
  server.type !== 'Unknown' && server.type !== 'PossiblePrimary';

/** Rule: Server Discovery and Monitoring, "Data-Bearing Server Type". */
export const isDataBearing = ({ type }: ServerDescription): boolean => hasData[type];

const hasData: Readonly<Record<ServerType, boolean>> = {
  Standalone: true,
  Mongos: true,
  RSPrimary: true,
  RSSecondary: true,
  LoadBalancer: true,
  RSArbiter: false,
  RSOther: false,
  RSGhost: false,
  PossiblePrimary: false,
  Unknown: false,
};

/** Compares two descriptions of one address. Rule: Server Discovery and Monitoring, "Server Description Equality". */
export const sameServer = (a: ServerDescription, b: ServerDescription): boolean =>
  a === b ||
  (sameValues.every(name => a[name] === b[name]) &&
    sameError(a.error, b.error) &&
    sameMembers(a.hosts, b.hosts) &&
    sameMembers(a.passives, b.passives) &&
    sameMembers(a.arbiters, b.arbiters) &&
    sameTags(a.tags, b.tags) &&
    a.electionId?.toHexString() === b.electionId?.toHexString() &&
    sameTopologyVersion(a.topologyVersion, b.topologyVersion));

/** The fields of equal descriptions that have identical values. */
const sameValues = [
  'type',
  'minWireVersion',
  'maxWireVersion',
  'me',
  'setName',
  'setVersion',
  'primary',
  'logicalSessionTimeoutMinutes',
] as const;

// Each check throws a new error object. The same failure at every heartbeat counts as no change.
const sameError = (a: MongoError | undefined, b: MongoError | undefined): boolean =>
  a?.kind === b?.kind && a?.message === b?.message;

const sameTopologyVersion = (a: TopologyVersion | undefined, b: TopologyVersion | undefined): boolean =>
  a === b || compareTopologyVersions(a, b) === 0;

/** Returns the topologyVersion of a hello reply or a state change error, or undefined if it has none. */
export const topologyVersionOf = (reply: Document | undefined): TopologyVersion | undefined => {
  const version = reply?.['topologyVersion'] as Document | null | undefined;
  const processId = objectIdOf(version?.['processId']);
  const counter = wholeOf(version?.['counter']);
  return processId === undefined || counter === undefined ? undefined : { processId, counter };
};

/**
 * Returns -1, 0 or 1 if `a` is older than, equal to or newer than `b`. If they cannot be compared, because one is
 * missing or their process ids differ, `a` counts as older. Rule: Server Discovery and Monitoring, "topologyVersion
 * Comparison".
 */
export const compareTopologyVersions = (a: TopologyVersion | undefined, b: TopologyVersion | undefined): -1 | 0 | 1 => {
  if (a === undefined || a.processId.toHexString() !== b?.processId.toHexString()) return -1;
  if (a.counter === b.counter) return 0;
  return a.counter < b.counter ? -1 : 1;
};

const sameMembers = (a: readonly Address[], b: readonly Address[]): boolean =>
  a.length === b.length && a.every(address => b.includes(address));

const sameTags = (a: TagSet, b: TagSet): boolean => {
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every(name => a[name] === b[name]);
};

// A hello reply may contain anything. These functions return a value in the expected form, else undefined.

/**
 * The maximum number of servers in a deployment. A replica set has at most 50 members. The limit protects the client
 * from a faulty reply that names any number of addresses, each of which would be monitored.
 */
export const mostServers = 500;

// Rule: Server Discovery and Monitoring, "Hostnames are normalized to lower-case".
export const addressOf = (value: unknown): Address | undefined => {
  const address = textOf(value)?.toLowerCase();
  // Only the application may name a Unix socket: otherwise a server could make the client connect to any local process.
  return address?.endsWith('.sock') === true ? undefined : address;
};
export const addressesOf = (value: unknown): readonly Address[] =>
  Array.isArray(value) ? value.slice(0, mostServers).flatMap(host => addressOf(host) ?? []) : [];

export const tagsOf = (value: unknown): TagSet =>
  typeof value === 'object' && value !== null ? (value as TagSet) : {};

/** Milliseconds since 1970. */
export const dateOf = (document: unknown, name: string): number | undefined => {
  const date = (document as Document | null | undefined)?.[name] as unknown;
  return date instanceof Date ? date.getTime() : undefined;
};
