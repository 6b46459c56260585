import type { Address } from '@tessera/contracts';

export interface Endpoint {
  readonly serverHost: string;
  /** Undefined for a unix socket. */
  readonly serverPort: number | undefined;
}

export const endpointOf = (address: Address): Endpoint => {
  if (address.endsWith('.sock')) return { serverHost: address, serverPort: undefined };
  const colon = address.lastIndexOf(':');
  return {
    serverHost: address.slice(0, colon).replace(/^\[(.*)\]$/, '$1'),
    serverPort: Number(address.slice(colon + 1)),
  };
};

/** What the server calls a connection, as JSON can hold it. */
export const serverConnectionIdOf = (id: bigint | undefined): number | undefined =>
  id === undefined ? undefined : Number(id);
