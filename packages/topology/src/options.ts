import { MongoError } from '@tessera/contracts';
import type { Address, Millis, ServerSelector, TopologyOptions } from '@tessera/contracts';

/** The topology options with defaults applied. */
export interface TopologyConfiguration {
  readonly seeds: readonly Address[];
  readonly replicaSet: string | undefined;
  readonly directConnection: boolean;
  readonly loadBalanced: boolean;
  readonly heartbeatFrequencyMS: Millis;
  readonly minHeartbeatFrequencyMS: Millis;
  readonly serverMonitoringMode: 'auto' | 'poll' | 'stream';
  readonly functionService: string | undefined;
  readonly connectTimeoutMS: Millis;
  readonly serverSelectionTimeoutMS: Millis;
  readonly localThresholdMS: Millis;
  readonly serverSelector: ServerSelector | undefined;
  readonly srvMaxHosts: number;
  readonly seedsTimeToLive: Millis | undefined;
}

/** The defaults of the topology options; times are in milliseconds. */
export const defaults: Omit<
  TopologyConfiguration,
  'seeds' | 'replicaSet' | 'functionService' | 'serverSelector' | 'seedsTimeToLive'
> = {
  directConnection: false,
  loadBalanced: false,
  heartbeatFrequencyMS: 10_000,
  minHeartbeatFrequencyMS: 500,
  serverMonitoringMode: 'auto',
  connectTimeoutMS: 30_000,
  serverSelectionTimeoutMS: 30_000,
  localThresholdMS: 15,
  srvMaxHosts: 0,
};

/** @throws MongoError `usage` for options that contradict each other. */
export const resolveOptions = (options: TopologyOptions): TopologyConfiguration => {
  const configuration: TopologyConfiguration = {
    seeds: options.seeds,
    replicaSet: options.replicaSet,
    directConnection: options.directConnection ?? defaults.directConnection,
    loadBalanced: options.loadBalanced ?? defaults.loadBalanced,
    heartbeatFrequencyMS: options.heartbeatFrequencyMS ?? defaults.heartbeatFrequencyMS,
    minHeartbeatFrequencyMS: options.minHeartbeatFrequencyMS ?? defaults.minHeartbeatFrequencyMS,
    serverMonitoringMode: options.serverMonitoringMode ?? defaults.serverMonitoringMode,
    functionService: options.functionService,
    connectTimeoutMS: options.connectTimeoutMS ?? defaults.connectTimeoutMS,
    serverSelectionTimeoutMS: options.serverSelectionTimeoutMS ?? defaults.serverSelectionTimeoutMS,
    localThresholdMS: options.localThresholdMS ?? defaults.localThresholdMS,
    serverSelector: options.serverSelector,
    srvMaxHosts: options.srvMaxHosts ?? defaults.srvMaxHosts,
    seedsTimeToLive: options.seedsTimeToLive,
  };
  const wrong = contradiction(configuration);
  if (wrong !== undefined) throw new MongoError('usage', wrong);
  return configuration;
};

/** Returns whether monitors may use the streaming protocol. Rule: Server Monitoring, "Streaming disabled". */
export const mayStream = ({ serverMonitoringMode, functionService }: TopologyConfiguration): boolean =>
  serverMonitoringMode === 'stream' || (serverMonitoringMode === 'auto' && functionService === undefined);

/**
 * Returns the message for options that contradict each other. Rule: Server Discovery and Monitoring, "Allowed
 * configuration combinations".
 */
const contradiction = (configuration: TopologyConfiguration): string | undefined => {
  const { seeds, replicaSet, directConnection, loadBalanced } = configuration;
  const { heartbeatFrequencyMS, minHeartbeatFrequencyMS } = configuration;
  if (seeds.length === 0) return 'There are no seeds; name at least one server.';
  if (directConnection && seeds.length > 1)
    return `directConnection=true allows one seed, not ${seeds.length}; leave out the others or the option.`;
  if (loadBalanced && seeds.length > 1)
    return `loadBalanced=true allows one seed, not ${seeds.length}; name the load balancer alone.`;
  if (loadBalanced && replicaSet !== undefined)
    return 'loadBalanced=true and replicaSet exclude each other; leave out one of them.';
  if (loadBalanced && directConnection)
    return 'loadBalanced=true and directConnection=true exclude each other; leave out one of them.';
  if (heartbeatFrequencyMS < minHeartbeatFrequencyMS)
    return `heartbeatFrequencyMS is ${heartbeatFrequencyMS}, but must be at least ${minHeartbeatFrequencyMS}.`;
  return undefined;
};
