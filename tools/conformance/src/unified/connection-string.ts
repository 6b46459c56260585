import type { Document } from '@tessera/contracts';

const valueOf = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return encodeURIComponent(String(value));
  // The properties of an authentication mechanism. Arrays were handled by the caller.
  return Object.entries(value)
    .map(([name, property]) => `${name}:${encodeURIComponent(String(property))}`)
    .join(',');
};

/** Formats an option. An array, such as tag sets, repeats the option for each element. */
const written = ([name, value]: readonly [string, unknown]): readonly string[] =>
  (Array.isArray(value) ? value : [value]).map(one => `${name}=${valueOf(one)}`);

export interface Changes {
  /** Options that override those of the connection string. Rule: "entity_client", `uriOptions`. */
  readonly uriOptions: Document;
  /** Keeps only the first host. */
  readonly oneHost: boolean;
}

/** Returns the deployment's connection string with the changes applied. */
export const connectionString = (uri: string, { uriOptions, oneHost }: Changes): string => {
  const [, credentials = '', hosts = '', path = '', query = ''] =
    /^mongodb:\/\/([^@/]*@)?([^/?]*)(\/[^?]*)?(?:\?(.*))?$/.exec(uri) ?? [];
  const own = Object.entries(uriOptions).flatMap(written);
  const replaced = new Set(Object.keys(uriOptions).map(name => name.toLowerCase()));
  // A direct connection must not have a replica set name.
  if (uriOptions['directConnection'] === true) replaced.add('replicaset');
  if (uriOptions['authMechanism'] === 'MONGODB-OIDC') replaced.add('authsource');
  const kept = query.split('&').filter(option => option !== '' && !replaced.has(option.split('=')[0]!.toLowerCase()));
  const isAlone = oneHost || uriOptions['directConnection'] === true;
  const where = isAlone ? hosts.split(',')[0]! : hosts;
  return `mongodb://${credentials}${where}${path === '' ? '/' : path}?${[...kept, ...own].join('&')}`;
};
