/** Rule: Server Discovery and Monitoring, "ServerType". */
export type ServerType =
  | 'Standalone'
  | 'Mongos'
  | 'PossiblePrimary'
  | 'RSPrimary'
  | 'RSSecondary'
  | 'RSArbiter'
  | 'RSOther'
  | 'RSGhost'
  | 'LoadBalancer'
  | 'Unknown';

/** Rule: Server Discovery and Monitoring, "TopologyType". */
export type TopologyType =
  'Single' | 'ReplicaSetNoPrimary' | 'ReplicaSetWithPrimary' | 'Sharded' | 'LoadBalanced' | 'Unknown';
