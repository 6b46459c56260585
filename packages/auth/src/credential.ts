import { MongoError } from '@tessera/contracts';
import type { Credential } from '@tessera/contracts';
import { propertiesOf, rules } from './mechanism-rules.js';
import type { MechanismRule } from './mechanism-rules.js';

/** The options that say who is there, under the names of the connection string. */
export interface CredentialOptions {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly authMechanism?: string | undefined;
  readonly authMechanismProperties?: Readonly<Record<string, unknown>> | undefined;
  readonly authSource?: string | undefined;
  /** The database that the connection string names. */
  readonly defaultauthdb?: string | undefined;
}

const refuse = (message: string): never => {
  throw new MongoError('usage', message);
};

/** The name under which a mechanism that is not named is negotiated. */
export const DEFAULT = 'DEFAULT';

const ruleOf = (mechanism: string | undefined): MechanismRule => {
  const name = mechanism ?? DEFAULT;
  if (name === 'MONGODB-CR')
    refuse('MONGODB-CR is gone since MongoDB 4.0; leave authMechanism out, so that SCRAM is used.');
  return Object.hasOwn(rules, name)
    ? rules[name]!
    : refuse(`There is no authMechanism of that name; there are ${Object.keys(rules).join(', ')}.`);
};

const sourceOf = (name: string, rule: MechanismRule, { authSource, defaultauthdb }: CredentialOptions): string => {
  if (authSource === '') refuse('The option authSource is empty; name a database, or leave it out.');
  if (rule.source !== 'external') return authSource ?? defaultauthdb ?? rule.source;
  if (authSource !== undefined && authSource !== '$external')
    refuse(`The users of ${name} are known outside of MongoDB; authSource is $external or left out.`);
  return '$external';
};

const checkPresence = (name: string, rule: MechanismRule, { username, password }: CredentialOptions): void => {
  if (rule.username === 'required' && (username === undefined || username === ''))
    refuse(`${name === DEFAULT ? 'Authentication' : name} needs a user name.`);
  if (rule.password === 'required' && password === undefined)
    refuse(`${name === DEFAULT ? 'Authentication' : name} needs a password.`);
  if (rule.password === 'none' && password !== undefined) refuse(`${name} takes no password; leave it out.`);
};

/**
 * Who the options say is there; undefined if they say nothing of the kind.
 * Rule: Authentication, "MongoCredential Properties", "Connection String Options".
 * @throws MongoError `usage` if the mechanism needs more, or takes less. It never tells a secret.
 */
export const credentialOf = (options: CredentialOptions): Credential | undefined => {
  const { username, password, authMechanism } = options;
  if (username === undefined && authMechanism === undefined) return undefined;
  const mechanism = authMechanism === DEFAULT ? undefined : authMechanism;
  const rule = ruleOf(mechanism);
  const name = mechanism ?? DEFAULT;
  checkPresence(name, rule, options);
  const source = sourceOf(name, rule, options);
  const properties = propertiesOf(name, rule, options.authMechanismProperties ?? {});
  rule.check?.({ username, password, properties });
  return Object.defineProperties({ username, source, mechanism } as Credential, {
    password: { value: password },
    properties: { value: properties },
  });
};
