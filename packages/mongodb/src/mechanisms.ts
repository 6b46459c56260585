import type { Authenticator, Mechanism, Mechanisms } from '@tessera/contracts';

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
  'MONGODB-AWS': onDemand('MONGODB-AWS', async () => (await import('./external-mechanisms.js')).createAws),
  'MONGODB-OIDC': onDemand('MONGODB-OIDC', async () => (await import('./external-mechanisms.js')).createOidc),
};
