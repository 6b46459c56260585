export { startBlackPipe, startServer } from './start.js';
export { startCluster } from './start-cluster.js';
export type { StartClusterOptions } from './start-cluster.js';
export type { HostOptions, RunningBlackPipe, RunningServer, StartOptions } from './start.js';
