// The server under test in a process of its own, with little memory: what it leaks, it dies of.
import { setFlagsFromString } from 'node:v8';
import { startCluster, startServer } from 'tessera-server';
import type { StartClusterOptions, StartOptions } from 'tessera-server';
import { runInNewContext } from 'node:vm';

setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

export interface Status {
  /** Bytes of heap and outside of it once garbage is collected; of the process too. */
  readonly held: number;
  readonly resident: number;
  /** CPU time of the process so far, in milliseconds. */
  readonly cpu: number;
}

const statusOf = (): Status => {
  collect();
  const { heapUsed, external, rss } = process.memoryUsage();
  const { user, system } = process.cpuUsage();
  return { held: heapUsed + external, resident: rss, cpu: (user + system) / 1000 };
};

/** One server, or with a `topology` several: the one whose address is told is asked. */
export type Served = StartOptions | (StartClusterOptions & { readonly topology: string });

const start = async (served: Served): Promise<string> => {
  if (!('topology' in served)) return (await startServer(served)).address;
  const cluster = await startCluster(served);
  return served.topology === 'replicaset' ? cluster.primary!.address : cluster.addresses[0]!;
};

const address = await start(JSON.parse(process.argv[2] ?? '{}') as Served);
process.on('message', () => process.send?.(statusOf()));
// eslint-disable-next-line n/no-process-exit -- what a server leaves behind is not to keep the process
process.once('disconnect', () => process.exit());
process.send?.(address);
