/** The type of one server. Rule: Server Discovery and Monitoring, "ServerType". */
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

/** The type of a deployment. Rule: Server Discovery and Monitoring, "TopologyType". */
export type TopologyType =
  | 'Single'
  | 'ReplicaSetNoPrimary'
  | 'ReplicaSetWithPrimary'
  | 'Sharded'
  | 'LoadBalanced'
  | 'Unknown';
