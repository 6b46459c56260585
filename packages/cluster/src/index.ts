export { clusterOptionTypes } from './cluster.js';
export { createCluster } from './create-cluster.js';
export type { Cluster, ClusterMember, ClusterOptions, ClusterRouter, MemberOptions, SetControl } from './cluster.js';
