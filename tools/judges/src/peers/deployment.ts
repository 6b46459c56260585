import type { Shape } from './topology.js';

/** The address of a server. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** PEM files. Each file with its own certificate contains the key as well. */
export interface TlsFiles {
  readonly server: string;
  readonly client: string;
  /**
   * For the user `C=US,ST=New York,L=New York City,O=MDB,OU=Drivers,CN=client`, which tests of the MongoDB drivers use.
   */
  readonly drivers?: {
    readonly client: string;
    /** With the key encrypted by `password`. */ readonly encrypted: string;
  };
  readonly authority: string;
}

export interface User {
  readonly name: string;
  readonly password: string;
}

/** A deployment that clients are tested with. */
export interface Deployment extends AsyncDisposable {
  readonly shape: Shape;
  /** The members of a replica set, the mongos of a cluster, or a load balancer in front of one mongos. */
  readonly places: readonly Place[];
  /** The load balancer in front of all mongos, on a load-balanced deployment. */
  readonly inFrontOfAll?: Place;
  readonly setName?: string;
  readonly user?: User;
  readonly tls?: TlsFiles;
}

/** The user of every deployment with authentication. */
export const defaultUser: User = { name: 'user', password: 'password' };

const pairs = ({ shape, setName, tls, user }: Deployment): Readonly<Record<string, string>> => ({
  ...(setName === undefined ? {} : { replicaSet: setName }),
  ...(shape.topology === 'load-balanced' ? { loadBalanced: 'true' } : {}),
  ...(tls === undefined ? {} : { tls: 'true', tlsCAFile: tls.authority, tlsCertificateKeyFile: tls.client }),
  ...(user === undefined ? {} : { authSource: 'admin' }),
});

/** Returns a complete connection string. `places` limits the hosts. */
export function uriOf(deployment: Deployment, places: readonly Place[] = deployment.places): string {
  const { user } = deployment;
  const login = user === undefined ? '' : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  const hosts = places.map(({ host, port }) => `${host}:${port}`).join(',');
  const query = new URLSearchParams(pairs(deployment)).toString();
  return `mongodb://${login}${hosts}/${query === '' ? '' : `?${query}`}`;
}

/**
 * Returns the environment variables that tests of the MongoDB drivers read: the balancer in front of one mongos, and
 * the balancer in front of all.
 */
export const balancersOf = (deployment: Deployment): NodeJS.ProcessEnv =>
  deployment.inFrontOfAll === undefined
    ? {}
    : {
        SINGLE_MONGOS_LB_URI: uriOf(deployment),
        MULTI_MONGOS_LB_URI: uriOf(deployment, [deployment.inFrontOfAll]),
      };
