import { MongoError } from '@tessera/contracts';
import type { Authenticator, MechanismDeps, Mechanisms } from '@tessera/contracts';
import { credentialOf, DEFAULT } from './credential.js';
import type { CredentialOptions } from './credential.js';

export interface AuthenticatorDeps extends MechanismDeps {
  readonly mechanisms: Mechanisms;
}

/** The functions to import for mechanisms that are not included by default. */
const makers: Readonly<Record<string, string>> = { 'MONGODB-AWS': 'createAws', 'MONGODB-OIDC': 'createOidc' };

const missing = (name: string): MongoError => {
  const maker = makers[name];
  const advice =
    maker === undefined
      ? `there is none in @tessera/auth; pass a Mechanism of your own as parts: { authenticators: { '${name}': … } }.`
      : `import { ${maker} } from '@tessera/auth' and pass parts: { authenticators: { '${name}': ${maker} } }.`;
  return new MongoError('usage', `The mechanism ${name} is not part of this client: ${advice}`);
};

/**
 * Creates the authenticator for the credential in the options. Undefined if they contain no credential. Rule:
 * Authentication.
 * @throws MongoError `usage` for an incomplete credential, and for a mechanism that is not among the given ones
 */
export const createAuthenticator = (
  { mechanisms, ...deps }: AuthenticatorDeps,
  options: CredentialOptions,
): Authenticator | undefined => {
  const credential = credentialOf(options);
  if (credential === undefined) return undefined;
  const name = credential.mechanism ?? DEFAULT;
  const create = Object.hasOwn(mechanisms, name) ? mechanisms[name] : undefined;
  if (create === undefined) throw missing(name);
  return create(deps, credential);
};
