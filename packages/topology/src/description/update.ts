import { MongoError } from '@tessera/contracts';
import type { ObjectId, ServerDescription } from '@tessera/contracts';
import type { TopologyBuilder } from './topology-builder.js';
import { mostServers, unknownServer } from './server-description.js';

/** The wire version of MongoDB 6.0. From this version on, election ids are compared before set versions. */
const electionIdFirstSince = 17;

/**
 * Updates the topology with a new description of one of its servers.
 * Rule: Server Discovery and Monitoring, "Updating the TopologyDescription", "TopologyType table".
 */
export const update = (builder: TopologyBuilder, server: ServerDescription): void => {
  if (server.type === 'RSPrimary' && isReplicaSetOrUnknown(builder)) return updateFromPrimary(builder, server);
  builder.replace(builder.type === 'Single' ? checkSetName(builder, server) : server);
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
const checkSetName = (builder: TopologyBuilder, server: ServerDescription): ServerDescription => {
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
      // With several seeds, a standalone is removed, so that the client can still find the replica set.
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
      if (builder.setName !== server.setName || hasOtherAddress(server)) builder.remove(server.address);
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
  if (hasOtherAddress(server)) builder.remove(server.address);
};

/** Returns whether the replica set lists the server under another address. Only members send `me`. */
const hasOtherAddress = (server: ServerDescription): boolean => server.me !== undefined && server.me !== server.address;

const membersOf = (server: ServerDescription): ReadonlySet<string> =>
  new Set([...server.hosts, ...server.passives, ...server.arbiters].slice(0, mostServers));

/** Adds the hosts that a member lists, up to the maximum number of servers. Only a primary removes servers. */
const addMembers = (builder: TopologyBuilder, server: ServerDescription): void => {
  for (const address of membersOf(server)) if (builder.servers.size < mostServers) builder.add(address);
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
  recordElection(builder, server);
  builder.replace(server);
  invalidateOthers(builder, server);
  const members = membersOf(server);
  for (const address of members) builder.add(address);
  for (const address of [...builder.servers.keys()]) if (!members.has(address)) builder.remove(address);
  builder.checkIfHasPrimary();
};

/**
 * Marks every other primary as stale and checks it at once. Its pool is kept: a member that steps down closes
 * connections itself.
 */
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
  if (server.maxWireVersion >= electionIdFirstSince) return byElection < 0 || (byElection === 0 && bySet < 0);
  const compared = [server.setVersion, server.electionId, builder.maxSetVersion, builder.maxElectionId];
  return compared.every(value => value !== undefined) && (bySet < 0 || (bySet === 0 && byElection < 0));
};

const recordElection = (builder: TopologyBuilder, server: ServerDescription): void => {
  if (server.maxWireVersion >= electionIdFirstSince) {
    builder.maxElectionId = server.electionId;
    builder.maxSetVersion = server.setVersion;
    return;
  }
  if (server.setVersion === undefined) return;
  if (server.electionId !== undefined) builder.maxElectionId = server.electionId;
  if (compareSetVersions(server.setVersion, builder.maxSetVersion) > 0) builder.maxSetVersion = server.setVersion;
};

// A missing value is less than all others. The same holds for set versions.
const compareElectionIds = (a: ObjectId | undefined, b: ObjectId | undefined): number => {
  const [x, y] = [a?.toHexString() ?? '', b?.toHexString() ?? ''];
  return x === y ? 0 : x < y ? -1 : 1;
};
const compareSetVersions = (a: number | undefined, b: number | undefined): number => (a ?? -1) - (b ?? -1);
