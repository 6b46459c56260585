export { averageRoundTrip } from './monitoring/round-trip.js';
export { createTopology } from './topology.js';
export type { Topology, TopologyParts } from './topology.js';
export type { LookUpSeeds, SeedList, ServerSelector, TopologyDeps, TopologyOptions } from '@tessera/contracts';
export { defaults } from './options.js';
export { fixedServer } from './fixed-server.js';
export { createSrvDeployment } from './srv-deployment.js';
export type { SrvDeploymentDeps, SrvOptions } from './srv-deployment.js';
export {
  choose,
  hasReadableServer,
  hasWritableServer,
  inLatencyWindow,
  invalidity,
  suitableServers,
} from './selection/suitable.js';
export { emptyTopology } from './description/topology-description.js';
export { reduce } from './description/reduce.js';
export type { Reduce, Reduction, TopologyEffect, TopologyInput, TopologySettings } from './description/reduction.js';
export { serverFromHello, unknownServer } from './description/server-description.js';
export type { Measured } from './description/server-description.js';
