import { MongoError } from '@tessera/contracts';
import type { Credential } from '@tessera/contracts';
import { propertiesOf, rules } from './mechanism-rules.js';
import type { MechanismRule } from './mechanism-rules.js';

/** The options for authentication, with the names of the connection string. */
export interface CredentialOptions {
  readonly username?: string | undefined;
  readonly password?: string | undefined;
  readonly authMechanism?: string | undefined;
  readonly authMechanismProperties?: Readonly<Record<string, unknown>> | undefined;
  readonly authSource?: string | undefined;
  /** The database in the connection string. */
  readonly defaultauthdb?: string | undefined;
}

const refuse = (message: string): never => {
  throw new MongoError('usage', message);
};

/** The mechanism name if none is given. It is then negotiated with the server. */
export const DEFAULT = 'DEFAULT';

const ruleOf = (mechanism: string | undefined): MechanismRule => {
  const name = mechanism ?? DEFAULT;
  if (name === 'MONGODB-CR') refuse('MONGODB-CR was removed in MongoDB 4.0. Remove authMechanism to use SCRAM.');
  return Object.hasOwn(rules, name)
    ? rules[name]!
    : refuse(`Unknown authMechanism. Use one of ${Object.keys(rules).join(', ')}.`);
};

const sourceOf = (name: string, rule: MechanismRule, { authSource, defaultauthdb }: CredentialOptions): string => {
  if (authSource === '') refuse('The option authSource is empty. Set it to a database, or remove it.');
  if (rule.source !== 'external') return authSource ?? defaultauthdb ?? rule.source;
  if (authSource !== undefined && authSource !== '$external')
    refuse(`The users of ${name} are not stored in MongoDB. Set authSource to $external, or remove it.`);
  return '$external';
};

const checkPresence = (name: string, rule: MechanismRule, { username, password }: CredentialOptions): void => {
  if (rule.username === 'required' && (username === undefined || username === ''))
    refuse(`${name === DEFAULT ? 'Authentication' : name} needs a user name.`);
  if (rule.password === 'required' && password === undefined)
    refuse(`${name === DEFAULT ? 'Authentication' : name} needs a password.`);
  if (rule.password === 'none' && password !== undefined) refuse(`${name} does not accept a password. Remove it.`);
};

/**
 * Creates the credential from the options. Undefined if they contain none. Rule: Authentication, "MongoCredential
 * Properties", "Connection String Options".
 * @throws MongoError `usage` for a missing or superfluous option of the mechanism; the message never contains a secret
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
