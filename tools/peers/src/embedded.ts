import { MongoError } from '@tessera/contracts';
import { createNode } from '@tessera/node';
import type { Cluster, ClusterOptions } from '@tessera/server';
import { createCluster } from '@tessera/server';
import type { Deployment, Place, TlsFiles } from './deployment.js';
import { theUser } from './deployment.js';
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
  sharded: { topology: 'sharded', members: 1 },
  'load-balanced': { topology: 'load-balanced', members: 1, mongoses: 1 },
};

/** How many servers there are at most: two mongos, their balancer, and a shard's member. */
const most = 4;

/**
 * Where MongoDB is expected: tests of clients take it for granted that somebody is at the first of these ports, and the second
 * mongos at the next one. If it is taken, further places are tried.
 */
const ports: readonly number[] = [27017, 28017, 29017, 30017];

async function listening(start: (addresses: readonly string[]) => Promise<Cluster>): Promise<Cluster> {
  let taken: unknown;
  for (const port of ports) {
    try {
      return await start(Array.from({ length: most }, (_, i) => `127.0.0.1:${port + i}`));
    } catch (error) {
      if (!(error instanceof MongoError && error.kind === 'network')) throw error;
      taken = error;
    }
  }
  throw taken;
}

/** Starts the embedded server in a shape, with the commands for tests; `tls` are the files for a shape with TLS. */
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
    users: auth ? [{ user: theUser.name, pwd: theUser.password }] : [],
  };
  const cluster = await listening(addresses => createCluster(createNode({ listenTls }), { ...options, addresses }));
  return {
    shape,
    places: cluster.addresses.map(placeOf),
    ...(topology.startsWith('replicaset') ? { setName } : {}),
    ...(auth ? { user: theUser } : {}),
    ...(tls === undefined ? {} : { tls }),
    [Symbol.asyncDispose]: () => cluster.close(),
  };
}
