import type { Address, ServerDescription, TopologyDescription, TopologyType } from '@tessera/contracts';
import { isDataBearing, sameServer, unknownServer } from './server-description.js';

/** The oldest wire version that the driver supports: MongoDB 4.2. */
export const minWireVersion = 8;
/** The newest wire version that the driver supports. Newer servers also support it. */
export const maxWireVersion = 29;

/** The description before a deployment is opened and after it is closed: type Unknown, no servers. */
export const emptyTopology: TopologyDescription = {
  type: 'Unknown',
  setName: undefined,
  maxElectionId: undefined,
  maxSetVersion: undefined,
  servers: new Map(),
  compatibilityError: undefined,
  logicalSessionTimeoutMinutes: undefined,
};

/** Rule: Server Discovery and Monitoring, "Initial TopologyDescription". */
export const initialTopology = (
  type: TopologyType,
  setName: string | undefined,
  seeds: readonly Address[],
): TopologyDescription => ({
  ...emptyTopology,
  type,
  setName,
  servers: new Map(seeds.map(address => [address, unknownServer(address)])),
});

/** Returns the fields that follow from the servers. Rule: "Checking wire protocol compatibility", "Logical Session Timeout". */
export const derived = (
  servers: ReadonlyMap<Address, ServerDescription>,
): Pick<TopologyDescription, 'compatibilityError' | 'logicalSessionTimeoutMinutes'> => ({
  compatibilityError: compatibilityErrorOf(servers),
  logicalSessionTimeoutMinutes: sessionTimeoutOf(servers),
});

const compatibilityErrorOf = (servers: ReadonlyMap<Address, ServerDescription>): string | undefined => {
  for (const server of servers.values()) {
    // The wire version of a load balancer is unknown: its topology is always compatible.
    if (server.type === 'Unknown' || server.type === 'LoadBalancer') continue;
    if (server.minWireVersion > maxWireVersion)
      return `Server at ${server.address} requires wire version ${server.minWireVersion}, but this version of Tessera only supports up to ${maxWireVersion}; upgrade the driver.`;
    if (server.maxWireVersion < minWireVersion)
      return `Server at ${server.address} reports wire version ${server.maxWireVersion}, but this version of Tessera requires at least ${minWireVersion} (MongoDB 4.2); upgrade the server.`;
  }
  return undefined;
};

const sessionTimeoutOf = (servers: ReadonlyMap<Address, ServerDescription>): number | undefined => {
  let least: number | undefined;
  for (const server of servers.values()) {
    if (!isDataBearing(server)) continue;
    const minutes = server.logicalSessionTimeoutMinutes;
    if (minutes === undefined) return undefined;
    if (least === undefined || minutes < least) least = minutes;
  }
  return least;
};

/** Returns whether two descriptions are equal. If so, no event is emitted. */
export const sameTopology = (a: TopologyDescription, b: TopologyDescription): boolean =>
  a === b ||
  (sameValues.every(name => a[name] === b[name]) &&
    a.maxElectionId?.toHexString() === b.maxElectionId?.toHexString() &&
    a.servers.size === b.servers.size &&
    [...a.servers.values()].every(server => {
      const other = b.servers.get(server.address);
      return other !== undefined && sameServer(server, other);
    }));

/** The fields of equal descriptions that have identical values. */
const sameValues = ['type', 'setName', 'maxSetVersion', 'compatibilityError', 'logicalSessionTimeoutMinutes'] as const;

/** Returns whether SRV records are polled for this topology type. Rule: Polling SRV Records for mongos Discovery. */
export const isRescanned = (type: TopologyType): boolean => type === 'Unknown' || type === 'Sharded';
