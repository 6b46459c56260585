import type { Listening, Runtime, Socket } from '@tessera/contracts';
import { MongoError } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Cluster, ClusterOptions } from '@tessera/cluster';
import { createCluster } from '@tessera/cluster';
import type { Deployment, Place, TlsFiles } from './deployment.js';
import { defaultUser } from './deployment.js';
import type { Shape, Topology } from './topology.js';

const setName = 'rs0';

const placeOf = (address: string): Place => {
  const at = address.lastIndexOf(':');
  return { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
};

type Form = Pick<ClusterOptions, 'topology' | 'members' | 'mongoses'>;

const forms: Readonly<Record<Topology, Form>> = {
  standalone: { topology: 'standalone' },
  'replicaset:1': { topology: 'replicaset', members: 1 },
  replicaset: { topology: 'replicaset', members: 3 },
  sharded: { topology: 'sharded', members: 1, mongoses: 2 },
  'load-balanced': { topology: 'load-balanced', members: 1, mongoses: 2 },
};

/**
 * The ports at which tests of clients expect MongoDB. They expect a server at the first port, and the second mongos or
 * balancer at the next. If a port is in use, the next entry is tried.
 */
const ports: readonly number[] = [27017, 28017, 29017, 30017];

const addressesFrom = (port: number): readonly string[] => Array.from({ length: 5 }, (_, i) => `127.0.0.1:${port + i}`);

/** A cluster, with the load balancer in front of only one mongos, which is not part of the cluster. */
interface Started {
  readonly cluster: Cluster;
  readonly inFrontOfOne?: Listening;
}

async function balanced(runtime: Runtime, options: ClusterOptions, addresses: readonly string[]): Promise<Started> {
  const [one, all, first, second, ...members] = addresses as [string, string, string, string];
  const cluster = await createCluster(runtime, { ...options, addresses: [first, second, all, ...members] });
  try {
    const accept = (socket: Socket): void => cluster.mongoses[0]!.accept(socket, { isBalanced: true });
    return { cluster, inFrontOfOne: await runtime.listener.listen(one, accept) };
  } catch (error) {
    await cluster.close();
    throw error;
  }
}

const start = async (runtime: Runtime, options: ClusterOptions, addresses: readonly string[]): Promise<Started> =>
  options.topology === 'load-balanced'
    ? await balanced(runtime, options, addresses)
    : { cluster: await createCluster(runtime, { ...options, addresses }) };

/** Starts the deployment at the first free ports. */
async function listening(runtime: Runtime, options: ClusterOptions): Promise<Started> {
  let taken: unknown;
  for (const port of ports) {
    try {
      return await start(runtime, options, addressesFrom(port));
    } catch (error) {
      if (!(error instanceof MongoError && error.kind === 'network')) throw error;
      taken = error;
    }
  }
  throw taken;
}

/**
 * Starts the embedded server in a shape, with test commands.
 * @param tls the files for a shape with TLS
 */
export async function startEmbedded(shape: Shape, tls: TlsFiles | undefined): Promise<Deployment> {
  const { topology, auth } = shape;
  const listenTls =
    tls === undefined
      ? undefined
      : {
          tlsCertificateKeyFile: tls.server,
          tlsCAFile: tls.authority,
          tlsAllowConnectionsWithoutCertificates: true,
        };
  const options: ClusterOptions = {
    ...forms[topology],
    setName,
    testCommands: true,
    users: auth ? [{ user: defaultUser.name, pwd: defaultUser.password }] : [],
  };
  const { cluster, inFrontOfOne } = await listening(createNode({ listenTls }), options);
  const places = cluster.addresses.map(placeOf);
  return {
    shape,
    ...(inFrontOfOne === undefined
      ? { places }
      : { places: [placeOf(inFrontOfOne.address)], inFrontOfAll: places[0]! }),
    ...(topology.startsWith('replicaset') ? { setName } : {}),
    ...(auth ? { user: defaultUser } : {}),
    ...(tls === undefined ? {} : { tls }),
    [Symbol.asyncDispose]: async () => {
      await inFrontOfOne?.close();
      await cluster.close();
    },
  };
}
