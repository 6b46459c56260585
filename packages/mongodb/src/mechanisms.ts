import type { Authenticator, Mechanism, Mechanisms } from '@tessera/contracts';
import { requireBeside } from '@tessera/node';

type External = typeof import('./external-mechanisms.js');

/**
 * Loads the mechanisms. Node.js never reads an ES module again that it could not read, for example because too many files
 * were open. The CommonJS module of the published package can be read again.
 */
const external = async (): Promise<External> => {
  try {
    return await import('./external-mechanisms.js');
  } catch (error) {
    const again = requireBeside(import.meta.url, './package.external-mechanisms.cjs') as External | undefined;
    if (again === undefined) throw error;
    return again;
  }
};

/** Creates an authenticator whose code is loaded for its first connection, and again if that failed. */
const onDemand =
  (mechanism: string, load: () => Promise<Mechanism>): Mechanism =>
  (deps, credential) => {
    let loaded: Promise<Authenticator> | undefined;
    const authenticator = async (): Promise<Authenticator> => (await load())(deps, credential);
    const forget = (error: unknown): never => {
      loaded = undefined;
      throw error;
    };
    return { mechanism, begin: async at => (await (loaded ??= authenticator().catch(forget))).begin(at) };
  };

/** The mechanisms that use an external service, which few programs need. */
export const externalMechanisms: Mechanisms = {
  'MONGODB-AWS': onDemand('MONGODB-AWS', async () => (await external()).createAws),
  'MONGODB-OIDC': onDemand('MONGODB-OIDC', async () => (await external()).createOidc),
};
