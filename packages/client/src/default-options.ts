import { defaults as connection } from '@tessera/connection';
import { defaults as pool } from '@tessera/pool';
import { policyDefaults } from '@tessera/retry';
import { defaults as topology } from '@tessera/topology';
import type { Settings } from '@tessera/uri';

const { socketTimeoutMS } = connection;
const { maxPoolSize, minPoolSize, maxConnecting, maxIdleTimeMS, waitQueueTimeoutMS, connectTimeoutMS } = pool;
const { directConnection, loadBalanced, heartbeatFrequencyMS, minHeartbeatFrequencyMS } = topology;
const { serverMonitoringMode, serverSelectionTimeoutMS, localThresholdMS } = topology;

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

/** The client's options, those with a default included. */
export type ClientSettings = Settings & Required<Pick<Settings, Names>>;

/** The defaults of the client's options. Each belongs to the part of the driver that obeys the option. */
export const defaultOptions: Pick<ClientSettings, Names> = {
  connectTimeoutMS,
  socketTimeoutMS,
  maxPoolSize,
  minPoolSize,
  maxConnecting,
  maxIdleTimeMS,
  waitQueueTimeoutMS,
  directConnection,
  loadBalanced,
  heartbeatFrequencyMS,
  minHeartbeatFrequencyMS,
  serverMonitoringMode,
  serverSelectionTimeoutMS,
  localThresholdMS,
  ...policyDefaults,
};
