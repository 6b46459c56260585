import { defaults as connection } from '@tessera/connection';
import { defaults as pool } from '@tessera/pool';
import { policyDefaults } from '@tessera/retry';
import { defaults as topology } from '@tessera/topology';
import type { Settings } from '@tessera/uri';

type Names =
  | 'connectTimeoutMS'
  | 'socketTimeoutMS'
  | 'maxPoolSize'
  | 'minPoolSize'
  | 'maxConnecting'
  | 'maxIdleTimeMS'
  | 'waitQueueTimeoutMS'
  | 'directConnection'
  | 'loadBalanced'
  | 'heartbeatFrequencyMS'
  | 'minHeartbeatFrequencyMS'
  | 'serverMonitoringMode'
  | 'serverSelectionTimeoutMS'
  | 'localThresholdMS'
  | keyof typeof policyDefaults;

/** The client's options, including those with a default. */
export type ClientSettings = Settings & Required<Pick<Settings, Names>>;

/** The defaults of the client's options. Each is defined by the part of the driver that implements the option. */
export const defaultOptions: Pick<ClientSettings, Names> = {
  connectTimeoutMS: pool.connectTimeoutMS,
  socketTimeoutMS: connection.socketTimeoutMS,
  maxPoolSize: pool.maxPoolSize,
  minPoolSize: pool.minPoolSize,
  maxConnecting: pool.maxConnecting,
  maxIdleTimeMS: pool.maxIdleTimeMS,
  waitQueueTimeoutMS: pool.waitQueueTimeoutMS,
  directConnection: topology.directConnection,
  loadBalanced: topology.loadBalanced,
  heartbeatFrequencyMS: topology.heartbeatFrequencyMS,
  minHeartbeatFrequencyMS: topology.minHeartbeatFrequencyMS,
  serverMonitoringMode: topology.serverMonitoringMode,
  serverSelectionTimeoutMS: topology.serverSelectionTimeoutMS,
  localThresholdMS: topology.localThresholdMS,
  ...policyDefaults,
};
