import type { Address } from '@tessera/contracts';

export interface Endpoint {
  readonly serverHost: string;
  /** Undefined for a Unix socket. */
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

/** Returns the server's connection ID as a number, which JSON can represent. */
export const serverConnectionIdOf = (id: bigint | undefined): number | undefined =>
  id === undefined ? undefined : Number(id);
