import { promises as dns } from 'node:dns';
import { MongoError } from '@tessera/contracts';
import type { Resolver } from '@tessera/contracts';

/** Creates a resolver that queries name servers directly, so the system's hosts file is ignored. */
export const createResolver = (nameServers: readonly string[]): Resolver => {
  const resolver = new dns.Resolver();
  if (nameServers.length > 0) resolver.setServers(nameServers);
  const failed = (kind: 'SRV' | 'TXT', name: string, cause: unknown): MongoError =>
    new MongoError('network', `Could not look up the ${kind} records of ${name}: ${(cause as Error).message}.`, {
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
        if (code === 'ENODATA' || code === 'ENOTFOUND') return []; // an absent record is a valid result
        throw failed('TXT', name, cause);
      }
    },
  };
};
