import type { promises } from 'node:dns';
import { MongoError } from '@tessera/contracts';
import type { Resolver } from '@tessera/contracts';

/** Creates a resolver that queries name servers directly, so the system's hosts file is ignored. */
export const createResolver = (nameServers: readonly string[]): Resolver => {
  let resolver: Promise<promises.Resolver> | undefined;
  // Loaded on demand, because most programs look up no records.
  const load = async (): Promise<promises.Resolver> => {
    const { promises } = await import('node:dns');
    const loaded = new promises.Resolver();
    if (nameServers.length > 0) loaded.setServers(nameServers);
    return loaded;
  };
  const failed = (kind: 'SRV' | 'TXT', name: string, cause: unknown): MongoError =>
    new MongoError('network', `Could not look up the ${kind} records of ${name}: ${(cause as Error).message}.`, {
      cause,
      origin: { phase: 'resolve', sent: false, address: name },
    });
  return {
    srv: async name => {
      try {
        const records = await (await (resolver ??= load())).resolveSrv(name);
        return records.map(({ name: host, port }) => ({ host, port }));
      } catch (cause) {
        throw failed('SRV', name, cause);
      }
    },
    txt: async name => {
      try {
        return await (await (resolver ??= load())).resolveTxt(name);
      } catch (cause) {
        const { code } = cause as { code?: string };
        if (code === 'ENODATA' || code === 'ENOTFOUND') return []; // an absent record is a valid result
        throw failed('TXT', name, cause);
      }
    },
  };
};
