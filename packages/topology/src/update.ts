import { MongoError } from '@tessera/contracts';
import type { ObjectId, ServerDescription } from '@tessera/contracts';
import type { Draft } from './draft.js';
import { unknownServer } from './server-description.js';
import { mostKnown } from './hello-values.js';

/** Since MongoDB 6.0 the election id goes before the set's version. */
const electionIdFirst = 17;

/**
 * Takes in what is now known of a server that is in the draft.
 * Rule: Server Discovery and Monitoring, "Updating the TopologyDescription", "TopologyType table".
 */
export const update = (draft: Draft, server: ServerDescription): void => {
  if (server.type === 'RSPrimary' && isReplicaSetOrUnknown(draft)) return updateFromPrimary(draft, server);
  draft.replace(draft.type === 'Single' ? ofTheRightSet(draft, server) : server);
  switch (draft.type) {
    case 'Single':
    case 'LoadBalanced':
      return;
    case 'Unknown':
      return updateUnknown(draft, server);
    case 'Sharded':
      if (server.type !== 'Mongos' && server.type !== 'Unknown') draft.remove(server.address);
      return;
    case 'ReplicaSetNoPrimary':
      return updateWithoutPrimary(draft, server);
    case 'ReplicaSetWithPrimary':
      updateWithPrimary(draft, server);
      return;
  }
};

const isReplicaSetOrUnknown = (draft: Draft): boolean =>
  draft.type === 'Unknown' || draft.type === 'ReplicaSetNoPrimary' || draft.type === 'ReplicaSetWithPrimary';

/** Rule: "Verifying setName with TopologyType Single". */
const ofTheRightSet = (draft: Draft, server: ServerDescription): ServerDescription => {
  if (draft.setName === undefined || server.type === 'Unknown' || server.setName === draft.setName) return server;
  const error = new MongoError(
    'usage',
    `The server at ${server.address} belongs to ${server.setName === undefined ? 'no replica set' : `the replica set ${server.setName}`}, not to ${draft.setName}; correct the option replicaSet or the address.`,
  );
  return unknownServer(server.address, { error, lastUpdateTime: server.lastUpdateTime });
};

const updateUnknown = (draft: Draft, server: ServerDescription): void => {
  switch (server.type) {
    case 'Standalone':
      // One of several seeds that is no member must not keep the client from the set.
      if (draft.settings.seeds.length === 1) draft.type = 'Single';
      else draft.remove(server.address);
      return;
    case 'Mongos':
      draft.type = 'Sharded';
      return;
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      draft.type = 'ReplicaSetNoPrimary';
      return updateFromMember(draft, server);
    default:
      return;
  }
};

const updateWithoutPrimary = (draft: Draft, server: ServerDescription): void => {
  switch (server.type) {
    case 'Standalone':
    case 'Mongos':
      return draft.remove(server.address);
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      return updateFromMember(draft, server);
    default:
      return;
  }
};

const updateWithPrimary = (draft: Draft, server: ServerDescription): void => {
  switch (server.type) {
    case 'Standalone':
    case 'Mongos':
      draft.remove(server.address);
      break;
    case 'RSSecondary':
    case 'RSArbiter':
    case 'RSOther':
      // Rule: "updateRSWithPrimaryFromMember".
      if (draft.setName !== server.setName || isKnownOtherwise(server)) draft.remove(server.address);
      break;
    default:
      break;
  }
  draft.checkIfHasPrimary();
};

/** Rule: "updateRSWithoutPrimary". */
const updateFromMember = (draft: Draft, server: ServerDescription): void => {
  draft.setName ??= server.setName;
  if (draft.setName !== server.setName) return draft.remove(server.address);
  addMembers(draft, server);
  if (isKnownOtherwise(server)) draft.remove(server.address);
};

/** The set knows it under another address; `me` is told by members only. */
const isKnownOtherwise = (server: ServerDescription): boolean =>
  server.me !== undefined && server.me !== server.address;

const membersOf = (server: ServerDescription): ReadonlySet<string> =>
  new Set([...server.hosts, ...server.passives, ...server.arbiters].slice(0, mostKnown));

/** A member adds names without end only if something is wrong with it; what is removed is up to a primary. */
const addMembers = (draft: Draft, server: ServerDescription): void => {
  for (const address of membersOf(server)) if (draft.servers.size < mostKnown) draft.add(address);
};

/** Rule: "updateRSFromPrimary". */
const updateFromPrimary = (draft: Draft, server: ServerDescription): void => {
  draft.setName ??= server.setName;
  if (draft.setName !== server.setName) {
    draft.replace(server);
    draft.remove(server.address);
    return draft.checkIfHasPrimary();
  }
  if (isStalePrimary(draft, server)) {
    draft.replace(stalePrimary(server, 'electionId/setVersion mismatch'));
    return draft.checkIfHasPrimary();
  }
  advance(draft, server);
  draft.replace(server);
  invalidateOthers(draft, server);
  const members = membersOf(server);
  for (const address of members) draft.add(address);
  for (const address of [...draft.servers.keys()]) if (!members.has(address)) draft.remove(address);
  draft.checkIfHasPrimary();
};

/** There was none or one other; it is asked again at once. Its pool stays: the members close what must be closed. */
const invalidateOthers = (draft: Draft, primary: ServerDescription): void => {
  for (const other of draft.servers.values()) {
    if (other.type !== 'RSPrimary' || other.address === primary.address) continue;
    draft.replace(stalePrimary(other, 'discovery of newer primary'));
    draft.checkNow(other.address);
  }
};

const stalePrimary = (server: ServerDescription, why: string): ServerDescription => {
  const error = new MongoError('selection', `${server.address}: primary marked stale due to ${why}`);
  return unknownServer(server.address, { error, lastUpdateTime: server.lastUpdateTime });
};

/** Rule: "Using electionId and setVersion to detect stale primaries". */
const isStalePrimary = (draft: Draft, server: ServerDescription): boolean => {
  const byElection = compareElectionIds(server.electionId, draft.maxElectionId);
  const bySet = compareSetVersions(server.setVersion, draft.maxSetVersion);
  if (server.maxWireVersion >= electionIdFirst) return byElection < 0 || (byElection === 0 && bySet < 0);
  const comparable =
    server.setVersion !== undefined &&
    server.electionId !== undefined &&
    draft.maxSetVersion !== undefined &&
    draft.maxElectionId !== undefined;
  return comparable && (bySet < 0 || (bySet === 0 && byElection < 0));
};

const advance = (draft: Draft, server: ServerDescription): void => {
  if (server.maxWireVersion >= electionIdFirst) {
    draft.maxElectionId = server.electionId;
    draft.maxSetVersion = server.setVersion;
    return;
  }
  if (server.setVersion === undefined) return;
  if (server.electionId !== undefined) draft.maxElectionId = server.electionId;
  if (compareSetVersions(server.setVersion, draft.maxSetVersion) > 0) draft.maxSetVersion = server.setVersion;
};

// Missing is least, for both.
const compareElectionIds = (a: ObjectId | undefined, b: ObjectId | undefined): number => {
  const [x, y] = [a?.toHexString() ?? '', b?.toHexString() ?? ''];
  return x === y ? 0 : x < y ? -1 : 1;
};
const compareSetVersions = (a: number | undefined, b: number | undefined): number => (a ?? -1) - (b ?? -1);
