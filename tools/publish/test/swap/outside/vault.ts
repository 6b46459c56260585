/** A mechanism that asks a vault for the password of each new connection, so that passwords can change while a client lives. */
import { createScram, credentialOf } from '@tessera/auth';
import type { Mechanism } from '@tessera/auth';

export interface Secret {
  readonly username: string;
  readonly password: string;
}

export const fromVault =
  (ask: () => Promise<Secret>): Mechanism =>
  deps => ({
    mechanism: 'vault',
    begin: async at => createScram(deps, credentialOf(await ask())!).begin(at),
  });
