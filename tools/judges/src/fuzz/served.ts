// The server under test. It runs in its own process with little memory, so that leaks end it.
import { setFlagsFromString } from 'node:v8';
import { startCluster, startServer } from 'tessera-server';
import type { StartClusterOptions, StartOptions } from 'tessera-server';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export interface Status {
  /** Bytes in and outside of the heap after garbage collection. */
  readonly held: number;
  readonly resident: number;
  /** The CPU time of the process so far, in milliseconds. */
  readonly cpu: number;
}

const statusOf = (): Status => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { held: heapUsed + external, resident: rss, cpu: (user + system) / 1000 };
};

/**
 * The options of one server, or with a `topology` those of a cluster. The cluster's address is that of one member or
 * mongos.
 */
export type Served = StartOptions | (StartClusterOptions & { readonly topology: string });

const start = async (served: Served): Promise<string> => {
  if (!('topology' in served)) return (await startServer(served)).address;
  const cluster = await startCluster(served);
  return served.topology === 'replicaset' ? cluster.primary!.address : cluster.addresses[0]!;
};

const address = await start(JSON.parse(process.argv[2] ?? '{}') as Served);
process.on('message', () => process.send?.(statusOf()));
// oxlint-disable-next-line nodejs/no-process-exit -- open handles of the server must not keep the process alive
process.once('disconnect', () => process.exit());
process.send?.(address);
