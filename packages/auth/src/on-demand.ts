import { whenLoaded } from '@tessera/contracts';
import type { Authenticator, Mechanism } from '@tessera/contracts';

/** Creates authenticators whose code is loaded for the first connection, and again if that failed. */
export const onDemand =
  (mechanism: string, load: () => Promise<Mechanism>): Mechanism =>
  (deps, credential) => {
    let ready: Authenticator | undefined;
    return {
      mechanism: credential.mechanism ?? mechanism,
      begin: at =>
        ready?.begin(at) ??
        whenLoaded(deps.host, load()).then(create => {
          ready ??= create(deps, credential);
          return ready.begin(at);
        }),
    };
  };
