import { MongoError } from '@tessera/contracts';
import type { Address } from '@tessera/contracts';

/** An address taken apart, in the words of `net.connect`. */
export type Endpoint = { readonly path: string } | { readonly host: string; readonly port: number };

const pattern = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/;

/** @throws MongoError `usage` for what is neither `host:port`, `[v6]:port` nor the path of a `.sock`. */
export const endpointOf = (address: Address): Endpoint => {
  if (address.endsWith('.sock')) return { path: address };
  const [, v6, name, digits] = pattern.exec(address) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || !(port <= 65_535)) {
    throw new MongoError(
      'usage',
      `'${address}' is no address; write host:port, [::1]:port, or the path of a unix socket that ends in .sock`,
    );
  }
  return { host, port };
};

/** The endpoint as an address again, with the port that was really bound. */
export const addressOf = (endpoint: Endpoint, port: number): Address => {
  if ('path' in endpoint) return endpoint.path;
  return endpoint.host.includes(':') ? `[${endpoint.host}]:${port}` : `${endpoint.host}:${port}`;
};
