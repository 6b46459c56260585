import { MongoError } from '@tessera/contracts';
import type { ObjectId, ServerDescription } from '@tessera/contracts';
import type { TopologyBuilder } from './topology-builder.js';
import { mostKnown, unknownServer } from './server-description.js';

/** Since MongoDB 6.0 the election id goes before the set's version. */
const electionIdFirst = 17;

/**
 * Updates the topology with a new description of a server that it has.
 * Rule: Server Discovery and Monitoring, "Updating the TopologyDescription", "TopologyType table".
 */
export const update = (builder: TopologyBuilder, server: ServerDescription): void => {
  if (server.type === 'RSPrimary' && isReplicaSetOrUnknown(builder)) return updateFromPrimary(builder, server);
  builder.replace(builder.type === 'Single' ? ofTheRightSet(builder, server) : server);
  switch (builder.type) {
    case 'Single':
    case 'LoadBalanced':
      return;
    case 'Unknown':
      return updateUnknown(builder, server);
    case 'Sharded':
      if (server.type !== 'Mongos' && server.type !== 'Unknown') builder.remove(server.address);
      return;
    case 'ReplicaSetNoPrimary':
      return updateWithoutPrimary(builder, server);
    case 'ReplicaSetWithPrimary':
      updateWithPrimary(builder, server);
      return;
  }
};

const isReplicaSetOrUnknown = (builder: TopologyBuilder): boolean =>
  builder.type === 'Unknown' || builder.type === 'ReplicaSetNoPrimary' || builder.type === 'ReplicaSetWithPrimary';

/** Rule: "Verifying setName with TopologyType Single". */
const ofTheRightSet = (builder: TopologyBuilder, server: ServerDescription): ServerDescription => {
  if (builder.setName === undefined || server.type === 'Unknown' || server.setName === builder.setName) return server;
  const error = new MongoError(
    'usage',
    `The server at ${server.address} belongs to ${server.setName === undefined ? 'no replica set' : `the replica set ${server.setName}`}, not to ${builder.setName}; correct the option replicaSet or the address.`,
  );
  return unknownServer(server.address, { error, lastUpdateTime: server.lastUpdateTime });
};

const updateUnknown = (builder: TopologyBuilder, server: ServerDescription): void => {
  switch (server.type) {
    case 'Standalone':
      // One of several seeds that is no member must not keep the client from the set.
      if (builder.settings.seeds.length === 1) builder.type = 'Single';
      else builder.remove(server.address);
      return;
    case 'Mongos':
      builder.type = 'Sharded';
      return;
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      builder.type = 'ReplicaSetNoPrimary';
      return updateFromMember(builder, server);
    default:
      return;
  }
};

const updateWithoutPrimary = (builder: TopologyBuilder, server: ServerDescription): void => {
  switch (server.type) {
    case 'Standalone':
    case 'Mongos':
      return builder.remove(server.address);
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      return updateFromMember(builder, server);
    default:
      return;
  }
};

const updateWithPrimary = (builder: TopologyBuilder, server: ServerDescription): void => {
  switch (server.type) {
    case 'Standalone':
    case 'Mongos':
      builder.remove(server.address);
      break;
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      // Rule: "updateRSWithPrimaryFromMember".
      if (builder.setName !== server.setName || isKnownOtherwise(server)) builder.remove(server.address);
      break;
    default:
      break;
  }
  builder.checkIfHasPrimary();
};

/** Rule: "updateRSWithoutPrimary". */
const updateFromMember = (builder: TopologyBuilder, server: ServerDescription): void => {
  builder.setName ??= server.setName;
  if (builder.setName !== server.setName) return builder.remove(server.address);
  addMembers(builder, server);
  if (isKnownOtherwise(server)) builder.remove(server.address);
};

/** The set knows it under another address; `me` is told by members only. */
const isKnownOtherwise = (server: ServerDescription): boolean =>
  server.me !== undefined && server.me !== server.address;

const membersOf = (server: ServerDescription): ReadonlySet<string> =>
  new Set([...server.hosts, ...server.passives, ...server.arbiters].slice(0, mostKnown));

/** A member adds names without end only if something is wrong with it; what is removed is up to a primary. */
const addMembers = (builder: TopologyBuilder, server: ServerDescription): void => {
  for (const address of membersOf(server)) if (builder.servers.size < mostKnown) builder.add(address);
};

/** Rule: "updateRSFromPrimary". */
const updateFromPrimary = (builder: TopologyBuilder, server: ServerDescription): void => {
  builder.setName ??= server.setName;
  if (builder.setName !== server.setName) {
    builder.replace(server);
    builder.remove(server.address);
    return builder.checkIfHasPrimary();
  }
  if (isStalePrimary(builder, server)) {
    builder.replace(stalePrimary(server, 'electionId/setVersion mismatch'));
    return builder.checkIfHasPrimary();
  }
  advance(builder, server);
  builder.replace(server);
  invalidateOthers(builder, server);
  const members = membersOf(server);
  for (const address of members) builder.add(address);
  for (const address of [...builder.servers.keys()]) if (!members.has(address)) builder.remove(address);
  builder.checkIfHasPrimary();
};

/** There was none or one other; it is asked again at once. Its pool stays: the members close what must be closed. */
const invalidateOthers = (builder: TopologyBuilder, primary: ServerDescription): void => {
  for (const other of builder.servers.values()) {
    if (other.type !== 'RSPrimary' || other.address === primary.address) continue;
    builder.replace(stalePrimary(other, 'discovery of newer primary'));
    builder.checkNow(other.address);
  }
};

const stalePrimary = (server: ServerDescription, why: string): ServerDescription => {
  const error = new MongoError('selection', `${server.address}: primary marked stale due to ${why}`);
  return unknownServer(server.address, { error, lastUpdateTime: server.lastUpdateTime });
};

/** Rule: "Using electionId and setVersion to detect stale primaries". */
const isStalePrimary = (builder: TopologyBuilder, server: ServerDescription): boolean => {
  const byElection = compareElectionIds(server.electionId, builder.maxElectionId);
  const bySet = compareSetVersions(server.setVersion, builder.maxSetVersion);
  if (server.maxWireVersion >= electionIdFirst) return byElection < 0 || (byElection === 0 && bySet < 0);
  const comparable =
    server.setVersion !== undefined &&
    server.electionId !== undefined &&
    builder.maxSetVersion !== undefined &&
    builder.maxElectionId !== undefined;
  return comparable && (bySet < 0 || (bySet === 0 && byElection < 0));
};

const advance = (builder: TopologyBuilder, server: ServerDescription): void => {
  if (server.maxWireVersion >= electionIdFirst) {
    builder.maxElectionId = server.electionId;
    builder.maxSetVersion = server.setVersion;
    return;
  }
  if (server.setVersion === undefined) return;
  if (server.electionId !== undefined) builder.maxElectionId = server.electionId;
  if (compareSetVersions(server.setVersion, builder.maxSetVersion) > 0) builder.maxSetVersion = server.setVersion;
};

// Missing is least, for both.
const compareElectionIds = (a: ObjectId | undefined, b: ObjectId | undefined): number => {
  const [x, y] = [a?.toHexString() ?? '', b?.toHexString() ?? ''];
  return x === y ? 0 : x < y ? -1 : 1;
};
const compareSetVersions = (a: number | undefined, b: number | undefined): number => (a ?? -1) - (b ?? -1);
