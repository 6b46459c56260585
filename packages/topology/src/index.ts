export { averageRoundTrip } from './monitoring/round-trip.js';
export { createTopology } from './topology.js';
export type { Topology, TopologyDeps } from './topology.js';
export { defaults } from './options.js';
export type { TopologyOptions } from './options.js';
export { fixedServer } from './fixed-server.js';
export type { LookUpSeeds, SeedList } from './monitoring/srv-poller.js';
export { createSrvDeployment } from './srv-deployment.js';
export type { SrvDeploymentDeps, SrvOptions } from './srv-deployment.js';
export type { ServerSelector } from './selection/selector.js';
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
