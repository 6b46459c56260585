import type { ServerDescription, TopologyDescription } from '@tessera/contracts';

/** Returns the part of a server's description that is useful in a log: its identity, and why it is not used. */
const serverOf = (server: ServerDescription): object => {
  const { address, type, setName, primary, tags, roundTripTime, minWireVersion, maxWireVersion, error } = server;
  return {
    address,
    type,
    ...(setName === undefined ? {} : { setName }),
    ...(primary === undefined ? {} : { primary }),
    ...(Object.keys(tags).length === 0 ? {} : { tags }),
    ...(roundTripTime === undefined ? {} : { roundTripTime, minWireVersion, maxWireVersion }),
    ...(error === undefined ? {} : { error: error.message }),
  };
};

/** Returns a deployment's description as a document for the log. */
export const descriptionOf = (topology: TopologyDescription): object => {
  const { type, setName, servers, maxElectionId, maxSetVersion, compatibilityError } = topology;
  const { logicalSessionTimeoutMinutes } = topology;
  return {
    type,
    ...(setName === undefined ? {} : { setName }),
    ...(maxElectionId === undefined ? {} : { maxElectionId }),
    ...(maxSetVersion === undefined ? {} : { maxSetVersion }),
    ...(logicalSessionTimeoutMinutes === undefined ? {} : { logicalSessionTimeoutMinutes }),
    ...(compatibilityError === undefined ? {} : { compatibilityError }),
    servers: [...servers.values()].map(serverOf),
  };
};
