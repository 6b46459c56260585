import type { Authenticator, Host, Mechanism } from '@tessera/contracts';

/** Waits for a module that is being loaded. A simulated host stops its time meanwhile. */
export const loaded = <T>(host: Host | undefined, module: Promise<T>): Promise<T> => host?.loaded?.(module) ?? module;

/** Creates authenticators whose code is loaded for the first connection, and again if that failed. */
export const onDemand =
  (mechanism: string, load: () => Promise<Mechanism>): Mechanism =>
  (deps, credential) => {
    let ready: Authenticator | undefined;
    return {
      mechanism: credential.mechanism ?? mechanism,
      begin: at =>
        ready?.begin(at) ??
        loaded(deps.host, load()).then(create => {
          ready ??= create(deps, credential);
          return ready.begin(at);
        }),
    };
  };
