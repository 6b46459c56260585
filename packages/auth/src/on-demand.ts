import { whenLoaded } from '@tessera/contracts';
import type { Authenticator, Mechanism } from '@tessera/contracts';

/** Creates authenticators whose code is loaded for the first connection, and again if that failed. */
export const onDemand = (name: string, load: () => Promise<Mechanism>): Mechanism => {
  let loaded: Mechanism | undefined;
  return (deps, credential) => {
    if (loaded !== undefined) return loaded(deps, credential);
    let ready: Authenticator | undefined;
    return {
      mechanism: credential.mechanism ?? name,
      begin: at =>
        ready?.begin(at) ??
        whenLoaded(deps.host, load()).then(create => {
          loaded = create;
          ready ??= create(deps, credential);
          return ready.begin(at);
        }),
    };
  };
};
