import type { Address } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Cluster, ClusterOptions } from '@tessera/cluster';
import { createCluster } from '@tessera/cluster';
import type { HostOptions } from './start.js';
import { addressOf, dataOf, hostDefaults, listenTlsOf, reachable } from './start.js';

/** Options of {@link startCluster}. */
export interface StartClusterOptions extends Omit<ClusterOptions, 'data' | 'addresses'>, HostOptions {}

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
  const { port, bindIp, compressors, data: folder, report, ...clusterOptions } = { ...hostDefaults, ...options };
  const listenTls = listenTlsOf(options);
  const node = createNode({ listenTls });
  const cluster = await createCluster(
    { ...node, compressors: [...node.compressors, ...compressors] },
    {
      ...clusterOptions,
      addresses: addressesOf(bindIp, port),
      ...(folder === undefined ? {} : { data: dataOf(folder, report) }),
    },
  );
  const uri = reachableIn(cluster.uri);
  return {
    ...cluster,
    get primary() {
      return cluster.primary;
    },
    uri: listenTls === undefined ? uri : withTls(uri),
  };
};
