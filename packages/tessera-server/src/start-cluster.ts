import type { Address } from '@tessera/contracts';
import type { Cluster, ClusterOptions } from '@tessera/cluster';
import { clusterOptionTypes, createCluster } from '@tessera/cluster';
import { checkOptions } from '@tessera/server';
import type { HostOptions } from './start.js';
import { addressOf, hostOptionTypes, reachable, splitOptions } from './start.js';

/** Options of {@link startCluster}. */
export interface StartClusterOptions extends Omit<ClusterOptions, 'data' | 'addresses'>, HostOptions {}

const { addresses: _, ...withoutAddresses } = clusterOptionTypes;
const startClusterOptionTypes = { ...withoutAddresses, ...hostOptionTypes };

/** The number of addresses to prepare, more than the servers of any cluster. */
const mostPorts = 64;

/** Returns addresses with consecutive ports from `port` on, or with port 0, which is a free port, if `port` is 0. */
const addressesOf = (bindIp: string, port: number): readonly Address[] =>
  Array.from({ length: mostPorts }, (_, i) => addressOf(bindIp, port === 0 ? 0 : port + i)).filter(
    (_, i) => port + i <= 65_535,
  );

const withTls = (uri: string): string => `${uri}${uri.includes('?') ? '&' : '?'}tls=true`;

const reachableIn = (uri: string): string =>
  uri.replace(/(?<=^mongodb:\/\/)[^/]*/, hosts => hosts.split(',').map(reachable).join(','));

/**
 * Starts several servers in this process, by default a replica set with three members, and resolves when they accept
 * connections. `await using cluster = await startCluster()` closes them at the end of the block. `Cluster` of
 * @tessera/cluster describes the methods that control the members, such as `stepDown()` and `crash(1)`.
 * @throws the same errors as {@link startServer}
 */
export const startCluster = async (options: StartClusterOptions = {}): Promise<Cluster> => {
  const given = checkOptions('startCluster', options, startClusterOptionTypes);
  const { port, bindIp, listenTls, runtime, others } = splitOptions(given);
  const cluster = await createCluster(runtime, { ...others, addresses: addressesOf(bindIp, port) });
  const uri = reachableIn(cluster.uri);
  return {
    ...cluster,
    get primary() {
      return cluster.primary;
    },
    uri: listenTls === undefined ? uri : withTls(uri),
  };
};
