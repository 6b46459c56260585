import { secondariesWriteSince } from '@tessera/contracts';
import type {
  Address,
  Millis,
  Random,
  Selection,
  Server,
  ServerDescription,
  TagSet,
  TopologyDescription,
} from '@tessera/contracts';
import { isAvailable } from '../description/server-description.js';

/** The interval at which an idle primary writes. Rule: Max Staleness, "idleWritePeriodMS". */
const idleWritePeriod: Millis = 10_000;
/** Rule: Server Selection, "smallestMaxStalenessSeconds". */
const smallestMaxStalenessSeconds = 90;

/**
 * Returns undefined if a read preference is valid; otherwise the reason why it is invalid, as a clause for an error message. Checks
 * the minimum of maxStalenessSeconds only for replica sets: in a sharded cluster, mongos checks it.
 * Rule: Server Selection, "maxStalenessSeconds" and "tag_sets".
 * @param heartbeatFrequency heartbeatFrequencyMS. The minimum of maxStalenessSeconds depends on it.
 */
export const invalidity = (
  selection: Selection,
  topology: TopologyDescription,
  heartbeatFrequency: Millis,
): string | undefined => {
  const { mode, tags, maxStalenessSeconds } = selection;
  const limited = maxStalenessSeconds !== undefined && maxStalenessSeconds !== -1;
  if (mode === 'primary') {
    if (limited && maxStalenessSeconds > 0)
      return `the read preference "primary" does not allow "maxStalenessSeconds" (${maxStalenessSeconds}). Use another mode, or remove the option`;
    if (tags?.some(set => Object.keys(set).length > 0) === true)
      return 'the read preference "primary" does not allow tags. Use another mode, or remove the tags';
    return undefined;
  }
  if (!limited || !topology.type.startsWith('ReplicaSet')) return undefined;
  const least = Math.max(smallestMaxStalenessSeconds, (heartbeatFrequency + idleWritePeriod) / 1000);
  return maxStalenessSeconds >= least
    ? undefined
    : `"maxStalenessSeconds" is ${maxStalenessSeconds}, but must be at least ${least}: the greater of 90 and "heartbeatFrequencyMS" plus 10 seconds`;
};

/**
 * Returns the suitable servers, before the latency window is applied. Servers in `avoid` are included only if no other
 * server is suitable. The read preference matters only in a replica set: elsewhere every mongos, or the single server that is not
 * Unknown, is suitable. It is not validated; call {@link invalidity} first.
 * Rule: Server Selection, "Server Selection Algorithm", step 3.
 * @param avoid the servers on which earlier attempts of the operation failed
 * @param heartbeatFrequency heartbeatFrequencyMS, which is part of the estimated staleness
 */
export const suitableServers = (
  topology: TopologyDescription,
  selection: Selection,
  avoid: readonly Address[],
  heartbeatFrequency: Millis,
): readonly ServerDescription[] => {
  const all = [...topology.servers.values()];
  if (avoid.length > 0) {
    const others = all.filter(server => !avoid.includes(server.address));
    const found = suitableAmong(others, topology, selection, heartbeatFrequency);
    if (found.length > 0) return found;
  }
  return suitableAmong(all, topology, selection, heartbeatFrequency);
};

const suitableAmong = (
  servers: readonly ServerDescription[],
  topology: TopologyDescription,
  selection: Selection,
  heartbeatFrequency: Millis,
): readonly ServerDescription[] => {
  switch (topology.type) {
    case 'Unknown':
      return [];
    case 'Single':
    case 'LoadBalanced':
      return servers.filter(isAvailable);
    case 'Sharded':
      return servers.filter(server => server.type === 'Mongos');
    case 'ReplicaSetNoPrimary':
    case 'ReplicaSetWithPrimary':
      return suitableMembers(servers, topology, selection, heartbeatFrequency);
  }
};

const suitableMembers = (
  servers: readonly ServerDescription[],
  topology: TopologyDescription,
  selection: Selection,
  heartbeatFrequency: Millis,
): readonly ServerDescription[] => {
  const primary = servers.filter(server => server.type === 'RSPrimary');
  if (selection.mode === 'primary' || (selection.writes === true && !secondariesWrite(topology))) return primary;
  if (selection.mode === 'primaryPreferred' && primary.length > 0) return primary;
  const secondaries = servers.filter(server => server.type === 'RSSecondary');
  const candidates = selection.mode === 'nearest' ? [...primary, ...secondaries] : secondaries;
  const fresh = freshEnough(candidates, topology, selection.maxStalenessSeconds, heartbeatFrequency);
  const eligible = tagged(fresh, selection.tags);
  return selection.mode === 'secondaryPreferred' && eligible.length === 0 ? primary : eligible;
};

const secondariesWrite = ({ servers }: TopologyDescription): boolean =>
  [...servers.values()].every(server => !isAvailable(server) || server.maxWireVersion >= secondariesWriteSince);

/** Rule: Server Selection, "maxStalenessSeconds". */
const freshEnough = (
  candidates: readonly ServerDescription[],
  topology: TopologyDescription,
  maxStalenessSeconds: number | undefined,
  heartbeatFrequency: Millis,
): readonly ServerDescription[] => {
  if (maxStalenessSeconds === undefined || maxStalenessSeconds <= 0) return candidates;
  return candidates.filter(server => stalenessOf(server, topology, heartbeatFrequency) <= maxStalenessSeconds * 1000);
};

/**
 * Returns the estimated staleness of a secondary in milliseconds, and 0 for other servers. Rule: Max Staleness,
 * "Estimating staleness".
 */
export const stalenessOf = (
  server: ServerDescription,
  topology: TopologyDescription,
  heartbeatFrequency: Millis,
): Millis => {
  if (server.type !== 'RSSecondary') return 0;
  const known = [...topology.servers.values()];
  const primary = known.find(({ type }) => type === 'RSPrimary');
  if (primary !== undefined) {
    const lag = server.lastUpdateTime - written(server) - (primary.lastUpdateTime - written(primary));
    return lag + heartbeatFrequency;
  }
  const newest = Math.max(...known.filter(({ type }) => type === 'RSSecondary').map(written));
  return newest - written(server) + heartbeatFrequency;
};

const written = (server: ServerDescription): Millis => server.lastWriteDate ?? 0;

/** Returns the servers that match the first tag set that any server matches. Rule: Server Selection, "tag_sets". */
const tagged = (
  candidates: readonly ServerDescription[],
  tagSets: readonly TagSet[] | undefined,
): readonly ServerDescription[] => {
  if (tagSets === undefined || tagSets.length === 0) return candidates;
  for (const set of tagSets) {
    const wanted = Object.entries(set);
    const matching = candidates.filter(server => wanted.every(([name, value]) => server.tags[name] === value));
    if (matching.length > 0) return matching;
  }
  return [];
};

/**
 * Returns the servers in the latency window: their average round-trip time exceeds the lowest one by at most
 * `localThreshold`, the option localThresholdMS in milliseconds. Servers without a measured round-trip time are included. Rule: Server Selection, "Filtering suitable servers based on the latency window".
 */
export const inLatencyWindow = (
  servers: readonly ServerDescription[],
  localThreshold: Millis,
): readonly ServerDescription[] => {
  // Servers without a measured round-trip time are included.
  const furthest = Math.min(...servers.flatMap(({ roundTripTime }) => roundTripTime ?? [])) + localThreshold;
  return servers.filter(({ roundTripTime }) => roundTripTime === undefined || roundTripTime <= furthest);
};

/**
 * Picks two random servers and returns the server whose pool has the smaller `load`. Returns undefined for an empty list.
 * Rule: Server Selection, "Server Selection Algorithm", steps 6 and 7.
 */
export const choose = (servers: readonly Server[], random: Random): Server | undefined => {
  const count = servers.length;
  if (count < 2) return servers[0];
  const first = Math.floor(random.unit() * count);
  const other = Math.floor(random.unit() * (count - 1));
  const a = servers[first]!;
  const b = servers[other < first ? other : other + 1]!;
  return a.pool.load <= b.pool.load ? a : b;
};

/**
 * Returns whether a server is suitable for the read preference, which is not validated. Like {@link hasWritableServer}, ignores the
 * option serverSelector and `compatibilityError` of the description. Rule: SDAM Logging and Monitoring, "Determining If A
 * Topology Has Readable/Writable Servers".
 */
export const hasReadableServer = (
  topology: TopologyDescription,
  selection: Selection,
  heartbeatFrequency: Millis,
): boolean => suitableServers(topology, selection, [], heartbeatFrequency).length > 0;

/**
 * Returns whether a server is suitable for the mode `primary`. In a topology of type Single this is the server in any state but Unknown,
 * also a secondary. Rule: SDAM Logging and Monitoring, "Determining If A Topology Has
 * Readable/Writable Servers".
 */
export const hasWritableServer = (topology: TopologyDescription): boolean =>
  suitableServers(topology, { mode: 'primary' }, [], Infinity).length > 0;
