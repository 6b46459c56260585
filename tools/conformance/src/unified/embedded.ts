import type { Crypto, Runtime } from '@tessera/contracts';
import { createCluster } from '@tessera/cluster';
import { createWorld } from '@tessera/sim';
import type { Bench, Traits } from './deployment.js';
import type { Feature } from './features.js';

/** One configuration of the embedded server. */
export interface Combination {
  readonly version: string;
  readonly topology: Traits['topology'];
  readonly auth: boolean;
}

/** Server versions that differ in their features. */
export const versions: readonly string[] = ['8.2.1', '8.0.0', '5.0.0', '4.2.0'];
export const topologies: readonly Combination['topology'][] = ['replicaset', 'single', 'sharded', 'load-balanced'];

/** Features that no combination has. A case that needs one is skipped; all others must run on some combination. */
export const lacks: ReadonlySet<Feature> = new Set<Feature>([...(['OIDC', 'encryption', 'OpenTelemetry'] as const)]);

const turn = (): Promise<void> => new Promise(resolve => setImmediate(resolve));

const user = { user: 'runner', pwd: 'secret', roles: ['root'] } as const;

/** The addresses of the members, in the order in which `createCluster` takes them. */
const addresses: Readonly<Record<Combination['topology'], readonly string[]>> = {
  single: ['db1:27017'],
  replicaset: ['db1:27017', 'db2:27017', 'db3:27017'],
  sharded: ['mongos1:27017', 'mongos2:27017', 'db1:27018'],
  'load-balanced': ['mongos1:27017', 'mongos2:27017', 'balancer2:27017', 'db1:27018'],
};

/** Caches password hashes, which are slow to compute. Worlds with the same seed use the same salt. */
const cachingHashes = (crypto: Crypto): Crypto => {
  const known = new Map<string, Promise<Uint8Array>>();
  return {
    hash: (name, data) => crypto.hash(name, data),
    hmac: (name, key, data) => crypto.hmac(name, key, data),
    pbkdf2(name, password, salt, iterations, length) {
      const key = [
        name,
        ...[password, salt].map(bytes => Buffer.from(bytes).toString('hex')),
        iterations,
        length,
      ].join();
      const hashed = known.get(key) ?? crypto.pbkdf2(name, password, salt, iterations, length);
      known.set(key, hashed);
      return hashed;
    },
  };
};

/**
 * Creates a bench that runs the embedded server in a simulated world with virtual time. `lend` creates a new world each
 * time. Hashes and streams are the host's.
 */
export const createEmbedded = (
  { version, topology, auth }: Combination,
  { crypto, streams }: Pick<Runtime, 'crypto' | 'streams'>,
): Bench => {
  const deps = { turn, crypto: cachingHashes(crypto) };
  return {
    name: `embedded ${version} ${topology}${auth ? ' with authentication' : ''}`,
    isTimed: false,
    lacks,
    lend(use) {
      const world = createWorld(deps, { latency: { delay: 0.1 }, splitWrites: false, historyLimit: 1_000 });
      return world.run(async () => {
        await using cluster = await createCluster(world.at('db'), {
          version,
          testCommands: true,
          topology: topology === 'single' ? 'standalone' : topology,
          addresses: addresses[topology],
          ...(auth ? { users: [user] } : {}),
        });
        const named = (uri: string): string =>
          auth ? uri.replace('mongodb://', `mongodb://${user.user}:${user.pwd}@`) : uri;
        const deployment = {
          runtime: { ...world.runtime, streams },
          uri: named(cluster.uri),
          mongoses: cluster.mongoses.map(({ address }) => address),
        };
        if (topology !== 'load-balanced') return await use(deployment);
        const [first] = cluster.mongoses;
        const alone = await world
          .at('db')
          .listener.listen('balancer1:27017', socket => first!.accept(socket, { isBalanced: true }));
        try {
          return await use({ ...deployment, singleUri: named('mongodb://balancer1:27017/?loadBalanced=true') });
        } finally {
          await alone.close();
        }
      });
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };
};

/** Returns every combination that matches the chosen properties. */
export const combinations = (chosen: Partial<Combination>): readonly Combination[] =>
  (chosen.version === undefined ? versions : [chosen.version]).flatMap(version =>
    topologies
      .filter(topology => (chosen.topology ?? topology) === topology)
      .flatMap(topology =>
        [false, true]
          .filter(auth => (chosen.auth ?? auth) === auth)
          .map((auth): Combination => ({ version, topology, auth })),
      ),
  );
