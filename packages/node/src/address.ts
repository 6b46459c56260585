import { MongoError } from '@tessera/contracts';
import type { Address } from '@tessera/contracts';

/** The parts of an address, in the terms of `net.connect`. */
export type Endpoint = { readonly path: string } | { readonly host: string; readonly port: number };

const pattern = /^(?:\[([^\]]+)\]|([^:[\]]+)):(\d{1,5})$/;

/**
 * Parses an address. @throws MongoError `usage` unless it is `host:port`, `[v6]:port` or the path of a `.sock` file.
 */
export const endpointOf = (address: Address): Endpoint => {
  if (address.endsWith('.sock')) return { path: address };
  const [, v6, name, digits] = pattern.exec(address) ?? [];
  const host = v6 ?? name;
  const port = Number(digits);
  if (host === undefined || !(port <= 65_535)) {
    throw new MongoError(
      'usage',
      `Invalid address '${address}': use host:port, [::1]:port, or the path of a unix socket that ends in .sock.`,
    );
  }
  return { host, port };
};

/** Formats the endpoint as an address with the port that was actually bound. */
export const addressOf = (endpoint: Endpoint, port: number): Address => {
  if ('path' in endpoint) return endpoint.path;
  return endpoint.host.includes(':') ? `[${endpoint.host}]:${port}` : `${endpoint.host}:${port}`;
};
