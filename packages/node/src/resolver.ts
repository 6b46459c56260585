import { promises as dns } from 'node:dns';
import { MongoError } from '@tessera/contracts';
import type { Resolver } from '@tessera/contracts';

/** Node.js asks the name servers itself here, so the system's hosts file has no say. */
export const createResolver = (nameServers: readonly string[]): Resolver => {
  const resolver = new dns.Resolver();
  if (nameServers.length > 0) resolver.setServers(nameServers);
  const failed = (kind: 'SRV' | 'TXT', name: string, cause: unknown): MongoError =>
    new MongoError('network', `The ${kind} records of ${name} could not be looked up: ${(cause as Error).message}`, {
      cause,
      origin: { phase: 'resolve', sent: false, address: name },
    });
  return {
    srv: async name => {
      try {
        const records = await resolver.resolveSrv(name);
        return records.map(({ name: host, port }) => ({ host, port }));
      } catch (cause) {
        throw failed('SRV', name, cause);
      }
    },
    txt: async name => {
      try {
        return await resolver.resolveTxt(name);
      } catch (cause) {
        const { code } = cause as { code?: string };
        if (code === 'ENODATA' || code === 'ENOTFOUND') return []; // no such record is an answer
        throw failed('TXT', name, cause);
      }
    },
  };
};
