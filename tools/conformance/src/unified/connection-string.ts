import type { Document } from '@tessera/contracts';

const valueOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return encodeURIComponent(String(value));
  // Properties of a mechanism; a list is told apart before.
  return Object.entries(value)
    .map(([name, property]) => `${name}:${encodeURIComponent(String(property))}`)
    .join(',');
};

/** Tag sets are an array of strings, one for each time that the option stands there. */
const written = ([name, value]: readonly [string, unknown]): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(one => `${name}=${valueOf(one)}`);

export interface Changes {
  /** They go before those of the connection string. Rule: "entity_client", `uriOptions`. */
  readonly uriOptions: Document;
  /** Only the first of its hosts. */
  readonly oneHost: boolean;
}

/** The deployment's connection string with a client's own options in it. */
export const connectionString = (uri: string, { uriOptions, oneHost }: Changes): string => {
  const [, credentials = '', hosts = '', path = '', query = ''] =
    /^mongodb:\/\/([^@/]*@)?([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(uri) ?? [];
  const own = Object.entries(uriOptions).flatMap(written);
  const replaced = new Set(Object.keys(uriOptions).map(name => name.toLowerCase()));
  // Rule: a client that connects to one server directly knows of no replica set.
  if (uriOptions['directConnection'] === true) replaced.add('replicaset');
  if (uriOptions['authMechanism'] === 'MONGODB-OIDC') replaced.add('authsource');
  const kept = query.split('&').filter(option => option !== '' && !replaced.has(option.split('=')[0]!.toLowerCase()));
  const isAlone = oneHost || uriOptions['directConnection'] === true;
  const where = isAlone ? hosts.split(',')[0]! : hosts;
  return `mongodb://${credentials}${where}${path === '' ? '/' : path}?${[...kept, ...own].join('&')}`;
};
