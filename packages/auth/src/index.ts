export { createAuthenticator } from './authenticator.js';
export type { AuthenticatorDeps, Mechanism, MechanismDeps, Mechanisms } from './authenticator.js';
export { credentialOf } from './credential.js';
export type { Credential, CredentialOptions } from './credential.js';
export { mechanisms } from './mechanisms.js';
export { createPlain } from './plain.js';
export { createScram } from './scram.js';
export type { ScramDeps } from './scram.js';
export { createX509 } from './x509.js';
