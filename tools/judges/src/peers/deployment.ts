import type { Shape } from './topology.js';

/** Where a server listens. */
export interface Place {
  readonly host: string;
  readonly port: number;
}

/** Files in PEM; each that has a certificate of its own has the key in it. */
export interface TlsFiles {
  readonly server: string;
  readonly client: string;
  /** For the user `C=US,ST=New York,L=New York City,O=MDB,OU=Drivers,CN=client`, whom the tests of MongoDB's drivers know. */
  readonly drivers?: { readonly client: string; /** Its key encrypted with `password`. */ readonly encrypted: string };
  readonly authority: string;
}

export interface User {
  readonly name: string;
  readonly password: string;
}

/** What the clients are let loose on. */
export interface Deployment extends AsyncDisposable {
  readonly shape: Shape;
  /** The members of a set, the mongos of a cluster, or a load balancer in front of one mongos. */
  readonly places: readonly Place[];
  /** A load balancer in front of all mongos, if there are balancers. */
  readonly inFrontOfAll?: Place;
  readonly setName?: string;
  readonly user?: User;
  readonly tls?: TlsFiles;
}

/** For all deployments that ask who is there. */
export const theUser: User = { name: 'user', password: 'password' };

const pairs = ({ shape, setName, tls, user }: Deployment): Readonly<Record<string, string>> => ({
  ...(setName === undefined ? {} : { replicaSet: setName }),
  ...(shape.topology === 'load-balanced' ? { loadBalanced: 'true' } : {}),
  ...(tls === undefined ? {} : { tls: 'true', tlsCAFile: tls.authority, tlsCertificateKeyFile: tls.client }),
  ...(user === undefined ? {} : { authSource: 'admin' }),
});

/** With everything that a client has to know; `places` if it is to know of some only. */
export function uriOf(deployment: Deployment, places: readonly Place[] = deployment.places): string {
  const { user } = deployment;
  const login = user === undefined ? '' : `${encodeURIComponent(user.name)}:${encodeURIComponent(user.password)}@`;
  const hosts = places.map(({ host, port }) => `${host}:${port}`).join(',');
  const query = new URLSearchParams(pairs(deployment)).toString();
  return `mongodb://${login}${hosts}/${query === '' ? '' : `?${query}`}`;
}

/** By these names the tests of MongoDB's drivers know the balancer in front of one mongos, and the one in front of all. */
export const balancersOf = (deployment: Deployment): NodeJS.ProcessEnv =>
  deployment.inFrontOfAll === undefined
    ? {}
    : {
        SINGLE_MONGOS_LB_URI: uriOf(deployment),
        MULTI_MONGOS_LB_URI: uriOf(deployment, [deployment.inFrontOfAll]),
      };
