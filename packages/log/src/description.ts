import type { ServerDescription, TopologyDescription } from '@tessera/contracts';

/** What a reader of a log asks of a server: who it is, and why it is not used. */
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

/** A deployment as a document. */
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
