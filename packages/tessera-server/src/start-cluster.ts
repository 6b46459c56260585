import type { Address } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Cluster, ClusterOptions } from '@tessera/cluster';
import { createCluster } from '@tessera/cluster';
import type { HostOptions } from './start.js';
import { addressOf, dataOf, hostDefaults, listenTlsOf, reachable } from './start.js';

export interface StartClusterOptions extends Omit<ClusterOptions, 'data' | 'addresses'>, HostOptions {}

/** More than any cluster has servers. */
const mostPorts = 64;

/** The first server has that port, the others those that follow; or each has a free one. */
const addressesOf = (bindIp: string, port: number): readonly Address[] =>
  Array.from({ length: mostPorts }, (_, i) => addressOf(bindIp, port === 0 ? 0 : port + i)).filter(
    (_, i) => port + i <= 65_535,
  );

const withTls = (uri: string): string => `${uri}${uri.includes('?') ? '&' : '?'}tls=true`;

const reachableIn = (uri: string): string =>
  uri.replace(/(?<=^mongodb:\/\/)[^/]*/, hosts => hosts.split(',').map(reachable).join(','));

/**
 * Starts a deployment in this process: a replica set of three members unless another is asked for; ready when the promise
 * resolves. `await using cluster = await startCluster()` closes it at the end of the block. Whatever can befall it on demand,
 * such as `cluster.stepDown()` and `cluster.crash(1)`, is told of in `Cluster` of @tessera/server.
 * @throws as `startServer`
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
